#pragma once
// One field of a TOML document, read with its type and range checked and its errors explained.
#include "audit/document.hpp"
#include "audit/expression.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace embedscale::audit {

/// The numbers that are allowed, and the words that say so.
struct Range {
  double least, greatest;
  std::string_view words;
};
inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr Range finite{-largest_double, largest_double, "a finite number"};
inline constexpr Range positive{std::numeric_limits<double>::denorm_min(), largest_double,
                                "a finite number > 0"};

/// The words that a field may have, each with its meaning.
template <class Value, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Value>, N>;

/// The word for `value`; empty where it has none.
template <class Value, std::size_t N>
constexpr std::string_view word_for(Value value, const Choices<Value, N>& choices) {
  for (const auto& [word, meaning] : choices)
    if (meaning == value) return word;
  return {};
}

/// The words alone, and "normal, uniform": all of them.
template <class Value, std::size_t N>
constexpr std::array<std::string_view, N> words(const Choices<Value, N>& choices) {
  std::array<std::string_view, N> all;
  for (std::size_t i = 0; i < N; ++i) all[i] = choices[i].first;
  return all;
}
std::string joined(std::span<const std::string_view> words);

/// The field `path` ("name", "section.key" or "section[0].key") of a document. Numbers may be
/// formulas in `variables`. Each value is empty where the field is not given, and a number also
/// where it hangs on a variable that stands for nothing.
///
/// Errors    ContentError from every member: the field is of another type than asked for, or out of
///           range; from those that are required, also that it is neither given nor marked absent.
class Entry {
 public:
  Entry(const Document& document, std::string path, std::span<const Variable> variables)
      : document_(document), path_(std::move(path)), variables_(variables) {}

  const std::string& path() const { return path_; }
  bool given() const { return node() != nullptr; }
  /// Whether [marks] says that nobody tells it.
  bool absent() const { return document_.absent.contains(path_); }
  /// Another field of the same document.
  Entry other(std::string path) const { return {document_, std::move(path), variables_}; }
  /// The value as it was written.
  std::string written() const;

  /// A number, or a formula in a string.
  std::optional<double> number(const Range& range) const;
  std::optional<double> required_number(const Range& range) const;

  /// An integer from `least` to `greatest`, or a formula for one.
  std::optional<std::int64_t> integer(std::int64_t least, std::int64_t greatest) const;
  std::optional<std::int64_t> required_integer(std::int64_t least, std::int64_t greatest) const;

  /// true or false.
  std::optional<bool> truth() const;

  /// A string of 1 to `longest` bytes without control characters.
  std::optional<std::string> text(std::size_t longest) const;
  /// An array of such strings; empty where there is none.
  std::vector<std::string> texts(std::size_t longest) const;

  /// One of several words.
  template <class Value, std::size_t N>
  std::optional<Value> choice(const Choices<Value, N>& choices) const {
    const auto chosen = index_of(words(choices));
    return chosen ? std::optional(choices[*chosen].second) : std::nullopt;
  }
  template <class Value, std::size_t N>
  std::optional<Value> required_choice(const Choices<Value, N>& choices) const {
    if (!given() && !absent()) miss("one of " + joined(words(choices)));
    return choice(choices);
  }

  /// Throws "file:line: path = value: must be <allowed>".
  [[noreturn]] void refuse(std::string_view allowed) const;
  /// Throws "file:line: path is missing: must be <allowed>".
  [[noreturn]] void miss(std::string_view allowed) const;
  /// Throws "file:line: <what>", or "--set path=value: <what>" where that is its place.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const Node* node() const;
  std::optional<std::size_t> index_of(std::span<const std::string_view> words) const;
  std::optional<double> evaluated(const std::string& formula) const;

  const Document& document_;
  std::string path_;
  std::span<const Variable> variables_;
};

}  // namespace embedscale::audit
