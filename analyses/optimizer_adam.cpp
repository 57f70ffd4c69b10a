// A table that holds m·e under Adam and AdamW, at the settings that make it follow and at others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "optimizer_settings.hpp"

namespace embedscale::optimizer_analysis {
namespace {

using namespace properties::optimizer;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// AdamW in PyTorch's spelling: its rate multiplies the decay.
Run<Wide> scheduled(Run<Wide> up) {
  auto& adamw = std::get<AdamW<Wide>>(up.of_table);
  adamw.schedule = adamw.adam.rate;
  adamw.adam.rate = Wide(1);
  adamw.decay = Wide(1) / Wide(10);
  return up;
}

void measure_settings(const cli::Options& options, report::Section& section) {
  Table table({{"Optimiser"},
               {"Settings of the folded table"},
               {"Largest difference of the tables", Table::Align::right}});
  const auto add = [&](const Case<Wide>& path, const char* optimiser, const char* settings,
                       const Run<Wide>& other, bool follows, const char* field) {
    const double apart = measure_path(section, path, optimiser, settings, other, follows);
    table.row({optimiser, settings, shown_deviation(apart)});
    if (field[0] != 0) section.text(field, report::significant(apart, 2));
  };
  auto plain = path_of(options, 2);
  std::get<Adam<Wide>>(plain.up.of_table).epsilon = Wide(1) / Wide(1000);
  const Wide m = plain.up.m;
  const auto folded = folded_run(plain.up, library);
  add(plain, "Adam, ε = 0.001", "m·rate, ε/m", folded, true, "");
  add(plain, "Adam, ε = 0.001", "m·rate, equal ε", at_rate(plain.up, m), false, "equal_epsilon");
  add(plain, "Adam, ε = 0.001", "m²·rate, equal ε", at_rate(plain.up, Wide(m * m)), false, "");
  add(plain, "Adam, ε = 0.001", "all equal", at_rate(plain.up, Wide(1)), false, "equal_all");
  const auto small = path_of(options, 2);
  add(small, "Adam, ε = 10⁻⁸", "m·rate, equal ε", at_rate(small.up, m), false, "equal_small");
  auto paper = path_of(options, 3);
  std::get<AdamW<Wide>>(paper.up.of_table).decay = Wide(1) / Wide(1000);
  auto run = folded_run(paper.up, library);
  add(paper, "AdamW, η·λ a step", "m·α, ε/m, equal λ", run, true, "");
  std::get<AdamW<Wide>>(run.of_table).decay = Wide(1) / Wide(1000) / m;
  add(paper, "AdamW, η·λ a step", "m·α, ε/m, λ/m", run, false, "");
  auto pytorch = paper;
  pytorch.up = scheduled(paper.up);
  Run<Wide> other{
      Placing::folded, m,
      library.of<Wide>().folded_by_schedule(std::get<AdamW<Wide>>(pytorch.up.of_table), m),
      pytorch.up.of_head};
  add(pytorch, "AdamW, rate·λ a step", "m·rate, ε/m, λ/m", other, true, "");
  std::get<AdamW<Wide>>(other.of_table).decay = Wide(1) / Wide(10);
  add(pytorch, "AdamW, rate·λ a step", "m·rate, ε/m, equal λ", other, false, "equal_decay");
  section.table(table);
}

/// How often x moves equally far at equal settings: gradients over twenty decades, any width.
void measure_equal_settings(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  double agreeing = 0, off = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const std::uint64_t d = 2 + stream.below(16383, 2 * i);
    const double g = std::ldexp(0.5 + stream.uniform(2 * i + 1), -int(i % 64));
    const auto by = settings_of<double>(2 + i % 2, 1.0, 1e-8);
    const double m = root_multiplier<double>(d);
    const double ratio = input_step_ratio(by, g, m, library);
    agreeing += std::abs(ratio - 1.0) < 1e-3 ? 1 : 0;
    // As derived for 50 digits: input_step_share.
    off += std::abs(ratio / stated_input_step_ratio(by, g, m) - 1.0) > 32 * 0x1p-53 ? 1 : 0;
  }
  section.measure({.quantity = "equal_setting_agreements",
                   .at = {{"d_model", "2 to 16384"}, {"gradients", "2^-64 to 1.5"}},
                   .value = agreeing,
                   .samples = options.samples,
                   .method = "first steps of x within 0.1 % of each other",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::at_least,
                                        static_cast<double>(options.samples), options.samples},
                   .field = "agreeing"});
  section.measure({.quantity = "ratio_disagreements",
                   .at = {{"d_model", "2 to 16384"}, {"gradients", "2^-64 to 1.5"}},
                   .value = off,
                   .samples = options.samples,
                   .method = "within 32 roundings of binary64 of m²(|g| + ε)/(m·|g| + ε)",
                   .unit = report::counted,
                   .rule = report::Rule{Part::statement, Relation::equals, 0, options.samples},
                   .field = "ratios_off"});
  section.text("samples", report::count(options.samples));
}

}  // namespace

