// Mean and variance of a logit: the distribution of normal entries' products, and closed forms
// where queries and keys depend on each other.
#include "properties/attention/moments.hpp"

#include <embedscale/expected/dot_product.hpp>

#include <numbers>

#include "attention/sections.hpp"

namespace embedscale::attention_analysis {
namespace {

constexpr std::array<std::uint64_t, 9> moment_widths{1, 2, 4, 8, 16, 32, 64, 128, 256};

/// ⟨q, k⟩² of drawn normal entries, by the library's product.
Sum drawn_squares(std::uint64_t d, const Options& options) {
  const Stream stream(options.seed, std::string(properties::attention::dot_variance_is_d_k.id) +
                                        "/" + std::to_string(d));
  std::vector<double> q(d), k(d);
  return over<Sum>(options.samples, [&](std::uint64_t i) {
    for (std::uint64_t j = 0; j < d; ++j) {
      q[j] = stream.normal(i * d + j, 0);
      k[j] = stream.normal(i * d + j, 1);
    }
    const double z = library<double>.dot(q, k);
    return z * z;
  });
}

/// How far a kurtosis, integrated, may be from 3 + 6/d, relative to that.
///
/// It is 3 m₄m₀/m₂², by sums of at most 450 positive terms (at d = 1), each of which rounds its
/// power and its products: (4·450 + 20)u. Nodes and weights round alike in all four, which moves
/// the quotient by less than 20u more. Together below 2^11 u = 2^−42.
Value kurtosis_error(double kurtosis, double d) {
  const double apart = std::abs(kurtosis / (3 + 6 / d) - 1), rounding = 0x1p-42;
  return Value(apart + rounding).enclosed(std::max(0.0, apart - rounding), apart + rounding);
}

/// Densities of ⟨q, k⟩/√d_k for normal entries, and of a normal law.
void densities(Section& s) {
  std::vector<double> logits;
  for (int i = -80; i <= 80; ++i) logits.push_back(i / 20.0);
  const auto at = axis("logit", logits);
  for (const std::uint64_t d : {2, 4, 16}) {
    const expected::NormalProduct law(d);
    const double root = std::sqrt(static_cast<double>(d));
    s.sweep("closed form", {{"law", "d_k = " + std::to_string(d)}}, at, [&](double z) {
      return Values{{"density", root * law.density(root * z)}};
    });
  }
  s.sweep("closed form", {{"law", "normal distribution"}}, at, [](double z) {
    return Values{{"density", std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi)}};
  });
}

/// Mean and variance of a logit behind 1/√d_k, in closed form.
struct MomentCase {
  const char* name;
  double mean, variance;
};

constexpr std::uint64_t model_width = 512;

/// x of independent normal entries, W of variance 1/d_model. Given x and y, with one matrix,
/// E z² = (‖x‖²‖y‖² + (d_k + 1)⟨x,y⟩²)/d_model², as E(w·x)²(w·y)² = σ⁴(‖x‖²‖y‖² + 2⟨x,y⟩²); over
/// inputs E‖x‖⁴ = d_model² + 2d_model, and E⟨x,y⟩² = d_model.
std::vector<MomentCase> cases(std::uint64_t width) {
  const auto d_k = static_cast<double>(width), d = static_cast<double>(model_width);
  const double root = std::sqrt(d_k);
  return {{"independent", 0, 1},
          {"correlation 0.1, normal", 0.1 * root, 1.01},
          {"correlation 0.5, normal", 0.5 * root, 1.25},
          {"correlation 0.5, signs", 0.5 * root, 0.75},
          {"own key, two matrices", 0, 1 + 2 / d},
          {"own key, one matrix", root, (d_k + 2) * (1 + 2 / d) - d_k},
          {"other key, one matrix", 0, 1 + (d_k + 1) / d}};
}

}  // namespace

