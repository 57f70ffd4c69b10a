#pragma once
// One field of a TOML document, read with its type and range checked and its errors explained.
#include "audit/expression.hpp"

#include <toml++/toml.h>

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

/// A parsed file and its name.
struct Document {
  std::string file;
  toml::table root;
};

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

/// Throws ContentError "file:line: <what>", without the line where `place` has none.
[[noreturn]] void refuse_at(const Document& document, const toml::source_region& place,
                            std::string_view what);

/// The field `path` ("name" or "section.key") of a document. Numbers may be formulas in
/// `variables`.
///
/// Errors    ContentError from every member: the field is of another type than asked for, or out of
///           range; from those that do not return an optional, also that it is missing.
class Entry {
 public:
  Entry(const Document& document, std::string_view path, std::span<const Variable> variables)
      : document_(document), path_(path), variables_(variables) {}

  std::string_view path() const { return path_; }
  bool given() const { return node() != nullptr; }
  /// Another field of the same document.
  Entry other(std::string_view path) const { return {document_, path, variables_}; }

  /// A number, or a formula in a string.
  std::optional<double> number(const Range& range) const;
  double required_number(const Range& range) const;

  /// An integer from `least` to `greatest`, or a formula for one.
  std::optional<std::int64_t> integer(std::int64_t least, std::int64_t greatest) const;
  std::int64_t required_integer(std::int64_t least, std::int64_t greatest) const;

  /// A string of 1 to `longest` bytes without control characters.
  std::optional<std::string> text(std::size_t longest) const;
  /// An array of such strings; empty where there is none.
  std::vector<std::string> texts(std::size_t longest) const;

  /// One of several words.
  template <class Value, std::size_t N>
  std::optional<Value> choice(const Choices<Value, N>& choices) const {
    std::array<std::string_view, N> words;
    for (std::size_t i = 0; i < N; ++i) words[i] = choices[i].first;
    const auto chosen = index_of(words);
    return chosen ? std::optional(choices[*chosen].second) : std::nullopt;
  }
  template <class Value, std::size_t N>
  Value required_choice(const Choices<Value, N>& choices) const {
    if (const auto chosen = choice(choices)) return *chosen;
    std::string words;
    for (const auto& [word, meaning] : choices)
      words += (words.empty() ? "" : ", ") + std::string(word);
    miss("one of " + words);
  }

  /// Throws "file:line: path = value: must be <allowed>".
  [[noreturn]] void refuse(std::string_view allowed) const;
  /// Throws "file:line: path is missing: must be <allowed>".
  [[noreturn]] void miss(std::string_view allowed) const;
  /// Throws "file:line: <what>".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const toml::node* node() const;
  std::optional<std::size_t> index_of(std::span<const std::string_view> words) const;
  double evaluated(const std::string& formula) const;

  const Document& document_;
  std::string_view path_;
  std::span<const Variable> variables_;
};

}  // namespace embedscale::audit
