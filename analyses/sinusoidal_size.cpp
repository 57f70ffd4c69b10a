// One position's vector: how large its entries are, how long it is, at even widths and at odd ones.
#include <fmt/format.h>
#include <embedscale/properties/conventions_scale.hpp>
#include <embedscale/properties/domain/widths.hpp>
#include <embedscale/properties/sinusoidal_table.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinusoidal.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using properties::Part;
using report::Figure;
using report::Relation;
using Table = report::Table;

const Library library;

/// All entries of a table, one at a time, in the format they are computed in.
struct Entries {
  std::uint64_t all = 0, beyond = 0;
  double largest = 0;
};
template <AnalyticScalar Real>
void look_at(std::size_t d, std::int64_t length, FrequencyRule rule, Entries& entries) {
  const auto w = library.of<Real>().frequencies(d, rule, Real(10000));
  std::vector<Real> p(d);
  for (std::int64_t l = 0; l < length; ++l) {
    library.of<Real>().encode(l, std::span<const Real>(w), SinusoidalLayout::halves,
                              std::span<Real>(p));
    for (const Real x : p) {
      const double size = std::abs(static_cast<double>(x));
      ++entries.all;
      if (!(size <= 1)) ++entries.beyond;
      if (!(size <= entries.largest)) entries.largest = size;
    }
  }
}

/// Whether sin lw (or cos lw) comes within 1 % of both −1 and 1, l < L.
template <class Function>
bool spans(double w, std::int64_t length, Function function) {
  bool low = false, high = false;
  for (std::int64_t l = 0; l < length && !(low && high); ++l) {
    const double x = function(static_cast<double>(l) * w);
    low = low || x <= -0.99, high = high || x >= 0.99;
  }
  return low && high;
}

std::uint64_t channels_that_span(std::size_t d, std::int64_t length) {
  std::uint64_t count = 0;
  for (const double w : library.of<double>().frequencies(d, FrequencyRule::paper, 10000)) {
    count += spans(w, length, [](double x) { return std::sin(x); }) ? 1 : 0;
    count += spans(w, length, [](double x) { return std::cos(x); }) ? 1 : 0;
  }
  return count;
}

/// What public programs do with an odd width, as read in a stored version of their sources.
Table odd_widths() {
  Table table({{"Program"}, {"An odd width"}, {"‖p‖² − (d_model − 1)/2"}});
  table.row({"tensor2tensor, fairseq, Flax (WMT example)", "a last channel of zeros", "0"});
  table.row({"Marian in transformers, KerasHub", "a last sine without its cosine",
             "sin²(p·w), w its frequency"});
  table.row({"Marian", "the last sine overwrites the first cosine", "sin² p"});
  table.row({"OpenNMT-py, OpenNMT-tf, JoeyNMT, Sockeye", "refused with a message", "—"});
  table.row({"PyTorch's word language model, TensorFlow Model Garden",
             "fails: shapes that do not match", "—"});
  return table;
}

}  // namespace

