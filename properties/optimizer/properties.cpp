// The attempts to refute the claims about training, with what each has to reject; and the beliefs
// that fail.
#include <cmath>
#include <limits>
#include <vector>

#include "claims.hpp"
#include "exact.hpp"
#include "model.hpp"
#include "step.hpp"
#include "trials.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

namespace {

/// One or more inputs of two channels, of one word; nothing else is trained.
Start<Rational> rational_start(std::size_t inputs = 2) {
  return {2,
          std::vector<std::size_t>(inputs, 0),
          named("p", channels(2 * inputs)),
          named("e", channels(2)),
          {}};
}

/// A loss that sees the directions of the inputs alone.
Quotients quotients() { return {{named("a", channels(2)), named("b", channels(2))}}; }

/// Any loss: a polynomial, which sees every factor.
Polynomial polynomial() {
  return {{named("a", channels(2)), named("c", rationals()), named("k", rationals())}};
}

/// Gradient descent or momentum, of small numbers: paths of rationals grow.
Optimiser<Rational> rational_optimiser(const Rational& penalty) {
  const auto rate = named("rate", positive_rationals());
  const bool heavy = named("momentum", in_range(0, 2)) != 0;
  const int mu = named("10 mu", in_range(1, 10));
  covers("gradient descent", !heavy, 0.3);
  covers("heavy ball", heavy, 0.3);
  if (heavy) return Momentum<Rational>{rate, Rational(mu) / Rational(10), penalty};
  return Sgd<Rational>{rate, penalty};
}

Run<Rational> up_at(const Rational& m, const Optimiser<Rational>& by) {
  return {Placing::up, m, by, by};
}

/// With a loss that sees the factor, one step of gradient descent at rate 1.
void one_step_agrees(Placing placing) {
  const auto start = rational_start();
  const auto up = up_at(named("m", nonzero_rationals()), Sgd<Rational>{Rational(1)});
  const Problem at{start, polynomial(), up};
  holds_exactly(at.deviation(with(up, placing), 1, Primitives{}) == 0);
}

std::size_t any_optimiser(std::size_t first = 0, std::size_t end = all_optimisers) {
  const auto which = named("optimiser", in_range(first, end));
  const double share = 0.6 / static_cast<double>(end - first);
  for (std::size_t k = first; k < end; ++k) covers(optimiser_names[k], which == k, share);
  return which;
}

/// √d in 50 digits, for the d of a multiplier; the width of the model is another.
Wide wide_root() { return sqrt(Wide(named("d of the factor", widths()))); }

enum class Follows { norm, anything };

/// A drawn model of two or three inputs, without a block: its loss, its norm, its start, and
/// `which` of the optimisers. What follows the sum starts with a norm that ignores a factor, or
/// with anything, and the loss is then one whose slopes are bounded.
template <class Real>
Problem<Real, Model<Real>> drawn(std::size_t which, const Real& m, Follows follows) {
  constexpr bool costly = !std::numeric_limits<Real>::is_iec559;
  const auto d = named("d", in_range<std::size_t>(3, costly ? 5 : 6));
  const auto loss = named("loss", in_range(0, 3));
  const auto norm = named("norm", in_range(0, 3));
  const auto i = named("draw", draws());
  covers("cross-entropy", loss == 2, 0.2);
  covers("bounded loss", loss == 1, 0.2);
  covers("RMSNorm", norm == 1, 0.2);
  const Stream stream(d, "models");
  Numbers numbers(stream, i);
  const Shape shape{costly ? 1u : 2u, costly ? 2u : 3u, d, 2};
  const auto first = norm == 1                  ? Norm::rms_norm
                     : norm == 2                ? Norm::layer_norm
                     : follows == Follows::norm ? Norm::rms_norm
                                                : Norm::none;
  auto kind = static_cast<Loss>(loss);
  if (first == Norm::none && kind == Loss::quadratic) kind = Loss::bounded;
  return drawn_problem(shape, m, which, first, kind, numbers);
}

/// A drawn model that sees a factor of the sum.
Problem<Wide, Model<Wide>> drawn_and_seen(std::size_t which, const Wide& m) {
  const auto seen = one_of(
      "seen by", {"no norm", "an epsilon in the norm", "a pre-norm block", "a post-norm block"});
  const Stream stream(seen, "seen factors");
  Numbers numbers(stream, named("draw", draws()));
  const Shape shape{1, 1, 4, 2};
  auto problem = drawn_problem(shape, m, which, seen == 1 ? Norm::rms_norm : Norm::none,
                               Loss::bounded, numbers);
  auto& model = problem.model;
  if (seen == 1) model.epsilon = Wide(1e-5);
  if (seen == 2) model.last = Norm::rms_norm;
  if (seen > 1)
    model.blocks.push_back(
        drawn_block<Wide>(shape.d, seen == 2 ? NormPlacement::pre : NormPlacement::post, numbers));
  return problem;
}

/// Of gradients as they come, or of a loss that is scaled so that their squares, or they
/// themselves, come near the least normal number of the format.
template <class Real>
Real drawn_loss_scale() {
  const int least = std::numeric_limits<Real>::min_exponent - 1;
  const auto size = one_of(
      "gradients", {"of any size", "squares near the least number", "near the least number"});
  const int off = named("log2 of the scale", in_range(-16, 17));
  return size == 0 ? Real(1) : std::ldexp(Real(1), off + (size == 1 ? least / 2 : least));
}

/// What becomes of paths of up to 128 steps in either format, of `up` and of what `other` makes of
/// it. The factor is 2^k, k from −3 to 7: √d of the widths 4^k, and their inverses.
template <class Other>
Bits bits_at_a_power_of_two(std::size_t which, Follows follows, const Primitives& subject,
                            const Other& other) {
  const double m = std::ldexp(1.0, named("k", in_range(-3, 8)));
  const int steps = named("steps", in_range(1, 129));
  const bool single = named("binary32", in_range(0, 2)) != 0;
  covers("binary32", single, 0.3);
  covers("over 64 steps", steps > 64, 0.3);
  const auto in = [&]<class Real>(Real factor) {
    auto at = drawn<Real>(which, factor, follows);
    at.model.loss_scale = drawn_loss_scale<Real>();
    if (named("no epsilon", in_range(0, 2)) != 0)
      for (auto* by : {&at.up.of_table, &at.up.of_head})
        if (auto* adam = adam_of(*by)) adam->epsilon = 0;
    // Beside it no step is too small to be seen.
    if (named("first word begins at 0", in_range(0, 2)) != 0)
      std::fill_n(at.start.table.begin(), at.start.d, Real(0));
    const auto bits = bits_of([&] { return at.same_bits(other(at.up), steps, subject); });
    const bool small = at.model.loss_scale < 1;
    covers("in range", bits.in_range, 0.27);
    covers("under- or overflows", !bits.in_range, 0.1);
    covers("small gradients, in range", small && bits.in_range, 0.06);
    return bits;
  };
  return single ? in(static_cast<float>(m)) : in(m);
}

/// The same bits where nothing under- or overflows: on both sides of that are many.
template <class Other>
void same_bits_at_a_power_of_two(std::size_t which, Follows follows, const Primitives& subject,
                                 const Other& other) {
  const auto bits = bits_at_a_power_of_two(which, follows, subject, other);
  holds_exactly(bits.same || !bits.in_range);
}

/// Without the condition.
template <class Other>
void same_bits_whatever_underflows(std::size_t which, Follows follows, const Other& other) {
  holds_exactly(bits_at_a_power_of_two(which, follows, Primitives{}, other).same);
}

constexpr auto as_folded = []<class Real>(const Run<Real>& up) {
  return folded_run<Real>(up, library<Real>);
};

/// Adam or AdamW without ε, of any β below 1.
template <class Real>
Adam<Real> without_epsilon(const Stream& stream, std::uint64_t i) {
  return {static_cast<Real>(std::ldexp(stream.uniform(i), -6)),
          static_cast<Real>(0.999 * stream.uniform(i + 1)),
          static_cast<Real>(0.999 * stream.uniform(i + 2)), Real(0)};
}

/// Up to twelve gradients of either sign, from 2^−10 to 1 in size.
template <class Real>
std::vector<Real> gradients(const Stream& stream, std::uint64_t i, std::size_t n) {
  std::vector<Real> g;
  for (std::size_t k = 0; k < n; ++k) {
    const double size =
        std::ldexp(0.5 + 0.5 * stream.uniform(i + 2 * k), -int(stream.below(10, i + 2 * k + 1)));
    g.push_back(static_cast<Real>(stream.bits(i + 2 * k) % 2 == 0 ? size : -size));
  }
  return g;
}

}  // namespace

