// Wrong arms, wrong settings of a folded table, and wrong judges of the runs.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::training {

using namespace testing;

namespace {

constexpr auto arms = EMBEDSCALE_OPERATION(parametrisation);
constexpr auto fold = EMBEDSCALE_OPERATION(folded);
constexpr auto way_back = EMBEDSCALE_OPERATION(add_look_up_gradient);
constexpr auto differences = EMBEDSCALE_OPERATION(paired_difference);
constexpr auto judge = EMBEDSCALE_OPERATION(judged);
constexpr auto seen = EMBEDSCALE_OPERATION(smallest_seen);
constexpr auto choice = EMBEDSCALE_OPERATION(own_rate);
constexpr auto range = EMBEDSCALE_OPERATION(good_rates);
constexpr auto reach = EMBEDSCALE_OPERATION(steps_to);

/// change(parametrisation, d) of one arm.
template <Arm which, class Change>
constexpr auto changes_arm(Change) {
  return changes(arms, [](auto& of, Arm arm, std::size_t, std::size_t d) {
    if (arm == which) Change{}(of, d);
  });
}

using Losses = std::span<const double>;
using Sweep = std::span<const Swept>;

/// Whether a run counts as having learnt nothing.
bool is_chance(double loss) {
  return loss == loss_of_chance(Task::text) || loss == loss_of_chance(Task::reverse);
}

std::vector<double> sorted(Losses losses) {
  std::vector<double> all(losses.begin(), losses.end());
  std::ranges::sort(all);
  return all;
}

}  // namespace

const Mutants<Primitives> mutants{
    {"multiplies_positions_in_down", "Positions are multiplied by √d where they are divided.",
     changes_arm<Arm::down>([](auto& of, auto) { std::swap(of.position_factor, of.divisor); })},

    {"divides_positions_by_slightly_less", "Positions in down are divided by 2^−20 too little.",
     changes_arm<Arm::down>([](auto& of, auto) { of.divisor -= of.divisor / (1 << 20); })},

    {"forgets_the_factor", "Up has no factor at the token.",
     changes_arm<Arm::up>([](auto& of, auto) { of.multiplier = 1; })},

    {"has_the_factor_at_a_table_of_one", "Up has the factor and a table of deviation 1.",
     changes_arm<Arm::up>([](auto& of, auto) { of.law = Normal{1.0}; })},

    {"takes_the_factor_an_ulp_low", "The factor at the token is an ulp low.",
     changes(arms,
             [](auto& of, auto...) {
               if (of.multiplier != 1) of.multiplier = moved_by_ulps(of.multiplier, -1.0);
             })},

    {"takes_the_factor_slightly_high", "The factor at the token is high by a part in 2^20.",
     changes(arms, [](auto& of, auto...) { of.multiplier = high<20>(of.multiplier); })},

    {"keeps_an_epsilon", "The norm has an ε of 10^−5 where none was asked for.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.normalize = [](optimizer::Norm norm, const Real& epsilon, auto... rows) {
         optimizer::normalize(norm, std::max(epsilon, Real(1e-5)), rows...);
       };
       to.normalize_gradient = [](optimizer::Norm norm, const Real& epsilon, auto... rows) {
         optimizer::normalize_gradient(norm, std::max(epsilon, Real(1e-5)), rows...);
       };
     })},

    {"detaches_the_multiplier", "The factor is applied outside of what is differentiated.",
     replaces(way_back, []<class Real>(auto was, auto tokens, auto slopes, const Real&,
                                       auto... to) { was(tokens, slopes, Real(1), to...); })},

    {"freezes_the_table", "The table is not trained.", replaces(way_back, [](auto&&...) {})},

    {"leaves_the_positions", "√d at the token alone, where it is meant at both parts.",
     changes_arm<Arm::positions_times_root_d>([](auto& of, auto) { of.position_factor = 1; })},

    {"halves_the_positions", "Positions are halved where they are doubled.",
     changes_arm<Arm::positions_doubled>(
         [](auto& of, auto) { std::swap(of.position_factor, of.divisor); })},

    {"doubles_the_multiplier", "The factor is doubled where it is halved.",
     changes_arm<Arm::multiplier_halved>([](auto& of, auto) { of.multiplier *= 4; })},

    {"draws_xavier_of_a_square", "Xavier's distribution of (V, V), as of a square matrix.",
     changes(arms,
             [](auto& of, Arm arm, std::size_t vocabulary, std::size_t) {
               if (arm == Arm::xavier) of.law = XavierUniform{vocabulary, vocabulary};
             })},

    {"leaves_the_rate", "The folded table is trained at the settings as they are.",
     changes_arm<Arm::folded_at_its_rate>([](auto& of, auto) { of.fold = 1; })},

    {"trains_folded_at_its_rate", "The folded table is at its own rate where equal ones are meant.",
     changes_arm<Arm::folded>([](auto& of, std::size_t d) {
       of.fold = static_cast<decltype(of.fold)>(std::sqrt(static_cast<double>(d)));
     })},

    {"folds_a_table_of_its_own_deviation", "No factor, but a table of deviation 1/√d.",
     changes(arms,
             [](auto& of, Arm arm, std::size_t, std::size_t d) {
               if (arm == Arm::folded || arm == Arm::folded_at_its_rate)
                 of.law = Normal{1.0 / std::sqrt(static_cast<double>(d))};
             })},

    {"leaves_epsilon", "ε as it was.",
     changes(fold,
             [](auto& settings, const auto& by, const auto&) {
               if (auto* adam = optimizer::adam_of(settings))
                 adam->epsilon = optimizer::adam_of(by)->epsilon;
             })},

    {"folds_slightly_high", "The rate of the folded table is high by a part in 2^20.",
     changes(fold,
             [](auto& settings, const auto&, const auto& m) {
               auto& rate = optimizer::rate_of(settings);
               if (m != 1) rate = high<20>(rate);
             })},
};

