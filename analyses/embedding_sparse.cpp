// A look-up as the product of a one-hot vector and a table, and the gradient of the table.
#include <fmt/format.h>
#include <embedscale/properties/conventions_scale.hpp>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/embedding_sparse.hpp>

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

/// One-hot times table against the row: first, last and middle token, in each format.
std::uint64_t rows_that_differ(std::size_t vocabulary, const Stream& stream) {
  std::uint64_t differ = 0;
  properties::domain::for_each_format([&]<class Real>() {
    std::vector<Real> values;
    values.reserve(2 * vocabulary);
    for (std::size_t i = 0; i < 2 * vocabulary; ++i)
      values.push_back(static_cast<Real>(2.0 * stream.uniform(i) - 1.0));
    const EmbeddingTable<Real> table(vocabulary, 2, std::move(values));
    for (const std::size_t token : {std::size_t{0}, vocabulary / 2, vocabulary - 1})
      differ += one_hot_is_row(table, token, library) ? 0 : 1;
  });
  return differ;
}

/// Mean square of what a one-hot input gives, of a table whose rows have the RMS σ exactly.
double lookup_variance(std::size_t vocabulary, double sigma) {
  const auto table = properties::conventions::table_of_rms(sigma, vocabulary, 2);
  std::vector<double> x(vocabulary, 0.0), out(2);
  x[vocabulary / 2] = 1;
  library.multiply(table, std::span<const double>(x), std::span<double>(out));
  return (out[0] * out[0] + out[1] * out[1]) / 2;
}

}  // namespace

report::Section lookup_has_unit_fan_in(const cli::Options& options) {
  report::Section section(properties::embedding::lookup_has_unit_fan_in);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& exact = section.measure(count_of("variance_disagreements", n, [&](std::uint64_t i) {
    auto x = draws.channels(i, 0, 4);
    if (i % 2 == 0)
      for (std::size_t v = 0; v < x.size(); ++v) x[v] = v == i / 2 % 4 ? 1 : 0;
    return !variance_is_of_the_input(x, draws.positive(i, 4), library);
  }));
  exact.rule = report::Rule{Part::statement, Relation::equals, 0, n};
  exact.field = "disagreements";
  section.text("samples", report::count(n));

  const auto sizes = vocabularies(options);
  const auto deviations = points(options.deviations, std::array{0.02});
  Table table({{"V", Table::Align::right},
               {"σ", Table::Align::right},
               {"Variance of a look-up", Table::Align::right},
               {"of a dense product", Table::Align::right}});
  Figure figure{.name = "embedding_fan_in",
                .title = "Variance of one output channel, by the size of the vocabulary",
                .x_label = "V",
                .y_label = "variance",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {{.label = "one-hot input", .x = {}, .y = {}},
                           {.label = "dense input of mean square 1", .x = {}, .y = {}}},
                .levels = {}};
  double differ = 0;
  std::uint64_t rows = 0;
  for (const double sigma : deviations)
    for (const auto vocabulary : sizes) {
      if (sigma == deviations.front()) {
        const Stream stream(options.seed, fmt::format("{}/{}", section.claim().id, vocabulary));
        differ += static_cast<double>(rows_that_differ(vocabulary, stream));
        rows += 12;
      }
      const report::Place at = {{"vocabulary", vocabulary}, {"standard_deviation", sigma}};
      const double one = lookup_variance(vocabulary, sigma);
      const double dense = sigma * sigma * static_cast<double>(vocabulary);
      section.measure({.quantity = "lookup_variance",
                       .at = at,
                       .value = one,
                       .samples = 1,
                       .method = "one-hot vector times a table of RMS σ",
                       .field = "lookup"});
      auto& last = section.measure({.quantity = "dense_variance",
                                    .at = at,
                                    .value = dense,
                                    .samples = 1,
                                    .method = "closed form: σ²·‖x‖², ‖x‖² = V"});
      table.row({report::count(vocabulary), fmt::format("{:.3g}", sigma),
                 report::significant(one, 4), report::significant(dense, 4)});
      if (sigma != deviations.front()) continue;
      section.text("largest_v", report::count(vocabulary));
      section.text("dense_largest", shown(last));
      figure.series[0].x.push_back(static_cast<double>(vocabulary));
      figure.series[1].x.push_back(static_cast<double>(vocabulary));
      figure.series[0].y.push_back(one);
      figure.series[1].y.push_back(dense);
    }
  section.measure({.quantity = "row_disagreements",
                   .value = differ,
                   .samples = rows,
                   .method = "one-hot vector times table against the row, four formats",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::equals, 0, rows},
                   .field = "rows_that_differ"});
  section.text("rows", report::count(rows));
  section.text("smallest_v", report::count(sizes.front()));
  section.text("sigma", fmt::format("{:.3g}", deviations.front()));
  section.table(table);
  section.figure(figure);
  return section;
}

