#pragma once
// The atlas of real systems, read and audited; what pages ask of a system.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/summary.hpp"

namespace embedscale::atlas {

/// How the entries' standard deviation σ hangs on the shape of the table.
enum class Family {
  falls_with_d,  ///< σ is d^−½ or a multiple of it
  fixed,         ///< one number for every shape
  unit,          ///< σ = 1
  falls_with_v,  ///< Xavier on (V, d), or another law of the vocabulary
  truncated,     ///< a normal law cut at two of its deviations
  no_table       ///< no table is drawn
};
struct FamilyName {
  Family family;
  const char* title;  ///< with what it says about σ
  const char* label;  ///< in a figure's key
};
inline constexpr FamilyName families[] = {
    {Family::falls_with_d, "σ falls with the width, as d^−½", "σ ∝ d^−½"},
    {Family::fixed, "σ is one number for every width", "σ fixed"},
    {Family::unit, "σ = 1", "σ = 1"},
    {Family::falls_with_v, "σ falls with the vocabulary (Xavier on a (V, d) table, or V^−½)",
     "Xavier on (V, d)"},
    {Family::truncated, "Truncated normal, cut at two deviations", "truncated normal"},
    {Family::no_table, "No table is drawn", "no distribution"}};
Family family_of(const audit::Configuration& c);

/// A system of the atlas, audited.
using System = audit::Audit;

/// All systems of a directory, by name.
///
/// Errors    report::FileError, audit::ContentError.
std::vector<System> systems_in(const std::filesystem::path& directory);

/// Those installed with the programs, read once.
///
/// Errors    report::FileError.
const std::vector<System>& installed();

/// The one of these that has this name.
///
/// Errors    std::invalid_argument where there is none.
const System& named(std::string_view name);

/// "[name](address of the repository at its commit)".
std::string linked(const audit::Configuration& c);

/// RMS of tokens over RMS of positions, where both are known.
inline const std::optional<double>& ratio_of(const System& system) {
  return system.scales.input.token_to_position.value;
}

/// What a system multiplies its tokens by: m as rounded to its format. Whatever is computed of a
/// system takes it from here.
inline const std::optional<double>& multiplier_of(const System& system) {
  return system.scales.scaled_down.factor.value;
}
/// m before it is rounded: which formula is meant, √d_model or another.
inline const std::optional<double>& meant_multiplier_of(const System& system) {
  return system.scales.scaled_down.exact_factor.value;
}

/// Whether the multiplier is meant to be √d_model.
bool multiplies_by_root_d(const System& system);

}  // namespace embedscale::atlas