const Mutants<Primitives> judge_mutants{
    {"compares_sorted_arms", "Each arm is sorted by itself: the least against the least.",
     replaces(differences, [](auto was, Losses of, Losses against,
                              double alpha) { return was(sorted(of), sorted(against), alpha); })},

    {"drops_diverged_seeds", "Seeds at which either arm diverged are left out.",
     replaces(differences,
              [](auto was, Losses of, Losses against, double alpha) {
                std::vector<double> kept, kept_against;
                for (std::size_t i = 0; i < of.size(); ++i)
                  if (!is_chance(of[i]) && !is_chance(against[i]))
                    kept.push_back(of[i]), kept_against.push_back(against[i]);
                return kept.empty() ? was(of, against, alpha) : was(kept, kept_against, alpha);
              })},

    {"drops_the_last_seed", "The last seed is left out where there are others.",
     replaces(differences,
              [](auto was, Losses of, Losses against, double alpha) {
                const std::size_t n = of.size() > 1 ? of.size() - 1 : of.size();
                return was(of.first(n), against.first(n), alpha);
              })},

    {"spends_all_on_each_side", "An interval that misses by α on either side.",
     replaces(differences, [](auto was, Losses of, Losses against,
                              double alpha) { return was(of, against, 2 * alpha); })},

    {"takes_the_arms_the_other_way_round", "The difference has the other sign.",
     replaces(differences, [](auto was, Losses of, Losses against,
                              double alpha) { return was(against, of, alpha); })},

    {"is_slightly_narrow", "Both ends are nearer to the median by a part in 2^20.",
     changes(differences,
             [](Difference& to, auto...) {
               to.interval.lower += (to.median - to.interval.lower) / (1 << 20);
               to.interval.upper -= (to.interval.upper - to.median) / (1 << 20);
             })},

    {"calls_alike_what_is_open", "What is not shown to differ is said to be alike.",
     changes(judge,
             [](Finding& to, auto...) {
               if (to == Finding::open) to = Finding::alike;
             })},

    {"judges_by_the_median", "The median alone decides, whatever the interval is.",
     replaces(
         judge,
         [](auto was, const Difference& difference, double that_counts) {
           return was({difference.median, {difference.median, difference.median}}, that_counts);
         })},

    {"calls_higher_what_is_lower", "The two sides change places.",
     changes(judge,
             [](Finding& to, auto...) {
               to = to == Finding::lower    ? Finding::higher
                    : to == Finding::higher ? Finding::lower
                                            : to;
             })},

    {"lets_the_edge_be_alike", "An end that is as far off as counts is alike, too.",
     replaces(judge,
              [](auto was, const Difference& difference, double that_counts) {
                return was(difference, std::nextafter(that_counts, 2 * that_counts));
              })},

    {"gives_the_whole_width", "The smallest difference seen is the whole width.",
     changes(seen, [](double& to, auto...) { to *= 2; })},

    {"sees_slightly_less", "The smallest difference seen is low by a part in 2^20.",
     changes(seen, [](double& to, auto...) { to -= to / (1 << 20); })},

    {"picks_the_greatest_loss", "The rate of the greatest mean loss.",
     replaces(choice,
              [](auto, Sweep sweep) {
                return static_cast<std::size_t>(std::ranges::max_element(sweep, {}, mean_loss) -
                                                sweep.begin());
              })},

    {"picks_the_higher_of_equal_rates", "Of equally good rates the highest.",
     changes(choice,
             [](std::size_t& to, Sweep sweep) {
               for (std::size_t i = to; i < sweep.size(); ++i)
                 if (mean_loss(sweep[i]) == mean_loss(sweep[to])) to = i;
             })},

    {"stops_at_the_grid", "The range ends at the last good rate of the grid.",
     replaces(range,
              [](auto was, Sweep sweep, double within) {
                auto to = was(sweep, within);
                double lower = to.upper, upper = to.lower;
                for (const auto& at : sweep)
                  if (to.lower <= at.rate && at.rate <= to.upper)
                    lower = std::min(lower, at.rate), upper = std::max(upper, at.rate);
                return RateRange{lower, upper, to.cut_below, to.cut_above};
              })},

    {"ends_slightly_early", "Both ends within the range by a part in 2^20.",
     changes(range,
             [](RateRange& to, auto...) {
               if (!to.cut_below) to.lower = high<20>(to.lower);
               if (!to.cut_above) to.upper -= to.upper / (1 << 20);
             })},

    {"passes_over_a_bad_rate", "From the lowest good rate to the highest, bad ones between them.",
     changes(range,
             [](RateRange& to, Sweep sweep, double within) {
               const double limit = mean_loss(sweep[own_rate(sweep)]) + within;
               for (const auto& at : sweep)
                 if (mean_loss(at) <= limit)
                   to.lower = std::min(to.lower, at.rate), to.upper = std::max(to.upper, at.rate);
             })},

    {"says_that_no_range_is_cut", "An end of the grid passes for an end of the range.",
     changes(range, [](RateRange& to, auto...) { to.cut_below = to.cut_above = false; })},

    {"returns_the_end_where_never_reached", "What never gets there is as early as the end.",
     changes(reach, [](double& to, Losses, double, double steps) { to = std::min(to, steps); })},

    {"waits_for_the_evaluation", "The step of the evaluation, nothing between two of them.",
     changes(reach,
             [](double& to, Losses curve, double, double steps) {
               const double distance = steps / static_cast<double>(curve.size() - 1);
               to = distance * std::ceil(to / distance);
             })},

    {"takes_the_last_time", "The last time that the curve comes down, not the first.",
     replaces(reach,
              [](auto was, Losses curve, double threshold, double steps) {
                const double distance = steps / static_cast<double>(curve.size() - 1);
                double last = was(curve, threshold, steps);
                for (std::size_t k = 0; k + 1 < curve.size(); ++k)
                  if (curve[k] > threshold && curve[k + 1] <= threshold)
                    last = distance * (static_cast<double>(k) +
                                       (curve[k] - threshold) / (curve[k] - curve[k + 1]));
                return last;
              })},

    {"is_slightly_late", "A part in 2^40 too late.",
     changes(reach, [](double& to, auto...) { to = high<40>(to); })},
};

}  // namespace embedscale::properties::training
