#pragma once
// The atlas of real systems, read and audited; what pages ask of a system.
#include <filesystem>
#include <string>
#include <vector>

#include "audit/summary.hpp"

namespace embedscale::conventions_analysis {

/// How the entries' standard deviation σ hangs on the shape of the table.
enum class Family {
  falls_with_d,  ///< σ is d^−½ or a multiple of it
  fixed,         ///< one number for every shape
  unit,          ///< σ = 1
  falls_with_v,  ///< Xavier on (V, d), or another law of the vocabulary
  truncated,     ///< a normal law cut at two of its deviations
  untold         ///< no table is drawn
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
    {Family::untold, "No table is drawn", "no law"}};
Family family_of(const audit::Configuration& c);

/// A system of the atlas, audited.
using System = audit::Audit;

/// All systems of a directory, by name.
///
/// Errors    report::FileError, audit::AuditError.
std::vector<System> atlas(const std::filesystem::path& directory);

/// Those installed with the programs, read once.
///
/// Errors    report::FileError.
const std::vector<System>& installed_atlas();

/// "[name](address of the repository at its commit)".
std::string linked(const audit::Configuration& c);

/// Whether the multiplier is √d_model.
bool multiplies_by_root_d(const System& system);

}  // namespace embedscale::conventions_analysis
