#pragma once
// One field of a TOML document, read with its type and range checked and its errors explained; and
// the formulas that numbers may be written as, such as "d_model^-0.5" or "1/sqrt(d_k)".
#include "audit/choices.hpp"
#include "audit/document.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace embedscale::audit {

/// A name that a formula may use, and what it stands for: nothing, where that is unknown.
struct Variable {
  std::string_view name;
  std::optional<double> value;
};

/// The longest formula that is read, in characters; it bounds the nesting too.
inline constexpr std::size_t longest_expression = 1000;

/// The value of a formula in muParser's syntax: + - * / ^, comparisons, c ? a : b, sqrt, ln, exp,
/// min, max and the other functions of muParser itself, _pi, _e, and the given variables.
///
/// Ensures   a finite number, computed in double; nothing where it hangs on a variable that stands
///           for nothing.
/// Errors    std::invalid_argument, whose text begins with the quoted formula: not one formula in
///           printable ASCII, too long, an unknown name, or a value that is not finite.
std::optional<double> evaluate(std::string_view expression, std::span<const Variable> variables);

/// The numbers that are allowed, and the words that say so.
struct Range {
  double least, greatest;
  std::string_view words;
};
inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr Range finite{-largest_double, largest_double, "a finite number"};
inline constexpr Range positive{std::numeric_limits<double>::denorm_min(), largest_double,
                                "a finite number > 0"};

/// The field `path` ("name", "section.key" or "section[0].key") of a document. Numbers may be
/// formulas in `variables`. Each value is empty where the field is not given and has no default,
/// and a number also where it hangs on a variable that stands for nothing.
///
/// Errors    ContentError from every member: the field is of another type than asked for, out of
///           range, or neither given nor marked absent though it is required.
class Entry {
 public:
  Entry(const Document& document, std::string path, std::span<const Variable> variables)
      : document_(document), path_(std::move(path)), variables_(variables) {}

  const std::string& path() const { return path_; }
  bool given() const;
  /// Whether [marks] says that nobody tells it.
  bool absent() const { return document_.absent.contains(path_); }
  /// Another field of the same document, or of the same section.
  Entry other(std::string path) const { return {document_, std::move(path), variables_}; }
  Entry beside(const std::string& key) const {
    return other(path_.substr(0, path_.find('.') + 1) + key);
  }
  /// The same where it is required, or where this stands if it is neither given nor marked absent.
  Entry required() const;
  Entry otherwise(std::string_view value) const;
  /// The value as it was written.
  std::string written() const;

  /// A number, or a formula in a string.
  std::optional<double> number(const Range& range) const;
  /// An integer from `least` to `greatest`, or a formula for one.
  std::optional<std::int64_t> integer(std::int64_t least, std::int64_t greatest) const;
  /// true or false.
  std::optional<bool> truth() const;
  /// A string of 1 to `longest` bytes without control characters.
  std::optional<std::string> text(std::size_t longest) const;
  /// An array of such strings; empty where there is none.
  std::vector<std::string> texts(std::size_t longest) const;

  /// One of the words of an enumeration, or of some of them.
  template <class Value>
  std::optional<Value> choice(std::string_view allowed = names_of<Value>) const {
    const auto chosen = word(allowed);
    if (!chosen) return std::nullopt;
    std::size_t place = 0;
    while (word_at(place, names_of<Value>) != *chosen) ++place;
    return static_cast<Value>(place);
  }

  /// Throws "file:line: path = value: must be <allowed>".
  [[noreturn]] void refuse(std::string_view allowed) const;
  /// Throws "file:line: <what>", or "--set path=value: <what>" where that is its place.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const Node* in_document() const;
  std::optional<std::string> word(std::string_view allowed) const;
  /// The value, or its default; a required one that is missing must be `kind` and `allowed`.
  const Node* node(std::string_view kind, std::string_view allowed = {}) const;

  const Document& document_;
  std::string path_;
  std::span<const Variable> variables_;
  std::optional<Node> otherwise_ = {};
  bool required_ = false;
};

}  // namespace embedscale::audit
