// What does the multiplier have to do with 1/√d_k? Measures what the claims of
// properties/attention.hpp state; the page's words are in attention.md.
#include "attention.hpp"
#include "attention_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/analysis.hpp"

namespace embedscale::attention_analysis {

properties::attention::ChannelLaw<Rational> drawn_law(const Stream& stream, std::uint64_t i) {
  const auto words = stream.block(i);
  const auto part = [&](std::size_t word, int bits, std::uint64_t n) {
    return Rational(static_cast<int>(1 + (words[word] >> bits) % n));
  };
  if (words[3] % 3 == 2) {
    const Rational a = 1 + 1 / (1 + part(0, 0, 4)), b = 1 + 1 / (1 + part(1, 0, 4));
    return {a, b, properties::attention::balanced_coupling(a, b)};
  }
  const Rational a = part(0, 0, 4) / part(0, 8, 4), b = part(1, 0, 4) / part(1, 8, 4);
  if (words[3] % 3 == 0) return {a, b, Rational(0)};
  return {a, b, properties::attention::largest_coupling(a, b) * part(2, 0, 8) / 8};
}

std::string extremes(const std::vector<double>& values, int digits) {
  const auto [low, high] = std::ranges::minmax(values);
  const auto first = report::significant(low, digits), last = report::significant(high, digits);
  return first == last ? first : fmt::format("{} to {}", first, last);
}

std::string two_digits(double x) {
  const double rounded = report::rounded(x, 2);
  return rounded < 10 ? report::significant(x, 2)
                      : report::count(static_cast<std::uint64_t>(std::lround(rounded)));
}

}  // namespace embedscale::attention_analysis

namespace embedscale {

cli::Analysis analysis() {
  return {
      .topic = "attention",
      .about = "What does the embedding's multiplier have to do with attention's 1/√d_k?",
      .page =
          [](const cli::Options& options, report::Words words) {
            using namespace attention_analysis;
            report::Page page{.topic = "attention", .words = std::move(words), .sections = {}};
            for (const auto section :
                 {dot_variance_is_d_k, scaling_gives_unit_variance, root_d_model_does_not_cancel,
                  unscaled_softmax_saturates, gradients_vanish_unscaled, factor_is_a_temperature,
                  projections_absorb_the_factor, first_layer_terms, key_constant_cancels,
                  first_projection_range, aligned_vectors_need_one_over_d_k}) {
              page.sections.push_back(section(options));
              cli::narrate(options, page.sections.back().claim().id);
            }
            return page;
          },
      .parameters = {"--widths", "--keys", "--d-k", "--heads", "--vocabulary", "--positions",
                     "--std"}};
}

}  // namespace embedscale
