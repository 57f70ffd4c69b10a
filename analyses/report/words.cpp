#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/file.hpp"
#include "report/table.hpp"

namespace embedscale::report {
namespace {

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \n") - begin + 1));
}

/// Lines of "name = look-up".
Words::Parts look_ups_in(std::string_view text, const std::string& where) {
  Words::Parts all;
  for (const auto line : split(text, '\n')) {
    const auto equal = line.find(" = ");
    if (line.empty()) continue;
    if (equal == line.npos ||
        !all.try_emplace(std::string(line.substr(0, equal)), line.substr(equal + 3)).second)
      throw std::invalid_argument(
          fmt::format("{}: field '{}' is not 'name = look-up', or appears twice", where, line));
  }
  return all;
}

template <class Map>
const auto& at_or_none(const Map& map, std::string_view key) {
  static const typename Map::mapped_type none;
  const auto found = map.find(key);
  return found == map.end() ? none : found->second;
}

}  // namespace

Words Words::read(const std::filesystem::path& path) {
  return parse(read_file(path), path.filename().string());
}

Words Words::parse(std::string_view text, std::string name) {
  Words words;
  words.name_ = std::move(name);
  std::string* target = &words.introduction_;
  Parts* section = nullptr;
  std::string id, part_name;
  bool in_block = false;
  const auto refuse = [&](std::string_view line, const char* why) {
    throw std::invalid_argument(fmt::format("{}: '{}' {}", words.name_, line, why));
  };
  for (const auto line : split(text, '\n')) {
    if (line == "```" && section != nullptr) {
      in_block = !in_block;
      if (in_block) words.blocks_[id].emplace_back(part_name, "");
    } else if (in_block) {
      words.blocks_[id].back().second.append(line).append("\n");
    } else if (line.starts_with("### ")) {
      part_name = line.substr(4);
      if (section == nullptr) refuse(line, "stands before the first section");
      const auto [part, is_new] = section->try_emplace(std::string(line.substr(4)));
      if (!is_new) refuse(line, "appears twice in its section");
      target = &part->second;
    } else if (line.starts_with("## ")) {
      const auto [entry, is_new] = words.sections_.try_emplace(std::string(line.substr(3)));
      if (!is_new) refuse(line, "appears twice");
      section = &entry->second;
      id = entry->first, part_name.clear();
      target = &(*section)["introduction"];
    } else if (line.starts_with("# ")) {
      if (!words.title_.empty()) refuse(line, "is a second title");
      words.title_ = line.substr(2);
    } else {
      target->append(line).append("\n");
    }
  }
  words.introduction_ = trimmed(words.introduction_);
  for (auto& [of, parts] : words.sections_)
    for (auto& [part, prose] : parts) {
      prose = trimmed(prose);
      if (part == "fields") words.look_ups_[of] = look_ups_in(prose, words.name_ + ", " + of);
    }
  return words;
}

const Words::Parts& Words::look_ups(std::string_view section) const {
  return at_or_none(look_ups_, section);
}

const std::vector<std::pair<std::string, std::string>>& Words::blocks(
    std::string_view section) const {
  return at_or_none(blocks_, section);
}

bool Words::has_part(std::string_view section, std::string_view name) const {
  const auto found = sections_.find(section);
  return found != sections_.end() && found->second.find(name) != found->second.end();
}

const std::string& Words::part(std::string_view section, std::string_view name) const {
  if (!has_part(section, name))
    throw std::invalid_argument(
        fmt::format("{}: section '{}' has no part '### {}'", name_, section, name));
  return sections_.find(section)->second.find(name)->second;
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string fill(std::string_view text,
                 const std::function<std::string(std::string_view)>& look_up) {
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos)
      throw std::invalid_argument(
          fmt::format("a field is not closed: '{}'", text.substr(open, 40)));
    out += look_up(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace embedscale::report
