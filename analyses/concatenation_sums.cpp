// A concatenation as a sum and a sum as a concatenation: exact samples, and what rounding makes of
// them.
#include <fmt/format.h>
#include <embedscale/properties/concatenation_exact.hpp>
#include <embedscale/properties/domain/floats.hpp>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>

#include "concatenation.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// Vectors of case i, from 64 rationals that are its own.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Vector<Rational> vector(std::uint64_t i, std::uint64_t first, std::size_t size) const {
    Vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j)
      out.push_back(properties::domain::rational(stream_, 64 * i + first + j));
    return out;
  }
  std::size_t size(std::uint64_t i, std::uint64_t place, std::uint64_t most) const {
    return 1 + stream_.below(most, 64 * i + place);
  }

 private:
  Stream stream_;
};

template <class Real>
Vector<Real> floats(const Stream& stream, std::uint64_t first, std::size_t size,
                    const properties::domain::Mixture& mixture) {
  Vector<Real> out;
  for (std::size_t j = 0; j < size; ++j)
    out.push_back(properties::domain::any_float<Real>(stream, first + j, mixture));
  return out;
}

/// Entries near 1, a sixteenth of them 0.
properties::domain::Mixture near_1() {
  properties::domain::Mixture mixture{{30, 0, 2, 0, 0}};
  mixture.lowest = -3, mixture.highest = 3;
  return mixture;
}

}  // namespace

report::Section is_a_padded_sum(const cli::Options& options) {
  report::Section section(properties::concatenation::is_a_padded_sum);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  double apart = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto d_t = draws.size(i, 60, 4), d_p = draws.size(i, 61, 4);
    apart +=
        all_inputs_agree<Rational>({draws.vector(i, 0, d_t), draws.vector(i, 8, d_t)},
                                   {draws.vector(i, 16, d_p), draws.vector(i, 24, d_p)}, library)
            ? 0
            : 1;
  }
  auto& exact = section.measure({.quantity = "exact_disagreements",
                                 .value = apart,
                                 .samples = n,
                                 .method = "exact rationals",
                                 .unit = report::counted});
  exact.rule = report::Rule{Part::belief, Relation::equals, 0, n};
  exact.field = "disagreements";

  Table table({{"format"},
               {"channels", Table::Align::right},
               {"not as stated", Table::Align::right},
               {"−0 that became +0", Table::Align::right}});
  Figure figure{.name = "concatenation_zeros",
                .title = "Channels whose bits the padded sum does not keep",
                .x_label = "share of the channels that are −0",
                .y_label = "share of the bits not kept",
                .series = {},
                .levels = {}};
  std::uint64_t all = 0, other = 0;
  properties::domain::for_each_format([&]<class Real>() {
    const std::string format = FormatTraits<Real>::name;
    report::Series series{
        .label = format, .x = {}, .y = {}, .mark = report::Series::Mark::line_points};
    Bits total;
    // A 2k-th of the finite numbers is −0 where zeros have k of 32 shares; k = 2 is the usual one.
    for (const std::uint64_t zeros : {1u, 2u, 4u, 8u, 16u}) {
      properties::domain::Mixture mixture = properties::domain::finite_floats;
      mixture.weights[2] = zeros;
      const Stream stream(options.seed, fmt::format("{}/{}", section.claim().id, zeros));
      Bits found;
      for (std::uint64_t i = 0; i < n / 4 + 1; ++i) {
        const auto bits = bits_of_inputs(floats<Real>(stream, 8 * i, 4, mixture),
                                         floats<Real>(stream, 8 * i + 4, 4, mixture), library);
        found.channels += bits.channels, found.negative_zeros += bits.negative_zeros;
        found.disagreements += bits.disagreements;
      }
      const auto channels = static_cast<double>(found.channels);
      series.x.push_back(static_cast<double>(found.negative_zeros) / channels);
      series.y.push_back(static_cast<double>(found.negative_zeros + found.disagreements) /
                         channels);
      total.channels += found.channels, total.negative_zeros += found.negative_zeros;
      total.disagreements += found.disagreements;
    }
    section.measure_none("bit_disagreements", {{"format", format}},
                         static_cast<double>(total.disagreements), total.channels, Part::statement,
                         "draws of finite numbers of every class");
    section.measure({.quantity = "zeros_that_lose_their_sign",
                     .at = {{"format", format}},
                     .value = static_cast<double>(total.negative_zeros),
                     .samples = total.channels,
                     .method = "draws of finite numbers of every class",
                     .unit = report::counted});
    table.row({format, report::count(total.channels), report::count(total.disagreements),
               report::count(total.negative_zeros)});
    figure.series.push_back(series);
    all += total.channels, other += total.disagreements;
  });
  section.text("channels", report::count(all));
  section.text("other_bits", report::count(other));
  section.table(table);
  section.figure(figure);
  return section;
}

