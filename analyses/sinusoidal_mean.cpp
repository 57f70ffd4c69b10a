// The mean over the coordinates of one position, and what all positions of a table have in common.
#include <fmt/format.h>
#include <embedscale/properties/sinusoidal_table.hpp>

#include <algorithm>
#include <cmath>

#include "sinusoidal.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using properties::Part;
using report::Figure;
using report::Relation;
using Table = report::Table;

const Library library;

/// Positions on a logarithmic scale, for figures: 2^(k/8), each once.
std::vector<std::int64_t> by_eighths(std::int64_t last) {
  std::vector<std::int64_t> all;
  for (int k = 0; std::exp2(k / 8.0) <= static_cast<double>(last); ++k) {
    const std::int64_t p = std::llround(std::exp2(k / 8.0));
    if (all.empty() || all.back() != p) all.push_back(p);
  }
  return all;
}

Coordinates coordinates_at(std::size_t d, std::int64_t p) {
  return coordinates_of(encoded<double>({.d = d, .position = p}, library));
}

/// Of the positions 0 … L−1 those whose mean over coordinates is 0 up to rounding: of the entries
/// as in limit_share_of_bound.
std::uint64_t positions_of_mean_0(std::size_t d, std::int64_t length) {
  std::uint64_t count = 0;
  for (std::int64_t p = 0; p < length; ++p) {
    const double rounding = (3.0 * static_cast<double>(p) + 2.0) * unit_roundoff<double>;
    count += std::abs(coordinates_at(d, p).mean) <= 2 * rounding ? 1 : 0;
  }
  return count;
}

