// What does low precision do to the multiplier, the positions and their sum? The sections of the
// page, whose words are in words.md.
#include "cli/analysis.hpp"
#include "properties/precision/claims.hpp"

namespace embedscale {

// clang-format off
namespace precision_analysis {
namespace roots { cli::Measure rounded_root_d; }
namespace lost { cli::Measure sum_loses_the_smaller_part; }
namespace gap { cli::Measure difference_follows_the_significand; }
namespace tables { cli::Measure positions_in_low_precision; }
namespace angles { cli::Measure angle_reduction; }
namespace limits { cli::Measure overflow_limits; }
}  // namespace precision_analysis
// clang-format on

cli::Analysis analysis_of_precision() {
  namespace claims = properties::precision;
  namespace measured = precision_analysis;
  return {
      .topic = "precision",
      .about = "What does low precision do to the factor, the positions and their sum?",
      .sections = {
          {&claims::rounded_root_d, measured::roots::rounded_root_d, {{"--widths", 1, 1 << 16}}},
          {&claims::sum_loses_the_smaller_part, measured::lost::sum_loses_the_smaller_part},
          {&claims::difference_follows_the_significand,
           measured::gap::difference_follows_the_significand},
          {&claims::positions_in_low_precision, measured::tables::positions_in_low_precision},
          {&claims::angle_reduction, measured::angles::angle_reduction},
          {&claims::overflow_limits, measured::limits::overflow_limits, {{"--widths", 1, 16384}}},
      }};
}

}  // namespace embedscale
