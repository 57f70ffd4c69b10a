#pragma once
// The fields of a configuration file, one row each, as they are read, as the manual lists them and
// as their values are told. To add one: a member in configuration.hpp, its row in fields.cpp, its
// cases in test/cases.txt.
#include "audit/configuration.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

class Entry;

/// Whether [marks] may call a field absent: one that not every source tells.
enum class Absence { refused, possible };

/// Whether something is so in a configuration; nothing where this is not known.
struct Condition {
  std::optional<bool> (*holds)(const Configuration& c);
  std::string_view words;
};

/// A field's value as text that tells two apart; nothing where it is not told, "" where it does not
/// count.
using Told = std::optional<std::string>;

/// Where a field is ("name", "section.key", or "extra[].key" in each [[extra]] table), what it may
/// be, and what stands where it is not given.
struct Field {
  std::string path;
  std::string_view values, otherwise;
  /// How it gets into the configuration; of a list, into its last table.
  void (*take)(const Entry& at, Configuration& c);
  /// Of all tables of a list, where it is one of theirs.
  std::function<Told(const Configuration& c)> told;
  Absence absence = Absence::refused;
  /// Where `otherwise`, up to a semicolon, is a default that is told. Without this it is words.
  const Condition* noted_if = nullptr;
  const Condition* counts_if = nullptr;  ///< else it has no effect
  std::string distribution = {};         ///< of one, and of its parameters: the path that names it

  /// "extra" of "extra[].law", else "".
  std::string list() const { return path.substr(0, std::max(path.find("[]") + 1, size_t{1}) - 1); }
  /// Takes the field at a place of a document, or its default, and notes a default that counts.
  void read(const Entry& at, Configuration& c) const;
  Told value(const Configuration& c) const;
};

/// All but [marks], in the order they are to be read: a formula may use what is above.
const std::vector<Field>& fields();

/// A line for each field: its path, what it may be, and what stands where it is not given.
std::string manual();

}  // namespace embedscale::audit
