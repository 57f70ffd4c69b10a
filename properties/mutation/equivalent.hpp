#pragma once
// The mutants argued to be no change at all: a text that people write and read.
//
//   # A comment.
//   attention.hpp#1f2e3d4c5b6a
//     The change, in words or as a line.
//     Why no test can tell it from the original.
//
// An entry ends where the next begins. One without a reason is an error, and so is one whose
// mutant does not exist (its line has changed: argue again) or has been killed.
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mutant.hpp"

namespace embedscale::properties::mutation {

struct Equivalent {
  std::string id;
  std::string reason;  ///< its lines, joined by blanks
};

/// Errors    std::invalid_argument: a line that is neither, no reason, an id given twice.
inline std::vector<Equivalent> parse_equivalents(std::string_view text) {
  std::vector<Equivalent> list;
  const auto complain_without_reason = [&] {
    if (!list.empty() && list.back().reason.empty())
      throw std::invalid_argument("equivalent mutants: no reason for " + list.back().id);
  };
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto words = detail::without_blanks(line);
    if (words.empty() || line[0] == '#') continue;
    if (line[0] == ' ') {
      if (list.empty()) throw std::invalid_argument("equivalent mutants: a reason for none");
      list.back().reason += (list.back().reason.empty() ? "" : " ") + words;
      continue;
    }
    if (words.find(' ') != words.npos || words.find(".hpp#") == words.npos)
      throw std::invalid_argument("equivalent mutants: neither an id nor a reason: " + words);
    complain_without_reason();
    if (std::ranges::count(list, words, &Equivalent::id) > 0)
      throw std::invalid_argument("equivalent mutants: twice: " + words);
    list.push_back({words, ""});
  }
  complain_without_reason();
  return list;
}

/// The ids that no mutant has.
inline std::vector<std::string> stale(const std::vector<Equivalent>& list,
                                      const std::vector<Mutant>& mutants) {
  std::vector<std::string> ids;
  for (const auto& entry : list)
    if (std::ranges::count(mutants, entry.id, &Mutant::id) == 0) ids.push_back(entry.id);
  return ids;
}

}  // namespace embedscale::properties::mutation
