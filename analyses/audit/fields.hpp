#pragma once
// The fields of a configuration file, one row each, as they are read and as the manual lists them.
// To add one: a member in configuration.hpp, its row in fields.cpp, and what reads it if none of
// field_readers.hpp does.
#include "audit/configuration.hpp"
#include "audit/entry.hpp"

#include <span>
#include <string_view>

namespace embedscale::audit {

/// Whether [marks] may call a field absent: one that not every source tells.
enum class Absence { refused, possible };

/// Where a field is ("name", "section.key", or "extra[].key" in each [[extra]] table), what it may
/// be, what stands where it is not given, and how it gets into the configuration; of an extra, into
/// the last one there.
struct Field {
  std::string_view path, values, otherwise;
  void (*read)(const Entry& at, Configuration& c);
  Absence absence = Absence::refused;

  bool of_extra() const { return path.starts_with("extra[]"); }
};

/// All but [marks], in the order they are to be read: a formula may use what is above.
std::span<const Field> fields();

/// Whether there is such a field, and it may be absent.
bool may_be_absent(std::string_view path);

/// The words of [marks].
inline constexpr Choices<Mark, 4> mark_words{{{"read", Mark::read},
                                              {"inferred", Mark::inferred},
                                              {"assumed", Mark::assumed},
                                              {"absent", Mark::absent}}};

}  // namespace embedscale::audit