void dot_variance_is_d_k(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "moments_are_those_of_independent_entries");
  s.sweep("quadrature, normal entries", axis("d_k", points(options.head_widths, moment_widths)),
          [&](std::uint64_t d) {
            const auto width = static_cast<double>(d);
            const expected::NormalProduct law(d);
            const std::vector<double> ones(d, 1.0);
            const double kurtosis = law.kurtosis();
            const auto drawn = drawn_squares(d, options);
            // Var z² = d²(κ − 1); the mean of thousands is nearly normal.
            const auto n = static_cast<double>(drawn.cases());
            const Value variance =
                Estimate(drawn.mean(), drawn)
                    .with_error(width * std::sqrt((2 + 6 / width) / n), NormalConfidence::p999);
            return Values{{"dot_variance", Value(variance_over_keys(ones, library<double>))
                                               .by("exact: the product is linear in the key")},
                          {"dot_kurtosis", kurtosis},
                          {"excess_kurtosis", kurtosis - 3},
                          {"kurtosis_error",
                           kurtosis_error(kurtosis, width)
                               .by("quadrature against 3 + 6/d_k, relative, with its rounding")},
                          {"distance_to_normal", law.distance_to_normal()},
                          {"dot_variance_drawn",
                           variance.by("draws of normal entries, by the library's product")},
                          {"drawn_deviation",
                           variance.mapped([&](double x) { return x / width - 1; }).magnitude()}};
          });
  densities(s);
}

void scaling_gives_unit_variance(Section& s, const Options& options) {
  for (const auto* quantity : {"statement_misses", "laws_on_condition_missed", "other_laws_met"})
    s.measure_failures(quantity, {}, "exactly_if_the_products_square_so");
  s.measure_worst("scale_share_of_bound", {}, "with_the_rounded_scale");
  const auto widths = points(options.head_widths, moment_widths);
  for (const auto d : widths)
    for (const auto& [name, mean, variance] : cases(d))
      s.sweep("closed form", {{"d_k", d}, {"case", name}}, [&, mean = mean, variance = variance] {
        return Values{{"logit_mean", mean},
                      {"logit_variance", variance},
                      {"logit_mean_square", mean * mean + variance}};
      });
  s.sweep("closed form, normal entries", axis("d_k", widths), [](std::uint64_t d) {
    return Values{{"variance_over_keys_deviation", std::sqrt(2 / static_cast<double>(d))}};
  });
  s.measure("model_width", {}, static_cast<double>(model_width));
  const ChannelLaw alike{1, 1, Rational(1) / 8};  // signs, alike in 2·(1/4 + 1/8) of all cases
  const Rational variance = dot_moments(alike, 1, library<Rational>).variance();
  s.measure("variance_by_hand",
            {{"correlation", moment(alike, 1, 1).str()}, {"fraction", variance.str()}},
            static_cast<double>(variance));
}

void aligned_vectors_need_one_over_d_k(Section& s, const Options& options) {
  for (const auto* quantity : {"statement_misses", "widths_apart", "widths_that_agree"})
    s.measure_failures(quantity, {}, "mean_is_rho_d_k");
  constexpr std::array correlations{0.01, 0.03, 0.1, 0.3, 1.0};
  constexpr std::array<std::uint64_t, 8> wide_heads{8, 16, 32, 64, 128, 256, 1024, 16384};
  const auto correlation = axis("correlation", correlations);
  s.sweep("closed form: ρ·√d_k = √(1 + ρ²)", correlation, [](double rho) {
    const Value from = Value(1 + 1 / (rho * rho)).enclosed(0);
    return Values{{"crossover_width", from.value()}, {"sufficient_crossover", from}};
  });
  constexpr std::array<std::string_view, 2> scales{"1/sqrt(d_k)", "1/d_k"};
  s.sweep("closed form", axis("d_k", points(options.head_widths, wide_heads)), correlation,
          axis("scale", scales), [&](std::uint64_t d, double rho, std::string_view scale) {
            const double root = std::sqrt(static_cast<double>(d));
            const double times = scale == scales[0] ? 1 : 1 / root;  // the scale, times √d_k
            return Values{
                {"aligned_logit", rho * root * times},
                {"aligned_logit_deviation",
                 Value(std::sqrt(1 + rho * rho) * times).by("closed form, normal entries")}};
          });
  const std::vector<std::uint64_t> by_hand{1, 64};
  s.sweep("the library's logit of ones", axis("d_k", by_hand), [](std::uint64_t d) {
    const std::vector<double> ones(d, 1.0);
    return Values{
        {"logit_by_hand", library<double>.logit(ones, ones, library<double>.scale(d, d))}};
  });
}

}  // namespace embedscale::attention_analysis
