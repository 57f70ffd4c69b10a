// The expected loss at initialisation, by quadrature, and what ln V + s²/2 makes of it.
#include <fmt/format.h>
#include <embedscale/properties/tied_output_loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tied_output.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using namespace properties::tied_output;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;
constexpr std::uint64_t t5_words = 32128, widest = 16384;
constexpr double said = 110, tolerance = 0.1;
constexpr std::array<std::uint64_t, 3> loss_vocabulary{100, 32128, 256000};
constexpr std::array<double, 2> loss_deviations{1.0, 0.02};

bool is_near(double loss) { return std::abs(loss - said) <= tolerance * said; }

double unit_loss(std::uint64_t d, std::uint64_t V = t5_words) {
  return library.loss(1.0, d, 1.0, V).value;
}

/// The first width whose loss is at least this: it rises in d.
std::uint64_t first_width(double loss) {
  std::uint64_t low = 1, high = widest;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (unit_loss(middle) >= loss)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Between which widths the belief is right, and that it is so there and nowhere else.
void measure_belief(report::Section& section) {
  const std::uint64_t first = first_width((1 - tolerance) * said);
  const std::uint64_t last = first_width((1 + tolerance) * said) - 1;
  const auto edge = [&](const char* which, const char* field, std::uint64_t d) {
    section.measure({.quantity = "widths_near_110",
                     .at = {{"which", which}, {"vocabulary", t5_words}},
                     .value = static_cast<double>(d),
                     .samples = 1,
                     .method = "quadrature, bisection",
                     .unit = report::counted,
                     .field = field});
  };
  edge("first", "first_near", first);
  edge("last", "last_near", last);
  double missed = 0, near = 0;
  std::uint64_t inside = 0, outside = 0;
  for (std::uint64_t d = 16; d <= widest; d = d + std::max<std::uint64_t>(1, d / 8)) {
    const bool within = d >= first && d <= last;
    (within ? inside : outside) += 1;
    const bool right = is_near(unit_loss(d));
    if (within) missed += right ? 0 : 1;
    if (!within) near += right ? 1 : 0;
  }
  section.measure_none("near_110_missed", {{"widths", "near"}}, missed, inside, Part::belief,
                       "quadrature");
  section.measure_none("near_110_missed", {{"widths", "others"}}, near, outside,
                       Part::belief_elsewhere, "quadrature");
  section.condition(fmt::format("d_model is between {} and {}, at {} words and within 10 %",
                                report::count(first), report::count(last),
                                report::count(t5_words)));
}

void measure_enclosure(report::Section& section) {
  double worst = 0;
  std::uint64_t cases = 0;
  for (const std::uint64_t V : {2ull, 100ull, 32128ull, 256000ull, 1ull << 32})
    for (int k = -20; k <= 24; k += 4) {
      worst = std::max(worst, loss_share_of_bound(std::exp2(k / 4.0), 1, 1.0, V, library));
      ++cases;
    }
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = cases,
                   .method = "quadrature in an elementary enclosure",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, cases},
                   .field = "worst",
                   .digits = 2});
}

/// ln V + s²/2 less the quadrature, over s; NaN where it is below what the quadrature resolves.
Figure annealed_figure(const cli::Options& options, report::Section& section) {
  Figure figure{.name = "tied_output_annealed",
                .title = "Error of ln V + s²/2 as the expected loss",
                .x_label = "deviation s of a logit over √(2 ln V)",
                .y_label = "ln V + s²/2 − E[loss], nats",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {}};
  for (const auto V : points(options.vocabulary, loss_vocabulary)) {
    if (V < 2 || figure.series.size() == 7) continue;
    report::Series series{.label = "V = " + report::count(V), .x = {}, .y = {}};
    for (int k = -12; k <= 16; ++k) {
      const double share = std::exp2(k / 4.0), s = share * change_of_regime(V);
      const auto [value, error] = library.loss(s, 1, 1.0, V);
      const double off = annealed(s, V) - value;
      series.x.push_back(share);
      series.y.push_back(off > 16 * error ? off : std::numeric_limits<double>::quiet_NaN());
      if (k % 4 == 0)
        section.measure({.quantity = "annealed_error",
                         .at = {{"vocabulary", V}, {"s_over_change_of_regime", share}},
                         .value = off > 16 * error ? off : 0,
                         .samples = 1,
                         .method = "quadrature",
                         .unit = "nat",
                         .field = V == t5_words && k == 0    ? "error_at"
                                  : V == t5_words && k == 4  ? "error_at_twice"
                                  : V == t5_words && k == -4 ? "error_at_half"
                                                             : "",
                         .digits = 3});
    }
    if (std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); }))
      figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

