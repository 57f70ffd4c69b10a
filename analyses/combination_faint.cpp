// What a position loses when it is scaled down in a format of narrow range: alone, and after the
// sum.
#include <fmt/format.h>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/domain/widths.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "combination.hpp"
#include "combination_loss.hpp"

namespace embedscale::combination_analysis {
namespace {

using namespace properties::combination;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// binary16's digits with bfloat16's range: what binary16 would do if nothing ever fell below.
using Binary16WithRange = Format<8, 10>;

/// The widths that sines and cosines can fill.
std::vector<std::uint64_t> even_widths(const cli::Options& options) {
  std::vector<std::uint64_t> even;
  for (const auto d : points(options.widths, properties::domain::common_widths))
    if (d % 2 == 0) even.push_back(d);
  if (even.empty())
    throw std::invalid_argument(
        "--widths: none is even, and sines and cosines come in pairs "
        "(combination.down_makes_positions_too_faint)");
  return even;
}

/// To one significant digit, never below: what "at most" can be said of.
std::string rounded_up(double x) {
  if (x == 0.0) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(x)));
  return report::significant(std::ceil(x / unit) * unit, 1);
}

/// What is measured at one width, in three formats.
struct AtWidth {
  std::uint64_t d, components;
  Loss half;                       ///< binary16
  Loss wide;                       ///< the same digits with a wide range
  Loss brain;                      ///< bfloat16
  std::vector<double> by_channel;  ///< positions at which p/m is below, in binary16

  static double in_u(double error, const Loss& loss) {
    return std::sqrt(error / loss.size) / unit_roundoff<binary16>;
  }
  /// RMS error over the RMS of the input: up, down, down with a wide range.
  std::array<double, 3> errors() const {
    return {in_u(half.up_error, half), in_u(half.down_error, half), in_u(wide.down_error, wide)};
  }
  double percent(std::uint64_t n) const { return 100.0 * double(n) / double(components); }
};

AtWidth measure(std::uint64_t d, const cli::Options& options) {
  auto half = loss_at<binary16>(d, options);
  return {.d = d,
          .components = d * position_count(options),
          .half = half.total,
          .wide = loss_at<Binary16WithRange>(d, options).total,
          .brain = loss_at<bfloat16>(d, options).total,
          .by_channel = std::move(half.below_by_channel)};
}

void record(report::Section& section, const AtWidth& at, const cli::Options& options) {
  const auto put = [&](const char* quantity, const char* format, double value, const char* unit,
                       std::optional<report::Rule> rule = {}) -> report::Measurement& {
    return section.measure(
        {.quantity = quantity,
         .at = {{"format", format}, {"d_model", at.d}, {"positions", position_count(options)}},
         .value = value,
         .samples = at.components,
         .method = "every component of the table, rounded once",
         .unit = unit,
         .rule = rule});
  };
  const auto statement = [&](Relation relation, double reference) {
    return report::Rule{Part::statement, relation, reference, at.components};
  };
  // sin 355 is 3·10^−5 away from 0, below 2^−14, and stands in channel 0 at every width.
  std::optional<report::Rule> some;
  if (position_count(options) > 355) some = statement(Relation::at_least, 1);
  put("below_normal", "binary16", double(at.half.below_down), report::counted, some);
  put("below_normal", "bfloat16", double(at.brain.below_down), report::counted,
      statement(Relation::equals, 0));
  put("vanished", "binary16", double(at.half.vanished), report::counted);
  put("worst_loss_alone", "binary16", at.half.alone, "1");
  put("underflow_over_half_ulp", "binary16", at.half.over_half_ulp, "1",
      statement(Relation::at_most, 1));
  const auto [up, down, wide] = at.errors();
  put("rms_error", "binary16", up, "u").at["way"] = "up";
  put("rms_error", "binary16", down, "u").at["way"] = "down";
  put("rms_error_without_underflow", "binary16", wide, "u").at["way"] = "down";
}

std::vector<std::string> row(const AtWidth& at) {
  const auto percent = [](double x) { return fmt::format("{} %", report::significant(x, 3)); };
  const auto [up, down, wide] = at.errors();
  return {report::count(at.d),
          percent(at.percent(at.half.below_up)),
          percent(at.percent(at.half.below_down)),
          report::count(at.half.vanished),
          percent(100 * at.half.alone),
          fmt::format("{}, {}", at.half.position, at.half.channel),
          report::significant(up, 3),
          report::significant(down, 3),
          report::significant(wide, 3)};
}

