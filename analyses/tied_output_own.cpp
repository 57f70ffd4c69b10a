// The input token's own logit at initialisation: its mean, the others' deviation, and what the loss
// makes of it.
#include <fmt/format.h>
#include <embedscale/properties/tied_output_loss.hpp>
#include <embedscale/properties/tied_output_own.hpp>

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

/// ln(exp(a) + exp(b)).
double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

struct Point {
  std::string name;
  std::uint64_t d;
  expected::TiedToken token;
  double position_square;
};

/// Sinusoids, ‖p‖² = d/2 (their mean over channels, which a LayerNorm takes, left in), or none.
std::vector<Point> points_at(std::uint64_t d, const std::vector<double>& deviations) {
  const double n = static_cast<double>(d), root = std::sqrt(n);
  const auto token = [&](double sigma, double m, double c) {
    return expected::TiedToken{static_cast<std::size_t>(d), sigma, m, c, Norm::rms_norm};
  };
  std::vector<Point> all{{"σ = d^−½, √d·e + p", d, token(1 / root, root, 1), n / 2},
                         {"σ = d^−½, e + p", d, token(1 / root, 1, 1), n / 2},
                         {"σ = 1, logits/√d, e + p", d, token(1, 1, 1 / root), n / 2},
                         {"no position, any σ·√d = 1", d, token(1 / root, 1, 1), 0}};
  for (const double sigma : deviations)
    all.push_back(
        {"σ = " + report::significant(sigma, 2) + ", e + p", d, token(sigma, 1, 1), n / 2});
  return all;
}

void measure_bounds(const cli::Options& options, report::Section& section) {
  double worst = 0;
  std::uint64_t cases = 0;
  for (const auto d : points(options.widths, usual_widths))
    for (const auto norm : {Norm::rms_norm, Norm::layer_norm})
      for (const double p : {0.0, 0.5, 50.0}) {
        if (d < 3) continue;
        const double n = static_cast<double>(d), root = std::sqrt(n);
        worst = std::max(worst,
                         mean_share_of_bound({static_cast<std::size_t>(d), 1 / root, root, 1, norm},
                                             p * n, library));
        ++cases;
      }
  if (cases == 0) return;
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = cases,
                   .method = "quadrature against a sum over the law of the length",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, cases},
                   .field = "worst",
                   .digits = 2});
}

}  // namespace