namespace {

/// Three looked-up tokens of a (3, 2) table, one of its entries, in exact arithmetic.
bool gradient_disagrees(const Draws& draws, std::uint64_t i) {
  Batch<Rational> batch{{}, draws.channels(i, 6, 6), draws.any(i, 12)};
  const auto tokens = draws.below(27, i, 13);
  for (const std::uint64_t place : {1, 3, 9}) batch.tokens.push_back(tokens / place % 3);
  return !gradient_is_of_the_loss(draws.channels(i, 0, 6), 2, batch, draws.below(6, i, 14),
                                  draws.positive(i, 15), library);
}

/// The gradient of an entry that `times` positions looked up, all of slope 1.
double ratio_of_gradients(double m, std::size_t times) {
  return gradient_of_entry(std::vector<double>(times, 1.0), m, library);
}

/// That of the row beside it, which nobody looked up.
double gradient_elsewhere(double m) {
  const std::vector<std::size_t> tokens{0};
  const std::vector<double> slopes{1.0};
  std::vector<double> gradient(2);
  library.add_look_up_gradient(std::span<const std::size_t>(tokens),
                               std::span<const double>(slopes), m, 1, std::span<double>(gradient));
  return gradient[1];
}

void measure_rounding(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/slopes");
  double worst = 0;
  std::uint64_t cases = 0;
  const auto in = [&]<class Real>() {
    for (std::uint64_t i = 0; i < options.samples; ++i) {
      std::vector<Real> slopes;
      for (std::uint64_t k = 0; k < 1 + i % 32; ++k)
        slopes.push_back(static_cast<Real>(2.0 * stream.uniform(32 * i + k) - 1.0));
      const double share =
          gradient_share_of_bound(slopes, root_multiplier<Real>(1 + i % 16384), library);
      if (!(share <= worst)) worst = share;
      ++cases;
    }
  };
  in.template operator()<float>();
  in.template operator()<binary16>();
  in.template operator()<bfloat16>();
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = cases,
                   .method = "sums of up to 32 slopes, three formats",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, cases},
                   .field = "worst",
                   .digits = 2});
}

}  // namespace

report::Section gradient_scale(const cli::Options& options) {
  report::Section section(properties::embedding::gradient_scale);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& exact = section.measure(count_of(
      "gradient_disagreements", n, [&](std::uint64_t i) { return gradient_disagrees(draws, i); }));
  exact.rule = report::Rule{Part::statement, Relation::equals, 0, n};
  exact.field = "disagreements";
  // Slopes of size 1 and more, and the roots of the widths 4, 9, … 128².
  auto enlarged = count_of("large_gradients_enlarged", n, [&](std::uint64_t i) {
    const Rational slope = Rational(1) + draws.positive(i, 0);
    const Rational root(static_cast<int>(2 + draws.below(127, i, 1)));
    return gradient_of_entry<Rational>({slope}, root, library) > slope;
  });
  enlarged.rule = report::Rule{Part::belief, Relation::equals, 0, n};
  enlarged.field = "enlarged";
  section.measure(enlarged);
  section.text("samples", report::count(n));
  section.counterexample(
      fmt::format("∂L/∂x = 1, d_model = 4: ∂L/∂e = {} with the factor, 1 without",
                  gradient_of_entry<Rational>({Rational(1)}, Rational(2), library).str()));
  measure_rounding(options, section);

  Table table({{"d_model", Table::Align::right},
               {"Token once", Table::Align::right},
               {"twice", Table::Align::right},
               {"16 times", Table::Align::right},
               {"in another row", Table::Align::right}});
  Figure figure{.name = "embedding_gradient",
                .title = "Gradient of a looked-up row, over that without a factor",
                .x_label = "d_model",
                .y_label = "gradient with √d over without",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {{.label = "factor √d_model", .x = {}, .y = {}},
                           {.label = "no factor", .x = {}, .y = {}}},
                .levels = {}};
  const auto widths = points(options.widths, shown_widths);
  for (const auto d : widths) {
    const double m = root_multiplier<double>(d);
    std::vector<std::string> row{report::count(d)};
    for (const std::size_t times : {1u, 2u, 16u}) {
      auto& ratio = section.measure({.quantity = "gradient_ratio",
                                     .at = {{"d_model", d}, {"occurrences", times}},
                                     .value = ratio_of_gradients(m, times),
                                     .samples = 1,
                                     .method = "gradient of equal slopes 1"});
      row.push_back(shown(ratio));
      if (times == 1 && d == 512) ratio.field = "at_512";
      if (times == 1 && d == widths.back()) section.text("at_last", shown(ratio));
    }
    row.push_back(report::significant(gradient_elsewhere(m), 4));
    table.row(row);
    figure.series[0].x.push_back(static_cast<double>(d));
    figure.series[0].y.push_back(ratio_of_gradients(m, 1));
    figure.series[1].x.push_back(static_cast<double>(d));
    figure.series[1].y.push_back(ratio_of_gradients(1.0, 1));
  }
  section.text("ratio_512",
               report::significant(ratio_of_gradients(root_multiplier<double>(512), 1), 3));
  section.text("last_width", report::count(widths.back()));
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::embedding_analysis