const Properties<Primitives> properties{
    {belief_of(same_function_same_path),
     "one_function_with_one_gradient",
     [](const Primitives& subject) {
       const auto start = rational_start();
       const auto m = named("m", nonzero_rationals());
       const auto loss = quotients();
       const auto up = up_at(m, Sgd<Rational>{Rational(0)});
       holds_exactly(inputs_are_what_they_say(start, m, subject));
       holds_exactly(is_one_function(Problem{start, loss, up}, with(up, Placing::down), subject));
     },
     {"divides_positions_twice", "trains_without_positions", "detaches_the_multiplier",
      "rounds_the_factor_on_the_way_back", "divides_positions_by_slightly_less"}},
    {belief_of(same_function_same_path),
     "within_the_thirtieth_digit",
     [](const Primitives& subject) {
       const auto which = any_optimiser();
       const auto at = drawn<Wide>(which, wide_root(), Follows::norm);
       holds(at.share_of_thirtieth_digit(with(at.up, Placing::down), 2, subject));
     },
     {"rounds_the_factor_on_the_way_back", "keeps_epsilon_of_pytorch", "keeps_epsilon_of_24_digits",
      "divides_positions_by_slightly_less"},
     10},
    /// An ε in the norm, a residual stream, attention, or no norm, in 50 digits.
    {necessity_of(same_function_same_path),
     "paths_part_where_the_factor_is_seen",
     [](const Primitives& subject) {
       const auto which = any_optimiser();
       const Wide m = sqrt(Wide(named("d of the factor", widths({2, 1024}))));
       const auto at = drawn_and_seen(which, m);
       holds_exactly(at.deviation(with(at.up, Placing::down), 1, subject) > Wide(1e-30));
     },
     {"reads_no_factor", "leaves_epsilon_out_of_the_norm"},
     10},
    {same_function_same_path,
     "same_bits_at_powers_of_two",
     [](const Primitives& subject) {
       same_bits_at_a_power_of_two(any_optimiser(), Follows::norm, subject,
                                   [](const auto& up) { return with(up, Placing::down); });
     },
     {"keeps_epsilon_of_pytorch", "divides_positions_by_slightly_less",
      "takes_the_factor_an_ulp_low"},
     10},
    {folded_sgd_step,
     "one_function_with_m_times_the_gradient",
     [](const Primitives& subject) {
       const auto start = rational_start();
       const auto m = named("m", nonzero_rationals());
       const auto up = up_at(m, Sgd<Rational>{Rational(0)});
       holds_exactly(inputs_are_what_they_say(start, m, subject));
       holds_exactly(gradient_ratio(m, subject) == m);
       holds_exactly(
           is_one_function(Problem{start, polynomial(), up}, with(up, Placing::folded), subject));
     },
     {"detaches_the_multiplier", "rounds_the_factor_on_the_way_back", "trains_without_positions"}},
    /// Three steps: the state of momentum is then one of two gradients.
    {belief_of(folded_sgd_step),
     "exact_paths_agree_at_m_squared",
     [](const Primitives& subject) {
       const auto start = rational_start();
       const auto m = named("m", nonzero_rationals());
       const auto up = up_at(m, rational_optimiser(named("lambda", rationals())));
       holds_exactly(
           Problem{start, polynomial(), up}.deviation(folded_run(up, subject), 3, subject) == 0);
     },
     {"leaves_the_settings", "folds_by_the_other_rule", "leaves_the_penalty",
      "folds_the_penalty_as_a_decay", "clips_gradients", "folds_slightly_low"},
     5},
    {necessity_of(folded_sgd_step),
     "steps_follow_the_gradient_and_agree_at_no_other_rate",
     [](const Primitives& subject) {
       const auto start = rational_start();
       const auto m = named("m", nonzero_rationals());
       const auto v = named("v", rationals());
       const auto lambda = named("lambda", rationals());
       const auto rate = named("rate", positive_rationals());
       holds_exactly(steps_are_what_they_say(
           start.table[0], start.positions[0],
           Momentum<Rational>{rate, Rational(9) / Rational(10), lambda}, v, subject));
       const auto ratio = named("ratio of rates", positive_rationals());
       const Problem at{start, polynomial(), up_at(m, rational_optimiser(lambda))};
       covers("a penalty pulls", lambda != 0 && m * m != 1, 0.5);
       const auto penalties = named("ratio of penalties", positive_rationals());
       const Rational square = m * m, inverse = 1 / square, same = 1;
       holds_exactly(settings_agree_where_stated(at,
                                                 {{same, same},
                                                  {same, inverse},
                                                  {ratio, same},
                                                  {ratio, inverse},
                                                  {m, same},
                                                  {m, inverse},
                                                  {square, same},
                                                  {square, inverse},
                                                  {square, 1 / m},
                                                  {square, penalties}},
                                                 subject));
     },
     {"descends_by_signs", "averages_the_velocity", "detaches_the_multiplier", "decays_a_little",
      "ignores_the_penalty"}},
    {folded_sgd_step,
     "same_bits_at_powers_of_two",
     [](const Primitives& subject) {
       same_bits_at_a_power_of_two(
           any_optimiser(0, 2), Follows::anything, subject,
           [&]<class Real>(const Run<Real>& up) { return folded_run<Real>(up, subject); });
     },
     {"leaves_the_settings", "leaves_the_penalty", "takes_the_factor_an_ulp_low"},
     10},
    {folded_adam_step,
     "within_the_thirtieth_digit_at_m",
     [](const Primitives& subject) {
       const auto which = any_optimiser(2, 4);
       const bool by_schedule = named("rate multiplies decay", in_range(0, 2)) != 0 && which == 3;
       covers("rate multiplies decay", by_schedule, 0.15);
       auto at = drawn<Wide>(which, wide_root(), Follows::anything);
       auto& by = at.up.of_table;
       const int digits = named("-log2 epsilon", in_range(0, 40));
       const bool penalized = named("penalty", in_range(0, 2)) != 0;
       adam_of(by)->epsilon = ldexp(Wide(1), -digits);
       penalty_of(by) = penalized ? Wide(1) / Wide(8) : Wide(0);
       if (by_schedule) by = scheduled(std::get<AdamW<Wide>>(by), Wide(1) / Wide(16));
       auto folded = folded_run(at.up, subject);
       if (by_schedule)
         folded.of_table =
             subject.of<Wide>().folded_by_schedule(std::get<AdamW<Wide>>(by), at.up.m);
       holds(at.share_of_thirtieth_digit(folded, 2, subject));
     },
     {"leaves_the_settings", "folds_by_the_other_rule", "leaves_the_penalty",
      "folds_the_penalty_as_a_decay", "leaves_epsilon", "folds_the_decay_once_more",
      "puts_epsilon_inside_the_root", "couples_the_decay", "decouples_the_penalty",
      "folds_slightly_low"},
     10},
    {folded_adam_step,
     "same_bits_at_powers_of_two",
     [](const Primitives& subject) {
       same_bits_at_a_power_of_two(
           any_optimiser(first_adam), Follows::anything, subject,
           [&]<class Real>(const Run<Real>& up) { return folded_run<Real>(up, subject); });
     },
     {"leaves_epsilon", "leaves_the_penalty", "folds_the_penalty_as_a_decay", "couples_the_decay",
      "decouples_the_penalty", "clips_gradients_of_adam", "folds_slightly_low"},
     10},
    /// In 50 digits, gradients and ε over many decades: one is negligible beside the other, or not.
    {folded_adam_step,
     "first_steps_differ_as_stated",
     [](const Primitives& subject) {
       const auto which = any_optimiser(2, 4);
       const Wide m = sqrt(Wide(named("d of the factor", widths_by_size({1, 16384}))));
       const int size = named("log2 g", in_range(-64, 10));
       const auto i = named("g", draws());
       covers("g below epsilon", size < -32, 0.2);
       covers("g above epsilon", size > -16, 0.2);
       const Stream stream(0, "gradients");
       const Wide g = Wide(stream.uniform(i)) * ldexp(Wide(i % 2 == 0 ? 1 : -1), size);
       holds(input_step_share(settings_of<Wide>(which, 1.0, 1e-8), g, m, subject));
     },
     {"puts_epsilon_inside_the_root", "leaves_bias_correction_out", "clips_gradients_of_adam"}},
    /// With ε = 0 and no penalty, by powers of two, so that nothing is rounded otherwise.
    {necessity_of(relative_step),
     "adam_ignores_a_factor_of_the_gradients",
     [](const Primitives& subject) {
       const int k = named("log2 factor", in_range(-8, 9));
       const auto n = named("steps", in_range<std::size_t>(1, 13));
       const auto i = named("draw", draws());
       covers("above 1", k > 0, 0.3);
       covers("below 1", k < 0, 0.3);
       const Stream stream(n, "steps");
       const auto in = [&]<class Real>(Real factor) {
         const auto adam = without_epsilon<Real>(stream, i);
         const auto g = gradients<Real>(stream, i + 8, n);
         const Real t = static_cast<Real>(stream.uniform(i + 3));
         for (const auto& by :
              {Optimiser<Real>(adam), Optimiser<Real>(AdamW<Real>{adam, Real(0.125)})})
           holds_exactly(stepped<Real>(by, t, g, subject) ==
                         stepped<Real>(by, t, times(factor, g), subject));
       };
       in(static_cast<float>(std::ldexp(1.0, k)));
       in(std::ldexp(1.0, k));
     },
     {"keeps_the_usual_epsilon", "clips_gradients_of_adam", "couples_the_decay"}},
    /// In 50 digits: by less than the factor, and by the more of it the smaller gradients are.
    {belief_of(relative_step),
     "an_epsilon_lets_a_part_of_the_factor_through",
     [](const Primitives& subject) {
       const auto which = any_optimiser(first_adam, adam_with_l2);
       const Wide m = sqrt(Wide(named("d of the factor", widths_by_size({2, 16384}))));
       const int size = named("log2 g", in_range(-64, 10));
       const int digits = named("-log2 epsilon", in_range(0, 40));
       const Stream stream(named("g", draws()), "gradients");
       const Wide g = Wide(0.5 + stream.uniform(0)) * ldexp(Wide(1), size);
       covers("g below epsilon", size < -digits, 0.2);
       covers("g above epsilon", size > -digits, 0.2);
       auto by = settings_of<Wide>(which, 1.0, 0.0);
       adam_of(by)->epsilon = ldexp(Wide(1), -digits);
       holds(input_step_share(by, g, m, subject));
       const Wide longer = relative_step_ratio(by, g, m, subject);
       holds_exactly(1 < longer && longer < m);
     },
     {"ignores_epsilon", "puts_epsilon_inside_the_root", "leaves_bias_correction_out"}},
    {relative_step,
     "first_step_is_the_rate_over_sigma",
     [](const Primitives& subject) {
       const int k = named("log2 sigma", in_range(-10, 4));
       const auto n = named("entries", in_range<std::size_t>(1, 13));
       const auto i = named("draw", draws());
       covers("sigma below 1/16", k < -4, 0.3);
       const Stream stream(n, "first steps");
       const auto in = [&]<class Real>(Real scale) {
         const Real sigma = scale * static_cast<Real>(0.5 + stream.uniform(i + 3));
         holds(relative_step_share<Real>(without_epsilon<Real>(stream, i), sigma,
                                         gradients<Real>(stream, i + 8, n), subject));
       };
       in(static_cast<float>(std::ldexp(1.0, k)));
       in(std::ldexp(1.0, k));
     },
     {"leaves_bias_correction_out", "keeps_the_usual_epsilon", "steps_slightly_too_far"}},
    {belief_of(relative_step),
     "descent_carries_a_factor_of_the_gradients",
     [](const Primitives& subject) {
       const auto factor = named("factor", nonzero_rationals());
       const auto g = named("g", channels(12));
       const auto t = named("e", rationals());
       const auto by = rational_optimiser(Rational(0));
       const auto one = stepped<Rational>(by, t, g, subject);
       const auto other = stepped<Rational>(by, t, times(factor, g), subject);
       for (std::size_t k = 0; k < g.size(); ++k)
         holds_exactly(other[k] - t == factor * (one[k] - t));
     },
     {"descends_by_signs", "clips_gradients", "decays_a_little"}},
};

