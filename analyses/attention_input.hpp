#pragma once
// The sections of the attention page about a factor at the input, one function for each claim.
#include <embedscale/properties/attention_input.hpp>
#include <embedscale/properties/attention_input_exact.hpp>
#include <embedscale/properties/attention_input_terms.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "audit/summary.hpp"
#include "cli/options.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

report::Section root_d_model_does_not_cancel(const cli::Options& options);
report::Section factor_is_a_temperature(const cli::Options& options);
report::Section projections_absorb_the_factor(const cli::Options& options);
report::Section first_layer_terms(const cli::Options& options);
report::Section first_projection_range(const cli::Options& options);

/// first_layer_terms over these systems, in the place of the installed atlas.
report::Section first_layer_terms_of(const cli::Options& options,
                                     const std::vector<audit::Audit>& systems);

/// Widths that sections are measured at, from small models to the largest.
inline constexpr std::array<std::uint64_t, 12> input_widths{16,  32,   64,   128,  256,  512,
                                                            768, 1024, 2048, 4096, 8192, 16384};
/// A few of them, where a table has other columns too.
inline constexpr std::array<std::uint64_t, 5> few_widths{64, 256, 512, 1024, 4096};

/// The even ones of the widths told, or of `otherwise`: sinusoids come in pairs.
///
/// Errors    std::invalid_argument where the options have none.
template <class Range>
std::vector<std::uint64_t> even_points(const cli::Options& options, const Range& otherwise) {
  std::vector<std::uint64_t> even;
  for (const auto d : cli::points(options.widths, otherwise))
    if (d % 2 == 0) even.push_back(d);
  if (even.empty())
    throw std::invalid_argument("--widths: none is even, and sines and cosines come in pairs");
  return even;
}

/// A parametrisation of the input: t = m·e with e of deviation σ, and positions of mean square P.
struct Parametrisation {
  const char* name;
  double token, position;  ///< mean squares per channel
  double all() const { return token + position; }
};
/// The three, and what is left without a multiplier: up √d·e + p, down e + p/√d, folded e′ + p,
/// unscaled e + p; σ is d^−½, of e′ 1, and p sinusoids.
inline std::array<Parametrisation, 4> parametrisations(std::uint64_t d_model) {
  const auto d = static_cast<double>(d_model);
  return {{{"up", 1, 0.5}, {"down", 1 / d, 0.5 / d}, {"folded", 1, 0.5}, {"unscaled", 1 / d, 0.5}}};
}

/// Exact samples: case i of a claim's stream.
properties::attention::input::Head<properties::domain::Rational> rational_head(const Stream& stream,
                                                                               std::uint64_t i);
/// Two channels of whole numbers of at most 15 in size, by four words.
properties::attention::input::Channels whole_channels(const Stream::Block& words);

/// In how many of the cases 0 … n−1 the test is true, as an obligation that none be.
template <class Test>
report::Measurement none_of(std::string quantity, std::uint64_t n, properties::Part part,
                            std::string method, Test test) {
  report::Measurement m{.quantity = std::move(quantity),
                        .samples = n,
                        .method = std::move(method),
                        .unit = report::counted};
  for (std::uint64_t i = 0; i < n; ++i) m.value += test(i) ? 1 : 0;
  m.rule = report::Rule{part, report::Relation::equals, 0, n};
  return m;
}

/// The worst share of a bound, as an obligation that it be at most 1; a NaN stays.
struct WorstShare {
  double value = 0;
  std::uint64_t cases = 0;
  void add(double share) {
    if (!(share <= value)) value = share;
    ++cases;
  }
  report::Measurement measurement(std::string quantity, std::string method, std::string field) {
    return {.quantity = std::move(quantity),
            .value = value,
            .samples = cases,
            .method = std::move(method),
            .rule = report::Rule{properties::Part::statement, report::Relation::at_most, 1, cases},
            .field = std::move(field),
            .digits = 2};
  }
};

}  // namespace embedscale::attention_analysis
