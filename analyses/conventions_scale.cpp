// Which scale real programs start from: the multiplier with its law, and one formula in four
// frameworks.
#include <fmt/format.h>
#include <embedscale/properties/conventions_defaults.hpp>
#include <embedscale/properties/conventions_scale.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "conventions.hpp"

namespace embedscale::conventions_analysis {
namespace {

using namespace properties::conventions;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

constexpr std::string_view by_audit = "closed form, over the atlas";

std::vector<const System*> scaled_with_sinusoids(const std::vector<System>& all) {
  std::vector<const System*> chosen;
  for (const System& s : all)
    if (multiplies_by_root_d(s) && s.scales.input.token_to_position.value &&
        s.configuration.position.kind == audit::PositionKind::sinusoidal)
      chosen.push_back(&s);
  if (chosen.empty()) throw std::invalid_argument("no system of the atlas multiplies by √d_model");
  std::ranges::stable_sort(
      chosen, {}, [](const System* s) { return *s->scales.input.token_to_position.value; });
  return chosen;
}

report::Measurement& measure_ratio(report::Section& section, const System& s) {
  return section.measure(
      {.quantity = "token_to_position",
       .at = {{"system", s.configuration.name}, {"d_model", *s.configuration.model.d_model}},
       .value = *s.scales.input.token_to_position.value,
       .samples = 1,
       .method = std::string(by_audit)});
}

std::string arithmetic(const System& s) {
  const auto& input = s.scales.input;
  return fmt::format("{}: σ = {}, m = {}, so tokens have RMS {} beside positions of {}: {} times",
                     s.configuration.name, shown(input.entry_rms),
                     shown(s.scales.scaled_down.factor), shown(input.token_rms),
                     shown(input.position_rms), shown(input.token_to_position));
}

/// The largest share of its rounding bound over widths, deviations and positions.
void measure_ratio_bound(const cli::Options& options, report::Section& section) {
  report::Measurement worst{.quantity = "worst_share_of_bound",
                            .method = "tables of entries ±σ, binary64 and binary32"};
  for (const auto d : even_widths(options))
    for (const double sigma : {1.0, 0.02, 1 / std::sqrt(static_cast<double>(d))})
      for (const std::int64_t position : {0, 1, 511, 65535}) {
        const Start at{static_cast<std::size_t>(d), position};
        worst.value = std::max(
            {worst.value, ratio_share_of_bound(sigma, root_multiplier<double>(d), at, library),
             ratio_share_of_bound(static_cast<float>(sigma), root_multiplier<float>(d), at,
                                  library)});
        worst.samples += 2;
      }
  worst.rule = report::Rule{Part::statement, Relation::at_most, 1, worst.samples};
  worst.digits = 2;
  worst.field = "worst";
  section.text("cases", report::count(worst.samples));
  section.measure(std::move(worst));
}

}  // namespace

report::Section multiplier_sets_the_scale(const cli::Options& options,
                                          const std::vector<System>& all) {
  report::Section section(properties::conventions::multiplier_sets_the_scale);
  const auto chosen = scaled_with_sinusoids(all);
  std::size_t without = 0;
  for (const System& s : all)
    without += multiplies_by_root_d(s) && !s.scales.input.token_to_position.value &&
                       s.configuration.position.kind == audit::PositionKind::sinusoidal
                   ? 1
                   : 0;
  Table table({{"System"},
               {"d_model", Table::Align::right},
               {"σ·√d_model", Table::Align::right},
               {"Token / position", Table::Align::right},
               {"Within a factor √2"},
               {"2"},
               {"4"}});
  std::array<std::uint64_t, 3> within{};
  constexpr std::array<double, 3> factors{std::numbers::sqrt2, 2, 4};
  for (const System* s : chosen) {
    const double ratio = measure_ratio(section, *s).value;
    const auto d = static_cast<std::uint64_t>(*s->configuration.model.d_model);
    std::vector<std::string> row{
        linked(s->configuration), report::count(d),
        report::significant(*s->scales.input.entry_rms.value * std::sqrt(static_cast<double>(d)),
                            4),
        report::significant(ratio, 4)};
    for (std::size_t k = 0; k < factors.size(); ++k) {
      // √2 itself is a common ratio (d^−½ beside sinusoids): within, up to the rounding of m.
      const bool in = std::abs(std::log(ratio)) <= std::log(factors[k]) * (1 + 1e-6);
      within[k] += in ? 1 : 0;
      row.push_back(in ? "yes" : "no");
    }
    table.row(std::move(row));
  }
  section.table(table);
  section.measure_none("unbalanced_systems", {{"factor", 2}},
                       static_cast<double>(chosen.size() - within[1]), chosen.size(), Part::belief,
                       std::string(by_audit));
  const auto extreme = [&](const char* quantity, const System& s, const char* field) {
    auto& m = measure_ratio(section, s);
    m.quantity = quantity;
    m.field = field;
    m.digits = 3;
    section.text(std::string(field) + "_name", s.configuration.name);
  };
  extreme("smallest_ratio", *chosen.front(), "smallest");
  extreme("largest_ratio", *chosen.back(), "largest");
  measure_ratio_bound(options, section);
  section.text("systems", report::count(chosen.size()));
  section.text("without", report::count(without));
  section.text("balanced", report::count(within[1]));
  section.text("unbalanced", report::count(chosen.size() - within[1]));
  section.text("within_root_two", report::count(within[0]));
  section.text("within_four", report::count(within[2]));
  if (within[1] < chosen.size()) section.counterexample(arithmetic(*chosen.back()));
  return section;
}

namespace {

/// Dive into Deep Learning's programs, in the order of its tabs.
std::vector<const System*> programs_of_one_text(const std::vector<System>& all) {
  std::vector<const System*> programs;
  for (const char* name : {"d2l_pytorch", "d2l_mxnet", "d2l_tensorflow", "d2l_jax"})
    for (const System& s : all)
      if (s.configuration.name == name) programs.push_back(&s);
  if (programs.size() != 4)
    throw std::invalid_argument("the atlas lacks a program of Dive into Deep Learning");
  return programs;
}

Figure default_ratios(const cli::Options& options) {
  Figure figure{.name = "conventions_defaults",
                .title = "Token RMS over position RMS of four default laws, times √d_model",
                .x_label = "d_model",
                .y_label = "token RMS over position RMS",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "balance", .y = 1.0}}};
  constexpr const char* labels[] = {"N(0, 1): PyTorch", "U(±0.07): MXNet", "U(±0.05): Keras",
                                    "N(0, 1/d): Flax"};
  for (std::size_t k = 0; k < 4; ++k) {
    report::Series series{.label = labels[k], .x = {}, .y = {}};
    for (const auto d : even_widths(options)) {
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(start_of(default_laws(d)[k], root_multiplier<double>(d),
                                  {static_cast<std::size_t>(d), 0}, library));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// All laws over all widths: variance against the integral over the density.
void measure_moments(const cli::Options& options, report::Section& section) {
  report::Measurement worst{.quantity = "worst_share_of_bound",
                            .method = "variance against Gauss–Kronrod quadrature of the density"};
  for (const auto width : even_widths(options)) {
    const auto d = static_cast<std::size_t>(width);
    std::vector<Initializer> laws(4);
    std::ranges::copy(default_laws(d), laws.begin());
    laws.insert(laws.end(), {TruncatedNormal{0.02}, XavierUniform{32768, d}, XavierNormal{100, d}});
    for (const auto& law : laws) {
      const double share = variance_share_of_bound(law, library);
      if (!(share <= worst.value)) worst.value = share;
    }
    worst.samples += laws.size();
  }
  worst.rule = report::Rule{Part::statement, Relation::at_most, 1, worst.samples};
  worst.digits = 2;
  worst.field = "worst";
  section.text("cases", report::count(worst.samples));
  section.measure(std::move(worst));
}

/// At which of the widths 1 … 2^14 the four laws have fewer than four second moments.
void measure_meeting(report::Section& section) {
  constexpr std::size_t widest = 1 << 14;
  std::string list;
  double meeting = 0;
  std::uint64_t otherwise = 0;
  for (std::size_t d = 1; d <= widest; ++d) {
    const std::size_t found = second_moments(d, library);
    otherwise += found == stated_second_moments(d) ? 0 : 1;
    if (found == 4) continue;
    ++meeting;
    list += fmt::format("{}{}", list.empty() ? "" : " and ", report::count(d));
  }
  section.measure({.quantity = "widths_where_defaults_meet",
                   .at = {{"widths", fmt::format("1 to {}", widest)}},
                   .value = meeting,
                   .samples = widest,
                   .method = "exhaustive",
                   .unit = report::counted,
                   .field = "meeting_count"});
  section.measure_none("widths_where_defaults_meet", {{"other_than_stated", true}},
                       static_cast<double>(otherwise), widest, Part::statement, "exhaustive");
  section.text("meeting", list);
}

}  // namespace

report::Section one_text_one_start(const cli::Options& options, const std::vector<System>& all) {
  report::Section section(properties::conventions::one_text_one_start);
  const auto programs = programs_of_one_text(all);
  Table table({{"Program"},
               {"Law"},
               {"σ", Table::Align::right},
               {"m", Table::Align::right},
               {"Token RMS", Table::Align::right},
               {"Token / position", Table::Align::right}});
  std::uint64_t pairs = 0, different = 0;
  for (const System* s : programs) {
    const auto& c = s->configuration;
    auto& m = measure_ratio(section, *s);
    m.field = c.name;
    m.digits = 3;
    table.row({linked(c),
               std::string(audit::name_of(c.token.law->kind)) + " of " + c.token.law->written,
               shown(s->scales.input.entry_rms), shown(s->scales.scaled_down.factor),
               shown(s->scales.input.token_rms), shown(s->scales.input.token_to_position)});
    for (const System* other : programs) {
      if (other == s) break;
      ++pairs;
      const double quotient =
          *s->scales.input.token_to_position.value / *other->scales.input.token_to_position.value;
      different += std::abs(quotient - 1) > 16 * unit_roundoff<double> ? 1 : 0;  // 8 for each
    }
  }
  section.table(table);
  section.measure_none("programs_that_differ", {{"pairs", pairs}}, static_cast<double>(different),
                       pairs, Part::belief, std::string(by_audit));
  section.text("pairs", report::count(pairs));
  section.text("different", report::count(different));
  section.text("width", report::count(std::uint64_t(*programs[0]->configuration.model.d_model)));
  measure_moments(options, section);
  measure_meeting(section);
  section.figure(default_ratios(options));
  if (different > 0)
    section.counterexample(
        fmt::format("{}; {}", arithmetic(*programs[0]), arithmetic(*programs[3])));
  return section;
}

}  // namespace embedscale::conventions_analysis
