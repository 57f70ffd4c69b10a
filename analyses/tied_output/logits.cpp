// Logits at initialisation: the expected loss, by quadrature, with what ln V + s²/2 makes of it;
// and the input token's own logit beside the others', without blocks.
#include <embedscale/expected/own_loss.hpp>

#include <ranges>

#include "properties/tied_output/loss.hpp"
#include "properties/tied_output/own_logit.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

constexpr std::uint64_t t5_words = 32128;
constexpr unsigned widest = 16384;
/// What a table N(0, 1) without 1/√d starts near at T5's vocabulary, as reported; and how near.
constexpr double reported_loss = 110, tolerance = 0.1;
constexpr std::array<std::uint64_t, 3> loss_vocabulary{100, 32128, 256000};
constexpr std::array<double, 2> loss_deviations{1.0, 0.02};
constexpr std::size_t most_curves = 8;

double unit_loss(std::uint64_t d) { return primitives.loss(1.0, d, 1.0, t5_words).value; }

/// The first width whose loss is at least this: it rises in d.
std::uint64_t first_width(double loss) {
  return first_that(1, widest, [&](std::uint64_t d) { return unit_loss(d) >= loss; });
}

/// Between which widths the belief is right.
void measure_belief(Section& s) {
  const auto edge = [&](const char* which, std::uint64_t d) {
    s.measure("widths_near_110", {{"which", which}, {"vocabulary", t5_words}},
              static_cast<double>(d), "quadrature, bisection");
  };
  edge("first", first_width((1 - tolerance) * reported_loss));
  edge("last", first_width((1 + tolerance) * reported_loss) - 1);
  constexpr const char* property = "is_near_110_at_these_widths_alone";
  for (const char* widths : {"near", "others"})
    s.measure_failures("near_110_missed", {{"widths", widths}}, property);
  s.measure("said_loss", {}, reported_loss);
}

/// Tables of each deviation, and one of deviation 1 whose logits are divided by √d.
void measure_losses(Section& s, std::uint64_t V, const Options& options) {
  const auto measure_table = [&](double sigma, bool divides) {
    for (const auto d : points(options.widths, usual_widths)) {
      const double c = divides ? 1 / root(d) : 1;
      const auto [value, error] = primitives.loss(sigma, d, c, V);
      const Place at{{"vocabulary", V},
                     {"d_model", d},
                     {"standard_deviation", sigma},
                     {"logits_times", divides ? "d_model^-0.5" : "1"}};
      s.measure("initial_loss", at, Value(value).enclosed(error), quadrature);
      s.measure("loss_over_uniform", at, value - std::log(static_cast<double>(V)), quadrature);
      s.measure("annealed_loss", at, annealed(c * sigma * root(d), V));
    }
  };
  for (const double sigma : points(options.deviations, loss_deviations))
    measure_table(sigma, false);
  measure_table(1.0, true);
  s.measure("uniform_loss", {{"vocabulary", V}}, std::log(static_cast<double>(V)));
  s.measure("change_of_regime", {{"vocabulary", V}}, change_of_regime(V));
}

/// As many as a figure takes, each over the width.
void measure_curves(Section& s, const std::vector<std::uint64_t>& vocabularies,
                    const Options& options) {
  std::size_t curves = 0;
  for (const auto V : vocabularies)
    for (const double sigma : points(options.deviations, loss_deviations)) {
      if (V == 1 || ++curves > most_curves) continue;
      const std::string name = "σ = " + told(sigma, 2) + ", V = " + count(V);
      s.sweep(quadrature, {{"curve", name}}, axis("d_model", points(options.widths, usual_widths)),
              [&](std::uint64_t d) {
                return Values{{"loss_curve", primitives.loss(sigma, d, 1, V).value}};
              });
    }
}

/// ln V + s²/2 less the quadrature; 0 where it is below what the quadrature resolves.
double annealed_error(double logit_std, std::uint64_t V) {
  const auto [value, error] = primitives.loss(logit_std, 1, 1.0, V);
  const double off = annealed(logit_std, V) - value;
  return off > 16 * error ? off : 0;
}

/// By s over the change of regime, powers of two or so many parts of one.
void measure_annealed_error(Section& s, const char* quantity, std::uint64_t V, int parts) {
  for (int k = -3 * parts; k <= 4 * parts; ++k) {
    const double share = std::exp2(static_cast<double>(k) / parts);
    s.measure(quantity, {{"vocabulary", V}, {"s_over_change_of_regime", share}},
              annealed_error(share * change_of_regime(V), V), quadrature);
  }
}

/// ln(1 + exp(x)), to the last digit however small it is.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// Beside positions of this ‖p‖².
struct Point : Parametrisation {
  double position_square;
  expected::TiedToken token() const {
    return {static_cast<std::size_t>(d), sigma, m, c, Norm::rms_norm};
  }
};

