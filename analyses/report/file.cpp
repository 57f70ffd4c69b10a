#include "report/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
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

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// All of `part`; `path` is for the message.
void put(std::FILE* out, std::string_view part, const fs::path& path) {
  if (out == nullptr || std::fwrite(part.data(), 1, part.size(), out) != part.size())
    fail("write", path);
}

/// What was put, on the disk where there is one.
void sync(std::FILE* out, const fs::path& path) {
  if (std::fflush(out) != 0 || (::fsync(::fileno(out)) != 0 && errno != EINVAL))
    fail("write", path);
}

}  // namespace

std::string read_file(const fs::path& path) {
  const File in(std::fopen(path.c_str(), "re"), &std::fclose);
  if (!in) fail("read", path);
  std::string content;
  std::array<char, 1 << 16> part;
  while (const auto got = std::fread(part.data(), 1, part.size(), in.get()))
    content.append(part.data(), got);
  if (std::ferror(in.get()) != 0) fail("read", path);
  return content;
}

FileInParts::FileInParts(const fs::path& path)
    : path_(path), aside_(fmt::format("{}.{}.writing", path.string(), ::getpid())) {
  ::signal(SIGXFSZ, SIG_IGN);
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  has_name_ = file < 0;  // not exclusively: what a killed run left there is written over
  if (has_name_) file = ::open(aside_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  out_ = file < 0 ? nullptr : ::fdopen(file, "w");
  if (out_ == nullptr) fail("write", path);
  struct stat had {};
  if (::stat(path.c_str(), &had) == 0) ::fchmod(file, had.st_mode & 07777);
}

FileInParts::~FileInParts() {
  if (out_ != nullptr) std::fclose(out_);
  if (has_name_) ::unlink(aside_.c_str());
}

void FileInParts::append(std::string_view part) { put(out_, part, path_); }

void FileInParts::finish() {
  sync(out_, path_);
  if (!has_name_) {
    const auto self = "/proc/self/fd/" + std::to_string(::fileno(out_));
    ::unlink(aside_.c_str());
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, aside_.c_str(), AT_SYMLINK_FOLLOW) != 0)
      fail("write", path_);
    has_name_ = true;
  }
  if (std::fclose(std::exchange(out_, nullptr)) != 0) fail("write", path_);
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail("replace", path_);
  has_name_ = false;
}

void write_file(const fs::path& path, std::string_view content) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const File out(std::fopen(path.c_str(), "we"), &std::fclose);
    put(out.get(), content, path);
    return sync(out.get(), path);
  }
  const auto write_aside = [&](const fs::path& to) {
    FileInParts out(to);
    out.append(content);
    out.finish();
  };
  if (fs::exists(status)) {
    const fs::path target = fs::canonical(path, reason);
    if (reason) fail("write", path, reason);
    // The size first: it spares reading a file that cannot be equal.
    if (fs::file_size(target, reason) == content.size() && read_file(target) == content) return;
    return write_aside(target);
  }
  if (path.has_parent_path()) {
    fs::create_directories(path.parent_path(), reason);
    if (reason) fail("create the directory", path.parent_path(), reason);
  }
  write_aside(path);
}

KeptLines::KeptLines(fs::path file) : file_(std::move(file)) {
  fs::create_directories(file_.parent_path());
  if (fs::exists(file_)) {
    const auto text = read_file(file_);
    if (!text.empty() && !text.ends_with('\n')) write("\n");
  }
}

std::vector<std::string> KeptLines::lines() const {
  std::vector<std::string> all;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

void KeptLines::append(std::string_view line) const {
  write((is_torn_ ? "\n" : "") + std::string(line) + "\n");
}

void KeptLines::write(const std::string& text) const {
  std::ofstream out(file_, std::ios::app);
  is_torn_ = !(out << text << std::flush);  // a part of it may be there
  if (is_torn_) throw FileError(file_.string() + ": cannot be written");
}

}  // namespace embedscale::report