report::Section sum_is_a_tied_concatenation(const cli::Options& options) {
  report::Section section(properties::concatenation::sum_is_a_tied_concatenation);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  double apart = 0, reproduced = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto d = draws.size(i, 60, 5);
    const auto w = draws.vector(i, 0, d), e = draws.vector(i, 8, d), p = draws.vector(i, 16, d);
    apart += outputs_agree(w, e, p, library) ? 0 : 1;
    const auto both = both_outputs(w, e, p, library);
    reproduced += both.of_sum == both.of_tied ? 1 : 0;
  }
  auto& exact = section.measure({.quantity = "exact_disagreements",
                                 .value = apart,
                                 .samples = n,
                                 .method = "exact rationals",
                                 .unit = report::counted});
  exact.rule = report::Rule{Part::statement, Relation::equals, 0, n};
  exact.field = "disagreements";
  // The belief is that there is none.
  auto& found = section.measure({.quantity = "maps_reproduced",
                                 .value = reproduced,
                                 .samples = n,
                                 .method = "exact rationals",
                                 .unit = report::counted});
  found.rule = report::Rule{Part::belief, Relation::equals, 0, n};
  found.field = "reproduced";
  const auto both = both_outputs<Rational>({2}, {1}, {3}, library);
  section.counterexample(fmt::format("w = 2, e = 1, p = 3: w·(e + p) = {}, [w w]·[e; p] = {}",
                                     both.of_sum.str(), both.of_tied.str()));

  const std::vector<std::uint64_t> widths{1, 2, 4, 8, 16, 32};  // 8du <= 1 in bfloat16
  std::vector<Table::Column> columns{{"d", Table::Align::right}};
  std::vector<std::vector<std::string>> rows;
  for (const auto d : widths) rows.push_back({report::count(d)});
  Figure figure{.name = "concatenation_rounding",
                .title = "Largest difference of the two outputs found, over its bound",
                .x_label = "d",
                .y_label = "difference / bound",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "bound", .y = 1.0}}};
  double largest = 0;
  properties::domain::for_each_format([&]<class Real>() {
    const std::string format = FormatTraits<Real>::name;
    columns.push_back({format, Table::Align::right});
    report::Series series{.label = format, .x = {}, .y = {}};
    for (std::size_t k = 0; k < widths.size(); ++k) {
      const std::size_t d = widths[k];
      const Stream stream(options.seed, fmt::format("{}/{}", section.claim().id, d));
      double worst = 0;
      for (std::uint64_t i = 0; i < n; ++i)
        worst = std::max(worst,
                         share_of_bound(floats<Real>(stream, 96 * i, d, near_1()),
                                        floats<Real>(stream, 96 * i + 32, d, near_1()),
                                        floats<Real>(stream, 96 * i + 64, d, near_1()), library));
      section.measure({.quantity = "worst_share_of_bound",
                       .at = {{"format", format}, {"d", d}},
                       .value = worst,
                       .samples = n,
                       .method = "draws near 1",
                       .rule = report::Rule{Part::statement, Relation::at_most, 1, n},
                       .digits = 3});
      rows[k].push_back(report::significant(worst, 3));
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(worst);
      largest = std::max(largest, worst);
    }
    figure.series.push_back(series);
  });
  Table table(columns);
  for (auto& row : rows) table.row(row);
  section.table(table);
  section.figure(figure);
  section.text("largest_share", report::significant(100 * largest, 2));
  section.text("widest", report::count(widths.back()));
  return section;
}

}  // namespace embedscale::concatenation_analysis
