// The driver by MPI, a shared object of its own: the first process hands parts out, one by one, and
// evaluates as the others do. All waiting sleeps, so that several processes may share a processor.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>

#include "parts/driver.hpp"

namespace embedscale::parts {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t no_part = ~std::uint64_t{0};
constexpr int interrupted = 130;

/// What became of a part, as it is sent; the tag of its message is `how`.
struct Made {
  enum How : int { nothing, something, an_error } how = nothing;
  std::uint64_t part = no_part;
  std::string text = {};
};

Made made(const Work& work, std::uint64_t part) try {
  auto text = work.evaluate(part);
  return {text ? Made::something : Made::nothing, part, text.value_or("")};
} catch (const std::exception& error) {
  return {Made::an_error, part, error.what()};
}

/// Until something is so: at first at once, then up to a millisecond later.
template <class Predicate>
void wait_until(const Work* work, Predicate is_so) {
  auto pause = 0us;
  for (int tries = 0; !is_so(); ++tries) {
    if (work != nullptr && work->stop) {
      work->say_what_is_missing();
      std::_Exit(interrupted);  // some process may be no more: nothing is waited for
    }
    if (tries < 1000)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(pause = std::min(2 * pause + 10us, 1000us));
  }
}

class Mpi : public Driver {
 public:
  Mpi() {
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
  }
  /// After an error others may wait for this process for ever: mpirun ends them where it ends
  /// without this.
  ~Mpi() override {
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }

  std::size_t number() const override { return static_cast<std::size_t>(number_); }

  void hand_out(const Work& work) override { number_ == 0 ? lead(work) : follow(work); }

  std::string shared(std::string text) override {
    std::uint64_t size = text.size();
    broadcast(&size, sizeof size);
    text.resize(size);
    // A message has at most 2^31 bytes.
    constexpr std::uint64_t most = 1 << 30;
    for (std::uint64_t at = 0; at < size; at += most)
      broadcast(text.data() + at, std::min(most, size - at));
    return text;
  }

 private:
  static void broadcast(void* bytes, std::uint64_t size) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(bytes, static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_until(nullptr, [&] {
      int is_done = 0;
      MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
      return is_done != 0;
    });
  }

  /// What has come, and from whom; none yet: false.
  static bool receive(Made& made, int& from) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &message, &status);
    if (is_there == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    MPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    std::memcpy(&made.part, bytes.data(), sizeof made.part);
    made.text = bytes.substr(sizeof made.part);
    made.how = static_cast<Made::How>(status.MPI_TAG);
    from = status.MPI_SOURCE;
    return true;
  }
  static void send(const Made& made, int to) {
    std::string bytes(sizeof made.part, '\0');
    std::memcpy(bytes.data(), &made.part, sizeof made.part);
    bytes += made.text;
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, made.how, MPI_COMM_WORLD);
  }

  /// Each message of the others is what they made and asks for more.
  void lead(const Work& work) const {
    std::exception_ptr error;
    const auto next = [&]() -> std::uint64_t {
      if (!error) try {
          return work.next().value_or(no_part);
        } catch (...) {
          error = std::current_exception();
        }
      return no_part;
    };
    const auto keep = [&](const Made& one) {
      if (one.how == Made::an_error && !error)
        error = std::make_exception_ptr(std::runtime_error(one.text));
      if (one.how == Made::something) try {
          work.keep(one.part, one.text);
        } catch (...) {
          if (!error) error = std::current_exception();
        }
    };
    std::future<Made> own;
    int others = processes_ - 1;
    bool has_more = true;
    while (others > 0 || has_more || own.valid()) {
      if (!own.valid() && has_more) {
        const auto part = next();
        has_more = part != no_part;
        if (has_more)
          own = std::async(std::launch::async, [&work, part] { return made(work, part); });
      }
      Made one;
      int from = 0;
      bool is_others = false;
      wait_until(&work, [&] {
        is_others = receive(one, from);
        return is_others || (own.valid() && own.wait_for(0s) == std::future_status::ready) ||
               (others == 0 && !own.valid());
      });
      if (is_others) {
        keep(one);
        const auto part = next();
        others -= part == no_part ? 1 : 0;
        send({.part = part}, from);
      } else if (own.valid()) {
        keep(own.get());
      }
    }
    if (error) std::rethrow_exception(error);
  }

  static void follow(const Work& work) {
    Made one;
    do {
      send(one, 0);
      int from = 0;
      wait_until(nullptr, [&] { return receive(one, from); });
      if (one.part != no_part) one = made(work, one.part);
    } while (one.part != no_part);
  }

  int number_ = 0, processes_ = 1;
};

}  // namespace

extern "C" Driver* embedscale_parts_mpi() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    return nullptr;
  return new Mpi();
}

}  // namespace embedscale::parts
