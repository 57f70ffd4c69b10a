#include "report/source_hash.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "report/file.hpp"
#include "report/table.hpp"

namespace embedscale::report {
namespace {

namespace fs = std::filesystem;

/// What stands between the quotes or brackets of an #include; "" on any other line.
std::string_view included_by(std::string_view line) {
  constexpr std::string_view directive = "#include ";
  if (!line.starts_with(directive)) return {};
  line.remove_prefix(directive.size());
  const auto end = line.find_first_of("\">", 1);
  return end == line.npos ? std::string_view{} : line.substr(1, end - 1);
}

/// Without comments, and with one blank for all white space: what a compiler sees, so that a record
/// does not go stale by a better word. (No string here has "//" in it; one that had would be cut.)
std::string code_of(std::string_view text) {
  std::string code;
  bool is_comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    is_comment = text[i] != '\n' && (is_comment || text.substr(i, 2) == "//");
    if (is_comment) continue;
    const bool is_blank = text[i] == ' ' || text[i] == '\n';
    if (!is_blank)
      code += text[i];
    else if (!code.ends_with(' '))
      code += ' ';
  }
  return code;
}

/// The file of the project that is meant; none for another library's.
std::optional<fs::path> file_of(std::string_view name, const fs::path& beside,
                                const fs::path& project) {
  for (const auto& folder : {beside, project, project / "lib", project / "analyses"})
    if (fs::is_regular_file(folder / name)) return (folder / name).lexically_normal();
  return std::nullopt;
}

}  // namespace

std::string hash_of_sources(const fs::path& project, const std::string& source) {
  std::map<std::string, std::string> texts;  // by path, hence in an order
  std::vector<fs::path> next{(project / source).lexically_normal()};
  while (!next.empty()) {
    const fs::path file = next.back();
    next.pop_back();
    const auto [place, is_new] =
        texts.try_emplace(file.lexically_proximate(project).generic_string());
    if (!is_new) continue;
    place->second = read_file(file);
    if (const auto own = fs::path(file).replace_extension(".cpp"); fs::is_regular_file(own))
      next.push_back(own);
    for (const auto line : split(place->second, '\n'))
      if (const auto name = included_by(line); !name.empty())
        if (const auto found = file_of(name, file.parent_path(), project)) next.push_back(*found);
  }
  std::string all;
  for (const auto& [path, text] : texts)
    all += fmt::format("{} {:016x}\n", path, hash_of(code_of(text)));
  return fmt::format("{:016x}", hash_of(all));
}

}  // namespace embedscale::report
