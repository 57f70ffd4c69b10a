// The claims over the reals, decided by exact rationals; and what they look like in numbers.
#include <fmt/format.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/combination_exact.hpp>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/domain/widths.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "combination.hpp"

namespace embedscale::combination_analysis {
namespace {

using namespace properties::combination;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// In how many of the cases 0 … n−1 the test is true, as an obligation that none (or all) be.
template <class Test>
report::Measurement count_of(std::string quantity, std::uint64_t n, Test test) {
  report::Measurement m{.quantity = std::move(quantity),
                        .samples = n,
                        .method = "exact rationals",
                        .unit = report::counted};
  for (std::uint64_t i = 0; i < n; ++i) m.value += test(i) ? 1 : 0;
  return m;
}

report::Rule none_of(std::uint64_t n, Part part) { return {part, Relation::equals, 0, n}; }

/// Rational k of case i: up to sixteen for each case.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Rational any(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::rational(stream_, 16 * i + k);
  }
  Rational positive(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::positive_rational(stream_, 16 * i + k);
  }
  std::vector<Rational> channels(std::uint64_t i, std::uint64_t first, std::size_t size) const {
    std::vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j) out.push_back(any(i, first + j));
    return out;
  }

 private:
  Stream stream_;
};

/// RMS of U − Z over RMS of U, in u, over pairs that need no function of the C library: e uniform
/// with standard deviation d^−½, p uniform on ±1.
template <Scalar Real>
double relative_rounding(std::uint64_t d, std::uint64_t n, const Stream& stream) {
  const double half_range = std::sqrt(3.0 / static_cast<double>(d));
  const Real m = root_multiplier<Real>(d);
  double apart = 0, size = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto e = static_cast<Real>(half_range * (2.0 * stream.uniform(2 * i) - 1.0));
    const auto p = static_cast<Real>(2.0 * stream.uniform(2 * i + 1) - 1.0);
    const auto [u, z] = two_ways(e, p, m, Division::by_m, library);
    const double gap = static_cast<double>(u) - static_cast<double>(z);
    apart += gap * gap;
    size += static_cast<double>(u) * static_cast<double>(u);
  }
  return std::sqrt(apart / size) / unit_roundoff<Real>;
}

/// Angle in degrees between two inputs with orthogonal parts, at token-to-position ratios r and r′:
/// that between (r, 1) and (r′, 1).
double angle_between(double ratio, double other) {
  const double cosine =
      (ratio * other + 1.0) / std::sqrt((ratio * ratio + 1.0) * (other * other + 1.0));
  return std::acos(std::min(cosine, 1.0)) * 180.0 / std::numbers::pi;
}

}  // namespace

report::Section up_is_down_times_root_d(const cli::Options& options) {
  report::Section section(properties::combination::up_is_down_times_root_d);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& exact = section.measure(count_of("exact_disagreements", n, [&](std::uint64_t i) {
    const auto m = draws.positive(i, 0);
    return !are_what_they_say(draws.any(i, 1), draws.any(i, 2), m, library) ||
           !are_what_they_say(draws.any(i, 3), draws.any(i, 4), Rational(-m), library);
  }));
  exact.rule = none_of(n, Part::belief);
  exact.field = "disagreements";

  const auto all = points(options.widths, properties::domain::common_widths);
  std::vector<Table::Column> columns{{"d_model", Table::Align::right}};
  std::vector<std::vector<std::string>> rows;
  for (const auto d : all) rows.push_back({report::count(d)});
  Figure figure{.name = "combination_relative_rounding",
                .title = "How far up and m·down part in floating point",
                .x_label = "d_model",
                .y_label = "RMS of U − Z over RMS of U, in u",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  double largest = 0;
  properties::domain::for_each_format([&]<class Real>() {
    const std::string format = FormatTraits<Real>::name;
    columns.push_back({format, Table::Align::right});
    report::Series series{.label = format, .x = {}, .y = {}, .mark = report::Series::Mark::points};
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Stream stream(options.seed, fmt::format("{}/{}", section.claim().id, all[k]));
      const double ratio = relative_rounding<Real>(all[k], n, stream);
      largest = std::max(largest, ratio);
      section.measure({.quantity = "relative_rounding_difference",
                       .at = {{"format", format}, {"d_model", all[k]}},
                       .value = ratio,
                       .samples = n,
                       .method = "draws: e uniform with standard deviation d^-1/2, p uniform on ±1",
                       .unit = "u",
                       .digits = 3});
      rows[k].push_back(report::significant(ratio, 3));
      series.x.push_back(static_cast<double>(all[k]));
      series.y.push_back(ratio);
    }
    figure.series.push_back(series);
  });
  Table table(columns);
  for (auto& row : rows) table.row(row);
  section.table(table);
  section.figure(figure);
  section.text("largest_rounding", report::significant(largest, 2));
  return section;
}

