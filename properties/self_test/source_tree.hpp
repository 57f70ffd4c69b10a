#pragma once
// The project's own sources as text, for the tests that hold them to the rules of the house.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::properties::self_test {

struct SourceFile {
  std::string path;  ///< from the project's root, with /
  std::string text;
};

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

inline bool is_code(std::string_view path) {
  return path.ends_with(".hpp") || path.ends_with(".cpp");
}

/// Every file below the folders, sorted by path; what an editor or a program leaves behind while it
/// writes (names that begin with a dot, *.writing) is not the project's.
///
/// Errors    std::runtime_error where a file cannot be read; std::filesystem::filesystem_error.
inline std::vector<SourceFile> read_tree(const std::filesystem::path& root,
                                         std::initializer_list<const char*> folders) {
  std::vector<SourceFile> files;
  for (const char* folder : folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto name = entry.path().filename().string();
      if (!entry.is_regular_file() || name.starts_with('.') || name.ends_with(".writing")) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      if (!in) throw std::runtime_error("cannot read " + entry.path().string());
      files.push_back({entry.path().lexically_relative(root).generic_string(),
                       {std::istreambuf_iterator<char>(in), {}}});
    }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace embedscale::properties::self_test
