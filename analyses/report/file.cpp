#include "report/file.hpp"

#include <signal.h>
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

/// All of `content`, on the disk where there is one; `path` is for the message.
void write_to(const fs::path& file, std::string_view content, const fs::path& path) {
  File out(std::fopen(file.c_str(), "we"), &std::fclose);
  if (!out || std::fwrite(content.data(), 1, content.size(), out.get()) != content.size() ||
      std::fflush(out.get()) != 0 || (::fsync(::fileno(out.get())) != 0 && errno != EINVAL) ||
      std::fclose(out.release()) != 0)
    fail("write", path);
}

/// Not exclusively: what a killed run left there is written over.
void write_aside(const fs::path& path, std::string_view content) {
  const fs::path aside = path.string() + ".writing";
  try {
    write_to(aside, content, path);
    if (::rename(aside.c_str(), path.c_str()) != 0) fail("replace", path);
  } catch (const FileError&) {
    ::unlink(aside.c_str());
    throw;
  }
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

void write_file(const fs::path& path, std::string_view content) {
  ::signal(SIGXFSZ, SIG_IGN);
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_to(path, content, path);
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
