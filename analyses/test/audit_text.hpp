#pragma once
// Configurations for the tests of the audit, and what it makes of them.
#include "audit/error.hpp"
#include "audit/summary.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace embedscale::audit {

inline constexpr double u32 = 0x1p-24, u64 = 0x1p-53;  ///< unit roundoffs

/// A whole configuration, in parts.
inline const std::string model = "[model]\nd_model = 512\nheads = 8\n";
inline const std::string token = "[token]\nlaw = 'normal'\nstandard_deviation = 1\n";
inline const std::string position = "[position]\nkind = 'sinusoidal'\n";
inline const std::string whole = model + token + position;

/// `whole` with `before` replaced by `after`.
inline std::string with(const std::string& before, const std::string& after) {
  std::string text = whole;
  return text.replace(text.find(before), before.size(), after);
}

/// What an action throws says.
template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// The configuration of TOML text, the audit of it, and that in JSON.
inline Configuration configured(const std::string& toml, const std::vector<Change>& changes = {}) {
  return parse_configuration(toml, "test.toml", changes);
}
inline Audit audited(const std::string& toml, const std::vector<Change>& changes = {}) {
  return audit_of(configured(toml, changes));
}
inline nlohmann::ordered_json json_of(const Audit& audit) {
  return nlohmann::ordered_json::parse(json_line(audit));
}
inline nlohmann::ordered_json json_from(const std::string& toml,
                                        const std::vector<Change>& changes = {}) {
  return json_of(audited(toml, changes));
}

/// The scales of a model of width d with one head, these [token] and [position] keys, and `rest`.
inline Scales scales(int d, const std::string& token_keys, const std::string& position_keys,
                     const std::string& rest = "") {
  return scales_of(configured(
      fmt::format("[model]\nd_model = {}\nheads = 1\nvocabulary = 100\npositions = 12\n[token]\n{}"
                  "\n[position]\n{}\n{}",
                  d, token_keys, position_keys, rest)));
}

/// What is at a dotted path of JSON.
inline nlohmann::ordered_json at_path(const nlohmann::ordered_json& json, std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return json.at(nlohmann::ordered_json::json_pointer("/" + path));
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
  return read_configuration(system_file(name));
}
inline Scales scales_of_system(const std::string& name) { return scales_of(system_named(name)); }

}  // namespace embedscale::audit
