// ε as the scale that a norm remembers: by how much up and down differ behind it.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "normalization/sections.hpp"
#include "properties/normalization/initial_block.hpp"
#include "properties/normalization/rounding.hpp"
#include "report/parallel.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using expected::Norm;

const std::vector<std::uint64_t> norm_widths{16,   32,   64,   128,  256,  512,
                                             1024, 2048, 4096, 8192, 16384};

/// The norms that the sweep goes over: RMSNorm's mean square is that of the input, so it needs no
/// sum over positions.
constexpr auto under = EpsilonPlacement::variance, beside = EpsilonPlacement::standard_deviation;
constexpr Norm swept[] = {
    {Norm::Kind::rms_norm, 1e-12, under}, {Norm::Kind::rms_norm, 1e-6, under},
    {Norm::Kind::rms_norm, 1e-5, under},  {Norm::Kind::rms_norm, 1e-3, under},
    {Norm::Kind::rms_norm, 1e-6, beside}, {Norm::Kind::rms_norm, 1e-3, beside}};

/// The first width from 2 to 2^24 at which up and down differ by more than `much`.
std::optional<std::uint64_t> first_width(double much, const Norm& norm,
                                         std::optional<double> told) {
  const auto more = [&](std::uint64_t d) {
    const double sigma = sigma_of(told, d), width = static_cast<double>(d);
    return deviation_down(width * sigma * sigma + 0.5, norm, d) > much;
  };
  std::uint64_t low = 1, high = 1 << 24;
  if (!more(high)) return {};
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (more(middle) ? high : low) = middle;
  }
  return high;
}

/// `at`, with the deviation of the table where it was told.
Place with(Place at, std::optional<double> sigma) { return sigma ? at.set("std", *sigma) : at; }

void sweep(Section& s, const Options& options) {
  const auto widths = axis("d_model", points(options.widths, norm_widths));
  for (const auto sigma : told_or_usual(options.deviations))
    for (const auto& norm : swept) {
      const auto at = with({{"epsilon", norm.epsilon}, {"added", name_of(norm.placement)}}, sigma);
      for (const double much : {0.001, 0.01})
        if (const auto from = first_width(much, norm, sigma))
          s.measure("width_of_deviation", Place(at).set("deviation", much),
                    static_cast<double>(*from), "closed form, the first width above");
      s.sweep("closed form", Place(at).set("norm", "rms_norm"), widths, [&](std::uint64_t d) {
        const double square = mean_square_up(d, norm.kind, sigma_of(sigma, d), 1);
        return Values{{"epsilon_deviation", deviation_down(square, norm, d)}};
      });
    }
}

/// The norms that are run, for two ε in use.
struct Run {
  Norm::Kind kind;
  double epsilon;
  const char* name() const { return kind == Norm::Kind::layer_norm ? "layer_norm" : "rms_norm"; }
};
constexpr Run runs[] = {{Norm::Kind::layer_norm, 1e-5},
                        {Norm::Kind::rms_norm, 1e-5},
                        {Norm::Kind::layer_norm, 1e-3},
                        {Norm::Kind::rms_norm, 1e-3}};

/// The mean squares of what each norm makes of a drawn token, down and up.
using Squares = std::array<std::pair<double, double>, std::size(runs)>;
std::vector<Squares> squares_of(const Start& at, std::uint64_t tokens, const Stream& stream) {
  const auto frequencies = sinusoidal_frequencies<double>(at.d, FrequencyRule::paper);
  std::vector<Squares> all(tokens);
  in_parallel(tokens, [&](std::uint64_t i) {
    const auto token = [&](Scaled way) { return initial_token(at, way, i, frequencies, stream); };
    const auto up = token(Scaled::up), down = token(Scaled::down);
    for (std::size_t k = 0; k < all[i].size(); ++k) {
      const auto square = [&](const std::vector<double>& x) {
        return mean_square(normalized(x, {runs[k].kind, under, runs[k].epsilon}, library<double>));
      };
      all[i][k] = {square(down), square(up)};
    }
  });
  return all;
}

/// The same by running the norms on drawn tokens and sinusoids: on the more tokens, the fewer
/// channels each has.
void draw(Section& s, const Options& options) {
  for (const auto sigma : told_or_usual(options.deviations))
    for (const auto d : points(options.widths, std::vector<std::uint64_t>{64, 512, 1024, 4096})) {
      const Start at{static_cast<std::size_t>(d), 64, sigma_of(sigma, d)};
      const auto squares =
          squares_of(at, std::clamp<std::uint64_t>(options.samples / d, 1, 64) * at.n,
                     {options.seed, std::string(s.claim().id) + "/tokens/" + std::to_string(d)});
      for (std::size_t k = 0; k < std::size(runs); ++k) {
        const auto& run = runs[k];
        const auto place =
            with({{"d_model", d}, {"epsilon", run.epsilon}, {"norm", run.name()}}, sigma);
        s.measure("expected_deviation_of_draws", place,
                  deviation_down(mean_square_up(d, run.kind, at.sigma, at.n),
                                 {run.kind, run.epsilon, under}, d));
        const auto ratio =
            over<Quotient>(squares.size(), [&](std::uint64_t i) { return squares[i][k]; });
        s.measure("epsilon_deviation_of_draws", place,
                  ratio.with_error(NormalConfidence::p999).mapped([](double of_squares) {
                    return 1 - std::sqrt(std::max(0.0, of_squares));
                  }),
                  "drawn tokens at positions 0 … 63, through the norm");
      }
    }
}

}  // namespace

void epsilon_is_rescaled(Section& s, const Options& options) {
  s.measure_failures("rescaling_disagreements", {}, "by_the_square_or_by_the_factor");
  s.measure_failures("shrinkage_disagreements", {}, "it_only_shrinks");
  s.measure_worst("worst_share_of_bound", {}, "by_how_much_in_closed_form");
  sweep(s, options);
  draw(s, options);
  measure_epsilons_of_systems(s);
  // ε/s at which √(s/(s + ε)) is 0.99, and ε/√s at which √s/(√s + ε) is.
  s.measure("epsilon_of_one_percent", {{"added", name_of(under)}}, 1 / (0.99 * 0.99) - 1);
  s.measure("epsilon_of_one_percent", {{"added", name_of(beside)}}, 1 / 0.99 - 1);
}

}  // namespace embedscale::normalization_analysis
