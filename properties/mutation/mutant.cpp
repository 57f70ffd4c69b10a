#include "mutant.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

namespace embedscale::properties::mutation {
namespace {

struct Line {
  std::size_t begin, end;  ///< bytes, without the newline
  std::string words;
  std::size_t same;  ///< lines of the same words before it
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::map<std::string, std::size_t> seen;
  for (std::size_t begin = 0; begin <= text.size(); begin = lines.back().end + 1) {
    const auto end = std::min(text.find('\n', begin), text.size());
    auto words = without_blanks(std::string(text.substr(begin, end - begin)));
    const auto same = seen[words]++;
    lines.push_back({begin, end, std::move(words), same});
  }
  return lines;
}

}  // namespace

std::string difference(const Mutant& mutant) {
  return fmt::format("{}:{}:{} {}  {}\n  - {}\n  + {}\n", mutant.file, mutant.line, mutant.column,
                     name_of(mutant.edit.op), mutant.id, mutant.before, mutant.after);
}

std::string applied(const std::string& text, const Edit& edit) {
  return text.substr(0, edit.begin) + edit.replacement + text.substr(edit.begin + edit.size);
}

std::string without_blanks(const std::string& text) {
  static const std::regex blanks("[ \n\t]+"), ends("^ | $");
  return std::regex_replace(std::regex_replace(text, blanks, " "), ends, "");
}

std::vector<Mutant> mutants_of(const std::string& file, const std::string& text) {
  const auto lines = lines_of(text);
  const auto line_at = [&](std::size_t byte) {
    return std::prev(std::ranges::upper_bound(lines, byte, {}, &Line::begin));
  };
  std::vector<Mutant> mutants;
  for (Edit& edit : edits_of(text)) {
    const auto line = line_at(edit.begin);
    const auto column = edit.begin - line->begin;
    const auto blanks = text.find_first_not_of(' ', line->begin) - line->begin;
    const auto end = line_at(edit.begin + edit.size)->end;
    const auto key = fmt::format("{}\n{} {} {} {} {}", line->words, line->same, column - blanks,
                                 edit.size, name_of(edit.op), edit.replacement);
    const auto whole = text.substr(line->begin, end - line->begin);
    mutants.push_back(
        {.file = file,
         .line = static_cast<std::size_t>(line - lines.begin()) + 1,
         .column = column + 1,
         .edit = edit,
         .id = fmt::format("{}#{:012x}", file, hash_of(key) & 0xffff'ffff'ffff),
         .before = without_blanks(whole),
         .after = without_blanks(applied(whole, {column, edit.size, edit.replacement, edit.op}))});
  }
  return mutants;
}

void shuffle(std::vector<Mutant>& mutants, std::uint64_t seed) {
  std::ranges::sort(mutants, {}, [seed](const Mutant& mutant) {
    return std::pair(Stream(seed, "mutation " + mutant.id).bits(0), mutant.id);
  });
}

}  // namespace embedscale::properties::mutation
