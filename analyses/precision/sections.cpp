// What does low precision do to the multiplier, the positions and their sum? The sections of the
// page, whose words are in words.md.
#include "cli/analysis.hpp"
#include "properties/precision/claims.hpp"

namespace embedscale {

namespace precision_analysis {
cli::Measure rounded_root_d, sum_loses_the_smaller_part, difference_follows_the_significand,
    positions_in_low_precision, angle_reduction, overflow_limits;
}  // namespace precision_analysis

cli::Analysis analysis() {
  namespace claims = properties::precision;
  namespace measured = precision_analysis;
  return {.topic = "precision",
          .about = "What does low precision do to the factor, the positions and their sum?",
          .sections = {
              {&claims::rounded_root_d, measured::rounded_root_d, {{"--widths", 1, 1 << 16}}},
              {&claims::sum_loses_the_smaller_part, measured::sum_loses_the_smaller_part},
              {&claims::difference_follows_the_significand,
               measured::difference_follows_the_significand},
              {&claims::positions_in_low_precision, measured::positions_in_low_precision},
              {&claims::angle_reduction, measured::angle_reduction},
              {&claims::overflow_limits, measured::overflow_limits, {{"--widths", 1, 16384}}},
          }};
}

}  // namespace embedscale
