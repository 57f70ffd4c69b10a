// How concentrated the softmax over n independent normal logits is, as their deviation grows: by
// quadrature, and by draws beside it.
#include "properties/attention/saturation.hpp"

#include <embedscale/random.hpp>

#include "attention/sections.hpp"
#include "report/loops.hpp"

namespace embedscale::attention_analysis {
namespace {

constexpr std::array<std::uint64_t, 6> saturated_keys{2, 16, 64, 512, 4096, 65536};
constexpr std::array saturating_deviations{0.5, 1.0, 2.0, 4.0, 8.0, 16.0};

/// The deviation from which on the largest of n weights is expected to be a half, with which it
/// rises; 0 where it is at equal logits.
double saturating_deviation(std::uint64_t n) {
  if (n <= 2) return 0;
  return met_from(0, 1, 1e-6,
                  [n](double s) { return expected::largest_weight(s, n).value >= 0.5; });
}

/// The integrals at one point, and the entropy of draws.
struct AtPoint {
  std::uint64_t n;
  double s;
  expected::Expectation entropy{}, largest{}, squares{};
  Sum drawn{};

  Place place() const { return {{"std", s}, {"keys", n}}; }
};

/// As many draws as 2^18 logits make, of `samples` at most; none where these are fewer than 100, or
/// 32 times the deviation: of large logits about one draw in as many has an entropy to speak of.
Sum drawn_entropy(const AtPoint& at, const Options& options) {
  const auto draws = std::min(options.samples, (std::uint64_t{1} << 18) / at.n);
  if (real(draws) < std::max(100.0, 32 * at.s)) return {};
  const Stream stream(options.seed,
                      std::string(properties::attention::unscaled_softmax_saturates.id) + "/" +
                          std::to_string(at.n));
  std::vector<double> z(at.n);
  return over<Sum>(draws, [&](std::uint64_t i) {
    for (std::uint64_t j = 0; j < at.n; ++j) z[j] = at.s * stream.normal(i * at.n + j);
    return concentration(z, library<double>).entropy;
  });
}

/// Every number of keys at every deviation, as integrate(point, place of the deviation) fills it.
template <class Integrate>
std::vector<AtPoint> integrated(const std::vector<std::uint64_t>& counts,
                                const std::vector<double>& sizes, Integrate integrate) {
  std::vector<AtPoint> all;
  for (const auto n : counts)
    for (const double s : sizes) all.push_back({.n = n, .s = s});
  in_parallel(all.size(), [&](std::uint64_t i) {
    all[i].entropy = expected::log_sum_exp_and_entropy(all[i].s, all[i].n).entropy;
    integrate(all[i], i % sizes.size());
  });
  return all;
}

void measure_saturation_points(Section& s, const std::vector<AtPoint>& all) {
  for (const auto& at : all)
    s.sweep("quadrature", at.place(), [&] {
      Values values{{"entropy", at.entropy.value},
                    {"largest_weight", at.largest.value},
                    {"sum_of_squares", at.squares.value}};
      if (at.n > 1) values.push_back({"entropy_share", at.entropy.value / std::log(real(at.n))});
      if (at.drawn.cases() > 0)
        values.push_back(
            {"entropy_drawn",
             at.drawn.with_error(NormalConfidence::p999).by("draws, by the library's softmax")});
      return values;
    });
  s.measure_failures("sharper_steps", {}, "larger_logits_are_sharper");
}

/// Heads of d_k channels without the scale: logits of deviation √d_k.
void measure_saturation_heads(Section& s, const std::vector<std::uint64_t>& counts,
                              const Options& options) {
  std::vector<double> thresholds(counts.size());
  in_parallel(counts.size(),
              [&](std::uint64_t i) { thresholds[i] = saturating_deviation(counts[i]); });
  const auto heads = points(options.head_widths, few_head_widths);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = counts[i];
    const double threshold = thresholds[i];
    s.sweep("quadrature, bisection", {{"keys", n}}, [&] {
      Values values{{"regime_change", regime_change(n)},
                    {"saturating_deviation", threshold},
                    {"saturating_width", std::max(1.0, std::ceil(threshold * threshold))}};
      if (n > 2) values.push_back({"saturation_over_regime", threshold / regime_change(n)});
      return values;
    });
    s.sweep("quadrature, deviation √d_k", {{"keys", n}}, axis("d_k", heads), [&](std::uint64_t d) {
      return Values{
          {"unscaled_largest_weight", expected::largest_weight(std::sqrt(real(d)), n).value}};
    });
  }
  s.measure("half", {}, 0.5);
}

/// Two heads with and without the scale.
void measure_saturation_examples(Section& s) {
  const auto put = [&](std::uint64_t d, std::uint64_t n, const char* scale, double deviation) {
    s.sweep("quadrature", {{"d_k", d}, {"keys", n}, {"scale", scale}}, [&] {
      return Values{
          {"example_largest_weight", expected::largest_weight(deviation, n).value},
          {"example_entropy", expected::log_sum_exp_and_entropy(deviation, n).entropy.value}};
    });
  };
  put(64, 512, "with", 1);
  put(64, 512, "without", 8);
  put(8, 65536, "without", std::sqrt(8.0));
}

/// Over deviations from 1/8 to 32, for the first eight counts above 1: one weight is 1.
void measure_saturation_curves(Section& s, std::vector<std::uint64_t> counts) {
  std::erase(counts, std::uint64_t{1});
  counts.resize(std::min<std::size_t>(counts.size(), 8));
  std::vector<double> sizes;
  for (int k = 0; k <= 32; ++k) sizes.push_back(std::exp2((k - 12) / 4.0));
  const auto all = integrated(counts, sizes, [](AtPoint& at, std::size_t place) {
    if (place % 2 == 0) at.largest = expected::largest_weight(at.s, at.n);
  });
  for (const auto& at : all)
    s.sweep("quadrature", at.place(), [&] {
      Values values{{"entropy_curve", at.entropy.value / std::log(real(at.n))},
                    {"deviation_over_regime", at.s / regime_change(at.n)}};
      if (at.largest.value > 0) values.push_back({"largest_weight_curve", at.largest.value});
      return values;
    });
}

}  // namespace

void unscaled_softmax_saturates(Section& s, const Options& options) {
  const auto counts = points(options.keys, saturated_keys);
  measure_saturation_points(s, integrated(counts, points(options.deviations, saturating_deviations),
                                          [&](AtPoint& at, std::size_t) {
                                            at.largest = expected::largest_weight(at.s, at.n);
                                            at.squares = expected::sum_of_squares(at.s, at.n);
                                            at.drawn = drawn_entropy(at, options);
                                          }));
  measure_saturation_heads(s, counts, options);
  measure_saturation_examples(s);
  measure_saturation_curves(s, counts);
}

}  // namespace embedscale::attention_analysis
