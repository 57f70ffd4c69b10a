// How concentrated the softmax over n independent normal logits is, as their deviation grows: by
// quadrature, and by draws beside it.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/properties/attention_softmax.hpp>

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
constexpr std::array<std::uint64_t, 6> key_counts{2, 16, 64, 512, 4096, 65536};
constexpr std::array deviations{0.5, 1.0, 2.0, 4.0, 8.0, 16.0};
constexpr std::array<std::uint64_t, 6> head_widths{8, 16, 32, 64, 128, 256};

double real(std::uint64_t n) { return static_cast<double>(n); }

/// √(2 ln n): about the largest of n standard normal numbers.
double regime(std::uint64_t n) { return std::sqrt(2 * std::log(real(n))); }

/// The deviation from which on the largest of n weights is expected to be a half: by bisection, as
/// it rises with the deviation; 0 where it is at equal logits.
double saturating_deviation(std::uint64_t n) {
  if (n <= 2) return 0;
  double low = 0, high = 1;
  while (expected::largest_weight(high, n).value < 0.5) low = high, high *= 2;
  while (high - low > 1e-6 * high) {
    const double middle = (low + high) / 2;
    (expected::largest_weight(middle, n).value < 0.5 ? low : high) = middle;
  }
  return high;
}

/// The integrals at one point.
struct AtPoint {
  double s;
  std::uint64_t n;
  double entropy = 0, largest = 0, squares = 0, drawn = 0, half = 0;
  std::uint64_t draws = 0;
};

/// As many draws as 2^18 logits make, of `samples` at most: entropy and its standard error.
void draw(AtPoint& at, const cli::Options& options) {
  at.draws = std::min(options.samples, (std::uint64_t{1} << 18) / at.n);
  if (at.draws < 100) {
    at.draws = 0;
    return;
  }
  const Stream stream(
      options.seed,
      fmt::format("{}/{}", properties::attention::unscaled_softmax_saturates.id, at.n));
  double sum = 0, squares = 0;
  std::vector<double> z(at.n);
  for (std::uint64_t i = 0; i < at.draws; ++i) {
    for (std::uint64_t j = 0; j < at.n; ++j) z[j] = at.s * stream.normal(i * at.n + j);
    const double h = concentration(z, library).entropy;
    sum += h, squares += h * h;
  }
  const double count = real(at.draws);
  at.drawn = sum / count;
  at.half = 3.29 * std::sqrt(std::max(0.0, squares / count - at.drawn * at.drawn) / count);
}

std::vector<AtPoint> integrate(const std::vector<std::uint64_t>& counts,
                               const std::vector<double>& sizes, const cli::Options& options) {
  std::vector<AtPoint> all;
  for (const auto n : counts)
    for (const double s : sizes) all.push_back({.s = s, .n = n});
  tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
    AtPoint& at = all[i];
    at.entropy = expected::softmax(at.s, at.n).entropy.value;
    at.largest = expected::largest_weight(at.s, at.n).value;
    at.squares = expected::sum_of_squares(at.s, at.n).value;
    draw(at, options);
  });
  return all;
}

void record(report::Section& section, const AtPoint& at) {
  const report::Place where = {{"std", at.s}, {"keys", at.n}};
  const auto put = [&](const char* quantity, double value) {
    section.measure(
        {.quantity = quantity, .at = where, .value = value, .samples = 1, .method = "quadrature"});
  };
  put("entropy", at.entropy);
  put("largest_weight", at.largest);
  put("sum_of_squares", at.squares);
  if (at.draws > 0)
    section.measure({.quantity = "entropy_drawn",
                     .at = where,
                     .value = at.drawn,
                     .samples = at.draws,
                     .method = "draws, by the library's softmax",
                     .unit = "nat",
                     .digits = 3,
                     .lower = at.drawn - at.half,
                     .upper = at.drawn + at.half,
                     .confidence = 0.999});
}

/// Adjacent points, the deviation of the second being larger, at which it is not the sharper one.
double steps_not_sharper(std::vector<AtPoint> all) {
  std::ranges::sort(
      all, [](const AtPoint& a, const AtPoint& b) { return a.n != b.n ? a.n < b.n : a.s < b.s; });
  double wrong = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const AtPoint &a = all[i - 1], &b = all[i];
    if (a.n != b.n || a.s == b.s || a.n == 1) continue;
    wrong += b.entropy < a.entropy && b.largest > a.largest && b.squares > a.squares ? 0 : 1;
  }
  return wrong;
}

/// Heads of d_k channels without the scale: logits of deviation √d_k, on and off the condition.
/// Returns the table of largest weights.
Table record_heads(report::Section& section, const std::vector<std::uint64_t>& counts,
                   const std::vector<double>& thresholds, const cli::Options& options) {
  const auto heads = points(options.head_widths, head_widths);
  std::vector<Table::Column> columns{{"n", Table::Align::right},
                                     {"½ from deviation", Table::Align::right},
                                     {"so from d_k", Table::Align::right}};
  for (const auto d : heads) columns.push_back({fmt::format("d_k = {}", d), Table::Align::right});
  Table table(columns);
  std::uint64_t on = 0, all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = counts[i];
    const double s = thresholds[i];
    section.measure({.quantity = "saturating_deviation",
                     .at = {{"keys", n}},
                     .value = s,
                     .samples = 1,
                     .method = "quadrature, bisection"});
    std::vector<std::string> cells{report::count(n), report::significant(s, 3),
                                   report::significant(s * s, 3)};
    for (const auto d : heads) {
      const double largest = expected::largest_weight(std::sqrt(real(d)), n).value;
      const bool stated = std::sqrt(real(d)) >= s;
      section.measure(
          {.quantity = "unscaled_largest_weight",
           .at = {{"d_k", d}, {"keys", n}},
           .value = largest,
           .samples = 1,
           .method = "quadrature, deviation √d_k",
           .rule = stated ? report::Rule{Part::belief, Relation::at_least, 0.5, 1}
                          : report::Rule{Part::belief_elsewhere, Relation::at_most, 0.5, 1}});
      on += stated ? 1 : 0;
      ++all;
      cells.push_back(report::significant(largest, 3));
    }
    table.row(std::move(cells));
  }
  section.text("heads", fmt::format("{}", fmt::join(heads, ", ")));
  section.text("on", report::count(on));
  section.text("all", report::count(all));
  return table;
}

