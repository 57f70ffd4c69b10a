// The variance of a product of query and key: exact moments, and the whole law of normal entries.
#include <fmt/format.h>
#include <embedscale/expected/dot_product.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "attention.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Series;
using report::Table;

const Library library;
constexpr std::array<std::uint64_t, 9> head_widths{1, 2, 4, 8, 16, 32, 64, 128, 256};

report::Rule statement(Relation relation, double reference, std::uint64_t cases) {
  return {Part::statement, relation, reference, cases};
}

/// The mean of ⟨q, k⟩² over drawn normal entries, by the library's product.
double drawn_variance(std::uint64_t d, const cli::Options& options) {
  const Stream stream(options.seed,
                      fmt::format("{}/{}", properties::attention::dot_variance_is_d_k.id, d));
  std::vector<double> q(d), k(d);
  double sum = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    for (std::uint64_t j = 0; j < d; ++j) {
      q[j] = stream.normal(i * d + j, 0);
      k[j] = stream.normal(i * d + j, 1);
    }
    const double z = library.of<double>().dot(q, k);
    sum += z * z;
  }
  return sum / static_cast<double>(options.samples);
}

Series line(std::string label) {
  return {.label = std::move(label), .x = {}, .y = {}, .mark = Series::Mark::line};
}
Series marked(std::string label) { return {.label = std::move(label), .x = {}, .y = {}}; }

void push(Series& series, double x, double y) {
  series.x.push_back(x);
  series.y.push_back(y);
}

/// Densities of ⟨q, k⟩/√d_k.
Figure densities() {
  Figure figure{.name = "attention_dot_density",
                .title = "Density of a scaled product of normal entries",
                .x_label = "logit, product over √d_k",
                .y_label = "density",
                .series = {},
                .levels = {}};
  for (const std::uint64_t d : {2, 4, 16}) {
    const expected::NormalProduct law(d);
    const double root = std::sqrt(static_cast<double>(d));
    auto curve = line(fmt::format("d_k = {}", d));
    for (int i = -80; i <= 80; ++i) push(curve, i / 20.0, root * law.density(root * i / 20.0));
    figure.series.push_back(curve);
  }
  auto normal = line("normal law");
  for (int i = -80; i <= 80; ++i)
    push(normal, i / 20.0,
         std::exp(-0.5 * (i / 20.0) * (i / 20.0)) / std::sqrt(2 * std::numbers::pi));
  figure.series.push_back(normal);
  return figure;
}

}  // namespace

report::Section dot_variance_is_d_k(const cli::Options& options) {
  report::Section section(properties::attention::dot_variance_is_d_k);
  const Stream stream(options.seed, section.claim().id);
  double misses = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    std::vector<ChannelLaw<Rational>> channels;
    for (std::uint64_t j = 0; j <= i % 3; ++j) {
      channels.push_back(drawn_law(stream, 3 * i + j));
      channels.back().coupling = 0;
    }
    misses += independent_moments_are_as_stated<Rational>(channels, library) ? 0 : 1;
  }
  section.measure({.quantity = "exact_disagreements",
                   .value = misses,
                   .samples = options.samples,
                   .method = "exact rationals, all outcomes of 1 to 3 channels",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::equals, 0, options.samples},
                   .field = "exact"});
  Table table({{"d_k", Table::Align::right},
               {"Variance", Table::Align::right},
               {"of draws", Table::Align::right},
               {"99.9 % interval of that", Table::Align::right},
               {"Kurtosis", Table::Align::right},
               {"Distance to a normal law", Table::Align::right}});
  Figure figure{.name = "attention_dot_law",
                .title = "How far a product of normal entries is from a normal law",
                .x_label = "d_k",
                .y_label = "excess kurtosis, distance",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {marked("kurtosis less 3"), marked("largest distance of the laws")},
                .levels = {}};
  double apart = 0;
  std::vector<double> distances;
  for (const auto d : points(options.head_widths, head_widths)) {
    const double width = static_cast<double>(d);
    const expected::NormalProduct law(d);
    const std::vector<double> ones(d, 1.0);
    const double variance = variance_over_keys(ones, library), drawn = drawn_variance(d, options);
    const double kurtosis = law.kurtosis(), distance = law.distance_to_normal();
    const double error = std::abs(kurtosis / (3 + 6 / width) - 1);
    section.measure({.quantity = "dot_variance",
                     .at = {{"d_k", d}},
                     .value = variance,
                     .samples = 1,
                     .method = "exact: the product is linear in the key",
                     .rule = statement(Relation::equals, width, 1)});
    section.measure({.quantity = "dot_kurtosis",
                     .at = {{"d_k", d}},
                     .value = kurtosis,
                     .samples = 1,
                     .method = "quadrature, normal entries"});
    section.measure({.quantity = "kurtosis_error",
                     .at = {{"d_k", d}},
                     .value = error < 1e-11 ? 0.0 : error,  // what the quadrature promises
                     .samples = 1,
                     .method = "quadrature against 3 + 6/d_k, relative, to 1e-11",
                     .rule = statement(Relation::at_most, 1e-11, 1)});
    section.measure({.quantity = "distance_to_normal",
                     .at = {{"d_k", d}},
                     .value = distance,
                     .samples = 1,
                     .method = "quadrature, normal entries"});
    // Var z² = d²(κ − 1); the mean of thousands is nearly normal.
    const double half =
        3.29 * width * std::sqrt((2 + 6 / width) / static_cast<double>(options.samples));
    section.measure({.quantity = "dot_variance_drawn",
                     .at = {{"d_k", d}},
                     .value = drawn,
                     .samples = options.samples,
                     .method = "draws of normal entries, by the library's product",
                     .lower = drawn - half,
                     .upper = drawn + half,
                     .confidence = 0.999});
    apart = std::max(apart, std::abs(drawn / width - 1));
    distances.push_back(distance);
    push(figure.series[0], width, kurtosis - 3);
    push(figure.series[1], width, distance);
    table.row({report::count(d), report::significant(variance, 4), report::significant(drawn, 4),
               fmt::format("{} to {}", report::significant(drawn - half, 4),
                           report::significant(drawn + half, 4)),
               report::significant(kurtosis, 4), report::significant(distance, 3)});
  }
  section.text("cases", report::count(options.samples));
  section.text("widths",
               fmt::format("{}", fmt::join(points(options.head_widths, head_widths), ", ")));
  section.text("distances", extremes(distances, 2));
  section.text("apart", report::significant(100 * apart, 2));
  section.text("kurtosis_8", report::significant(expected::NormalProduct(8).kurtosis(), 3));
  section.text("distance_8",
               report::significant(expected::NormalProduct(8).distance_to_normal(), 2));
  section.table(table);
  section.figure(densities());
  section.figure(figure);
  return section;
}

}  // namespace embedscale::attention_analysis
