// How much each channel varies over the positions of a table, in closed form.
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

/// The first `percent` of d channels, at least one.
std::size_t first_channels(std::size_t d, int percent) {
  return std::max<std::size_t>(1, (d * static_cast<std::size_t>(percent) + 50) / 100);
}

/// Channels by number, interleaved: the first sine, those a quarter, half and three quarters down,
/// and the last two.
std::vector<std::size_t> shown_channels(std::size_t d) {
  std::vector<std::size_t> all{0, d / 4 / 2 * 2, d / 2 / 2 * 2, 3 * d / 4 / 2 * 2, d - 2, d - 1};
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The longest table whose last pair moves half as much as its first at most: of its lengths those
/// have a quiet end that are not beyond it, as 1 − D(w)² grows with L up to the first zero of D.
std::int64_t longest_quiet_table(std::size_t d, FrequencyRule rule) {
  std::int64_t quiet = 2, loud = 1 << 18;
  while (loud - quiet > 1) {
    const std::int64_t middle = quiet + (loud - quiet) / 2;
    (has_quiet_end(stated_ends({d, middle, rule})) ? quiet : loud) = middle;
  }
  return quiet;
}

/// The belief, on its condition and outside.
void judge_ends(const std::vector<std::size_t>& widths, const std::vector<std::int64_t>& lengths,
                report::Section& section) {
  std::uint64_t loud = 0, shorter = 0, quiet = 0, longer = 0;
  double least = HUGE_VAL, most = 0;
  for (const auto d : widths)
    for (const auto rule : rules) {
      const double w = sinusoidal_frequencies<double>(d, rule).back();
      for (const auto length : lengths) {
        const properties::sinusoidal::Table at{d, length, rule};
        const bool is_quiet = has_quiet_end(stated_ends(at));
        if (static_cast<double>(length) * w <= quiet_turn)
          ++shorter, loud += is_quiet ? 0 : 1;
        else
          ++longer, quiet += is_quiet ? 1 : 0;
      }
      const auto longest = longest_quiet_table(d, rule);
      section.measure({.quantity = "longest_quiet_table",
                       .at = {{"d_model", d}, {"rule", name_of(rule)}},
                       .value = static_cast<double>(longest),
                       .samples = 1,
                       .method = "closed form, bisection over L",
                       .unit = report::counted});
      least = std::min(least, static_cast<double>(longest) * w);
      most = std::max(most, static_cast<double>(longest + 1) * w);
    }
  section.measure_none("loud_ends_of_short_tables", {{"L_times_w_at_most", quiet_turn}},
                       static_cast<double>(loud), shorter, Part::belief, "closed form");
  section.measure_none("quiet_ends_of_long_tables", {{"L_times_w_above", quiet_turn}},
                       static_cast<double>(quiet), longer, Part::belief_elsewhere, "closed form");
  section.text("turn_least", report::significant(least, 4));
  section.text("turn_most", report::significant(most, 4));
  section.text("ends", report::count(shorter + longer));
}

Figure deviation_by_channel(std::size_t d, const std::vector<std::int64_t>& lengths) {
  Figure figure{.name = "sinusoidal_deviation",
                .title = fmt::format("How much each channel moves over positions, d_model = {}", d),
                .x_label = "channel, interleaved",
                .y_label = "standard deviation over positions",
                .series = {},
                .levels = {{.label = "1/√2", .y = std::sqrt(0.5)}}};
  for (const auto length : lengths) {
    if (figure.series.size() == 5) break;
    report::Series series{
        .label = fmt::format("L = {}, sines", report::count(static_cast<std::uint64_t>(length))),
        .x = {},
        .y = {},
        .mark = report::Series::Mark::line};
    const auto variances = stated_variances({d, length});
    for (std::size_t j = 0; j < d; j += std::max<std::size_t>(2, d / 256 * 2)) {
      series.x.push_back(static_cast<double>(j));
      series.y.push_back(std::sqrt(variances[j]));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

report::Section early_channels_move(const cli::Options& options) {
  report::Section section(properties::sinusoidal::early_channels_move);
  const std::string longest =
      report::count(static_cast<std::uint64_t>(longest_quiet_table(512, FrequencyRule::paper)));
  section.condition(
      fmt::format("the table is short: L·w ≤ {:.3f} for the lowest frequency w, "
                  "L ≤ {} at d_model = 512",
                  quiet_turn, longest));
  section.text("longest", longest);
  section.text("turn", fmt::format("{:.3f}", quiet_turn));
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto lengths = positions(options, {50, 512, 2048, 8192, 32768, 131072});
  Table table({{"d_model", Table::Align::right},
               {"L", Table::Align::right},
               {"first sine: std", Table::Align::right},
               {"half-way sine", Table::Align::right},
               {"last sine", Table::Align::right},
               {"last cosine", Table::Align::right},
               {"first 10 %: share", Table::Align::right},
               {"first 50 %: share", Table::Align::right},
               {"std below 0.1", Table::Align::right},
               {"std below 0.01", Table::Align::right}});
  Worst deviations("deviations", "tables up to 2^18 entries, both rules and layouts",
                   Part::statement, "worst_deviation");
  Worst shares("shares", "tables up to 2^18 entries, the first tenth", Part::statement,
               "worst_share");
  for (const auto d : widths)
    for (const auto length : lengths) {
      const report::Place at = {{"d_model", d}, {"positions", length}};
      const auto variances = stated_variances({d, length});
      const auto std_of = [&](std::size_t j) { return std::sqrt(variances[j]); };
      for (const auto j : shown_channels(d))
        section.measure({.quantity = "channel_std",
                         .at = {{"d_model", d}, {"positions", length}, {"channel", j}},
                         .value = std_of(j),
                         .samples = static_cast<std::uint64_t>(length),
                         .method = "closed form, over positions; paper frequencies, interleaved"});
      std::vector<std::string> row{report::count(d),
                                   report::count(static_cast<std::uint64_t>(length))};
      for (const auto j : {std::size_t{0}, d / 2 / 2 * 2, d - 2, d - 1})
        row.push_back(report::significant(std_of(j), 3));
      for (const int percent : {1, 10, 25, 50}) {
        const auto count = first_channels(d, percent);
        const double share = share_of_first(variances, count);
        section.measure(
            {.quantity = "variance_share_of_first_channels",
             .at =
                 {{"d_model", d}, {"positions", length}, {"percent", percent}, {"channels", count}},
             .value = share,
             .samples = count,
             .method = "closed form: of the sum of all channels' variances over positions"});
        if (percent == 10 || percent == 50)
          row.push_back(fmt::format("{} %", report::significant(100 * share, 3)));
      }
      for (const double least : {0.1, 0.01}) {
        const auto count =
            std::ranges::count_if(variances, [&](double v) { return std::sqrt(v) < least; });
        auto where = at;
        where.set("std_below", least);
        section.measure({.quantity = "channels_that_move_less",
                         .at = where,
                         .value = static_cast<double>(count),
                         .samples = d,
                         .method = "closed form",
                         .unit = report::counted});
        row.push_back(report::count(static_cast<std::uint64_t>(count)));
      }
      table.row(std::move(row));
      if (!is_small(d, length) || length < 2) continue;
      for (const auto rule : rules)
        for (const auto layout : layouts) {
          deviations.add(deviations_share_of_bound({d, length, rule, layout}, library));
          shares.add(
              first_share_of_bound({d, length, rule, layout}, first_channels(d, 10), library));
        }
    }
  std::vector<std::int64_t> all = positions(options, {});
  if (all.empty())
    for (int k = 2; k <= 34; ++k) all.push_back(std::llround(std::exp2(k / 2.0)));
  judge_ends(widths, all, section);
  deviations.record(section);
  shares.record(section);
  section.table(table);
  section.figure(
      deviation_by_channel(widths[std::min<std::size_t>(2, widths.size() - 1)], lengths));

  // What the words say of the paper's width, whatever was asked for.
  for (const std::int64_t length : {512, 131072}) {
    const auto v = stated_variances({512, length});
    const auto field = [&](const char* name, std::string value) {
      section.text(fmt::format("{}_{}", name, length), std::move(value));
    };
    field("first_std", report::significant(std::sqrt(v[0]), 3));
    field("last_std", report::significant(std::sqrt(v[510]), 3));
    field("tenth", report::significant(100 * share_of_first(v, first_channels(512, 10)), 3));
    field("half", report::significant(100 * share_of_first(v, 256), 3));
    field("still", report::count(static_cast<std::uint64_t>(
                       std::ranges::count_if(v, [](double x) { return std::sqrt(x) < 0.1; }))));
  }
  return section;
}

}  // namespace embedscale::sinusoidal_analysis