report::Section initial_loss(const cli::Options& options) {
  report::Section section(properties::tied_output::initial_loss);
  measure_belief(section);
  measure_enclosure(section);

  Table table({{"Table"},
               {"V", Table::Align::right},
               {"d_model", Table::Align::right},
               {"Logit std", Table::Align::right},
               {"E[loss]", Table::Align::right},
               {"less ln V", Table::Align::right},
               {"ln V + s²/2", Table::Align::right}});
  Figure figure{.name = "tied_output_initial_loss",
                .title = "Expected loss at initialisation",
                .x_label = "d_model",
                .y_label = "E[loss], nats",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {}};
  const auto widths = points(options.widths, usual_widths);
  for (const auto V : points(options.vocabulary, loss_vocabulary)) {
    const double uniform = std::log(static_cast<double>(V));
    const auto deviations = points(options.deviations, loss_deviations);
    const auto measure = [&](double sigma, std::uint64_t d, double c, const char* factor) {
      const auto [value, error] = library.loss(sigma, d, c, V);
      const double s = std::abs(c) * sigma * std::sqrt(static_cast<double>(d));
      const report::Place at{{"vocabulary", V},
                            {"d_model", d},
                            {"standard_deviation", report::rounded(sigma, 4)},
                            {"logits_times", factor}};
      const bool t5 = V == t5_words && d == 768 && sigma == 1;
      section.measure({.quantity = "initial_loss",
                       .at = at,
                       .value = value,
                       .samples = 1,
                       .method = "quadrature",
                       .unit = "nat",
                       .field = !t5      ? ""
                                : c == 1 ? "t5_loss"
                                         : "t5_divided",
                       .lower = value - error,
                       .upper = value + error});
      section.measure({.quantity = "loss_over_uniform",
                       .at = at,
                       .value = value - uniform,
                       .samples = 1,
                       .method = "quadrature",
                       .unit = "nat"});
      if (d == 768 || widths.size() <= 3)
        table.row(
            {fmt::format("σ = {}{}", report::significant(sigma, 2), c == 1 ? "" : ", logits/√d"),
             report::count(V), report::count(d), report::significant(s, 4),
             report::significant(value, 4), report::significant(value - uniform, 3),
             report::significant(annealed(s, V), 4)});
      return value;
    };
    for (const double sigma : deviations) {
      report::Series series{
          .label = fmt::format("σ = {}, V = {}", report::significant(sigma, 2), report::count(V)),
          .x = {},
          .y = {}};
      for (const auto d : widths) {
        series.x.push_back(static_cast<double>(d));
        series.y.push_back(measure(sigma, d, 1, "1"));
      }
      if (V > 1 && figure.series.size() < 8) figure.series.push_back(std::move(series));
    }
    for (const auto d : widths)
      measure(1.0, d, 1 / std::sqrt(static_cast<double>(d)), "d_model^-0.5");
  }
  figure.levels.push_back({.label = "110", .y = said});
  section.table(table);
  if (!figure.series.empty()) section.figure(figure);
  if (auto errors = annealed_figure(options, section); !errors.series.empty())
    section.figure(std::move(errors));
  // The claim's own numbers, whatever was asked for.
  section.text("words", report::count(t5_words));
  section.text("loss_512", report::significant(unit_loss(512), 3));
  section.text("loss_768", report::significant(unit_loss(768), 4));
  section.text("loss_4096", report::significant(unit_loss(4096), 3));
  section.text("divided_768", report::significant(
                                  library.loss(1.0, 768, 1 / std::sqrt(768.0), t5_words).value, 4));
  section.text("uniform", report::significant(std::log(static_cast<double>(t5_words)), 4));
  section.text("annealed_768", report::significant(annealed(std::sqrt(768.0), t5_words), 3));
  section.text("regime", report::significant(change_of_regime(t5_words), 3));
  return section;
}

}  // namespace embedscale::tied_output_analysis
