#pragma once
// A configuration's bytes, and the TOML in them as plain values. What is read is bounded in size
// and in nesting, so that no file can exhaust memory or the stack of a recursive parser.
#include <cstddef>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

/// The largest configuration that is read, in bytes: 1 MB.
inline constexpr std::size_t largest_source = 1'000'000;

/// The deepest nesting of brackets, and the most dots in one key, that are read.
inline constexpr int deepest_nesting = 16;

/// A value of TOML. Lines count from 1; 0 is no place in the file.
struct Node {
  enum class Kind { table, array, text, number, boolean, time };
  Kind kind = Kind::table;
  std::string text = {};         ///< of a text; of all but tables and arrays, as errors have it
  double number = 0;             ///< of a number; of an integer, the nearest that binary64 has
  std::vector<Node> inner = {};  ///< an array's elements; a table's values, ordered by keys
  std::string key = {};          ///< in a table
  std::size_t line = 0, key_line = 0;

  bool is(Kind other) const { return kind == other; }
  bool is_array_of_tables() const;
  /// A table's value, or nullptr.
  const Node* find(std::string_view name) const;
  Node* find(std::string_view name);
  /// Puts a value into a table, in the place of the one of its key if there is one.
  Node& set(Node value);
  void erase(std::string_view name);
};

/// A parsed file and its name, with what was changed from outside.
struct Document {
  std::string file;
  Node root = {};
  std::map<std::string, std::string, std::less<>> changes = {};  ///< by path: as it was asked for
  std::set<std::string, std::less<>> absent = {};  ///< paths that [marks] calls absent
};

/// All that `in` holds; `file` is its name in errors.
///
/// Errors    ContentError where there is nothing but white space, or more than `largest_source`;
///           InputError where reading fails.
std::string read_source(std::istream& in, std::string_view file);

/// The content of a file.
///
/// Errors    as above; InputError for a missing file, a directory or one that cannot be opened.
std::string read_source(const std::string& file);

/// The values of TOML text; `file` is its name in errors.
///
/// Errors    ContentError where it is not TOML, and where brackets are nested, or keys are dotted,
///           more than `deepest_nesting` times: toml++ limits the former to 256, the latter not.
Document parse_document(std::string_view toml, const std::string& file);

/// What a text stands for: its value in TOML, at line 1, or else the text itself, so that words and
/// formulas need no quotes.
///
/// Errors    ContentError where it is nested more than `deepest_nesting` deep; it is called --set.
Node value_of(const std::string& text);

/// Throws ContentError "file:line: <what>", without the line where it is 0.
[[noreturn]] void refuse_at(const Document& document, std::size_t line, std::string_view what);

}  // namespace embedscale::audit