report::Section stays_within_one(const cli::Options& options) {
  report::Section section(properties::sinusoidal::stays_within_one);
  const auto widths = even_widths(options, {16, 64, 512, 1024});
  const auto lengths = positions(options, {50, 512, 2048, 8192, 32768, 131072});
  const std::int64_t looked_at = options.positions.empty() ? 2048 : std::ranges::max(lengths);
  const auto look = [&]<class Real>(const char* format) {
    Entries entries;
    for (const auto d : widths)
      for (const auto rule : rules) look_at<Real>(d, looked_at, rule, entries);
    const report::Place at = {{"format", format}, {"positions", looked_at}};
    section.measure({.quantity = "largest_magnitude",
                     .at = at,
                     .value = entries.largest,
                     .samples = entries.all,
                     .method = "every entry, both rules"});
    section.measure_none("entries_beyond_one", at, static_cast<double>(entries.beyond), entries.all,
                         Part::belief, "every entry, both rules; proved");
    section.text(std::string("entries_") + format, report::count(entries.all));
  };
  look.operator()<double>("binary64");
  look.operator()<float>("binary32");
  section.text("half_turn", report::count(static_cast<std::uint64_t>(std::numbers::pi * 1e4)));
  section.text("looked_at", report::count(static_cast<std::uint64_t>(looked_at)));

  std::vector<Table::Column> columns{{"d_model", Table::Align::right}};
  for (const auto length : lengths)
    columns.push_back({fmt::format("L = {}", report::count(static_cast<std::uint64_t>(length))),
                       Table::Align::right});
  Table table(columns);
  Figure figure{.name = "sinusoidal_span",
                .title = "Channels that span the range from −1 to +1 within a table",
                .x_label = "positions in the table, L",
                .y_label = "% of the channels",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  for (const auto d : widths) {
    std::vector<std::string> row{report::count(d)};
    report::Series series{.label = fmt::format("d_model = {}", d), .x = {}, .y = {}};
    for (const auto length : lengths) {
      const auto count = channels_that_span(d, length);
      section.measure({.quantity = "channels_that_span",
                       .at = {{"d_model", d}, {"positions", length}},
                       .value = static_cast<double>(count),
                       .samples = d,
                       .method = "every position until both ends are within 1 %",
                       .unit = report::counted});
      const double share = 100.0 * static_cast<double>(count) / static_cast<double>(d);
      row.push_back(fmt::format("{} %", report::significant(share, 3)));
      series.x.push_back(static_cast<double>(length));
      series.y.push_back(share);
    }
    table.row(std::move(row));
    if (figure.series.size() < 8) figure.series.push_back(std::move(series));
  }
  section.table(table);
  section.figure(figure);
  section.text("spanning", report::count(channels_that_span(512, 512)));
  return section;
}

report::Section mean_square_is_half(const cli::Options& options) {
  report::Section section(properties::sinusoidal::mean_square_is_half);
  section.condition("the tokens' RMS m·σ is 1/√2");
  const auto widths = even_widths(options, {4, 16, 64, 128, 256, 512, 768, 1024, 4096, 16384});
  const auto at_positions = positions(options, {0, 1, 100, 4095, 131071});
  Worst even("even widths", "both rules and layouts, binary64 and binary32", Part::statement,
             "worst_even");
  Worst odd("odd widths", "three ways to have one, binary64", Part::statement, "worst_odd");
  struct Size {
    const char* name;
    double rms;
  };
  std::uint64_t differ = 0, cases = 0, agree = 0, others = 0;
  Table table({{"d_model", Table::Align::right},
               {"RMS of positions", Table::Align::right},
               {"√d·e, σ = d^−½: ratio", Table::Align::right},
               {"e alone, σ = d^−½", Table::Align::right},
               {"√d·e, σ = 1", Table::Align::right},
               {"e alone, σ = 0.02", Table::Align::right}});
  Figure figure{.name = "sinusoidal_size",
                .title = "Token RMS over position RMS at the start",
                .x_label = "d_model",
                .y_label = "token RMS over position RMS",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "as large", .y = 1.0}}};
  for (const auto d : widths) {
    double rms = 0;
    for (const auto p : at_positions)
      for (const auto rule : rules)
        for (const auto layout : layouts) {
          const Place at{d, p, rule, layout};
          even.add(square_share_of_bound<double>(at, library));
          even.add(square_share_of_bound<float>(at, library));
          rms = std::sqrt(static_cast<double>(square_of(encoded<double>(at, library))) /
                          static_cast<double>(d));
          // Quotient, root and 1/√2: as the ratio of conventions' bound.
          const bool as_large = std::abs(std::sqrt(0.5) / rms - 1.0) <=
                                properties::conventions::rounding_of_ratio<double>(d);
          ++cases, differ += as_large ? 0 : 1;
        }
    for (const auto p : at_positions)
      for (const auto way :
           {OddWidth::zero_channel, OddWidth::sine_alone, OddWidth::cosine_overwritten})
        odd.add(odd_square_share_of_bound<double>(d + 1, p, way, library));
    section.measure({.quantity = "rms",
                     .at = {{"d_model", d}},
                     .value = rms,
                     .samples = at_positions.size() * 4,
                     .method = "over channels, at each position: the same",
                     .field = d == widths.front() ? "rms" : ""});
    const double root = std::sqrt(static_cast<double>(d));
    const Size sizes[] = {{"sqrt(d)·e, std d^-1/2", 1.0},
                          {"e, std d^-1/2", 1 / root},
                          {"sqrt(d)·e, std 1", root},
                          {"e, std 0.02", 0.02}};
    std::vector<std::string> row{report::count(d), report::significant(rms, 4)};
    for (std::size_t k = 0; k < std::size(sizes); ++k) {
      const double ratio = sizes[k].rms / rms;
      const bool as_large =
          std::abs(ratio - 1.0) <= properties::conventions::rounding_of_ratio<double>(d);
      ++others, agree += as_large ? 1 : 0;
      section.measure({.quantity = "token_to_position",
                       .at = {{"tokens", sizes[k].name}, {"d_model", d}},
                       .value = ratio,
                       .samples = 1,
                       .method = "token RMS over measured position RMS",
                       .field = k == 0 && d == widths.front() ? "paper_ratio" : ""});
      row.push_back(report::significant(ratio, 4));
      if (figure.series.size() <= k)
        figure.series.push_back({.label = sizes[k].name, .x = {}, .y = {}});
      figure.series[k].x.push_back(static_cast<double>(d));
      figure.series[k].y.push_back(ratio);
    }
    table.row(std::move(row));
  }
  section.measure_none("sizes_that_differ", {{"token_rms", "1/sqrt(2)"}},
                       static_cast<double>(differ), cases, Part::belief,
                       "every width, position, rule and layout");
  section.measure_none("other_sizes_that_agree", {{"tokens", "four programs"}},
                       static_cast<double>(agree), others, Part::belief_elsewhere, "every width");
  even.record(section);
  odd.record(section);
  for (const auto way :
       {OddWidth::zero_channel, OddWidth::sine_alone, OddWidth::cosine_overwritten}) {
    constexpr const char* names[] = {"zero channel", "sine alone", "cosine overwritten"};
    for (const std::int64_t p : at_positions)
      section.measure(
          {.quantity = "odd_width_excess",
           .at = {{"last_channel", names[static_cast<std::size_t>(way)]}, {"position", p}},
           .value = static_cast<double>(odd_width_excess(p, way)),
           .samples = 1,
           .method = "closed form, last frequency 1/10000"});
  }
  section.text("cases", report::count(cases));
  section.table(table);
  section.table(odd_widths());
  section.figure(figure);
  return section;
}

}  // namespace embedscale::sinusoidal_analysis
