// How long a looked-up token is, how much that varies, and how often it is shorter than a position.
#include <fmt/format.h>
#include <embedscale/expected/token_norm.hpp>
#include <embedscale/properties/domain/widths.hpp>
#include <embedscale/properties/embedding_length.hpp>

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
constexpr properties::domain::Widths every_width{1, 1 << 14};
/// Below it a probability leaves the range of normal doubles.
constexpr double least_told = 1e-300;

/// A finite law of three values in exact arithmetic, rows of one to three entries.
bool spread_disagrees(const Draws& draws, std::uint64_t i) {
  const FiniteLaw<Rational> law{draws.channels(i, 0, 3),
                                {draws.positive(i, 3), draws.positive(i, 4), draws.positive(i, 5)}};
  return !squared_length_spreads_as_stated(law, 1 + i % 3, draws.positive(i, 6), library);
}

/// Drawn rows against the criterion on their squared length, deviations around the break-even.
bool length_disagrees(std::uint64_t i, const Stream& stream) {
  const std::size_t d = std::size_t{2} << (i % 8);
  std::vector<double> z(d);
  for (std::size_t j = 0; j < d; ++j) z[j] = stream.normal(256 * i + j);
  const double m = root_multiplier<double>(d);
  const double sigma = (0.75 + 0.5 * stream.uniform(i, 7)) / (m * std::sqrt(2.0));
  return !shorter_where_stated(z, sigma, m, {d, 511}, library);
}

void measure_statements(const cli::Options& options, report::Section& section) {
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& spread = section.measure(count_of(
      "spread_disagreements", n, [&](std::uint64_t i) { return spread_disagrees(draws, i); }));
  spread.rule = report::Rule{Part::statement, Relation::equals, 0, n};
  spread.field = "spreads";
  section.text("samples", report::count(n));
  const Stream stream(options.seed, std::string(section.claim().id) + "/lengths");
  auto lengths = count_of("length_disagreements", n,
                          [&](std::uint64_t i) { return length_disagrees(i, stream); });
  lengths.method = "drawn rows, binary64";
  lengths.rule = report::Rule{Part::statement, Relation::equals, 0, n};
  section.measure(lengths);
  const std::array<Initializer, 5> laws{Normal{0.02}, Uniform{0.05}, TruncatedNormal{0.02},
                                        XavierUniform{32000, 512}, XavierNormal{32000, 512}};
  double worst = 0;
  for (const auto& law : laws) worst = std::max(worst, kurtosis_share_of_bound(law, library));
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = laws.size(),
                   .method = "kurtosis of the laws",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, laws.size()},
                   .digits = 2});
}

/// At how many widths the length deviates, relatively, as much as the size of an entry.
void measure_belief(const cli::Options& options, report::Section& section) {
  const auto all = points(options.widths, every_width.all());
  const double entry = expected::relative_length_deviation(1);
  double as_random = 0;
  for (const auto d : all) as_random += expected::relative_length_deviation(d) >= entry ? 1 : 0;
  const auto n = static_cast<std::uint64_t>(all.size());
  section.measure(
      {.quantity = "widths_as_random",
       .value = as_random,
       .samples = n,
       .method = "closed form",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(n), n},
       .field = "as_random"});
  section.text("widths", report::count(n));
  section.text("entry", report::significant(100 * entry, 3));
  section.text("length_512",
               report::significant(100 * expected::relative_length_deviation(512), 3));
  section.counterexample(
      fmt::format("d_model = 2: the length deviates by {} of its RMS, the size of one entry by {}",
                  report::significant(expected::relative_length_deviation(2), 4),
                  report::significant(entry, 4)));
}

struct Program {
  std::string label;
  double sigma;  ///< 0: d^−½
  bool scaled;
  double deviation(std::uint64_t d) const {
    return sigma > 0 ? sigma : 1 / std::sqrt(static_cast<double>(d));
  }
  double shorter(std::uint64_t d) const {
    return expected::probability_shorter(d, scaled ? root_multiplier<double>(d) : 1.0,
                                         deviation(d));
  }
};

std::vector<Program> programs(const cli::Options& options) {
  std::vector<Program> all{{"σ = d^−½, times √d_model", 0, true}, {"σ = d^−½, without", 0, false}};
  for (const double s : points(options.deviations, std::array{0.01, 0.02}))
    for (const bool scaled : {true, false})
      all.push_back(
          {fmt::format("σ = {:.3g}, {}", s, scaled ? "times √d_model" : "without"), s, scaled});
  return all;
}

