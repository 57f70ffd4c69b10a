#pragma once
// Reading and writing files: the one place through which everything that is reported goes.
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::report {

/// A file that could not be read, written or removed: one line with its path and the reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The bytes of a file.
///
/// Errors    FileError.
std::string read_file(const std::filesystem::path& path);

/// A file that comes in parts and is there as a whole, or not at all, whatever ends the process: it
/// grows without a name, and has the mode of what was there. Where a file system has no such files
/// it is `<name>.<process>.writing` meanwhile, which a killed process leaves behind.
///
/// Requires  that nobody else writes this path at the time.
/// Errors    FileError, also where the file would pass the process's size limit: SIGXFSZ, which
///           would end it, is ignored from then on.
class FileInParts {
 public:
  explicit FileInParts(const std::filesystem::path& path);
  ~FileInParts();
  FileInParts(const FileInParts&) = delete;
  FileInParts& operator=(const FileInParts&) = delete;

  void append(std::string_view part);
  /// On the disk, where there is one, and in its place.
  void finish();

 private:
  std::filesystem::path path_, aside_;
  bool has_name_ = false;
  std::FILE* out_;
};

/// Makes `content` the content of a file, entirely or not at all: readers and interrupted runs see
/// the old bytes or the new ones, which grow in FileInParts.
///
/// Ensures   missing parent directories are there; a file that already holds these bytes is left
///           alone, with its time; a link is followed, not replaced; after an error nothing is left
///           aside. What is not a regular file (a pipe, /dev/full) is written straight.
/// Requires  what FileInParts does.
/// Errors    as FileInParts.
void write_file(const std::filesystem::path& path, std::string_view content);

/// A file of lines that is added to as results come: however a program ends, the lines that it has
/// written stand, and the next one goes on from there.
class KeptLines {
 public:
  /// Makes its directory; ends a line that a killed program left unfinished.
  ///
  /// Errors    FileError, std::filesystem::filesystem_error; so below.
  explicit KeptLines(std::filesystem::path file);

  /// All of them. One that was left unfinished is among them: skip what cannot be parsed.
  std::vector<std::string> lines() const;
  /// In one piece, which is the system's as soon as this returns; one thread at a time.
  void append(std::string_view line) const;

 private:
  void write(const std::string& text) const;

  std::filesystem::path file_;
  mutable bool is_torn_ = false;
};

}  // namespace embedscale::report
