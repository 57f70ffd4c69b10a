// Wrong judges of the second study's runs, and wrong steps, sizes and decay of a table.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::training {

using namespace testing;

namespace {

constexpr auto least = EMBEDSCALE_OPERATION(least_of);
constexpr auto line = EMBEDSCALE_OPERATION(slope);
constexpr auto size = EMBEDSCALE_OPERATION(token_size);
constexpr auto step = EMBEDSCALE_OPERATION(input_step);
constexpr auto ratio = EMBEDSCALE_OPERATION(recipe_ratio);
constexpr auto octaves = EMBEDSCALE_OPERATION(good_rates);
constexpr auto adams = EMBEDSCALE_OPERATION(adam);
constexpr auto adamws = EMBEDSCALE_OPERATION(adamw);

using Numbers = std::span<const double>;

std::size_t place_of_least(Numbers y) {
  return static_cast<std::size_t>(std::ranges::min_element(y) - y.begin());
}

}  // namespace

const Mutants<Primitives> recipe_mutants{
    {"takes_the_grid", "The least of the scan, no parabola.",
     changes(least, [](Least& to, Numbers x, Numbers y, double) { to.at = x[place_of_least(y)]; })},

    {"takes_distances_for_equal", "The parabola takes its three points for equally far apart.",
     changes(least,
             [](Least& to, Numbers x, Numbers y, double) {
               const auto k = place_of_least(y);
               if (!to.at_end) to.at = x[k] + vertex(y[k - 1], y[k], y[k + 1]) * (x[k + 1] - x[k]);
             })},

    {"passes_over_the_end", "A least at an end passes for one that was seen.",
     changes(least, [](Least& to, auto...) { to.at_end = false; })},

    {"is_slightly_beyond", "The place is high by a part in 2^30.",
     changes(least, [](Least& to, auto...) { to.at = high<30>(to.at); })},

    {"lets_cliffs_pull", "A neighbour counts as it is, however steep.",
     replaces(least, [](auto was, Numbers x, Numbers y, double) { return was(x, y, 0x1p60); })},

    {"takes_the_greatest", "Where the loss is greatest.",
     replaces(least,
              [](auto was, Numbers x, Numbers y, double steepest) {
                std::vector<double> turned;
                for (const double one : y) turned.push_back(-one);
                return was(x, turned, steepest);
              })},

    {"goes_twice_as_far", "Twice as far from the least of the scan as the parabola has it.",
     changes(least, [](Least& to, Numbers x, Numbers y,
                       double) { to.at += to.at - x[place_of_least(y)]; })},

    {"takes_the_ends", "The slope from the first point to the last.",
     changes(line, [](double& to, Numbers x,
                      Numbers y) { to = (y.back() - y.front()) / (x.back() - x.front()); })},

    {"goes_through_the_origin", "The slope of the line through 0.",
     changes(line,
             [](double& to, Numbers x, Numbers y) {
               to = std::inner_product(x.begin(), x.end(), y.begin(), 0.0) /
                    std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
             })},

    {"is_slightly_steep", "The slope is high by a part in 2^20.",
     changes(line, [](double& to, auto...) { to = high<20>(to); })},

    {"forgets_the_multiplier", "The table alone, without its multiplier.",
     replacing([](Primitives& to) {
       to.token_size = [](const Recipe& of) { return of.sigma; };
       to.input_step = [](const Recipe& of) { return of.table_rate; };
     })},

    {"forgets_sigma", "Every table has a deviation of 1.",
     changes(size, [](double& to, const Recipe& of) { to = of.multiplier; })},

    {"steps_by_the_entry", "A step is a share of the entry, not of its gradient's history alone.",
     replaces(adams,
              [](auto was, const auto& t, auto&... rest) {
                const auto change = t - was(t, rest...);
                return t - change * std::abs(t);
              })},

    {"leaves_the_bias", "The moments are not divided by 1 − β^k.",
     replaces(adams,
              []<class Real>(auto, const Real& t, const Real& g, const Adam<Real>& by,
                             Moments<Real>& state) {
                state.first = by.beta_1 * state.first + (1 - by.beta_1) * g;
                state.second = by.beta_2 * state.second + (1 - by.beta_2) * g * g;
                const Real divisor = std::sqrt(state.second) + by.epsilon;
                return t - (divisor > 0 ? by.rate * state.first / divisor : Real(0));
              })},

    {"has_epsilon_in_the_root", "ε is added to the mean square, not to its root.",
     replaces(adams,
              []<class Real>(auto was, const Real& t, const Real& g, Adam<Real> by,
                             Moments<Real>& state) {
                Moments<Real> copy = state;
                const Real epsilon = by.epsilon;
                by.epsilon = 0;
                const Real change = t - was(t, g, by, state);
                was(t, g, by, copy);
                const Real square = copy.second / (1 - copy.power_2);
                return square > 0 ? t - change * std::sqrt(square / (square + epsilon)) : t;
              })},

    {"decays_by_the_gradient", "Decay is a penalty, added to the gradient.",
     replaces(adamws,
              []<class Real>(auto was, const Real& t, const Real& g, AdamW<Real> by,
                             Moments<Real>& state) {
                by.adam.penalty = by.decay, by.decay = 0;
                return was(t, g, by, state);
              })},

    {"decays_whatever_the_rate", "Decay takes the same share at every rate.",
     replaces(adamws,
              []<class Real>(auto was, const Real& t, const Real& g, AdamW<Real> by,
                             Moments<Real>& state) {
                by.decay = by.decay * Real(0x1.4p-8) / by.schedule;
                return was(t, g, by, state);
              })},

    {"takes_learned_for_sinusoidal", "Positions of √½ where they are learned.",
     replaces(ratio,
              [](auto was, Recipe of) {
                of.family = Family::sinusoidal;
                return was(of);
              })},

    {"forgets_how_loud_positions_are", "Positions as they come, whatever multiplies them.",
     replaces(ratio,
              [](auto was, Recipe of) {
                of.positions = 1;
                return was(of);
              })},

    {"takes_the_ratio_upside_down", "Positions over tokens.",
     changes(ratio, [](double& to, auto...) { to = 1 / to; })},

    {"begins_slightly_early", "The rates begin a part in 2^20 too low.",
     changes(octaves, [](RateRange& to, auto...) { to.lower -= to.lower / (1 << 20); })},

    {"ends_at_the_grid", "The rates end at the last good one of the grid.",
     changes(octaves,
             [](RateRange& to, std::span<const Swept> sweep, double) {
               double lower = to.upper, upper = to.lower;
               for (const auto& at : sweep)
                 if (to.lower <= at.rate && at.rate <= to.upper)
                   lower = std::min(lower, at.rate), upper = std::max(upper, at.rate);
               to.lower = lower, to.upper = upper;
             })},

    {"has_slightly_more_margin", "Within 2^−20 nats more than it says.",
     replaces(octaves, [](auto was, std::span<const Swept> sweep,
                          double within) { return was(sweep, within + 0x1p-20); })},
};

}  // namespace embedscale::properties::training
