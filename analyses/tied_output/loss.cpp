// The expected loss at initialisation, by quadrature, and what ln V + s²/2 makes of it.
#include "properties/tied_output/loss.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using namespace properties::tied_output;
using properties::Part;

constexpr const char* quadrature = "quadrature";
constexpr std::uint64_t t5_words = 32128, widest = 16384;
constexpr double said = 110, tolerance = 0.1;
constexpr std::array<std::uint64_t, 3> loss_vocabulary{100, 32128, 256000};
constexpr std::array<double, 2> loss_deviations{1.0, 0.02};
constexpr std::size_t most_curves = 8;
const Primitives primitives;

bool is_near(double loss) { return std::abs(loss - said) <= tolerance * said; }

double unit_loss(std::uint64_t d) { return primitives.loss(1.0, d, 1.0, t5_words).value; }

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
void measure_belief(Section& s) {
  const std::uint64_t first = first_width((1 - tolerance) * said);
  const std::uint64_t last = first_width((1 + tolerance) * said) - 1;
  const auto edge = [&](const char* which, std::uint64_t d) {
    s.measure("widths_near_110", {{"which", which}, {"vocabulary", t5_words}},
              static_cast<double>(d), "quadrature, bisection");
  };
  edge("first", first);
  edge("last", last);
  std::vector<std::uint64_t> widths;
  for (std::uint64_t d = 16; d <= widest; d += std::max<std::uint64_t>(1, d / 8))
    widths.push_back(d);
  const auto of_those = [&](bool near) {
    return over<Tally>(widths.size(), [&](std::uint64_t i) -> std::optional<bool> {
      const auto d = widths[i];
      if ((d >= first && d <= last) != near) return std::nullopt;
      return is_near(unit_loss(d)) != near;
    });
  };
  s.decide_none("near_110_missed", {{"widths", "near"}}, of_those(true), Part::belief, quadrature);
  s.decide_none("near_110_missed", {{"widths", "others"}}, of_those(false), Part::belief_elsewhere,
                quadrature);
  s.measure("said_loss", {}, said);
}

void measure_enclosure(Section& s) {
  Greatest worst;
  for (const std::uint64_t V : {2ull, 100ull, 32128ull, 256000ull, 1ull << 32})
    for (int k = -20; k <= 24; k += 4)
      worst.evaluate(
          [&] { return loss_share_of_bound(std::exp2(k / 4.0), 1, 1.0, V, primitives); });
  s.measure("worst_share_of_bound", {}, worst, "quadrature in an elementary enclosure",
            at_most(Part::statement, 1, worst.cases()));
}

/// A table of deviation σ whose logits are multiplied by c.
struct Way {
  double sigma;
  bool divides;

  double c(std::uint64_t d) const { return divides ? 1 / std::sqrt(static_cast<double>(d)) : 1; }
};

std::vector<Way> ways(const Options& options) {
  std::vector<Way> all;
  for (const double sigma : points(options.deviations, loss_deviations))
    all.push_back({sigma, false});
  all.push_back({1.0, true});
  return all;
}

void measure_losses(Section& s, std::uint64_t V, const Options& options) {
  for (const auto& way : ways(options))
    for (const auto d : points(options.widths, usual_widths)) {
      const double c = way.c(d), logit_std = c * way.sigma * std::sqrt(static_cast<double>(d));
      const auto [value, error] = primitives.loss(way.sigma, d, c, V);
      const Place at{{"vocabulary", V},
                     {"d_model", d},
                     {"standard_deviation", rounded(way.sigma, 4)},
                     {"logits_times", way.divides ? "d_model^-0.5" : "1"}};
      s.measure("initial_loss", at, Value(value).enclosed(error), quadrature);
      s.measure("loss_over_uniform", at, value - std::log(static_cast<double>(V)), quadrature);
      s.measure("annealed_loss", at, annealed(logit_std, V));
    }
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
      const std::string name = "σ = " + significant(sigma, 2) + ", V = " + count(V);
      s.sweep(quadrature, {{"curve", name}}, axis("d_model", points(options.widths, usual_widths)),
              [&](std::uint64_t d) {
                return Values{{"loss_curve", primitives.loss(sigma, d, 1, V).value}};
              });
    }
}

/// ln V + s²/2 less the quadrature, over s; 0 where it is below what the quadrature resolves.
void measure_annealed_error(Section& s, std::uint64_t V) {
  for (int k = -12; k <= 16; ++k) {
    const double share = std::exp2(k / 4.0), logit_std = share * change_of_regime(V);
    const auto [value, error] = primitives.loss(logit_std, 1, 1.0, V);
    const double off = annealed(logit_std, V) - value, resolved = off > 16 * error ? off : 0;
    const Place at{{"vocabulary", V}, {"s_over_change_of_regime", share}};
    s.measure("annealed_curve", at, resolved);
    if (k % 4 == 0) s.measure("annealed_error", at, resolved, quadrature);
  }
}

}  // namespace

void initial_loss(Section& s, const Options& options) {
  measure_belief(s);
  measure_enclosure(s);
  auto vocabularies = points(options.vocabulary, loss_vocabulary);
  for (const auto V : vocabularies) measure_losses(s, V, options);
  measure_curves(s, vocabularies, options);
  std::erase(vocabularies, 1);
  vocabularies.resize(std::min(vocabularies.size(), most_curves));
  for (const auto V : vocabularies) measure_annealed_error(s, V);
}

}  // namespace embedscale::tied_output_analysis
