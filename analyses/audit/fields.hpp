#pragma once
// The fields of a configuration file, one row each, as they are read and as the manual lists them.
// To add one: a member in configuration.hpp, its row in fields.cpp, its cases in test/cases.txt.
#include "audit/configuration.hpp"
#include "audit/entry.hpp"

#include <span>
#include <string>
#include <string_view>

namespace embedscale::audit {

/// Whether [marks] may call a field absent: one that not every source tells.
enum class Absence { refused, possible };

/// Where a field is ("name", "section.key", or "extra[].key" in each [[extra]] table), what it may
/// be, what stands where it is not given, and how it gets into the configuration; of an extra, into
/// the last one there.
struct Field {
  std::string_view path, values, otherwise;
  void (*take)(const Entry& at, Configuration& c);
  Absence absence = Absence::refused;
  /// Whether `otherwise`, up to a semicolon, is a default that counts. Without this it is words.
  bool (*counts)(const Entry& at, const Configuration& c) = nullptr;

  bool of_extra() const { return path.starts_with("extra[]"); }
  /// Takes the field at a place of a document, or its default, and notes a default that counts.
  void read(const Entry& at, Configuration& c) const;
};

/// All but [marks], in the order they are to be read: a formula may use what is above.
std::span<const Field> fields();

/// Sees which given fields have no effect in a configuration that has been read.
///
/// Ensures   what --set left without one is in `without_effect`, and what is in the code alone.
/// Errors    ContentError for the file's own, where nothing was set, and for what was set.
void see_what_has_no_effect(const Document& document, Configuration& c);

/// Whether there is such a field, and it may be absent.
bool may_be_absent(std::string_view path);

/// A line for each field: its path, what it may be, and what stands where it is not given.
std::string manual();

/// The same as a table in Markdown.
std::string manual_table();

}  // namespace embedscale::audit
