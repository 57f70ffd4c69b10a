#pragma once
// What is measured of each claim about real systems, over the systems of an atlas.
#include <array>
#include <cmath>
#include <stdexcept>

#include "atlas/atlas.hpp"
#include "cli/options.hpp"
#include "properties/conventions/claims.hpp"
#include "properties/conventions/primitives.hpp"
#include "properties/domain/widths.hpp"
#include "report/page.hpp"
#include "report/section.hpp"

namespace embedscale::conventions_analysis {

using namespace report;
using namespace properties::conventions;
using atlas::ratio_of, atlas::multiplier_of, atlas::meant_multiplier_of;
using atlas::System, atlas::linked, audit::is_within, atlas::multiplies_by_root_d;
using audit::rounding_of_formulas, atlas::families, atlas::family_of;
using cli::Options;
using Systems = std::vector<System>;

inline const Primitives primitives;

inline bool is_one(double x) { return std::abs(x - 1) < rounding_of_formulas; }

inline constexpr const char* by_audit = "closed form, over the atlas";
inline constexpr const char* read_in_sources = "read in their sources";

/// The paper's own code.
inline const System& papers_code() { return atlas::named("tensor2tensor"); }

/// A part of section 3.4, and what the code has there.
struct Requirement {
  const char* what;
  const char* paper;
  bool agrees;
  const char* otherwise;  ///< what the code would have if it does not agree
};
inline std::array<Requirement, 3> section_3_4(const System& code) {
  const auto& output = code.configuration.output;
  return {
      {{"tables for tokens and logits", "one", output.tied == true, "two"},
       {"a looked-up row times", "√d_model", atlas::multiplies_by_root_d(code), "another factor"},
       {"a logit times", "no factor", output.multiplier == 1.0, "a factor"}}};
}

/// All of multiplier_sets_the_scale.
void measure_scales(Section& s, const Systems& all);

/// Of multiplier_sets_the_scale: what is known of every system, and what it rests on.
void measure_atlas(Section& s, const Systems& all);

/// The page's part about all systems, which is no claim's: what stands out, table and figure; and
/// the fields of the introduction.
void describe(const Systems& all, Page& page);

/// The widths that statements about sinusoids are measured at.
inline std::vector<std::uint64_t> even_widths(const Options& options) {
  return cli::points(options.widths, properties::domain::common_widths);
}

}  // namespace embedscale::conventions_analysis
