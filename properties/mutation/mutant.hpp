#pragma once
// A mutant: one small change to a source text, and the name by which it is known.
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::properties::mutation {

enum class Operator {
  arithmetic,  ///< another of + - * / % << >> & | ^, of their assignments, of ++ and --
  relational,  ///< the boundary moved, or the opposite
  logical,     ///< && and || exchanged, a condition negated
  constant,    ///< a number moved by one, halved or doubled; true and false
  statement,   ///< an assignment, a call, a guarded jump left out
  arguments,   ///< two neighbours in a list exchanged
  sign,        ///< a unary minus left out; a sum or product returned with the other sign
  function     ///< its look-alike: sin and cos, floor and ceil, min and max
};
inline constexpr std::array<std::string_view, 8> operator_names{
    "arithmetic", "relational", "logical", "constant",
    "statement",  "arguments",  "sign",    "function"};
constexpr std::string_view name_of(Operator op) {
  return operator_names[static_cast<std::size_t>(op)];
}

/// `size` bytes from `begin` on become `replacement`.
struct Edit {
  std::size_t begin, size;
  std::string replacement;
  Operator op;
};

struct Mutant {
  std::string header;  ///< "attention.hpp", from the folder of the library's headers
  std::size_t line, column;
  Edit edit;
  std::string id;      ///< "attention.hpp#1f2e3d4c5b6a"
  std::string before;  ///< its line, without the blanks around it
  std::string after;   ///< what stands there instead; several lines are joined

  /// "attention.hpp:31:7 arithmetic", for people.
  std::string place() const {
    return header + ":" + std::to_string(line) + ":" + std::to_string(column) + " " +
           std::string(name_of(edit.op));
  }
};

inline std::string applied(const std::string& text, const Edit& edit) {
  return text.substr(0, edit.begin) + edit.replacement + text.substr(edit.begin + edit.size);
}

namespace detail {
inline std::string without_blanks(std::string_view text) {
  std::string joined;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) joined += c;
    if (blank && !joined.empty() && joined.back() != ' ') joined += ' ';
  }
  if (!joined.empty() && joined.back() == ' ') joined.pop_back();
  return joined;
}

inline std::string hexadecimal(std::uint64_t value, std::size_t digits) {
  std::string text;
  for (std::size_t i = digits; i-- > 0;) text += "0123456789abcdef"[(value >> (4 * i)) & 15];
  return text;
}
}  // namespace detail

/// The mutants of a header's edits, in the order of their places.
///
/// An id hashes what the change is and the text of the line it is in, where in that line, and the
/// how-manieth such line of the header it is: it survives whatever happens to other lines, and
/// ends when its own line changes.
inline std::vector<Mutant> name_edits(const std::string& header, const std::string& text,
                                      std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, &Edit::begin);
  std::vector<Mutant> mutants;
  for (Edit& edit : edits) {
    const auto end_of = [&](std::size_t at) { return std::min(text.find('\n', at), text.size()); };
    const auto begin = edit.begin == 0 ? 0 : text.rfind('\n', edit.begin - 1) + 1;
    const std::string line =
        detail::without_blanks(std::string_view(text).substr(begin, end_of(begin) - begin));
    std::size_t number = 1, same = 0;
    for (std::size_t at = 0; at < begin; at = end_of(at) + 1) {
      ++number;
      same += detail::without_blanks(std::string_view(text).substr(at, end_of(at) - at)) == line;
    }
    const auto blanks = text.find_first_not_of(' ', begin) - begin;
    const auto column = edit.begin - begin;
    const auto last = end_of(edit.begin + edit.size);
    const auto key = line + "\n" + std::to_string(same) + " " + std::to_string(column - blanks) +
                     " " + std::to_string(edit.size) + " " + std::string(name_of(edit.op)) + " " +
                     edit.replacement;
    mutants.push_back(
        {.header = header,
         .line = number,
         .column = column + 1,
         .edit = edit,
         .id = header + "#" + detail::hexadecimal(hash_of(key), 12),
         .before = detail::without_blanks(std::string_view(text).substr(begin, last - begin)),
         .after = detail::without_blanks(
             text.substr(begin, column) + edit.replacement +
             text.substr(edit.begin + edit.size, last - edit.begin - edit.size))});
  }
  return mutants;
}

}  // namespace embedscale::properties::mutation
