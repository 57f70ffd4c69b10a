// What does the multiplier do to the token part? The sections of the page, whose words are in
// words.md.
#include "embedding/sections.hpp"

#include "cli/analysis.hpp"

namespace embedscale {

namespace embedding_analysis {
cli::Measure root_d_restores_unit_variance, small_tables_stay_dominated, balances_the_two_parts,
    depends_on_initialisation, lookup_has_unit_fan_in, norm_concentrates, gradient_scale;
}  // namespace embedding_analysis

cli::Analysis analysis_of_embedding() {
  namespace claims = properties::embedding;
  namespace measured = embedding_analysis;
  constexpr cli::Parameter widths{"--widths", 1, 16384}, even_widths{"--widths", 2, 16384, 2},
      vocabulary{"--vocabulary", 1, 1 << 22}, deviations{"--std", 1e-6, 1e6};
  return {.topic = "embedding",
          .about = "What does multiplying by √d_model do to the token part?",
          .sections = {
              {&claims::root_d_restores_unit_variance,
               measured::root_d_restores_unit_variance,
               {widths}},
              {&claims::small_tables_stay_dominated,
               measured::small_tables_stay_dominated,
               {even_widths, deviations}},
              {&claims::balances_the_two_parts, measured::balances_the_two_parts, {even_widths}},
              {&claims::depends_on_initialisation,
               measured::depends_on_initialisation,
               {widths, vocabulary, deviations}},
              {&claims::lookup_has_unit_fan_in,
               measured::lookup_has_unit_fan_in,
               {vocabulary, deviations}},
              {&claims::norm_concentrates, measured::norm_concentrates, {even_widths, deviations}},
              {&claims::gradient_scale, measured::gradient_scale, {widths}}}};
}

}  // namespace embedscale