report::Section folded_adam_step(const cli::Options& options) {
  report::Section section(properties::optimizer::folded_adam_step);
  measure_equal_settings(options, section);
  measure_bits(options, section, 2, 3);
  Table table({{"d_model", Table::Align::right},
               {"|g| = 1", Table::Align::right},
               {"10⁻⁶", Table::Align::right},
               {"10⁻⁸", Table::Align::right},
               {"10⁻¹⁰", Table::Align::right},
               {"10⁻¹⁴", Table::Align::right},
               {"m", Table::Align::right},
               {"m²", Table::Align::right}});
  Figure figure{.name = "optimizer_epsilon",
                .title = "First step of x under Adam, factor outside the table over inside",
                .x_label = "gradient of x, with ε = 10⁻⁸",
                .y_label = "ratio at equal settings",
                .x_scale = Figure::Scale::log10,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {}};
  const auto widths = points(options.widths, shown_widths);
  for (const auto d : widths) {
    std::vector<std::string> row{report::count(d)};
    for (const double g : {1.0, 1e-6, 1e-8, 1e-10, 1e-14}) {
      auto& ratio = section.measure({.quantity = "rate_ratio",
                                     .at = {{"d_model", d}, {"gradient", g}, {"epsilon", 1e-8}},
                                     .value = rate_ratio(2, d, g),
                                     .samples = 1,
                                     .method = "first step of each, equal settings"});
      row.push_back(shown(ratio));
    }
    row.push_back(report::significant(root_multiplier<double>(d), 4));
    row.push_back(report::count(d));
    table.row(row);
    const bool drawn = widths.size() <= 4 || d == 64 || d == 512 || d == 4096;
    if (!drawn || figure.series.size() == 8) continue;
    report::Series series{.label = fmt::format("d_model = {}", d),
                          .x = {},
                          .y = {},
                          .mark = report::Series::Mark::line};
    for (int k = -28; k <= 0; ++k) {
      const double g = std::exp2(k * 1.75);
      series.x.push_back(g);
      series.y.push_back(rate_ratio(2, d, g));
    }
    figure.series.push_back(series);
  }
  section.text("large_512", report::significant(rate_ratio(2, 512, 1.0), 3));
  section.text("small_512", report::significant(rate_ratio(2, 512, 1e-14), 3));
  section.counterexample(fmt::format(
      "d_model = 4, ∂L/∂x = 1, ε = 0, rate 1/8: x moves by {} with the factor outside "
      "the table and by 0.125 with it inside",
      0.125 * input_step_ratio<double>(Adam<double>{0.125, 0.5, 0.75, 0.0}, 1.0, 2.0, library)));
  section.table(table);
  measure_settings(options, section);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::optimizer_analysis