report::Section copies_its_input(const cli::Options& options, const std::vector<System>& all) {
  report::Section section(properties::tied_output::copies_its_input);
  measure_bounds(options, section);
  section.counterexample(
      "d_model = 4, rows (½, ½, ½, ½) and (½, −½, ½, −½), no position: from the first row the "
      "state "
      "is (1, 1, 1, 1), its own logit 2 and the other's 0");

  Table table({{"Parametrisation"},
               {"d_model", Table::Align::right},
               {"Own logit", Table::Align::right},
               {"Others' std", Table::Align::right},
               {"Own in others' std", Table::Align::right},
               {"E[loss], target another", Table::Align::right},
               {"target the input", Table::Align::right}});
  Figure figure{.name = "tied_output_own_logit",
                .title = "The input token's own logit, in deviations of the others'",
                .x_label = "d_model",
                .y_label = "own logit over others' std",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  const auto vocabulary = points(options.vocabulary, usual_vocabulary);
  const auto widths = points(options.widths, usual_widths);
  double indifferent = 0, worst_order = 0;
  std::uint64_t cases = 0;
  for (const auto d : widths) {
    std::size_t place = 0;
    for (const Point& at : points_at(d, points(options.deviations, usual_deviations))) {
      if (d < 2) continue;
      const auto [own, error] = library.own_logit(at.token, at.position_square);
      const double others = expected::other_logit_deviation(at.token);
      const double t = at.token.multiplier * at.token.deviation;
      const double leading = expected::own_logit_to_leading_order(
          at.token, t * t + at.position_square / static_cast<double>(d));
      ++cases;
      indifferent += own - error > 0 ? 0 : 1;
      worst_order = std::max(worst_order, std::abs(leading / own - 1) * static_cast<double>(d));
      const bool shown = d == 512;
      const auto measure = [&](const char* quantity, report::Place where, double value,
                               const char* unit, const char* field, double off) {
        where.set("parametrisation", at.name);
        where.set("d_model", d);
        section.measure({.quantity = quantity,
                         .at = std::move(where),
                         .value = value,
                         .samples = 1,
                         .method = "quadrature",
                         .unit = unit,
                         .field = field,
                         .lower = off > 0 ? std::optional(value - off) : std::nullopt,
                         .upper = off > 0 ? std::optional(value + off) : std::nullopt});
      };
      measure("own_logit", {}, own, "1", shown && place == 0 ? "own_512" : "", error);
      measure("other_logit_std", {}, others, "1", "", 0);
      measure("own_over_others", {}, own / others, "1",
              shown && place == 0   ? "ratio_512"
              : shown && place == 1 ? "bare_ratio_512"
              : shown && place == 4 ? "fixed_ratio_512"
                                    : "",
              0);
      for (const auto V : vocabulary) {
        if (V < 2) continue;
        // ln Σ exp is convex in all logits together: at their means it is a lower bound.
        const double rest =
            library.loss(at.token.deviation, d, at.token.output_multiplier, V - 1).value;
        const double another = log_sum(own, rest), itself = another - own;
        const bool first = V == vocabulary.front();
        measure("loss_on_another", {{"vocabulary", V}}, another, "nat",
                shown && first && place == 0 ? "another_512" : "", 0);
        measure("loss_on_itself", {{"vocabulary", V}}, itself, "nat",
                shown && first && place == 0 ? "itself_512" : "", 0);
        if ((d == 512 || widths.size() <= 3) && first)
          table.row({at.name, report::count(d), report::significant(own, 4),
                     report::significant(others, 4), report::significant(own / others, 4),
                     report::significant(another, 4), report::significant(itself, 3)});
      }
      if (place >= figure.series.size() && figure.series.size() < 7)
        figure.series.push_back({.label = at.name, .x = {}, .y = {}});
      if (place < figure.series.size()) {
        figure.series[place].x.push_back(static_cast<double>(d));
        figure.series[place].y.push_back(own / others);
      }
      ++place;
    }
  }
  if (cases > 0) {
    section.measure(
        {.quantity = "points_without_preference",
         .at = {{"points", cases}},
         .value = indifferent,
         .samples = cases,
         .method = "quadrature",
         .unit = report::counted,
         .rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(cases), cases},
         .field = "indifferent"});
    section.measure({.quantity = "leading_order_error",
                     .at = {{"points", cases}},
                     .value = worst_order,
                     .samples = cases,
                     .method = "largest relative error times d_model",
                     .field = "leading",
                     .digits = 2});
  }
  section.text("points", report::count(cases));
  const double V = static_cast<double>(vocabulary.front());
  const double largest = std::sqrt(2 * std::log(std::max(V, 2.0)));
  figure.levels.push_back({.label = "√(2 ln V)", .y = largest});
  section.text("largest", report::significant(largest, 3));
  section.text("uniform", report::significant(std::log(V), 4));
  section.text("vocabulary", report::count(vocabulary.front()));
  section.table(table);
  if (!figure.series.empty()) section.figure(figure);

  Table systems({{"System"},
                 {"Own logit", Table::Align::right},
                 {"Others' std", Table::Align::right},
                 {"Own in others' std", Table::Align::right},
                 {"Loss expected without it", Table::Align::right}});
  std::uint64_t counted = 0, beyond = 0;
  for (const System& s : all) {
    const auto& output = s.scales.output;
    if (!output.own_logit.value || !output.logit_std.value) continue;
    const double ratio = *output.own_logit.value / *output.logit_std.value;
    ++counted;
    const auto& words = s.configuration.model.vocabulary;
    beyond += words && ratio > change_of_regime(static_cast<std::uint64_t>(*words)) ? 1 : 0;
    section.measure({.quantity = "own_logit",
                     .at = {{"system", s.configuration.name}},
                     .value = *output.own_logit.value,
                     .samples = 1,
                     .method = "closed form to leading order, over the atlas"});
    systems.row({conventions_analysis::linked(s.configuration),
                 conventions_analysis::shown(output.own_logit),
                 conventions_analysis::shown(output.logit_std), report::significant(ratio, 4),
                 conventions_analysis::shown(output.initial_loss)});
  }
  section.text("systems", report::count(counted));
  section.text("beyond", report::count(beyond));
  if (counted > 0) section.table(systems);
  return section;
}

}  // namespace embedscale::tied_output_analysis
