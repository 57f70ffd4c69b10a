#pragma once
// What the sections about a folded table share: paths at some settings of it, as measurements.
#include <embedscale/properties/optimizer_step.hpp>

#include <string>

#include "optimizer.hpp"
#include "report/table.hpp"

namespace embedscale::optimizer_analysis {

/// A path without a norm: the factor is seen.
inline Case<Wide> path_of(const cli::Options& options, std::size_t optimiser) {
  return case_of<Wide>(options.seed, "optimizer/folded", small_width, wide_root(small_width),
                       optimiser, properties::optimizer::Norm::none,
                       properties::optimizer::Loss::bounded);
}

/// What becomes of one path at some settings of the folded table, in 50 digits.
inline double measure_path(report::Section& section, const Case<Wide>& path, const char* optimiser,
                           const char* settings, const properties::optimizer::Run<Wide>& other,
                           bool follows) {
  const double apart = beyond_rounding(path.deviation(other));
  auto& m = section.measure({.quantity = "path_deviation",
                             .at = {{"optimiser", optimiser},
                                    {"settings", settings},
                                    {"d_model", small_width},
                                    {"steps", path_steps}},
                             .value = apart,
                             .samples = 1,
                             .method = "50 digits; what is below 10^-30 counts as 0",
                             .digits = 3});
  m.rule = follows ? report::Rule{properties::Part::statement, report::Relation::equals, 0, 1}
                   : report::Rule{properties::Part::statement, report::Relation::at_least,
                                  thirtieth_digit, 1};
  return apart;
}

inline void measure_bits(const cli::Options& options, report::Section& section, std::size_t first,
                         std::size_t last) {
  auto& bits = section.measure(
      bit_disagreements(options, "optimizer/folded bits", first, last, [](const auto& up) {
        return properties::optimizer::folded_run(up, properties::optimizer::Library{});
      }));
  bits.rule = report::Rule{properties::Part::statement, report::Relation::equals, 0,
                           2 * (last - first + 1) * squares_of_powers.size()};
  bits.field = "bits";
  section.text("bit_paths", report::count(bits.samples));
  section.text("steps", report::count(path_steps));
}

/// The rate of the table's optimiser times `factor`, nothing else.
inline properties::optimizer::Run<Wide> at_rate(const properties::optimizer::Run<Wide>& up,
                                                const Wide& factor) {
  properties::optimizer::Run<Wide> run =
      properties::optimizer::with(up, properties::optimizer::Placing::folded);
  properties::optimizer::scale_rate(run.of_table, factor);
  return run;
}

/// How far x moves in its first step with the factor outside the table, over inside, at equal
/// settings and ∂L/∂x = g.
inline double rate_ratio(std::size_t optimiser, std::uint64_t d, double g) {
  return properties::optimizer::input_step_ratio(
      properties::optimizer::settings_of<double>(optimiser, 1.0, 1e-8), g,
      root_multiplier<double>(d), properties::optimizer::Library{});
}

}  // namespace embedscale::optimizer_analysis
