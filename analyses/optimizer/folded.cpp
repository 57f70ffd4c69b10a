// A table that holds m·e, under gradient descent and momentum, Adam and AdamW: at the settings that
// make it follow the one with the factor, and at others.
#include <embedscale/format.hpp>

#include <cmath>
#include <optional>

#include "optimizer/cases.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/optimizer/exact.hpp"
#include "properties/optimizer/step.hpp"

namespace embedscale::optimizer_analysis {
namespace {

using properties::domain::RationalDraws;

/// A path without a norm: the factor is seen.
Case<Wide> folded_case(const Options& options, std::size_t optimiser) {
  return case_of<Wide>(options.seed, "optimizer/folded", small_shape, wide_root(small_width),
                       optimiser, Norm::none, Loss::bounded);
}

/// What a folded table is expected to do at some settings.
enum class Expected { follows, parts };

/// What becomes of one path at some settings of the folded table, in 50 digits.
void measure_path(Section& s, const Case<Wide>& path, const char* optimiser, const char* settings,
                  const Run<Wide>& other, Expected expected) {
  s.measure("path_deviation",
            {{"optimiser", optimiser},
             {"settings", settings},
             {"d_model", small_width},
             {"steps", path_steps}},
            beyond_rounding(deviation(path, other)), in_50_digits,
            expected == Expected::follows ? none_of(Part::statement, 1)
                                          : at_least(Part::statement, thirtieth_digit, 1));
}

void measure_folded_bits(Section& s, const Options& options, std::size_t first, std::size_t end) {
  measure_bits(s, options, "optimizer/folded bits", first, end,
               []<class Real>(const Run<Real>& up) { return folded_run(up, library<Real>); });
}

/// The rate of the table's optimiser times `factor`, nothing else.
Run<Wide> at_rate(const Run<Wide>& up, const Wide& factor) {
  auto run = with(up, Placing::folded);
  Wide& rate = rate_of(run.of_table);
  rate = factor * rate;
  return run;
}

/// How far x moves in its first step with the factor outside the table, over inside, at equal
/// settings and ∂L/∂x = g.
double rate_ratio(std::size_t optimiser, std::uint64_t d, double g) {
  return input_step_ratio(settings_of<double>(optimiser, 1.0, 1e-8), g, root_multiplier<double>(d),
                          library<double>);
}

/// A path of small rationals: two inputs of one word, a polynomial loss.
Problem<Rational, Polynomial> exact_case(const RationalDraws& draws, std::uint64_t i) {
  Optimiser<Rational> by = Sgd<Rational>{draws.positive(i, 0)};
  if (i % 2 == 0) by = Momentum<Rational>{draws.positive(i, 0), Rational(9) / Rational(10)};
  return {{2, {0, 0}, draws.channels(i, 4, 4), draws.channels(i, 8, 2), {}},
          {{draws.channels(i, 12, 2), draws.any(i, 14), draws.any(i, 15)}},
          {Placing::up, draws.positive(i, 1), by, {}}};
}

void measure_exact(Section& s, const Options& options) {
  const RationalDraws draws(options.seed, s.claim().id, 32);
  s.decide("path_disagreements", none_of(Part::belief, options.samples),
           "exact rationals: loss, gradient and path",
           [&](std::uint64_t i) {
             auto at = exact_case(draws, i);
             penalty_of(at.up.of_table) = Rational(1) / Rational(7);
             const auto folded = folded_run(at.up, library<Rational>);
             return !is_one_function(at, folded, library<Rational>) ||
                    at.deviation(folded, 3, library<Rational>) != 0;
           },
           {{"rate", "m^2"}, {"penalty", "1/m^2"}, {"steps", 3}});
  const auto agreeing = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto at = exact_case(draws, i);
    if (at.up.m == 1 || stands_still(at, library<Rational>)) return std::nullopt;
    return at.deviation(with(at.up, Placing::folded), 1, library<Rational>) == 0;
  });
  s.measure("equal_rate_agreements", {{"rate", "1"}, {"steps", 1}}, agreeing,
            "exact rationals, m other than 1 and a gradient other than 0",
            none_of(Part::necessity, agreeing.cases()));
}