/// Lines by n over deviations from 1/8 to 32.
void figures(report::Section& section, std::vector<std::uint64_t> counts) {
  std::erase(counts, std::uint64_t{1});  // one weight is 1
  if (counts.size() > 8) counts.resize(8);
  if (counts.empty()) return;
  Figure entropy{.name = "attention_entropy",
                 .title = "Expected entropy of the softmax over n normal logits",
                 .x_label = "deviation of the logits over √(2 ln n)",
                 .y_label = "entropy over ln n",
                 .x_scale = Figure::Scale::log2,
                 .series = {},
                 .levels = {}};
  Figure largest{.name = "attention_largest_weight",
                 .title = "Expected largest weight over n normal logits",
                 .x_label = "deviation of the logits",
                 .y_label = "largest weight",
                 .x_scale = Figure::Scale::log2,
                 .series = {},
                 .levels = {{.label = "one half", .y = 0.5}}};
  for (const auto n : counts) {
    Series first{.label = fmt::format("n = {}", n), .x = {}, .y = {}, .mark = Series::Mark::line};
    Series second = first;
    for (int k = -12; k <= 20; ++k) {
      const double s = std::exp2(k / 4.0);
      first.x.push_back(s / regime(n));
      first.y.push_back(expected::softmax(s, n).entropy.value / std::log(real(n)));
      if (k % 2 != 0) continue;
      second.x.push_back(s);
      second.y.push_back(expected::largest_weight(s, n).value);
    }
    entropy.series.push_back(first);
    largest.series.push_back(second);
  }
  section.figure(entropy);
  section.figure(largest);
}

}  // namespace

report::Section unscaled_softmax_saturates(const cli::Options& options) {
  report::Section section(properties::attention::unscaled_softmax_saturates);
  section.condition(
      "√d_k, the standard deviation of the unscaled logits, is at least the one at which the "
      "largest "
      "of the n weights is expected to be ½");
  const auto counts = points(options.keys, key_counts);
  const auto sizes = points(options.deviations, deviations);
  const auto all = integrate(counts, sizes, options);
  Table table({{"n", Table::Align::right},
               {"√(2 ln n)", Table::Align::right},
               {"Deviation", Table::Align::right},
               {"Entropy", Table::Align::right},
               {"of draws", Table::Align::right},
               {"over ln n", Table::Align::right},
               {"Largest weight", Table::Align::right},
               {"Σa²", Table::Align::right}});
  for (const auto& at : all) {
    record(section, at);
    const auto number = [](double x) { return report::significant(x, 3); };
    table.row({report::count(at.n), number(regime(at.n)), fmt::format("{}", at.s),
               number(at.entropy), at.draws > 0 ? number(at.drawn) : "—",
               at.n == 1 ? "—" : number(at.entropy / std::log(real(at.n))), number(at.largest),
               number(at.squares)});
  }
  section.measure({.quantity = "sharper_steps",
                   .value = steps_not_sharper(all),
                   .samples = all.size(),
                   .method = "quadrature: adjacent deviations of which the larger is not sharper",
                   .unit = report::counted,
                   .rule = report::Rule{Part::statement, Relation::equals, 0, all.size()}});
  std::vector<double> thresholds(counts.size()), ratios;
  tbb::parallel_for(std::size_t{0}, counts.size(),
                    [&](std::size_t i) { thresholds[i] = saturating_deviation(counts[i]); });
  std::vector<std::string> list;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 2) ratios.push_back(thresholds[i] / regime(counts[i]));
    const auto width = static_cast<std::uint64_t>(std::ceil(thresholds[i] * thresholds[i]));
    list.push_back(fmt::format("{} at {}", report::count(std::max<std::uint64_t>(width, 1)),
                               report::count(counts[i])));
  }
  section.text("widths", fmt::format("{}", fmt::join(list, ", ")));
  section.text("over_regime", ratios.empty() ? "no" : extremes(ratios, 3));
  section.text("least_n", report::count(counts.front()));
  section.text("most_n", report::count(counts.back()));
  const auto largest = [](double s, std::uint64_t n) {
    return report::significant(expected::largest_weight(s, n).value, 2);
  };
  section.text("largest_scaled", largest(1, 512));
  section.text("largest_unscaled", largest(8, 512));
  section.text("entropy_scaled", report::significant(expected::softmax(1, 512).entropy.value, 2));
  section.text("entropy_unscaled", report::significant(expected::softmax(8, 512).entropy.value, 2));
  section.text("largest_narrow", largest(std::sqrt(8.0), 65536));
  section.table(table);
  section.table(record_heads(section, counts, thresholds, options));
  figures(section, counts);
  return section;
}

}  // namespace embedscale::attention_analysis
