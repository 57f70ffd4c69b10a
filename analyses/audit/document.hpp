#pragma once
// A configuration's file: the TOML in it, bounded in size and in nesting, so that no file can
// exhaust memory or the stack of a recursive parser; and one field of it, read with its type and
// range checked and its errors explained.
#include "audit/configuration.hpp"
#include "audit/expression.hpp"

#include <toml++/toml.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace embedscale::audit {

/// The deepest nesting of brackets, and the most dots in one key, that are read.
inline constexpr int deepest_nesting = 16;

/// A parsed file and its name, with what was changed from outside.
struct Document {
  std::string file;
  toml::table root = {};
  std::map<std::string, std::string, std::less<>> changes = {};  ///< by path: as it was asked for
  std::set<std::string, std::less<>> absent = {};  ///< paths that [marks] calls absent

  /// What is at "name", "section", "section.key" or "section[0].key"; nullptr where there is none.
  const toml::node* find(const std::string& path) const;
};

/// The values of TOML text; `file` is its name in errors.
///
/// Errors    ContentError where it is not TOML, nothing but white space, or more than
///           `largest_source`, and where brackets are nested, or keys are dotted, more than
///           `deepest_nesting` times: toml++ limits the former to 256, the latter not.
Document parse_document(std::string_view toml, const std::string& file);

/// What a text stands for, at the key "value": its value in TOML, or else the text itself, so that
/// words and formulas need no quotes.
///
/// Errors    ContentError where it is nested more than `deepest_nesting` deep; it is called --set.
toml::table value_of(const std::string& text);

/// Throws ContentError "file:line: <what>", without the line where it is 0.
[[noreturn]] void refuse_at(const Document& document, std::size_t line, std::string_view what);

/// The line of a key or a value; they count from 1.
template <class Placed>
std::size_t line_of(const Placed& placed) {
  return placed.source().begin.line;
}

/// The numbers that are allowed, and the words that say so.
struct Range {
  double least, greatest;
  std::string_view words;
};
inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr Range finite{-largest_double, largest_double, "a finite number"};
inline constexpr Range positive{std::numeric_limits<double>::denorm_min(), largest_double,
                                "a finite number > 0"};

/// The keys of parameters; and where one is, "token.standard_deviation" of "token.law",
/// "attention.projection_standard_deviation" of "attention.projection".
inline constexpr std::string_view parameter_keys[] = {"standard_deviation", "half_range"};
std::string parameter_path(const std::string& distribution, std::string_view key);

/// The field `path` of a document. Numbers may be formulas in `variables`. Each value is empty
/// where the field is not given and has no default, and a number also where it hangs on a variable
/// that stands for nothing.
///
/// Errors    ContentError from every member: the field is of another type than asked for, out of
///           range, or neither given nor marked absent though it is required.
class Entry {
 public:
  Entry(const Document& document, std::string path, std::span<const Variable> variables = {})
      : Entry(document, path, document.find(path), variables) {}
  /// The same of what was found elsewhere.
  Entry(const Document& document, std::string path, const toml::node* found,
        std::span<const Variable> variables = {})
      : document_(document), path_(std::move(path)), found_(found), variables_(variables) {}

  const std::string& path() const { return path_; }
  bool given() const { return found_ != nullptr; }
  /// Whether [marks] says that nobody tells it.
  bool absent() const { return document_.absent.contains(path_); }
  /// Another field of the same document.
  Entry other(const std::string& path) const { return {document_, path, variables_}; }
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
  /// A distribution with its parameter, of its own field: required where it takes one, refused
  /// where it takes none. Of one that does not count, none is asked for, and nothing comes.
  std::optional<Distribution> distribution(std::string_view allowed, bool counts = true) const;
  /// One that may be left out, and then its parameters are, too.
  std::optional<Distribution> distribution_if_given(std::string_view allowed) const;

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
  std::optional<std::string> word(std::string_view allowed) const;
  /// The value, or its default; a required one that is missing must be `kind` and `allowed`.
  const toml::node* node(std::string_view kind, std::string_view allowed = {}) const;

  const Document& document_;
  std::string path_;
  const toml::node* found_;
  std::span<const Variable> variables_;
  std::optional<toml::table> otherwise_ = {};  ///< as value_of has it
  bool required_ = false;
};

}  // namespace embedscale::audit
