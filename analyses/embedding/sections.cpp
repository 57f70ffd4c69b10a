// What does the multiplier do to the token part? The sections of the page, whose words are in
// words.md.
#include "embedding/sections.hpp"

#include <cmath>
#include <stdexcept>

#include "cli/analysis.hpp"

namespace embedscale::embedding_analysis {

std::vector<std::uint64_t> even_widths(const Options& options,
                                       const std::vector<std::uint64_t>& otherwise) {
  const auto all = points(options.widths, otherwise);
  for (const auto d : all)
    if (d % 2 != 0 || d == 0 || d > (1u << 14))
      throw std::invalid_argument(
          "--widths: sines and cosines come in pairs, so widths are even, from 2 to 16384");
  return all;
}

std::vector<std::uint64_t> vocabularies(const Options& options) {
  const auto all =
      points(options.vocabulary, std::array{100, 1000, 10'000, 32'000, 50'257, 256'000});
  for (const auto v : all)
    if (v > (1u << 22)) throw std::invalid_argument("--vocabulary: at most 4194304 here");
  return all;
}

Rational fraction_of(double sigma) {
  const double digits = std::round(sigma * 1e12);
  // Both are whole numbers below 2^53: their quotient is the double that the fraction was read as.
  if (!(digits > 0 && digits < 9e15) || digits / 1e12 != sigma)
    throw std::invalid_argument("--std: above 0, below 9000, at most 12 digits behind the point");
  return Rational(static_cast<std::int64_t>(digits)) / Rational(std::int64_t{1'000'000'000'000});
}

}  // namespace embedscale::embedding_analysis

namespace embedscale {

namespace embedding_analysis {
cli::Measure root_d_restores_unit_variance, small_tables_stay_dominated, balances_the_two_parts,
    depends_on_initialisation, lookup_has_unit_fan_in, norm_concentrates, gradient_scale;
}  // namespace embedding_analysis

cli::Analysis analysis() {
  namespace claims = properties::embedding;
  namespace measured = embedding_analysis;
  return {.topic = "embedding",
          .about = "What does multiplying by √d_model do to the token part?",
          .parameters = {"--widths", "--vocabulary", "--std"},
          .sections = {
              {&claims::root_d_restores_unit_variance, measured::root_d_restores_unit_variance},
              {&claims::small_tables_stay_dominated, measured::small_tables_stay_dominated},
              {&claims::balances_the_two_parts, measured::balances_the_two_parts},
              {&claims::depends_on_initialisation, measured::depends_on_initialisation},
              {&claims::lookup_has_unit_fan_in, measured::lookup_has_unit_fan_in},
              {&claims::norm_concentrates, measured::norm_concentrates},
              {&claims::gradient_scale, measured::gradient_scale}}};
}

}  // namespace embedscale