void measure_probabilities(const cli::Options& options, report::Section& section) {
  const auto all = programs(options);
  std::vector<Table::Column> columns{{"d_model", Table::Align::right},
                                     {"Deviation of the length", Table::Align::right}};
  Figure figure{.name = "embedding_shorter",
                .title = "Probability that a token vector is shorter than its position vector",
                .x_label = "d_model",
                .y_label = "probability",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  std::vector<std::size_t> drawn;
  for (std::size_t k = 0; k < all.size(); ++k) {
    columns.push_back({"P, " + all[k].label, Table::Align::right});
    // Without the factor they would lie on one another, at 1.
    if (all[k].scaled || k == 1) drawn.push_back(k);
  }
  Table table(columns);
  for (const auto d : even_widths(options, shown_widths)) {
    std::vector<std::string> row{report::count(d),
                                 report::significant(expected::relative_length_deviation(d), 3)};
    for (std::size_t k = 0; k < all.size(); ++k) {
      report::Place at = {{"d_model", d}, {"multiplier", all[k].scaled ? "sqrt(d_model)" : "1"}};
      if (all[k].sigma > 0)
        at.set("standard_deviation", all[k].sigma);
      else
        at.set("standard_deviation", "d_model^-1/2");
      const double p = all[k].shorter(d);
      auto& m = section.measure({.quantity = "probability_token_shorter",
                                 .at = at,
                                 .value = p,
                                 .samples = 1,
                                 .method = "regularised incomplete gamma function"});
      const bool vanishes = p < least_told;
      if (vanishes) {
        m.value = 0;
        m.lower = 0;
        m.upper = least_told;
      }
      row.push_back(vanishes ? "< 10⁻³⁰⁰" : report::significant(p, 3));
    }
    table.row(row);
  }
  // The curves are steep: finer than the table, unless widths are told.
  std::vector<std::uint64_t> fine;
  for (std::uint64_t d = 16; d <= 1 << 14; d += std::max<std::uint64_t>(2, d / 64 * 2))
    fine.push_back(d);
  if (drawn.size() > 8) drawn.resize(8);
  for (const std::size_t k : drawn) {
    report::Series curve{.label = all[k].label, .x = {}, .y = {}};
    for (const auto d : even_widths(options, fine)) {
      curve.x.push_back(static_cast<double>(d));
      curve.y.push_back(all[k].shorter(d));
    }
    curve.mark = curve.x.size() > 1 ? report::Series::Mark::line : report::Series::Mark::points;
    figure.series.push_back(std::move(curve));
  }
  section.text("break_even", report::significant(expected::break_even_width(0.01), 4));
  section.text("cut_kurtosis", report::significant(stated_kurtosis(TruncatedNormal{1}), 4));
  section.text("short_16", report::significant(100 * all[0].shorter(16), 2));
  section.text("short_512", report::significant(all[0].shorter(512), 2));
  section.text("bare_512", report::significant(100 * all[1].shorter(512), 3));
  section.table(table);
  section.figure(figure);
}

void measure_deviations(const cli::Options& options, report::Section& section) {
  Figure figure{
      .name = "embedding_length",
      .title = "Standard deviation of a token vector's length, over its RMS",
      .x_label = "d_model",
      .y_label = "relative deviation",
      .x_scale = Figure::Scale::log2,
      .y_scale = Figure::Scale::log10,
      .series = {{.label = "length, normal table", .x = {}, .y = {}},
                 {.label = "squared length, normal table", .x = {}, .y = {}},
                 {.label = "squared length, uniform table", .x = {}, .y = {}}},
      .levels = {{.label = "size of one entry", .y = expected::relative_length_deviation(1)}}};
  for (const auto d : points(options.widths, shown_widths)) {
    const double values[] = {expected::relative_length_deviation(d),
                             relative_deviation_of_square(Normal{0.02}, d, library),
                             relative_deviation_of_square(Uniform{0.05}, d, library)};
    constexpr const char* of[] = {"length, normal", "squared length, normal",
                                  "squared length, uniform"};
    for (std::size_t k = 0; k < 3; ++k) {
      section.measure({.quantity = "relative_deviation",
                       .at = {{"d_model", d}, {"of", of[k]}},
                       .value = values[k],
                       .samples = 1,
                       .method = "closed form"});
      figure.series[k].x.push_back(static_cast<double>(d));
      figure.series[k].y.push_back(values[k]);
    }
  }
  section.figure(figure);
}

}  // namespace

report::Section norm_concentrates(const cli::Options& options) {
  report::Section section(properties::embedding::norm_concentrates);
  measure_statements(options, section);
  measure_belief(options, section);
  measure_deviations(options, section);
  measure_probabilities(options, section);
  return section;
}

}  // namespace embedscale::embedding_analysis
