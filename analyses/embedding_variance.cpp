// What √d makes of a table of deviation d^−½, in exact arithmetic and in four formats.
#include <fmt/format.h>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/domain/widths.hpp>
#include <embedscale/properties/embedding_variance.hpp>

#include <algorithm>
#include <cmath>

#include "embedding.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// m/√d − 1 for m = fl(√d), as (m² − d)/(√d·(m + √d)): nothing cancels but m² − d, which fma rounds
/// once.
template <Scalar Real>
double error_of_root(std::uint64_t width) {
  const auto m = static_cast<double>(root_multiplier<Real>(width));
  const auto d = static_cast<double>(width);
  const double root = std::sqrt(d);
  return std::fma(m, m, -d) / (root * (m + root));
}

bool is_square(std::uint64_t d) {
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(d)));
  return root * root == d;
}

constexpr properties::domain::Widths every_width{1, 1 << 14};

template <Scalar Real>
void in_format(const cli::Options& options, report::Section& section, Table& table) {
  const std::string format = FormatTraits<Real>::name;
  const auto all = points(options.widths, every_width.all());
  double worst = 0, largest = 0, unit = 0, other = 0;
  for (const auto d : all) {
    for (const auto& law : laws_of_inverse_width(d)) {
      const double share = unit_variance_share<Real>(law, d, library);
      if (!(share <= worst)) worst = share;
    }
    largest = std::max(largest, std::abs(error_of_root<Real>(d)));
    const bool exact = error_of_root<Real>(d) == 0;
    unit += exact ? 1 : 0;
    other += exact == is_square(d) ? 0 : 1;
  }
  const report::Place at = {{"format", format}};
  section.measure({.quantity = "worst_share_of_bound",
                   .at = at,
                   .value = worst,
                   .samples = 5 * all.size(),
                   .method = "m²·Var e of five laws against 1",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, 5 * all.size()},
                   .digits = 3});
  section.measure({.quantity = "widths_of_variance_1",
                   .at = at,
                   .value = unit,
                   .samples = all.size(),
                   .method = "exhaustive",
                   .unit = report::counted,
                   .field = "exact_" + format});
  section.measure_none("other_than_stated", at, other, all.size(), Part::statement, "exhaustive");
  section.measure({.quantity = "largest_error_of_deviation",
                   .at = at,
                   .value = largest,
                   .samples = all.size(),
                   .method = "exhaustive",
                   .digits = 3});
  section.text("percent_" + format, report::significant(100 * largest, 2));
  section.text("widths", report::count(all.size()));
  table.row({format, report::count(std::uint64_t(unit)), report::significant(largest, 3),
             report::significant(2 * largest, 3), report::significant(worst, 3)});
}

template <Scalar Real>
report::Series errors_of_roots(const std::vector<std::uint64_t>& all) {
  report::Series series{
      .label = FormatTraits<Real>::name, .x = {}, .y = {}, .mark = report::Series::Mark::points};
  for (const auto d : all) {
    series.x.push_back(static_cast<double>(d));
    series.y.push_back(100 * error_of_root<Real>(d));
  }
  return series;
}

void measure_laws(const cli::Options& options, report::Section& section) {
  constexpr const char* names[] = {"normal", "uniform", "truncated_normal", "xavier_uniform V = d",
                                   "xavier_normal V = d"};
  const auto measure = [&](const char* name, std::uint64_t d, double variance) -> auto& {
    return section.measure({.quantity = "token_variance",
                            .at = {{"law", name}, {"d_model", d}, {"format", "binary64"}},
                            .value = variance,
                            .samples = 1,
                            .method = "closed form"});
  };
  for (const auto d : points(options.widths, shown_widths)) {
    const auto laws = laws_of_inverse_width(d);
    for (std::size_t k = 0; k < laws.size(); ++k)
      measure(names[k], d, token_variance<double>(laws[k], d, library));
    const Initializer nominal = TruncatedNormal{1 / std::sqrt(static_cast<double>(d))};
    auto& cut = measure("truncated_normal of nominal deviation d_model^-1/2", d,
                        token_variance<double>(nominal, d, library));
    cut.field = "nominal_variance";
    section.text("nominal_deviation", report::significant(std::sqrt(cut.value), 4));
  }
}

}  // namespace

report::Section root_d_restores_unit_variance(const cli::Options& options) {
  report::Section section(properties::embedding::root_d_restores_unit_variance);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& exact = section.measure(count_of("moment_disagreements", n, [&](std::uint64_t i) {
    return !moments_follow_m<Rational>(
        draws.channels(i, 0, 3), {draws.positive(i, 3), draws.positive(i, 4), draws.positive(i, 5)},
        draws.positive(i, 6), library);
  }));
  exact.rule = report::Rule{Part::belief, Relation::equals, 0, n};
  exact.field = "disagreements";
  section.text("samples", report::count(n));
  Table table({{"Format of √d_model"},
               {"Widths with variance exactly 1", Table::Align::right},
               {"Largest error of the deviation", Table::Align::right},
               {"of the variance", Table::Align::right},
               {"Worst share of the bound", Table::Align::right}});
  properties::domain::for_each_format(
      [&]<class Real>() { in_format<Real>(options, section, table); });
  section.table(table);
  measure_laws(options, section);
  std::vector<std::uint64_t> drawn;
  for (std::uint64_t d = 16; d <= 1 << 14; d += std::max<std::uint64_t>(1, d / 32))
    drawn.push_back(d);
  const auto widths = points(options.widths, drawn);
  section.figure({.name = "embedding_rounded_root",
                  .title = "How far the rounded √d_model takes the deviation from 1",
                  .x_label = "d_model",
                  .y_label = "error of the deviation, %",
                  .x_scale = Figure::Scale::log2,
                  .series = {errors_of_roots<bfloat16>(widths), errors_of_roots<binary16>(widths)},
                  .levels = {}});
  return section;
}

}  // namespace embedscale::embedding_analysis