const Beliefs beliefs{
    {same_function_same_path, "that_it_does_whatever_follows",
     [] { one_step_agrees(Placing::down); }},
    {beside(same_function_same_path), "that_powers_of_two_keep_bits_whatever_underflows",
     [] {
       same_bits_whatever_underflows(any_optimiser(), Follows::norm,
                                     [](const auto& up) { return with(up, Placing::down); });
     }},
    /// The rate as it was.
    {folded_sgd_step, "that_the_rate_may_stay", [] { one_step_agrees(Placing::folded); }},
    {beside(folded_sgd_step), "that_powers_of_two_keep_bits_whatever_underflows",
     [] { same_bits_whatever_underflows(any_optimiser(0, 2), Follows::anything, as_folded); }},
    {beside(folded_adam_step), "that_powers_of_two_keep_bits_whatever_underflows",
     [] {
       same_bits_whatever_underflows(any_optimiser(first_adam), Follows::anything, as_folded);
     }},
    /// One step of Adam from a table of one entry, at ∂L/∂x = 1 and rate 1/8, with and without m.
    {folded_adam_step, "that_equal_settings_do_the_same",
     [] {
       const double m = named("m", in_range(1, 64));
       const Optimiser<double> adam = Adam<double>{0.125, 0.5, 0.75, 0.0};
       holds_exactly(input_step_ratio(adam, 1.0, m, Primitives{}) == 1.0);
     }},
    /// With the factor the first step of Adam is longer.
    {relative_step, "that_the_factor_lengthens_a_step_of_adam",
     [] {
       const double m = named("m", in_range(2, 64));
       const Optimiser<double> adam = Adam<double>{0.125, 0.5, 0.75, 0.0};
       holds_exactly(relative_step_ratio(adam, 1.0, m, Primitives{}) > 1.0);
     }},
};

Trials trials() { return trials_of(joined(properties, value_properties), mutants, beliefs); }

}  // namespace embedscale::properties::optimizer
