#pragma once
// What is measured of each claim about real systems, over the systems of an atlas.
#include <cmath>

#include "atlas/atlas.hpp"
#include "cli/options.hpp"
#include "properties/conventions/claims.hpp"
#include "properties/conventions/primitives.hpp"
#include "report/page.hpp"
#include "report/section.hpp"

namespace embedscale::conventions_analysis {

using atlas::ratio_of, atlas::multiplier_of, atlas::meant_multiplier_of;
using atlas::rounding_of_formulas, atlas::families, atlas::family_of;
using atlas::System, atlas::linked, atlas::is_within, atlas::multiplies_by_root_d;
using cli::Options;
using Systems = std::vector<System>;

inline const properties::conventions::Primitives primitives;

inline bool is_one(double x) { return std::abs(x - 1) < rounding_of_formulas; }

inline constexpr const char* by_audit = "closed form, over the atlas";
inline constexpr const char* read_in_sources = "read in their sources";

/// All of multiplier_sets_the_scale.
void measure_scales(report::Section& s, const Systems& all);

/// Of multiplier_sets_the_scale: what is known of every system, and what it rests on.
void measure_atlas(report::Section& s, const Systems& all);

/// The page's part about all systems, which is no claim's: what stands out, table and figure; and
/// the fields of the introduction.
void describe(const Systems& all, report::Page& page);

/// The widths that statements about sinusoids are measured at.
std::vector<std::uint64_t> even_widths(const Options& options);

}  // namespace embedscale::conventions_analysis
