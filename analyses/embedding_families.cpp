// What √d makes of the tables of five families of laws.
#include <fmt/format.h>
#include <embedscale/properties/embedding_variance.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "embedding.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

struct Member {
  Family family;
  const char* name;
  const char* label;  ///< in a figure
  double sigma;       ///< 0 where the family has none of its own
};

/// The families with each σ told; otherwise the uniform law on ±0.05 (Keras) and the normal law of
/// nominal deviation 0.02 cut at ±2 of it (BERT).
std::vector<Member> members(const cli::Options& options) {
  std::vector<Member> all{{Family::inverse_root, "d_model^-1/2", "σ = d^−½", 0},
                          {Family::unit, "unit", "σ = 1", 0}};
  for (const double s : points(options.deviations, std::array{0.05 / std::numbers::sqrt3}))
    all.push_back({Family::fixed_range, "fixed range", "uniform on ±0.05", s});
  for (const double s : points(options.deviations, std::array{0.02}))
    all.push_back({Family::cut_normal, "truncated normal", "normal of 0.02, cut", s});
  return all;
}

/// Measures one family at one shape, with and without the factor; the RMS with it.
double measure_rms(report::Section& section, const Member& member, const Shape& shape) {
  report::Place at = {{"family", member.name}, {"d_model", shape.d}};
  if (member.sigma > 0) at.set("standard_deviation", report::rounded(member.sigma, 4));
  if (shape.vocabulary > 0) at.set("vocabulary", shape.vocabulary);
  const Shape any{std::max<std::size_t>(shape.vocabulary, 1), shape.d};
  double value = 0;
  for (const bool scaled : {false, true}) {
    at.set("multiplier", scaled ? "sqrt(d_model)" : "1");
    const double m = scaled ? root_multiplier<double>(shape.d) : 1.0;
    value = token_rms(law_of(member.family, any, member.sigma), m, shape.d, library);
    section.measure({.quantity = "token_rms",
                     .at = at,
                     .value = value,
                     .samples = 1,
                     .method = "look-up in a table of the law's RMS"});
  }
  return value;
}

/// Families by pairs, at every shape; Xavier's two laws are one here.
void measure_pairs(const cli::Options& options, report::Section& section,
                   const std::vector<std::uint64_t>& widths,
                   const std::vector<std::uint64_t>& sizes) {
  constexpr std::array all{Family::inverse_root, Family::fixed_range, Family::xavier_uniform,
                           Family::unit, Family::cut_normal};
  std::uint64_t pairs = 0, cases = 0;
  double differ = 0, other = 0, worst = 0;
  for (const double told : points(options.deviations, std::array{0.02}))
    for (const auto d : widths)
      for (const auto vocabulary : sizes) {
        const Shape shape{vocabulary, d};
        const Rational sigma = fraction_of(told);
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::size_t j = 0; j < i; ++j) {
            ++pairs;
            differ += families_meet(all[i], all[j], shape, told, library) ? 0 : 1;
            other += meet_where_stated(all[i], all[j], shape, sigma, library) ? 0 : 1;
          }
        for (const Family family : families) {
          const double share = family_share_of_bound(family, shape, told, library);
          if (!(share <= worst)) worst = share;
          ++cases;
        }
      }
  section.measure({.quantity = "families_that_differ",
                   .at = {{"pairs", pairs}},
                   .value = differ,
                   .samples = pairs,
                   .method = "variances of the laws",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::equals, 0, pairs},
                   .field = "differ"});
  section.text("pairs", report::count(pairs));
  section.measure_none("other_than_stated", {{"pairs", pairs}}, other, pairs, Part::statement,
                       "exact rationals against the laws' variances");
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = cases,
                   .method = "look-up in a table of the law's RMS against the closed form",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, cases},
                   .field = "worst",
                   .digits = 2});
}

}  // namespace

report::Section depends_on_initialisation(const cli::Options& options) {
  report::Section section(properties::embedding::depends_on_initialisation);
  const auto widths = points(options.widths, shown_widths);
  const auto sizes = vocabularies(options);
  const auto all = members(options);
  std::vector<Table::Column> columns{{"d_model", Table::Align::right}};
  for (const Member& m : all)
    columns.push_back(
        {m.sigma > 0 ? fmt::format("{}, σ = {:.3g}", m.name, m.sigma) : std::string(m.label),
         Table::Align::right});
  for (const auto v : {sizes.front(), sizes.back()})
    columns.push_back({"Xavier, V = " + report::count(v), Table::Align::right});
  Table table(columns);
  Figure figure{.name = "embedding_families",
                .title = "Token RMS after the factor √d_model",
                .x_label = "d_model",
                .y_label = "token RMS",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "position RMS", .y = std::numbers::sqrt2 / 2}}};
  const std::size_t lines = std::min<std::size_t>(all.size(), 5);  // and Xavier's two
  for (std::size_t k = 0; k < lines; ++k)
    figure.series.push_back({.label = columns[k + 1].heading, .x = {}, .y = {}});
  for (std::size_t k = columns.size() - 2; k < columns.size(); ++k)
    figure.series.push_back({.label = columns[k].heading, .x = {}, .y = {}});
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const auto d : widths) {
    std::vector<double> row;
    for (const Member& m : all) row.push_back(measure_rms(section, m, {0, d}));
    std::vector<double> xavier;
    for (const auto v : sizes)
      xavier.push_back(measure_rms(section, {Family::xavier_uniform, "xavier", "", 0}, {v, d}));
    row.insert(row.end(), {xavier.front(), xavier.back()});
    std::vector<std::string> cells{report::count(d)};
    for (const double rms : row) cells.push_back(report::significant(rms, 4));
    table.row(cells);
    for (std::size_t k = 0; k < figure.series.size(); ++k) {
      auto& series = figure.series[k];
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(row[k < lines ? k : row.size() - figure.series.size() + k]);
    }
    if (d != widths[widths.size() / 2]) continue;
    const auto [least, most] = std::ranges::minmax(row);
    low = least;
    high = most;
    section.counterexample(fmt::format(
        "d_model = {}: token RMS {} for σ = d_model^−½, {} for σ = 1, {} for Xavier on V = {}", d,
        report::significant(row[0], 4), report::significant(row[1], 4),
        report::significant(xavier.back(), 4), report::count(sizes.back())));
    section.text("width", report::count(d));
  }
  section.text("low", report::significant(low, 3));
  section.text("high", report::significant(high, 3));
  section.table(table);
  section.figure(figure);
  measure_pairs(options, section, widths, sizes);
  return section;
}

}  // namespace embedscale::embedding_analysis