/// Sinusoids, ‖p‖² = d/2 (their mean over channels, which a LayerNorm takes, left in), or none.
std::vector<Point> points_at(std::uint64_t d, const std::vector<double>& deviations) {
  const double half = static_cast<double>(d) / 2, r = root(d);
  std::vector<Point> all{{{"σ = d^−½, √d·e + p", d, 1 / r, r, 1}, half},
                         {{"σ = d^−½, e + p", d, 1 / r, 1, 1}, half},
                         {{"σ = 1, logits/√d, e + p", d, 1, 1, 1 / r}, half},
                         {{"no position, any σ·√d = 1", d, 1 / r, 1, 1}, 0}};
  for (const double sigma : deviations)
    all.push_back({{"σ = " + told(sigma, 2) + ", e + p", d, sigma, 1, 1}, half});
  return all;
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

/// Expectations, and what they are at the mean logits: ln Σ exp is convex in all logits together.
void measure_losses_of_own(Section& s, const Point& at, const expected::TiedToken& token,
                           const expected::Expectation& own, const Place& place, std::uint64_t V) {
  const auto there = Place(place).set("vocabulary", V);
  const auto [itself, error] = expected::loss_on_itself(token, at.position_square, V);
  s.measure("loss_on_another", there, Value(own.value + itself).enclosed(own.error + error),
            quadrature);
  s.measure("loss_on_itself", there, Value(itself).enclosed(error), quadrature);
  constexpr const char* bound = "quadrature, lower bound at the mean logits";
  const double rest = primitives.loss(at.sigma, token.width, at.c, V - 1).value - own.value;
  s.measure("loss_on_another_lower_bound", there, own.value + softplus(rest), bound);
  s.measure("loss_on_itself_lower_bound", there, softplus(rest), bound);
}

/// The points at one width, and where the own logit is not above 0.
void measure_width(Section& s, std::uint64_t d, const Options& options, Tally& indifferent,
                   Greatest& order) {
  for (const Point& at : points_at(d, points(options.deviations, usual_deviations))) {
    const auto token = at.token();
    const auto own = primitives.own_logit(token, at.position_square);
    const double others = expected::other_logit_deviation(token);
    const double t = at.m * at.sigma, n = static_cast<double>(d);
    const double leading =
        expected::own_logit_to_leading_order(token, t * t + at.position_square / n);
    indifferent.evaluate([&] { return !(own.value > own.error); });
    order.evaluate([&] { return std::abs(leading / own.value - 1) * n; });
    const Place place{{"parametrisation", at.name}, {"d_model", d}, {"blocks", 0}};
    s.measure("own_logit", place, Value(own.value).enclosed(own.error), quadrature);
    s.measure("other_logit_std", place, others, quadrature);
    s.measure("own_over_others", place, own.value / others, quadrature);
    for (const auto V : points(options.vocabulary, usual_vocabulary))
      if (V >= 2) measure_losses_of_own(s, at, token, own, place, V);
  }
}

}  // namespace

void initial_loss(Section& s, const Options& options) {
  measure_belief(s);
  s.measure_worst("worst_share_of_bound", {}, "lies_in_its_enclosure");
  auto vocabularies = points(options.vocabulary, loss_vocabulary);
  for (const auto V : vocabularies) measure_losses(s, V, options);
  measure_curves(s, vocabularies, options);
  std::erase(vocabularies, 1);
  for (const auto V : vocabularies) measure_annealed_error(s, "annealed_error", V, 1);
  vocabularies.resize(std::min(vocabularies.size(), most_curves));
  for (const auto V : vocabularies) measure_annealed_error(s, "annealed_curve", V, 4);
}

void copies_its_input(Section& s, const Options& options) {
  s.measure_worst("worst_share_of_bound", {}, "mean_follows_the_law_of_the_length");
  measure_by_hand(s);
  Tally indifferent;
  Greatest order;
  for (const auto d : points(options.widths, usual_widths))
    if (d > 1) measure_width(s, d, options, indifferent, order);
  measure_own_logits_behind_blocks(s, options, indifferent);
  if (const auto cases = indifferent.cases(); cases > 0) {
    s.measure("points_without_preference", {{"points", cases}}, indifferent, quadrature);
    s.measure("leading_order_error", {{"points", order.cases()}}, order,
              "largest relative error times d_model");
  }
  for (const auto V : points(options.vocabulary, usual_vocabulary)) {
    s.measure("largest_of_others", {{"vocabulary", V}},
              change_of_regime(std::max<std::uint64_t>(V, 2)));
    s.measure("uniform_loss", {{"vocabulary", V}}, std::log(static_cast<double>(V)));
  }
  measure_own_logits_of_systems(s);
}

}  // namespace embedscale::tied_output_analysis
