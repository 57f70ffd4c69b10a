// The attempts to refute what is stated of the second study: where a scan is least, how a curve
// grows, and what a table's size, rate and decay do in a step.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "../testing/rows.hpp"
#include "claims.hpp"
#include "trials.hpp"

namespace embedscale::properties::training {

using namespace testing;

namespace {

constexpr double u = unit_roundoff<double>;

/// Ascending numbers of 1/8, 1/8 to 1 apart.
std::vector<double> ascending(std::size_t n) {
  std::vector<double> x;
  double at = 0;
  for (const int gap : named("8 gaps", list_of(n, in_range(1, 9)))) x.push_back(at += gap / 8.0);
  return x;
}

/// A power of two from 1/8 to 64.
double power_of_two() { return std::ldexp(1.0, named("log2 m", in_range(-3, 7))); }

/// −1 or 1, times 2^-30 to 1.
double gradient(int exponent, bool is_negative) {
  return std::ldexp(is_negative ? -1.0 : 1.0, exponent);
}

/// What one first step of Adam, without ε, moves m·t by, as a share of what is off its bound: m·k
/// rates against the gradient.
///
/// Each moment is g times 1 − β, β rounded or not, and is divided by the same 1 − β: two roundings
/// each, and a root halves those of the second, whose square adds one: mean/root is 1 within 5u.
/// Two more are the divisor and the quotient, one the rate; t and the difference are rounded to u
/// of |t| + the step each.
double first_step_share(const Primitives& subject, const Recipe& recipe, double rate, double t,
                        double g) {
  const Adam<double> by{rate * recipe.table_rate, 0.9, 0.98, 0};
  Moments<double> state;
  const double moved = recipe.multiplier * (t - subject.of<double>().adam(t, g, by, state));
  const double meant = subject.input_step(recipe) * rate * (g > 0 ? 1 : -1);
  const double bound =
      1.01 * u * (9 * std::abs(meant) + 2 * recipe.multiplier * (std::abs(t) + by.rate));
  return std::abs(moved - meant) / bound;
}

/// |slope − meant| as a share of its bound. X, Y the greatest: means are off by uX, uY, deviations
/// of at most 2X by 3uX, products by 16uXY, sums of n of them by (n − 1)u of n·4XY more:
/// (16n + 4n²)u·XY <= 12n²u·XY, and with X for Y in the divisor, Σ(x − mean)²; `meant` and the
/// quotient have 3u.
double slope_share(const Primitives& subject, const std::vector<double>& x,
                   const std::vector<double>& y, double meant) {
  double sum = 0, squares = 0, most_x = 0, most_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i], squares += x[i] * x[i];
    most_x = std::max(most_x, std::abs(x[i])), most_y = std::max(most_y, std::abs(y[i]));
  }
  const double n = static_cast<double>(x.size()), divisor = squares - sum * sum / n;
  const double both = most_x * (most_y + std::abs(meant) * most_x) / divisor;
  const double bound = 1.01 * 12 * n * n * u * both + 3 * u * std::abs(meant) + 0x1p-1000;
  return std::abs(subject.slope(x, y) - meant) / bound;
}

}  // namespace

