#pragma once
// The fields of a configuration file, one row each, as they are read and as the manual lists them.
// To add one: a member in configuration.hpp, its row in fields.cpp, and what reads it if none of
// field_readers.hpp does.
#include "audit/configuration.hpp"
#include "audit/entry.hpp"

#include <span>
#include <string_view>

namespace embedscale::audit {

/// Where a field is ("name", "section.key"), what it may be, what stands where it is not given, and
/// how it gets into the configuration.
struct Field {
  std::string_view path, values, otherwise;
  void (*read)(const Entry& at, Configuration& c);
};

/// All but [marks] and [[extra]], in the order they are to be read: a formula may use what is
/// above.
std::span<const Field> fields();

/// A field of one [[extra]] table; `path` is "extra[].key".
struct ExtraField {
  std::string_view path, values, otherwise;
  void (*read)(const Entry& at, Extra& extra);
};
std::span<const ExtraField> extra_fields();

/// The fields that [marks] may call absent: those that not every source tells.
bool may_be_absent(std::string_view path);

/// The words of [marks].
inline constexpr Choices<Mark, 4> mark_words{{{"read", Mark::read},
                                              {"inferred", Mark::inferred},
                                              {"assumed", Mark::assumed},
                                              {"absent", Mark::absent}}};

}  // namespace embedscale::audit