report::Section only_the_ratio_sets_direction(const cli::Options& options) {
  report::Section section(properties::combination::only_the_ratio_sets_direction);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  Table table({{"What is compared, in exact rationals"},
               {"Cases", Table::Align::right},
               {"Changed", Table::Align::right}});
  const auto add = [&](const char* what, report::Measurement m, report::Rule rule,
                       const char* field) {
    m.rule = rule;
    m.field = field;
    table.row({what, report::count(m.samples), shown(m)});
    section.measure(std::move(m));
  };
  add("2×2 minors against (ab′ − a′b) times those of e and p",
      count_of("minor_disagreements", n,
               [&](std::uint64_t i) {
                 return !minors_follow_the_ratio<Rational>(
                     {draws.any(i, 0), draws.any(i, 1)}, {draws.any(i, 2), draws.any(i, 3)},
                     draws.channels(i, 4, 2), draws.channels(i, 6, 2), library);
               }),
      none_of(n, Part::belief), "minors");
  add("the cosine with a third vector, up against down",
      count_of("cosine_disagreements", n,
               [&](std::uint64_t i) {
                 return !cosines_agree(draws.channels(i, 0, 3), draws.channels(i, 3, 3),
                                       draws.channels(i, 6, 3), draws.positive(i, 9), library);
               }),
      none_of(n, Part::belief), "cosines");
  add("the nearer of two candidates that carry the factor too",
      count_of("neighbours_moved_together", n,
               [&](std::uint64_t i) {
                 return !neighbours_agree<Rational>(
                     {draws.any(i, 0), draws.any(i, 1)}, {draws.any(i, 2), draws.any(i, 3)},
                     {draws.any(i, 4), draws.any(i, 5)}, draws.positive(i, 6), library);
               }),
      none_of(n, Part::statement), "together");
  add("the nearer of two candidates that do not",
      count_of("neighbours_moved_alone", n,
               [&](std::uint64_t i) {
                 const Rational x = draws.any(i, 0), near = draws.any(i, 1), far = draws.any(i, 2);
                 return is_nearer(x, near, far) !=
                        is_nearer(Rational(draws.positive(i, 3) * x), near, far);
               }),
      {Part::statement, Relation::at_least, 1, n}, "alone");
  section.table(table);

  // With σ = d^−½ the up-scaled token has RMS 1 and a sinusoid 1/√2, whatever d.
  const double up_ratio = std::numbers::sqrt2;
  Figure figure{.name = "combination_direction",
                .title = "Direction of the input against the ratio of its parts",
                .x_label = "token RMS over position RMS",
                .y_label = "angle to the up-scaled input, degrees",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  report::Series curve{
      .label = "any scaling", .x = {}, .y = {}, .mark = report::Series::Mark::line};
  for (int k = -24; k <= 24; ++k) {
    curve.x.push_back(std::exp2(k / 4.0));
    curve.y.push_back(angle_between(curve.x.back(), up_ratio));
  }
  const auto mark = [&](const char* label, const char* field, double ratio) {
    const double angle = angle_between(ratio, up_ratio);
    figure.series.push_back(
        {.label = label, .x = {ratio}, .y = {angle}, .mark = report::Series::Mark::points});
    section.measure({.quantity = "angle_to_up",
                     .at = {{"token_to_position", report::rounded(ratio, 4)}},
                     .value = angle,
                     .samples = 1,
                     .method = "closed form: orthogonal parts",
                     .unit = "degree",
                     .field = field,
                     .digits = 3});
  };
  figure.series.push_back(curve);
  mark("up and down", "angle_down", up_ratio);
  mark("no multiplier, d_model = 512", "angle_none", std::sqrt(2.0 / 512.0));
  section.figure(figure);
  return section;
}

report::Section multiplier_commutes_with_order(const cli::Options& options) {
  report::Section section(properties::combination::multiplier_commutes_with_order);
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  auto& gap = section.measure(count_of("gap_disagreements", n, [&](std::uint64_t i) {
    return !orders_differ_as_stated(draws.any(i, 0), draws.any(i, 1), draws.positive(i, 2),
                                    library);
  }));
  gap.rule = none_of(n, Part::statement);
  gap.field = "gaps";
  std::uint64_t cases = 0;
  auto agreeing = count_of("orders_that_agree", n, [&](std::uint64_t i) {
    const auto e = draws.any(i, 0), p = draws.any(i, 1), m = draws.positive(i, 2);
    if (p == 0 || m == 1) return false;  // where the statement says that they agree
    ++cases;
    return scaled_after_and_before(e, p, m, library).agree();
  });
  agreeing.samples = cases;
  agreeing.rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(cases), cases};
  agreeing.field = "agreeing";
  section.text("cases", report::count(cases));
  section.measure(agreeing);
  const auto [after, before] = scaled_after_and_before<Rational>(0, 1, 2, library);
  section.counterexample(
      fmt::format("m = 2, e = 0, p = 1: m·(e + p) = {}, m·e + p = {}", after.str(), before.str()));

  Table table({{"d_model", Table::Align::right},
               {"scaled before the sum", Table::Align::right},
               {"scaled after the sum", Table::Align::right}});
  Figure figure{.name = "combination_order",
                .title = "Token RMS over position RMS, table of std d^−½, sinusoids",
                .x_label = "d_model",
                .y_label = "token RMS over position RMS",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {{.label = "scaled before: √d·e + p", .x = {}, .y = {}},
                           {.label = "scaled after: √d·(e + p)", .x = {}, .y = {}}},
                .levels = {{.label = "balance", .y = 1.0}}};
  for (const auto d : points(options.widths, properties::domain::common_widths)) {
    const double sigma = 1.0 / std::sqrt(static_cast<double>(d));
    const double m = root_multiplier<double>(d), position = std::numbers::sqrt2 / 2.0;
    const double ratios[] = {m * sigma / position, sigma / position};
    for (std::size_t k = 0; k < 2; ++k) {
      section.measure({.quantity = "token_to_position",
                       .at = {{"d_model", d}, {"scaled", k == 0 ? "before" : "after"}},
                       .value = ratios[k],
                       .samples = 1,
                       .method = "closed form"});
      figure.series[k].x.push_back(static_cast<double>(d));
      figure.series[k].y.push_back(ratios[k]);
    }
    table.row(
        {report::count(d), report::significant(ratios[0], 4), report::significant(ratios[1], 4)});
  }
  const auto extremes = [&](std::size_t k) {
    const auto [low, high] = std::ranges::minmax(figure.series[k].y);
    return low == high
               ? report::significant(low, 3)
               : fmt::format("{} to {}", report::significant(low, 3), report::significant(high, 3));
  };
  section.text("first_width", report::count(std::uint64_t(figure.series[0].x.front())));
  section.text("last_width", report::count(std::uint64_t(figure.series[0].x.back())));
  section.text("before", extremes(0));
  section.text("after", extremes(1));
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::combination_analysis
