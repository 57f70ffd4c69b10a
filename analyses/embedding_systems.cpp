// The two parts in real systems: what the factor does to their ratio, and for which it balances
// them.
#include <fmt/format.h>
#include <embedscale/properties/embedding_balance.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "embedding.hpp"
#include "report/table.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;
using conventions_analysis::linked;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;
constexpr std::string_view by_audit = "closed form, over the atlas";

/// √2 itself is a common ratio (d^−½ beside sinusoids): within, up to the rounding of m.
bool within(double factor, double ratio) {
  return std::abs(std::log(ratio)) <= std::log(factor) * (1 + 1e-6);
}

/// A system whose two parts can be compared: their ratio, and what it were without the factor.
struct Compared {
  const System* system;
  double ratio, factor;
  double bare() const { return ratio / factor; }
  bool scaled() const { return factor != 1; }
};

std::vector<Compared> comparable(const std::vector<System>& all) {
  std::vector<Compared> found;
  for (const System& s : all)
    if (s.scales.input.token_to_position.value && s.configuration.token.multiplier)
      found.push_back({&s, *s.scales.input.token_to_position.value,
                       std::abs(*s.scales.scaled_down.factor.value)});
  if (found.empty()) throw std::invalid_argument("no system of the atlas has both parts");
  std::ranges::stable_sort(found, {}, &Compared::ratio);
  return found;
}

constexpr std::array<double, 3> factors{std::numbers::sqrt2, 2, 4};
constexpr const char* factor_names[] = {"root_two", "two", "four"};

void measure_counts(report::Section& section, const std::vector<Compared>& all) {
  const auto scaled = static_cast<std::uint64_t>(std::ranges::count_if(all, &Compared::scaled));
  for (std::size_t k = 0; k < factors.size(); ++k) {
    std::uint64_t balanced = 0, of_scaled = 0;
    for (const Compared& c : all)
      if (within(factors[k], c.ratio)) {
        ++balanced;
        of_scaled += c.scaled() ? 1 : 0;
      }
    const report::Place at = {{"factor", report::rounded(factors[k], 4)}};
    report::Measurement unbalanced{.quantity = "unbalanced_systems",
                                   .at = at,
                                   .value = static_cast<double>(scaled - of_scaled),
                                   .samples = scaled,
                                   .method = std::string(by_audit),
                                   .unit = report::counted,
                                   .field = fmt::format("unbalanced_{}", factor_names[k])};
    if (k == 1) unbalanced.rule = report::Rule{Part::belief, Relation::equals, 0, scaled};
    section.measure(std::move(unbalanced));
    section.measure({.quantity = "balanced_systems",
                     .at = at,
                     .value = static_cast<double>(balanced),
                     .samples = all.size(),
                     .method = std::string(by_audit),
                     .unit = report::counted,
                     .field = fmt::format("balanced_{}", factor_names[k])});
    section.text(fmt::format("scaled_balanced_{}", factor_names[k]), report::count(of_scaled));
  }
  section.text("scaled", report::count(scaled));
  section.text("comparable", report::count(all.size()));
}

/// Of the systems with a factor: balanced without it or not, and with it or not.
void measure_effects(report::Section& section, const std::vector<Compared>& all) {
  for (const bool before : {false, true})
    for (const bool after : {false, true}) {
      std::uint64_t count = 0, scaled = 0;
      for (const Compared& c : all) {
        if (!c.scaled()) continue;
        ++scaled;
        count += within(2, c.bare()) == before && within(2, c.ratio) == after ? 1 : 0;
      }
      section.measure(
          {.quantity = "systems_by_effect",
           .at = {{"without", before ? "balanced" : "unbalanced"},
                  {"with", after ? "balanced" : "unbalanced"}},
           .value = static_cast<double>(count),
           .samples = scaled,
           .method = std::string(by_audit),
           .unit = report::counted,
           .field = before ? (after ? "still" : "lost") : (after ? "gained" : "never")});
    }
}

