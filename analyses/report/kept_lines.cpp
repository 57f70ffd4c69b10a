#include "report/kept_lines.hpp"

#include <fstream>
#include <utility>

#include "report/file.hpp"

namespace embedscale::report {

KeptLines::KeptLines(std::filesystem::path file) : file_(std::move(file)) {
  std::filesystem::create_directories(file_.parent_path());
  if (std::filesystem::exists(file_)) {
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

void KeptLines::append(std::string_view line) const { write(std::string(line) + "\n"); }

void KeptLines::write(const std::string& text) const {
  std::ofstream out(file_, std::ios::app);
  if (!(out << text << std::flush)) throw FileError(file_.string() + ": cannot be written");
}

}  // namespace embedscale::report
