// How long a looked-up token is, how much that varies, and how often it is shorter than a position.
#include "properties/embedding/length.hpp"

#include <embedscale/expected/token_norm.hpp>

#include "embedding/sections.hpp"
#include "properties/domain/widths.hpp"

namespace embedscale::embedding_analysis {
namespace {

using expected::relative_length_deviation;

/// Below it a probability leaves the range of normal doubles.
constexpr double least_told = 1e-300;

/// At how many widths the length deviates, relatively, as much as the size of an entry.
void measure_belief(Section& s, const Options& options) {
  const auto all = points(options.widths, properties::domain::Widths{1, 1 << 14}.all());
  const double entry = relative_length_deviation(1);
  s.measure(
      "widths_as_random", {},
      over<Tally>(all, [=](std::uint64_t d) { return relative_length_deviation(d) >= entry; }),
      "closed form");
  for (const std::uint64_t d : {1, 2, 512})
    s.measure("deviation_by_hand", {{"d_model", d}}, relative_length_deviation(d));
}

void measure_deviations(Section& s, const Options& options) {
  struct Length {
    const char* of;
    double (*deviation)(std::uint64_t d);
  };
  const std::vector<Length> lengths{
      {"length, normal", relative_length_deviation},
      {"squared length, normal",
       [](std::uint64_t d) { return relative_deviation_of_square(Normal{0.02}, d, primitives); }},
      {"squared length, uniform",
       [](std::uint64_t d) { return relative_deviation_of_square(Uniform{0.05}, d, primitives); }}};
  s.sweep("closed form", axis("d_model", points(options.widths, shown_widths)),
          axis("of", lengths, &Length::of), [](std::uint64_t d, const Length& length) {
            return Values{{"relative_deviation", length.deviation(d)}};
          });
}

struct Tokens {
  double sigma;  ///< 0: d^−½
  Program program;
  double shorter(std::uint64_t d) const {
    return expected::probability_shorter(d, program.factor(d),
                                         sigma > 0 ? sigma : 1 / std::sqrt(static_cast<double>(d)));
  }
  Place place() const {
    return {{"standard_deviation", sigma > 0 ? Coordinate(sigma) : Coordinate("d_model^-1/2")},
            {"multiplier", program.name}};
  }
};

void measure_probabilities(Section& s, const Options& options) {
  std::vector<Tokens> all{{0, scaled}, {0, bare}};
  for (const double sigma : points(options.deviations, std::array{0.01, 0.02})) {
    all.push_back({sigma, scaled});
    all.push_back({sigma, bare});
  }
  for (const auto& tokens : all)
    s.sweep("regularised incomplete gamma function", tokens.place(),
            axis("d_model", points(options.widths, shown_widths)), [&](std::uint64_t d) {
              const double share = tokens.shorter(d);
              return Values{{"probability_token_shorter",
                             share < least_told ? Value(0).enclosed(0, least_told) : Value(share)}};
            });
  for (const auto& [d, tokens] : {std::pair{16ul, all[0]}, {512ul, all[0]}, {512ul, all[1]}})
    s.measure("shorter_at_paper_law", tokens.place().set("d_model", d), tokens.shorter(d));

  // The curves are steep: finer than the table, unless widths are told. Without the factor they
  // would lie on one another, at 1.
  std::vector<std::uint64_t> fine;
  for (std::uint64_t d = 16; d <= 1 << 14; d += std::max<std::uint64_t>(2, d / 64 * 2))
    fine.push_back(d);
  std::erase_if(
      all, [](const Tokens& one) { return one.program.factor == bare.factor && one.sigma > 0; });
  for (const auto& tokens : all)
    s.sweep("", tokens.place(), axis("d_model", points(options.widths, fine)),
            [&](std::uint64_t d) {
              return Values{{"shorter_curve", tokens.shorter(d)}};
            });
  s.measure("break_even_width", {{"standard_deviation", 0.01}}, expected::break_even_width(0.01));
}

}  // namespace

void norm_concentrates(Section& s, const Options& options) {
  s.measure_failures("spread_disagreements", {}, "squared_length_spreads_by_kurtosis");
  s.measure_failures("length_disagreements", {}, "shorter_where_the_chi_squared_is_small");
  s.measure_worst("worst_share_of_bound", {}, "kurtosis_is_that_of_the_law");
  s.measure("cut_kurtosis", {}, stated_kurtosis(TruncatedNormal{1}));
  measure_belief(s, options);
  measure_deviations(s, options);
  measure_probabilities(s, options);
}

}  // namespace embedscale::embedding_analysis