Table table_of(const std::vector<Compared>& all, report::Section& section) {
  Table table({{"System"},
               {"d_model", Table::Align::right},
               {"Position"},
               {"m", Table::Align::right},
               {"Ratio without m", Table::Align::right},
               {"Ratio", Table::Align::right},
               {"Within a factor √2"},
               {"2"},
               {"4"}});
  for (const Compared& c : all) {
    const auto& configuration = c.system->configuration;
    const auto d = configuration.model.d_model;  // some sources leave it to the user
    section.measure({.quantity = "token_to_position",
                     .at = {{"system", configuration.name},
                            {"d_model", d ? report::Coordinate(*d) : report::Coordinate(nullptr)},
                            {"multiplier", report::rounded(c.factor, 4)}},
                     .value = c.ratio,
                     .samples = 1,
                     .method = std::string(by_audit)});
    std::vector<std::string> row{linked(configuration),
                                 d ? report::count(static_cast<std::uint64_t>(*d)) : "—",
                                 std::string(audit::name_of(configuration.position.kind)),
                                 c.scaled() ? report::significant(c.factor, 4) : "—",
                                 c.scaled() ? report::significant(c.bare(), 4) : "—",
                                 report::significant(c.ratio, 4)};
    for (const double factor : factors) row.push_back(within(factor, c.ratio) ? "yes" : "no");
    table.row(std::move(row));
  }
  return table;
}

/// Ratios with √d by width, beside sinusoids and beside learned positions of the tokens' law.
Figure figure_of(const cli::Options& options) {
  Figure figure{.name = "embedding_balance",
                .title = "Token RMS over position RMS, with the factor √d_model",
                .x_label = "d_model",
                .y_label = "token RMS over position RMS",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {{.label = "σ = d^−½, sinusoids", .x = {}, .y = {}},
                           {.label = "σ = 0.02, sinusoids", .x = {}, .y = {}},
                           {.label = "σ = 1, sinusoids", .x = {}, .y = {}},
                           {.label = "learned, of the tokens' law", .x = {}, .y = {}}},
                .levels = {{.label = "twice", .y = 2}, {.label = "half", .y = 0.5}}};
  for (const auto d : even_widths(options, shown_widths)) {
    const double m = root_multiplier<double>(d);
    const Start at{static_cast<std::size_t>(d), 511};
    const auto beside = [&](double sigma) {
      return properties::conventions::token_to_position(sigma, m, at, library);
    };
    const double ratios[] = {beside(1 / m), beside(0.02), beside(1),
                             ratio_to_table(0.02, 0.02, m, at.d, library)};
    for (std::size_t k = 0; k < 4; ++k) {
      figure.series[k].x.push_back(static_cast<double>(d));
      figure.series[k].y.push_back(ratios[k]);
    }
  }
  return figure;
}

}  // namespace

report::Section balances_the_two_parts(const cli::Options& options,
                                       const std::vector<System>& atlas) {
  report::Section section(properties::embedding::balances_the_two_parts);
  const auto all = comparable(atlas);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& shares = section.measure(count_of("share_disagreements", n, [&](std::uint64_t i) {
    return !share_is_divided(draws.channels(i, 0, 2), draws.channels(i, 2, 2), draws.positive(i, 4),
                             library);
  }));
  shares.rule = report::Rule{Part::belief, Relation::equals, 0, n};
  shares.field = "shares";
  section.table(table_of(all, section));
  measure_counts(section, all);
  measure_effects(section, all);
  section.figure(figure_of(options));
  std::vector<Compared> scaled;
  std::ranges::copy_if(all, std::back_inserter(scaled), &Compared::scaled);
  if (scaled.empty()) return section;
  const auto arithmetic = [](const Compared& c) {
    return fmt::format(
        "{}: tokens have {} times the RMS of positions without the factor, {} with it",
        c.system->configuration.name, report::significant(c.bare(), 3),
        report::significant(c.ratio, 3));
  };
  section.text("smallest", report::significant(scaled.front().ratio, 3));
  section.text("smallest_name", scaled.front().system->configuration.name);
  section.text("largest", report::significant(scaled.back().ratio, 3));
  section.text("largest_name", scaled.back().system->configuration.name);
  std::uint64_t learned = 0, learned_lost = 0;
  for (const Compared& c : scaled) {
    const bool is_learned = c.system->configuration.position.kind == audit::PositionKind::learned;
    learned += is_learned ? 1 : 0;
    learned_lost += is_learned && within(2, c.bare()) && !within(2, c.ratio) ? 1 : 0;
  }
  section.text("learned", report::count(learned));
  section.text("learned_lost", report::count(learned_lost));
  if (!within(2, scaled.back().ratio)) section.counterexample(arithmetic(scaled.back()));
  return section;
}

}  // namespace embedscale::embedding_analysis