Figure mean_by_position(const std::vector<std::size_t>& widths) {
  Figure figure{.name = "sinusoidal_mean",
                .title = "Mean over coordinates of a positional encoding",
                .x_label = "position",
                .y_label = "mean over coordinates",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "mean 0", .y = 0.0}}};
  const auto all = by_eighths(1 << 17);
  report::Series limit{
      .label = "limit of large d_model", .x = {}, .y = {}, .mark = report::Series::Mark::line};
  for (const auto p : all) {
    limit.x.push_back(static_cast<double>(p));
    limit.y.push_back(expected::mean_over_coordinates(static_cast<double>(p)));
  }
  figure.series.push_back(std::move(limit));
  for (const auto d : widths) {
    if (figure.series.size() == 5) break;
    report::Series series{.label = fmt::format("d_model = {}", d),
                          .x = {},
                          .y = {},
                          .mark = report::Series::Mark::points};
    for (const auto p : all) {
      series.x.push_back(static_cast<double>(p));
      series.y.push_back(coordinates_at(d, p).mean);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

report::Section is_not_zero_mean(const cli::Options& options) {
  report::Section section(properties::sinusoidal::is_not_zero_mean);
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto all = positions(options, {0, 1, 2, 5, 10, 50, 100, 511, 1023, 4095, 32767, 131071});
  Worst variance("variance", "both rules and layouts, binary64 and binary32", Part::statement,
                 "worst_variance");
  Worst limit("limit", "both rules, binary64", Part::statement, "worst_limit");
  std::vector<Table::Column> columns{{"Position", Table::Align::right},
                                     {"limit", Table::Align::right}};
  for (const auto d : widths)
    columns.push_back({fmt::format("d_model = {}: mean", d), Table::Align::right});
  columns.push_back({fmt::format("variance, {}", widths.back()), Table::Align::right});
  Table table(columns);
  for (const auto p : all) {
    const double far = expected::mean_over_coordinates(static_cast<double>(p));
    section.measure({.quantity = "limit_of_the_mean",
                     .at = {{"position", p}},
                     .value = far,
                     .samples = 1,
                     .method = "closed form: sine and cosine integrals",
                     .field = p == 511 ? "limit_511" : ""});
    std::vector<std::string> row{report::count(static_cast<std::uint64_t>(p)),
                                 report::significant(far, 4)};
    Coordinates at_p{};
    for (const auto d : widths) {
      at_p = coordinates_at(d, p);
      const report::Place at = {{"d_model", d}, {"position", p}};
      const bool named = d == 512;
      section.measure({.quantity = "coordinate_mean",
                       .at = at,
                       .value = at_p.mean,
                       .samples = d,
                       .method = "over the coordinates, paper frequencies",
                       .field = named ? fmt::format("mean_{}", p) : ""});
      section.measure({.quantity = "coordinate_variance",
                       .at = at,
                       .value = at_p.variance,
                       .samples = d,
                       .method = "over the coordinates, paper frequencies",
                       .field = named ? fmt::format("variance_{}", p) : ""});
      row.push_back(report::significant(at_p.mean, 4));
      for (const auto rule : rules) {
        limit.add(limit_share_of_bound<double>({.d = d, .position = p, .rule = rule}, library));
        for (const auto layout : layouts) {
          variance.add(variance_share_of_bound<double>({d, p, rule, layout}, library));
          variance.add(variance_share_of_bound<float>({d, p, rule, layout}, library));
        }
      }
    }
    row.push_back(report::significant(at_p.variance, 4));
    table.row(std::move(row));
  }
  variance.record(section);
  limit.record(section);
  const std::int64_t length = 512;
  std::uint64_t zero = 0, cases = 0;
  for (const auto d : widths) {
    if (!is_small(d, length)) continue;
    zero += positions_of_mean_0(d, length);
    cases += static_cast<std::uint64_t>(length);
  }
  if (cases > 0)
    section.measure(
        {.quantity = "positions_of_mean_0",
         .at = {{"positions", length}},
         .value = static_cast<double>(zero),
         .samples = cases,
         .method = "every position, up to rounding",
         .unit = report::counted,
         .rule = report::Rule{Part::belief, Relation::equals, static_cast<double>(cases), cases},
         .field = "zero_mean"});
  section.text("cases", report::count(cases));
  section.counterexample(
      fmt::format("position 0 is 0, 1, 0, 1, …: mean {}, variance {}",
                  report::significant(coordinates_at(widths.front(), 0).mean, 2),
                  report::significant(coordinates_at(widths.front(), 0).variance, 2)));
  for (const auto p : {0, 511}) {  // where the words speak of them, whatever was asked for
    section.text(fmt::format("mean_{}", p), report::significant(coordinates_at(512, p).mean, 4));
    section.text(fmt::format("variance_{}", p),
                 report::significant(coordinates_at(512, p).variance, 4));
  }
  section.text("limit_511", report::significant(expected::mean_over_coordinates(511), 4));
  section.table(table);
  section.figure(mean_by_position(widths));
  return section;
}

report::Section constant_share(const cli::Options& options) {
  report::Section section(properties::sinusoidal::constant_share);
  const auto widths = even_widths(options, {16, 64, 512, 1024, 4096, 16384});
  const auto lengths = positions(options, {2, 16, 50, 128, 512, 2048, 8192, 32768, 131072});
  std::vector<Table::Column> columns{{"Positions", Table::Align::right}};
  for (const auto d : widths)
    columns.push_back({fmt::format("d_model = {}", d), Table::Align::right});
  Table table(columns);
  Figure figure{.name = "sinusoidal_constant",
                .title = "Share of a table's energy that is the same at every position",
                .x_label = "positions in the table, L",
                .y_label = "% of the energy",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  Worst worst("share", "tables up to 2^18 entries, both rules and layouts", Part::statement,
              "worst");
  std::uint64_t none = 0, cases = 0;
  const auto stated = [](std::size_t d, std::int64_t length, FrequencyRule rule) {
    return expected::constant_share({sinusoidal_frequencies<double>(d, rule), 0, length, 1});
  };
  for (const auto length : lengths) {
    std::vector<std::string> row{report::count(static_cast<std::uint64_t>(length))};
    for (const auto d : widths)
      for (const auto rule : rules) {
        const double share = stated(d, length, rule);
        ++cases, none += share <= 1e-9 ? 1 : 0;
        section.measure({.quantity = "constant_share",
                         .at = {{"d_model", d}, {"positions", length}, {"rule", name_of(rule)}},
                         .value = share,
                         .samples = 1,
                         .method = "closed form: Dirichlet's kernel"});
        if (rule == FrequencyRule::paper)
          row.push_back(fmt::format("{} %", report::significant(100 * share, 3)));
        if (is_small(d, length))
          for (const auto layout : layouts)
            worst.add(constant_share_of_bound({d, length, rule, layout}, library));
      }
    table.row(std::move(row));
  }
  for (const auto d : widths) {
    if (figure.series.size() == 6) break;
    report::Series series{.label = fmt::format("d_model = {}", d),
                          .x = {},
                          .y = {},
                          .mark = report::Series::Mark::line};
    for (const auto length : by_eighths(1 << 17)) {
      series.x.push_back(static_cast<double>(length));
      series.y.push_back(100 * stated(d, length, FrequencyRule::paper));
    }
    figure.series.push_back(std::move(series));
  }
  section.measure(
      {.quantity = "tables_without_a_constant",
       .at = {{"share_at_most", 1e-9}},
       .value = static_cast<double>(none),
       .samples = cases,
       .method = "closed form",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::equals, static_cast<double>(cases), cases},
       .field = "without"});
  worst.record(section);
  section.text("tables", report::count(cases));
  for (const auto length : {50, 512, 131072})
    section.text(fmt::format("share_{}", length),
                 report::significant(100 * stated(512, length, FrequencyRule::paper), 3));
  // At L = 2, d = 4: ((1 + cos 1)/2 + (1 + cos 0.01)/2)/2, as sin L·y/(L·sin y) is cos y.
  section.counterexample(
      fmt::format("d_model = 4, positions 0 and 1: {} % of the energy is the same in both",
                  report::significant(100 * stated(4, 2, FrequencyRule::paper), 3)));
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::sinusoidal_analysis
