#include "report/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace embedscale::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const fs::path& path, const std::error_code& reason) {
  throw FileError(std::string("cannot ") + what + " " + path.string() + ": " + reason.message());
}

/// The reason is read from errno: call it before anything else that could set it.
[[noreturn]] void fail(const char* what, const fs::path& path) {
  fail(what, path, std::error_code(errno, std::generic_category()));
}

/// A file descriptor that closes itself; `close` is for those who need to know that it did.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// A file to be renamed into place; removed unless `keep` was called.
class Aside {
 public:
  explicit Aside(const fs::path& target)
      : path_(target.string() + "." + std::to_string(::getpid()) + ".writing") {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    if (!kept_) ::unlink(path_.c_str());
  }
  const fs::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

/// Writes all of `content`; `path` is for the message.
void write_all(const Descriptor& out, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(out.number(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_straight(const fs::path& path, std::string_view content) {
  Descriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (out.number() < 0) fail("write", path);
  write_all(out, content, path);
  if (!out.close()) fail("write", path);
}

void write_aside(const fs::path& path, std::string_view content) {
  Aside aside(path);
  // Not O_EXCL: in a container every run may have the same process id, and so find its own
  // leftover.
  Descriptor out(::open(aside.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (out.number() < 0) fail("write", path);
  write_all(out, content, path);
  if (::fsync(out.number()) != 0 || !out.close()) fail("write", path);
  if (::rename(aside.path().c_str(), path.c_str()) != 0) fail("replace", path);
  aside.keep();
}

/// The process id in `<name>.<pid>.writing`, or 0.
pid_t writer_of(const fs::path& file) {
  if (file.extension() != ".writing") return 0;
  const std::string digits = file.stem().extension().string();  // with its dot
  pid_t writer = 0;
  if (digits.size() < 2) return 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data() + 1, end, writer);
  return read.ec == std::errc() && read.ptr == end && writer > 0 ? writer : 0;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.number() < 0) fail("read", path);
  std::string content;
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t got = ::read(in.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) return content;
    content.append(part.data(), static_cast<std::size_t>(got));
  }
}

void write_file(const fs::path& path, std::string_view content) {
  ::signal(SIGXFSZ, SIG_IGN);
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_straight(path, content);
  if (fs::exists(status)) {
    const fs::path target = fs::canonical(path, reason);
    if (reason) fail("write", path, reason);
    // The size first: it spares reading a file that cannot be equal.
    if (fs::file_size(target, reason) == content.size() && read_file(target) == content) return;
    return write_aside(target, content);
  }
  if (path.has_parent_path()) {
    fs::create_directories(path.parent_path(), reason);
    if (reason) fail("create the directory", path.parent_path(), reason);
  }
  write_aside(path, content);
}

void remove_leftovers(const fs::path& directory) {
  std::error_code reason;
  if (!fs::exists(directory, reason)) return;
  fs::recursive_directory_iterator entry(directory, reason);
  for (; !reason && entry != fs::recursive_directory_iterator(); entry.increment(reason)) {
    const pid_t writer = writer_of(entry->path());
    if (writer == 0 || !(writer == ::getpid() || is_gone(writer))) continue;
    std::error_code refused;
    fs::remove(entry->path(), refused);
    if (refused) fail("remove", entry->path(), refused);
  }
  if (reason) fail("search", directory, reason);
}

}  // namespace embedscale::report