void measure_rates(Section& s, const Options& options) {
  for (const std::size_t k : {0u, 1u}) {
    const auto path = folded_case(options, k);
    const Wide& m = path.up.m;
    const auto add = [&](const char* settings, const Run<Wide>& other, Expected expected) {
      measure_path(s, path, optimiser_names[k], settings, other, expected);
    };
    add("m²·rate, penalty/m²", folded_run(path.up, library<Wide>), Expected::follows);
    add("m²·rate, equal penalty", at_rate(path.up, Wide(m * m)), Expected::parts);
    add("m·rate", at_rate(path.up, m), Expected::parts);
    add("equal rate", at_rate(path.up, Wide(1)), Expected::parts);
  }
}

/// The penalty is added to the gradient before the moments, which divide by the size of both.
void measure_adam_with_l2(Section& s, const Options& options) {
  const auto path = folded_case(options, adam_with_l2);
  auto by = path.up.of_table;
  const Wide penalty = penalty_of(by), &m = path.up.m;
  auto folded = folded_run(path.up, library<Wide>);
  const auto add = [&](const char* settings, Expected expected) {
    measure_path(s, path, "Adam with L2, ε = 10⁻⁸", settings, folded, expected);
  };
  add("m·rate, ε/m, λ/m²", Expected::follows);
  penalty_of(folded.of_table) = penalty / m;
  add("m·rate, ε/m, λ/m", Expected::parts);
  penalty_of(folded.of_table) = penalty;
  add("m·rate, ε/m, equal λ", Expected::parts);
}

/// AdamW in PyTorch's spelling: its rate multiplies the decay.
AdamW<Wide> scheduled(AdamW<Wide> by) {
  by.schedule = by.adam.rate;
  by.adam.rate = Wide(1);
  by.decay = Wide(1) / Wide(10);
  return by;
}

void measure_adam(Section& s, const Options& options) {
  auto path = folded_case(options, 2);
  const Wide m = path.up.m;
  adam_of(path.up.of_table)->epsilon = Wide(1) / Wide(1000);
  const auto add = [&](const char* settings, const Run<Wide>& other, Expected expected) {
    measure_path(s, path, "Adam, ε = 0.001", settings, other, expected);
  };
  add("m·rate, ε/m", folded_run(path.up, library<Wide>), Expected::follows);
  add("m·rate, equal ε", at_rate(path.up, m), Expected::parts);
  add("m²·rate, equal ε", at_rate(path.up, Wide(m * m)), Expected::parts);
  add("all equal", at_rate(path.up, Wide(1)), Expected::parts);
  const auto small = folded_case(options, 2);
  measure_path(s, small, "Adam, ε = 10⁻⁸", "m·rate, equal ε", at_rate(small.up, m),
               Expected::parts);
}

void measure_adamw(Section& s, const Options& options) {
  auto path = folded_case(options, 3);
  const Wide m = path.up.m, decay = Wide(1) / Wide(1000);
  auto& by = std::get<AdamW<Wide>>(path.up.of_table);
  by.decay = decay;
  auto folded = folded_run(path.up, library<Wide>);
  auto& folded_by = std::get<AdamW<Wide>>(folded.of_table);
  const auto add = [&](const char* optimiser, const char* settings, Expected expected) {
    measure_path(s, path, optimiser, settings, folded, expected);
  };
  add("AdamW, η·λ a step", "m·α, ε/m, equal λ", Expected::follows);
  folded_by.decay = decay / m;
  add("AdamW, η·λ a step", "m·α, ε/m, λ/m", Expected::parts);
  by = scheduled(by);
  folded_by = library<Wide>.folded_by_schedule(by, m);
  add("AdamW, rate·λ a step", "m·rate, ε/m, λ/m", Expected::follows);
  folded_by.decay = by.decay;
  add("AdamW, rate·λ a step", "m·rate, ε/m, equal λ", Expected::parts);
}

/// How near to 1 a ratio is that counts as equally far. It is at least m, and here m >= √2: any
/// number from 32 roundings to 0.41 counts the same.
constexpr double equally_far = 1e-3;

