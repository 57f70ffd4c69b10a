// The input token's own logit at initialisation: its mean, the others' deviation, and what the loss
// makes of it.
#include "properties/tied_output/own_logit.hpp"

#include <algorithm>
#include <cmath>

#include "properties/tied_output/loss.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using namespace properties::tied_output;
using properties::Part;

constexpr const char* quadrature = "quadrature";
const Primitives primitives;

/// ln(exp(a) + exp(b)).
double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

struct Point {
  std::string name;
  std::uint64_t d;
  expected::TiedToken token;
  double position_square;

  double leading_order() const {
    const double t = token.multiplier * token.deviation;
    return expected::own_logit_to_leading_order(token,
                                                t * t + position_square / static_cast<double>(d));
  }
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
    all.push_back({"σ = " + significant(sigma, 2) + ", e + p", d, token(sigma, 1, 1), n / 2});
  return all;
}

void measure_bounds(Section& s, const Options& options) {
  Greatest worst;
  for (const auto d : points(options.widths, usual_widths))
    for (const auto norm : {Norm::rms_norm, Norm::layer_norm})
      for (const double p : {0.0, 0.5, 50.0}) {
        if (d < 3) continue;
        const double n = static_cast<double>(d), root = std::sqrt(n);
        worst.evaluate([&] {
          return mean_share_of_bound({static_cast<std::size_t>(d), 1 / root, root, 1, norm}, p * n,
                                     primitives);
        });
      }
  if (worst.cases() > 0)
    s.measure("worst_share_of_bound", {}, worst,
              "quadrature against a sum over the law of the length",
              at_most(Part::statement, 1, worst.cases()));
}

/// Rows (½, ½, ½, ½) and (½, −½, ½, −½), the first one looked up, without a position.
void measure_by_hand(Section& s) {
  const EmbeddingTable<double> table(2, 4, {0.5, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5, -0.5});
  std::vector<double> state(4), z(2);
  library<double>.normalise(table.row(0), Norm::rms_norm, state);
  library<double>.logits(table, state, 1, z);
  for (std::size_t j = 0; j < 4; ++j) s.measure("state_by_hand", {{"channel", j}}, state[j]);
  s.measure("logit_by_hand", {{"row", "own"}}, z[0]);
  s.measure("logit_by_hand", {{"row", "other"}}, z[1]);
}

/// The points at one width, each an obligation: that the own logit is above 0.
void measure_width(Section& s, std::uint64_t d, const Options& options, Tally& indifferent,
                   Greatest& order) {
  for (const Point& at : points_at(d, points(options.deviations, usual_deviations))) {
    const auto [own, error] = primitives.own_logit(at.token, at.position_square);
    const double others = expected::other_logit_deviation(at.token);
    indifferent.evaluate([&, own = own, error = error] { return !(own - error > 0); });
    order.evaluate(
        [&, own = own] { return std::abs(at.leading_order() / own - 1) * static_cast<double>(d); });
    const Place place{{"parametrisation", at.name}, {"d_model", d}};
    s.measure("own_logit", place, error > 0 ? Value(own).enclosed(error) : own, quadrature);
    s.measure("other_logit_std", place, others, quadrature);
    s.measure("own_over_others", place, own / others, quadrature);
    for (const auto V : points(options.vocabulary, usual_vocabulary)) {
      if (V < 2) continue;
      // ln Σ exp is convex in all logits together: at their means it is a lower bound.
      const double rest =
          primitives.loss(at.token.deviation, d, at.token.output_multiplier, V - 1).value;
      const double another = log_sum(own, rest), itself = another - own;
      const auto there = Place(place).set("vocabulary", V);
      s.measure("loss_on_another", there, another, quadrature);
      s.measure("loss_on_itself", there, itself, quadrature);
    }
  }
}

}  // namespace

void copies_its_input(Section& s, const Options& options) {
  measure_bounds(s, options);
  measure_by_hand(s);
  Tally indifferent;
  Greatest order;
  for (const auto d : points(options.widths, usual_widths))
    if (d > 1) measure_width(s, d, options, indifferent, order);
  if (const auto cases = indifferent.cases(); cases > 0) {
    s.measure("points_without_preference", {{"points", cases}}, indifferent, quadrature,
              all_of(Part::belief, cases));
    s.measure("leading_order_error", {{"points", cases}}, order,
              "largest relative error times d_model");
  }
  const auto V = points(options.vocabulary, usual_vocabulary).front();
  s.measure("largest_of_others", {{"vocabulary", V}},
            change_of_regime(std::max<std::uint64_t>(V, 2)));
  s.measure("uniform_loss", {{"vocabulary", V}}, std::log(static_cast<double>(V)));
  measure_own_logits_of_systems(s);
}

}  // namespace embedscale::tied_output_analysis
