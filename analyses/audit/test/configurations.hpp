#pragma once
// Configurations for the tests of the audit, and what it makes of them.
#include "audit/error.hpp"
#include "audit/summary.hpp"
#include "inputs/inputs.hpp"
#include "test/texts.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

inline constexpr double u64 = 0x1p-53;  ///< unit roundoff

/// A whole configuration, in parts.
inline const std::string model = "[model]\nd_model = 512\nheads = 8\n";
inline const std::string token = "[token]\nlaw = 'normal'\nstandard_deviation = 1\n";
inline const std::string position = "[position]\nkind = 'sinusoidal'\n";
inline const std::string whole = model + token + position;

/// What the refusal of a configuration says.
inline std::string refusal(const std::string& toml, const std::vector<Change>& changes = {}) {
  return embedscale::refusal<ContentError>([&] { parse_configuration(toml, "f.toml", changes); });
}

/// The configuration of TOML text, and the audit of it.
inline Configuration configured(const std::string& toml, const std::vector<Change>& changes = {}) {
  return parse_configuration(toml, "f.toml", changes);
}
inline Audit audited(const std::string& toml, const std::vector<Change>& changes = {}) {
  return audit_of(configured(toml, changes));
}

/// The scales of a model of width d with one head, these [token] and [position] keys, and `rest`.
inline Scales scales(int d, const std::string& token_keys, const std::string& position_keys,
                     const std::string& rest = "") {
  return scales_of(configured(
      fmt::format("[model]\nd_model = {}\nheads = 1\nvocabulary = 100\npositions = 12\n[token]\n{}"
                  "\n[position]\n{}\n{}",
                  d, token_keys, position_keys, rest)));
}

/// The words of a text.
inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}
/// These with one space between them.
inline std::string on_one_line(const std::string& text) {
  return fmt::format("{}", fmt::join(words_of(text), " "));
}

/// The figure at a path.
inline Quantity figure(const Scales& scales, std::string_view path) {
  for (const Quantity& q : quantities(scales))
    if (q.path == path) return q;
  throw std::invalid_argument("no figure " + std::string(path));
}

/// |got − expected| is within `roundings` of binary64: each of *, /, sqrt and pow costs one.
inline void expect_within(const Quantity& got, double expected, double roundings) {
  ASSERT_TRUE(got.value.has_value()) << got.path << ": " << got.missing;
  EXPECT_LE(std::abs(*got.value - expected), roundings * 2 * u64 * std::abs(expected))
      << got.path << " = " << *got.value << ", expected " << expected;
}

/// The systems of the atlas, by name.
inline std::vector<std::string> systems() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(EMBEDSCALE_SYSTEMS_DIR))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}
inline std::string system_file(const std::string& name) {
  return std::string(EMBEDSCALE_SYSTEMS_DIR) + "/" + name + ".toml";
}
inline Configuration system_named(const std::string& name) {
  return inputs::read_configuration(system_file(name));
}
/// All of them, audited once.
inline const std::vector<Audit>& audited_systems() {
  static std::vector<Audit> all;
  if (all.empty())
    for (const std::string& name : systems()) all.push_back(audit_of(system_named(name)));
  return all;
}

}  // namespace embedscale::audit
