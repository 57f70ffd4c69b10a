#pragma once
// Who evaluates parts: threads of one machine (parts.cpp), processes by MPI (mpi.cpp).
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace embedscale::parts {

/// What a driver does. `next` and `keep` are called by one thread at a time of the first process,
/// `evaluate` by any of any.
struct Work {
  std::function<std::optional<std::size_t>()> next;  ///< the next part; none: that is all
  std::function<std::optional<std::string>(std::size_t)> evaluate;  ///< none: it came to nothing
  std::function<void(std::size_t, const std::string&)> keep;
  std::function<void()> say_what_is_missing;
  const std::atomic<bool>& stop;  ///< by a signal
};

class Driver {
 public:
  virtual ~Driver() = default;
  /// Of this process among those that make one list; the first one, 0, reads and writes files.
  virtual std::size_t number() const = 0;
  /// Evaluates what `next` gives, in that order as far as it is begun in an order.
  ///
  /// Errors    what `next` or `keep` throws, in the first process; what `evaluate` throws, there,
  ///           too, with by MPI the message alone. What else was under way by then is kept.
  virtual void hand_out(const Work& work) = 0;
  /// The text that the first process has, in each.
  virtual std::string shared(std::string text) = 0;
};

/// What the shared object of mpi.cpp has by this name; nullptr where MPI does not start.
inline constexpr const char* mpi_driver = "embedscale_parts_mpi";
using MakeDriver = Driver* (*)();

}  // namespace embedscale::parts
