#pragma once
// The fields of a configuration file, one row each. To add one: a member in configuration.hpp, and
// its row in fields.cpp.
#include "audit/configuration.hpp"
#include "audit/entry.hpp"

#include <span>
#include <string_view>

namespace embedscale::audit {

/// Where a field is ("name", "section.key"), and how it gets into the configuration.
struct Field {
  std::string_view path;
  void (*read)(const Entry& at, Configuration& c);
};

/// All but [marks], in the order they are to be read: a formula may use what is above it.
std::span<const Field> fields();

/// The words of [marks].
inline constexpr Choices<Mark, 3> mark_words{
    {{"read", Mark::read}, {"inferred", Mark::inferred}, {"assumed", Mark::assumed}}};

}  // namespace embedscale::audit