const Properties<Primitives> recipe_properties{
    /// y = a(x − c)² in numbers that are exact: c, but for one quotient and one sum.
    {best_multiplier,
     "a_parabola_is_least_at_its_vertex",
     [](const Primitives& subject) {
       const auto x = ascending(named("points", in_range<std::size_t>(3, 11)));
       const auto sixtyfour = [](double at) { return static_cast<int>(64 * at); };
       const double c =
           named("64 c", in_range(sixtyfour(x.front()) - 8, sixtyfour(x.back()) + 8)) / 64.0;
       const double a = named("4 a", in_range(1, 9)) / 4.0;
       std::vector<double> y;
       for (const double one : x) y.push_back(a * (one - c) * (one - c));
       const auto found = subject.least_of(x, y, 0x1p30);
       const auto least = static_cast<std::size_t>(std::ranges::min_element(y) - y.begin());
       const bool is_end = least == 0 || least + 1 == x.size();
       covers("between two", !is_end && x[least] != c, 0.3);
       covers("an end", is_end, 0.1);
       holds_exactly(found.at_end == is_end);
       if (is_end)
         holds_exactly(found.at == x[least]);
       else
         holds(std::abs(found.at - c) / (1.01 * u * (std::abs(c - x[least]) + c)));
     },
     {"takes_the_grid", "takes_distances_for_equal", "passes_over_the_end", "is_slightly_beyond"}},

    /// Losses of any shape, and neighbours beyond the steepest.
    {best_multiplier,
     "the_least_is_near_and_cliffs_do_not_pull",
     [](const Primitives& subject) {
       const auto n = named("points", in_range<std::size_t>(3, 11));
       const auto x = ascending(n);
       std::vector<double> y;
       for (const int k : named("losses", list_of(n, in_range(0, 64)))) y.push_back(k / 64.0);
       const double steepest = 0.5;
       const auto k = static_cast<std::size_t>(std::ranges::min_element(y) - y.begin());
       const auto found = subject.least_of(x, y, steepest);
       if (k > 0) holds_exactly(found.at - x[k] >= -(x[k] - x[k - 1]) / 2);
       if (k + 1 < n) holds_exactly(found.at - x[k] <= (x[k + 1] - x[k]) / 2);
       auto higher = y, cliffs = y;
       for (double& one : higher) one += 3;
       for (double& one : cliffs)
         if (one >= y[k] + steepest) one += 100;
       covers("a cliff beside the least",
              (k > 0 && y[k - 1] > y[k] + steepest) || (k + 1 < n && y[k + 1] > y[k] + steepest),
              0.2);
       holds_exactly(subject.least_of(x, higher, steepest).at == found.at);
       holds_exactly(subject.least_of(x, cliffs, steepest).at == found.at);
     },
     {"lets_cliffs_pull", "takes_the_greatest", "goes_twice_as_far"}},

    /// (nΣxy − ΣxΣy)/(nΣx² − (Σx)²) of whole numbers.
    {gap_closes,
     "slope_is_that_of_least_squares",
     [](const Primitives& subject) {
       const auto n = named("points", in_range<std::size_t>(2, 7));
       std::vector<double> x, y;
       double at = -8;
       for (const int gap : named("gaps", list_of(n, in_range(1, 4)))) x.push_back(at += gap);
       for (const int k : named("values", list_of(n, in_range(-99, 100)))) y.push_back(k);
       double sum_x = 0, sum_y = 0, products = 0, squares = 0;
       for (std::size_t i = 0; i < n; ++i)
         sum_x += x[i], sum_y += y[i], products += x[i] * y[i], squares += x[i] * x[i];
       const double size = static_cast<double>(n), divisor = size * squares - sum_x * sum_x;
       holds(slope_share(subject, x, y, (size * products - sum_x * sum_y) / divisor));
       covers("more than two", n > 2, 0.5);
     },
     {"takes_the_ends", "goes_through_the_origin", "is_slightly_steep"}},

    {width_transfer,
     "exponent_of_a_power_law",
     [](const Primitives& subject) {
       const int from = named("log2 of the least width", in_range(3, 8));
       const double exponent = named("8 exponent", in_range(-16, 17)) / 8.0;
       const int end = from + named("widths", in_range(2, 6));
       std::vector<double> x, y;
       for (int k = from; k < end; ++k) x.push_back(k), y.push_back(exponent * k - 5);
       holds(slope_share(subject, x, y, exponent));
     },
     {"goes_through_the_origin", "is_slightly_steep"}},

    {width_transfer,
     "first_step_of_up_and_folded",
     [](const Primitives& subject) {
       const auto d = std::size_t{1} << (2 * named("log4 d", in_range(1, 6)));
       const double root = std::sqrt(static_cast<double>(d)), rate = 1e-3;
       const double g = gradient(named("log2 g", in_range(-30, 1)), false);
       Recipe of;
       of.d = d;
       const auto up = up_recipe(of), folded = folded_recipe(of);
       holds_exactly(subject.input_step(up) == root && subject.input_step(folded) == 1);
       holds_exactly(subject.token_size(up) == 1 && subject.token_size(folded) == 1);
       holds(first_step_share(subject, up, rate, 0.5 / root, g));
       holds(first_step_share(subject, folded, rate, 0.5, g));
     },
     {"steps_by_the_entry", "leaves_the_bias", "forgets_the_multiplier", "forgets_sigma"}},

    {table_rate,
     "first_step_is_m_times_the_tables_rate",
     [](const Primitives& subject) {
       Recipe of;
       of.multiplier = power_of_two();
       of.table_rate = named("8 k", in_range(1, 65)) / 8.0;
       const double g = gradient(named("log2 g", in_range(-30, 1)), named("sign", in_range(0, 2)));
       const double t = named("64 t", in_range(-64, 65)) / 64.0;
       holds_exactly(subject.input_step(of) == of.multiplier * of.table_rate);
       holds(first_step_share(subject, of, 0x1p-8, t, g));
     },
     {"steps_by_the_entry", "leaves_the_bias", "forgets_the_multiplier"}},

    /// The same gradients to x = m·e and to x = e′, so that e has m times those of e′.
    {table_rate,
     "a_table_rate_of_one_mth_is_folding",
     [](const Primitives& subject) {
       const double m = power_of_two(), rate = 0x1.8p-6, epsilon = 0x1p-10;
       const Adam<double> of_up{rate / m, 0.9, 0.98, m * epsilon},
           of_folded{rate, 0.9, 0.98, epsilon};
       double up = 0.25, folded = m * up;
       Moments<double> state, other;
       const auto adam = subject.of<double>().adam;
       for (const int k : named("gradients", list_of(12, in_range(-40, 41)))) {
         const double g = std::ldexp(k, -12);
         up = adam(up, m * g, of_up, state);
         folded = adam(folded, g, of_folded, other);
         holds_exactly(folded == m * up);
       }
     },
     {"steps_by_the_entry", "has_epsilon_in_the_root"}},

    {rotary_models,
     "kept_folded_and_dropped_start_alike",
     [](const Primitives& subject) {
       const auto d = std::size_t{1} << (2 * named("log4 d", in_range(1, 6)));
       const auto family = named("learned", in_range(0, 2)) != 0 ? Family::learned : Family::rotary;
       const auto all = at_sigmas({.family = family, .d = d});
       const double root = std::sqrt(static_cast<double>(d));
       const auto size = [&](std::size_t i) { return subject.token_size(all[i].recipe); };
       const auto step = [&](std::size_t i) { return subject.input_step(all[i].recipe); };
       holds_exactly(size(0) == learned_sigma && size(1) == root * size(0) && size(2) == size(1) &&
                     size(3) == size(0));
       holds_exactly(step(0) == 1 && step(1) == root && step(2) == 1 && step(3) == root);
       if (family == Family::learned) return;
       holds_exactly(size(4) == 1 / root && size(5) == 1 && size(6) == 1 && size(7) == root);
       holds_exactly(step(4) == 1 && step(5) == root && step(6) == 1 && step(7) == root);
     },
     {"forgets_the_multiplier", "forgets_sigma"}},

    /// λ·t and η of it are two roundings of at most a part in 30 of t, their difference from t, its
    /// quotient by t and what is meant, of two products and a difference, each u or less: below 6u.
    {rotary_models,
     "decay_takes_a_share_of_the_table",
     [](const Primitives& subject) {
       const double k = power_of_two(), rate = 0x1.4p-8,
                    t = std::ldexp(1.25, named("log2 t", in_range(-9, 3)));
       AdamW<double> by{
           {1, decoder_beta_1, decoder_beta_2, decoder_epsilon}, decoder_decay, k * rate};
       Moments<double> state;
       const double left = subject.of<double>().adamw(t, 0.0, by, state) / t;
       holds(std::abs(left - (1 - k * rate * decoder_decay)) / (6 * u));
     },
     {"decays_by_the_gradient", "decays_whatever_the_rate"}},

    /// Of the tables 0.02, 0.01, m·σ, its quotient and that by what is meant: 5u; √d is one number
    /// in both. Of sinusoids σ, c/√2, the ratio and three operations here: 6u, and √2 twice.
    {learned_positions,
     "ratio_is_that_of_the_tables",
     [](const Primitives& subject) {
       const auto d = named("d", widths());
       const double root = std::sqrt(static_cast<double>(d));
       const auto all = at_sigmas({.family = Family::learned, .d = d});
       for (std::size_t i = 0; i < all.size(); ++i) {
         const double meant = i == 1 || i == 2 ? 2 * root : 2;  // kept and folded
         holds(std::abs(subject.recipe_ratio(all[i].recipe) / meant - 1) / (1.01 * 6 * u));
       }
       Recipe of = unscaled_recipe({.d = d});
       of.positions = named("8 c", in_range(1, 65)) / 8.0;
       holds(std::abs(subject.recipe_ratio(of) * root * of.positions / std::numbers::sqrt2 - 1) /
             (1.01 * 8 * u));
     },
     {"takes_learned_for_sinusoidal", "forgets_how_loud_positions_are",
      "takes_the_ratio_upside_down"}},

    /// A loss of s/64 an octave to either side: within w/64 it is K = 2·w/s octaves. Each end is a
    /// pow and a product, within 3u, of a share that is a quotient, within K/2·u octaves: log2 of
    /// their quotient is within 7u/ln 2 + K·u and an ulp, 2K·u; what is meant has K·u. The middle
    /// has 3u from either end and a product: 7u.
    {robust_rate,
     "octaves_of_a_wedge",
     [](const Primitives& subject) {
       const int s = named("slope", in_range(4, 17)), w = named("margin", in_range(1, 13));
       const double unit = power_of_two();
       std::vector<Swept> sweep, steeper;
       for (int k = -4; k <= 4; ++k) {
         const double rate = unit * std::ldexp(1.0, k), loss = std::abs(k) * s / 64.0;
         sweep.push_back({rate, {1 + loss}}), steeper.push_back({rate, {1 + 2 * loss}});
       }
       const auto range = subject.good_rates(sweep, w / 64.0),
                  narrow = subject.good_rates(steeper, w / 64.0);
       const double octaves = std::log2(range.upper / range.lower);
       holds_exactly(!range.cut_below && !range.cut_above);
       const double meant = 2.0 * w / s, bound = 1.01 * u * (7 / std::numbers::ln2 + 4 * meant);
       holds(std::abs(octaves - meant) / bound);
       holds_exactly(range.lower <= narrow.lower && narrow.upper <= range.upper);
       holds(std::abs(range.upper * range.lower / (unit * unit) - 1) / (8 * u));
     },
     {"ends_at_the_grid", "has_slightly_more_margin", "begins_slightly_early"}},
};

}  // namespace embedscale::properties::training