/// A first step of x at equal settings, over twenty decades of gradients and any width.
struct FirstStep {
  double ratio, stated;
};
FirstStep first_step(const Stream& stream, std::uint64_t i) {
  const std::uint64_t d = 2 + stream.below(16383, 2 * i);
  const double g = std::ldexp(0.5 + stream.uniform(2 * i + 1), -int(i % 64));
  const auto by = settings_of<double>(2 + i % 2, 1.0, 1e-8);
  const double m = root_multiplier<double>(d);
  return {input_step_ratio(by, g, m, library<double>), stated_input_step_ratio(by, g, m)};
}

void measure_equal_settings(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  const Place at{{"d_model", "2 to 16384"}, {"gradients", "2^-64 to 1.5"}};
  s.decide(
      "equal_setting_agreements", all_of(Part::belief, options.samples),
      "first steps of x within 0.1 % of each other",
      [&](std::uint64_t i) { return std::abs(first_step(stream, i).ratio - 1) < equally_far; }, at);
  s.decide(
      "ratio_disagreements", none_of(Part::statement, options.samples),
      "within 32 roundings of binary64 of m²(|g| + ε)/(m·|g| + ε)",
      [&](std::uint64_t i) {
        const auto [ratio, stated] = first_step(stream, i);
        return std::abs(ratio / stated - 1) > step_ratio_roundings * unit_roundoff<double>;
      },
      at);
}

void measure_ratios(Section& s, const Options& options) {
  const auto widths = points(options.widths, shown_widths);
  s.sweep("first step of each, equal settings", axis("d_model", widths),
          axis("gradient", std::array{1.0, 1e-6, 1e-8, 1e-10, 1e-14}),
          axis("epsilon", std::array{1e-8}), [](std::uint64_t d, double g, double) {
            return Values{{"rate_ratio", rate_ratio(2, d, g)}};
          });
  std::vector<double> gradients;
  for (int k = -28; k <= 0; ++k) gradients.push_back(std::exp2(k * 1.75));
  for (const auto d : widths) {
    s.measure("factor", {{"d_model", d}}, root_multiplier<double>(d));
    s.measure("factor_squared", {{"d_model", d}}, static_cast<double>(d));
  }
  // A figure has room for eight lines.
  const auto asked = points(options.widths, std::array<std::uint64_t, 3>{64, 512, 4096});
  std::vector<std::uint64_t> lines;
  for (std::size_t k = 0; k < asked.size(); k += (asked.size() + 7) / 8) lines.push_back(asked[k]);
  s.sweep("", axis("d_model", lines), axis("gradient", gradients), [](std::uint64_t d, double g) {
    return Values{{"ratio_at_gradient", rate_ratio(first_adam, d, g)}};
  });
}

}  // namespace

void folded_sgd_step(Section& s, const Options& options) {
  measure_exact(s, options);
  measure_folded_bits(s, options, 0, 2);
  measure_rates(s, options);
  for (const auto d : points(options.widths, shown_widths)) {
    s.measure("gradient_ratio", {{"d_model", d}},
              gradient_ratio(root_multiplier<double>(d), library<double>),
              "look-up gradients of one ∂L/∂x");
    for (const std::size_t k : {0u, 1u})
      s.measure("rate_ratio", {{"d_model", d}, {"optimiser", optimiser_names[k]}},
                rate_ratio(k, d, 1.0), "first step of each, ∂L/∂x = 1, equal rates");
    s.measure("rate_ratio_of_adam", {{"d_model", d}}, rate_ratio(2, d, 1.0));
  }
}

void folded_adam_step(Section& s, const Options& options) {
  measure_equal_settings(s, options);
  measure_folded_bits(s, options, first_adam, all_optimisers);
  measure_ratios(s, options);
  measure_adam(s, options);
  measure_adam_with_l2(s, options);
  measure_adamw(s, options);
  const double rate = 0.125;
  const Optimiser<double> adam = Adam<double>{rate, 0.5, 0.75, 0.0};
  s.measure("step_by_hand", {{"factor", "inside"}}, rate);
  s.measure("step_by_hand", {{"factor", "outside"}},
            rate * input_step_ratio(adam, 1.0, 2.0, library<double>));
}

}  // namespace embedscale::optimizer_analysis
