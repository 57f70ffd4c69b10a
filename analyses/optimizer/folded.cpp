// A table that holds m·e, under gradient descent and momentum, Adam and AdamW: at the settings that
// make it follow the one with the factor, and at others.
#include <embedscale/format.hpp>

#include "optimizer/cases.hpp"
#include "properties/optimizer/step.hpp"

namespace embedscale::optimizer_analysis {
namespace {

/// A path without a norm: the factor is seen.
Path<Wide> folded_path(const Options& options, std::size_t optimiser) {
  return path_of<Wide>(options.seed, "optimizer/folded", small_shape, wide_root(small_width),
                       optimiser, Norm::none, Loss::bounded);
}

/// How far the folded table of one path goes from it at some settings, in 50 digits.
void measure_path(Section& s, const Path<Wide>& path, const char* optimiser, const char* settings,
                  const Run<Wide>& other) {
  s.measure("path_deviation",
            {{"optimiser", optimiser},
             {"settings", settings},
             {"d_model", small_width},
             {"steps", path_steps}},
            beyond_rounding(deviation(path, other)), in_50_digits);
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

void measure_rates(Section& s, const Options& options) {
  for (const std::size_t k : {0u, 1u}) {
    const auto path = folded_path(options, k);
    const Wide& m = path.up.m;
    const auto add = [&](const char* settings, const Run<Wide>& other) {
      measure_path(s, path, optimiser_names[k], settings, other);
    };
    add("m²·rate, penalty/m²", folded_run(path.up, library<Wide>));
    add("m²·rate, equal penalty", at_rate(path.up, Wide(m * m)));
    add("m·rate", at_rate(path.up, m));
    add("equal rate", at_rate(path.up, Wide(1)));
  }
}

/// The penalty is added to the gradient before the moments, which divide by the size of both.
void measure_adam_with_l2(Section& s, const Options& options) {
  const auto path = folded_path(options, adam_with_l2);
  auto by = path.up.of_table;
  const Wide penalty = penalty_of(by), &m = path.up.m;
  auto folded = folded_run(path.up, library<Wide>);
  const auto add = [&](const char* settings) {
    measure_path(s, path, "Adam with L2, ε = 10⁻⁸", settings, folded);
  };
  add("m·rate, ε/m, λ/m²");
  penalty_of(folded.of_table) = penalty / m;
  add("m·rate, ε/m, λ/m");
  penalty_of(folded.of_table) = penalty;
  add("m·rate, ε/m, equal λ");
}

void measure_adam(Section& s, const Options& options) {
  auto path = folded_path(options, 2);
  const Wide m = path.up.m;
  adam_of(path.up.of_table)->epsilon = Wide(1) / Wide(1000);
  const auto add = [&](const char* settings, const Run<Wide>& other) {
    measure_path(s, path, "Adam, ε = 0.001", settings, other);
  };
  add("m·rate, ε/m", folded_run(path.up, library<Wide>));
  add("m·rate, equal ε", at_rate(path.up, m));
  add("m²·rate, equal ε", at_rate(path.up, Wide(m * m)));
  add("all equal", at_rate(path.up, Wide(1)));
  const auto small = folded_path(options, 2);
  measure_path(s, small, "Adam, ε = 10⁻⁸", "m·rate, equal ε", at_rate(small.up, m));
}

void measure_adamw(Section& s, const Options& options) {
  auto path = folded_path(options, 3);
  const Wide m = path.up.m, decay = Wide(1) / Wide(1000);
  auto& by = std::get<AdamW<Wide>>(path.up.of_table);
  by.decay = decay;
  auto folded = folded_run(path.up, library<Wide>);
  auto& folded_by = std::get<AdamW<Wide>>(folded.of_table);
  const auto add = [&](const char* optimiser, const char* settings) {
    measure_path(s, path, optimiser, settings, folded);
  };
  add("AdamW, η·λ a step", "m·α, ε/m, equal λ");
  folded_by.decay = decay / m;
  add("AdamW, η·λ a step", "m·α, ε/m, λ/m");
  by = scheduled(by, Wide(Wide(1) / Wide(10)));
  folded_by = library<Wide>.folded_by_schedule(by, m);
  add("AdamW, rate·λ a step", "m·rate, ε/m, λ/m");
  folded_by.decay = by.decay;
  add("AdamW, rate·λ a step", "m·rate, ε/m, equal λ");
}

/// Of first steps of x at equal settings, over many widths and twenty decades of gradients: how
/// many are equally far with the factor outside the table as inside. The ratio is at least m >= √2.
void measure_equal_settings(Section& s, const Options& options) {
  const Place at{{"d_model", "2 to 16384"}, {"gradients", "2^-64 to 1.5"}};
  s.measure("equal_setting_agreements", at,
            over<Tally>(options.samples,
                        [](std::uint64_t i) {
                          const double g = std::ldexp(1.5, -static_cast<int>(i % 65));
                          return std::abs(rate_ratio(2 + i % 2, 2 + i % 16383, g) - 1) < 1e-3;
                        }),
            "first steps of x within 0.1 % of each other");
  s.measure_failures("ratio_disagreements", at, "first_steps_differ_as_stated");
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
  s.measure_failures("path_disagreements", {{"rate", "m^2"}, {"penalty", "1/m^2"}, {"steps", 3}},
                     "exact_paths_agree_at_m_squared");
  s.measure_failures("equal_rate_agreements", {{"rate", "1"}, {"steps", 1}},
                     "steps_follow_the_gradient_and_agree_at_no_other_rate");
  measure_bits(s);
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
  measure_bits(s);
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