/// The share of the positions at which each sine channel is below, in per cent.
report::Series shares(const AtWidth& at, std::uint64_t positions) {
  report::Series series{.label = fmt::format("d_model = {}", at.d),
                        .x = {},
                        .y = {},
                        .mark = report::Series::Mark::line};
  for (std::uint64_t j = 0; j < at.d; j += 2) {
    series.x.push_back(100.0 * double(j) / double(at.d));
    series.y.push_back(100.0 * at.by_channel[j] / double(positions));
  }
  return series;
}

/// The belief over the reals: in how many cases the position's share beside the token changes.
void record_ratio(report::Section& section, const cli::Options& options) {
  using namespace properties::domain;
  const Stream stream(options.seed, section.claim().id);
  double changes = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i)
    changes += position_to_token(positive_rational(stream, 3 * i), rational(stream, 3 * i + 1),
                                 positive_rational(stream, 3 * i + 2), library)
                       .agree()
                   ? 0
                   : 1;
  section.measure({.quantity = "ratio_changes",
                   .value = changes,
                   .samples = options.samples,
                   .method = "exact rationals",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::at_least, 1, options.samples},
                   .field = "ratio_changes"});
  section.text("cases", report::count(options.samples));
  const auto [up, down] = position_to_token<Rational>(1, 1, 2, library);
  section.counterexample(
      fmt::format("e = 1, p = 1, m = 2: the position is {} of the token scaled up, {} scaled down",
                  up.str(), down.str()));
}

/// "0.469 to 0.577", for the words.
std::string extremes(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return fmt::format("{} to {}", report::significant(low, 3), report::significant(high, 3));
}

}  // namespace

report::Section down_makes_positions_too_faint(const cli::Options& options) {
  report::Section section(properties::combination::down_makes_positions_too_faint);
  record_ratio(section, options);
  Table table({{"d_model", Table::Align::right},
               {"p below", Table::Align::right},
               {"p/m below", Table::Align::right},
               {"p/m → 0", Table::Align::right},
               {"worst loss alone", Table::Align::right},
               {"at position, channel", Table::Align::right},
               {"RMS error, up", Table::Align::right},
               {"down", Table::Align::right},
               {"down, wide range", Table::Align::right}});
  constexpr auto points = report::Series::Mark::points;
  Figure errors{.name = "combination_faint_error",
                .title = "Error of the input in binary16, after the sum",
                .x_label = "d_model",
                .y_label = "RMS error over RMS of the input, in u",
                .x_scale = Figure::Scale::log2,
                .series = {{.label = "up", .x = {}, .y = {}, .mark = points},
                           {.label = "down", .x = {}, .y = {}, .mark = points},
                           {.label = "down, if nothing fell below the range",
                            .x = {},
                            .y = {},
                            .mark = points}},
                .levels = {}};
  Figure channels{.name = "combination_faint_channels",
                  .title = "Where p/√d_model is below binary16's normal range",
                  .x_label = "channel, in % of d_model",
                  .y_label = "positions, in %",
                  .series = {},
                  .levels = {}};
  double share = 0, alone = 0, over = 0, cost = 0, most_positions = 0;
  std::uint64_t vanished = 0;
  for (const auto d : even_widths(options)) {
    const AtWidth at = measure(d, options);
    record(section, at, options);
    table.row(row(at));
    const auto relative = at.errors();
    for (std::size_t k = 0; k < relative.size(); ++k) {
      errors.series[k].x.push_back(double(d));
      errors.series[k].y.push_back(relative[k]);
    }
    if (!options.widths.empty() || d == 128 || d == 512 || d == 4096)
      if (channels.series.size() < 8)
        channels.series.push_back(shares(at, position_count(options)));
    share = std::max(share, at.percent(at.half.below_down));
    alone = std::max(alone, 100 * at.half.alone);
    over = std::max(over, at.half.over_half_ulp);
    vanished += at.half.vanished;
    cost = std::max(cost, 100 * std::abs(relative[1] / relative[2] - 1.0));
  }
  for (const auto& series : channels.series)
    most_positions = std::max(most_positions, std::ranges::max(series.y));
  section.text("largest_share", report::significant(share, 2));
  section.text("worst_alone", report::significant(alone, 3));
  section.text("worst_over_half_ulp", report::significant(over, 3));
  section.text("vanished", report::count(vanished));
  section.text("cost", rounded_up(cost));
  section.text("positions", report::count(position_count(options)));
  section.text("up_errors", extremes(errors.series[0].y));
  section.text("down_errors", extremes(errors.series[1].y));
  section.text("most_positions", report::significant(most_positions, 2));
  section.table(table);
  section.figure(errors);
  section.figure(channels);
  return section;
}

}  // namespace embedscale::combination_analysis
