// What each step, sum and norm of training has to give, as properties of any subject.
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "trials.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;
using primitives::rounding_of, primitives::wide;

/// The settings and what is remembered after `steps` steps, all of it numbers of the format.
template <class Real>
struct DrawnStep {
  int steps;
  Real t, g, v;
  Sgd<Real> sgd;
  Momentum<Real> momentum;
  AdamW<Real> adamw;
  Moments<Real> moments;
};

namespace {

constexpr auto in_a_format(auto body) { return of_one_format<Wide, double, float>(body); }

template <class Real>
DrawnStep<Real> drawn_step() {
  const Stream stream(named("numbers", draws()), "steps");
  const auto u = [&](std::uint64_t k) { return stream.uniform(k); };
  const auto real = [](double x) { return static_cast<Real>(x); };
  const int size = named("log2 g", in_range(-40, 12));
  const auto number = [&](std::uint64_t k, int exponent) {
    return drawn_number<Real>(stream, k, exponent);
  };
  const int before = named("steps before", in_range(0, 1001));
  const Real penalty = one_of("penalty", {"none", "some"}) == 0 ? Real(0) : real(u(1) / 4);
  const Real epsilon =
      real(std::array{0.0, 1e-8, 1.0 / 64}[one_of("epsilon", {"0", "10^-8", "1/64"})]);
  const Real rate = real(std::exp2(-10 * u(2)));
  const double beta_1 = u(3), beta_2 = 1 - u(4) / 8;
  const Adam<Real> adam{rate, real(beta_1), real(beta_2), epsilon, penalty};
  const bool first = named("first step", in_range(0, 4)) == 0;
  const int steps = first ? 0 : before;
  covers("first step", first, 0.15);
  covers("a penalty", penalty != Real(0), 0.3);
  return {steps,
          number(5, 1),
          number(6, size),
          number(7, size),
          {rate, penalty},
          {rate, real(u(8)), penalty},
          {adam, real(u(9) / 16), real(0.5 + u(10))},
          first ? Moments<Real>{}
                : Moments<Real>{number(11, size), real(std::ldexp(u(12), 2 * size)),
                                real(std::pow(beta_1, steps)), real(std::pow(beta_2, steps))}};
}

/// The parameter behind the step, and what it remembers.
template <class Real>
std::vector<Real> with(const Real& t, const Moments<Real>& state) {
  return {t, state.first, state.second, state.power_1, state.power_2};
}

/// x^n: a rounding of 50 digits for each bit of n.
Wide power(Wide x, int n) {
  Wide all(1);
  for (; n > 0; n /= 2, x = x * x)
    if (n % 2 == 1) all = all * x;
  return all;
}

/// Both kinds of Adam, where the powers of β are these up to so many roundings.
template <class Real>
void judge_adams(const Operations<Real>& of, const DrawnStep<Real>& at, const Wide& power_1,
                 const Wide& power_2, int roundings) {
  const auto in = rounding_of<Real>();
  const auto& [rate, beta_1, beta_2, epsilon, penalty] = at.adamw.adam;
  const Adam<Wide> adam{wide(rate), wide(beta_1), wide(beta_2), wide(epsilon), wide(penalty)};
  const Moments<Wide> moments{wide(at.moments.first), wide(at.moments.second), power_1, power_2};
  judge("Adam", primitives::adam(in, wide(at.t), wide(at.g), adam, moments, roundings), [&] {
    auto state = at.moments;
    const Real after = of.adam(at.t, at.g, at.adamw.adam, state);
    return with(after, state);
  });
  judge(
      "AdamW",
      primitives::adamw(in, wide(at.t), wide(at.g),
                        {adam, wide(at.adamw.decay), wide(at.adamw.schedule)}, moments, roundings),
      [&] {
        auto state = at.moments;
        const Real after = of.adamw(at.t, at.g, at.adamw, state);
        return with(after, state);
      });
}

}  // namespace

const Properties<Primitives> value_properties{
    {steps_are_their_formulas,
     "of_gradient_descent_and_momentum",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto at = drawn_step<Real>();
       const auto in = rounding_of<Real>();
       const Wide t = wide(at.t), g = wide(at.g);
       judge("descent", primitives::sgd(in, t, g, {wide(at.sgd.rate), wide(at.sgd.penalty)}),
             [&] { return std::vector{of.sgd(at.t, at.g, at.sgd)}; });
       const auto& by = at.momentum;
       judge("momentum",
             primitives::momentum(in, t, g, {wide(by.rate), wide(by.momentum), wide(by.penalty)},
                                  {wide(at.v)}),
             [&] {
               Velocity<Real> state{at.v};
               const Real after = of.momentum(at.t, at.g, by, state);
               return std::vector{after, state.v};
             });
     }),
     {"clips_gradients", "descends_by_signs", "averages_the_velocity"}},
    {steps_are_their_formulas,
     "of_adam_and_adamw",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto at = drawn_step<Real>();
       judge_adams(of, at, wide(at.moments.power_1), wide(at.moments.power_2), 0);
     }),
     {"leaves_bias_correction_out", "puts_epsilon_inside_the_root", "keeps_the_usual_epsilon",
      "clips_gradients_of_adam", "steps_slightly_too_far", "couples_the_decay",
      "decouples_the_penalty"}},
    /// Step k alone tells the powers of β, which a program may come to by k products.
    {steps_are_their_formulas,
     "of_adam_and_adamw_by_the_number_of_the_step",
     of_one_format<double, float>([]<class Real>(const Operations<Real>& of) {
       auto at = drawn_step<Real>();
       const auto& by = at.adamw.adam;
       at.moments.power_1 = at.moments.power_2 = Real(1);
       for (int k = 0; k < at.steps; ++k) {
         at.moments.power_1 = at.moments.power_1 * by.beta_1;
         at.moments.power_2 = at.moments.power_2 * by.beta_2;
       }
       judge_adams(of, at, power(wide(by.beta_1), at.steps), power(wide(by.beta_2), at.steps),
                   at.steps);
     }),
     {"leaves_bias_correction_out", "puts_epsilon_inside_the_root", "clips_gradients_of_adam",
      "couples_the_decay", "decouples_the_penalty"}},
    {parts_are_summed,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto parts = judge_combined<Real>(of);
       const auto& [e, p, m] = parts;
       // e and m·p, for a token that was looked up once.
       judge("table gradient",
             primitives::multiplied_up(rounding_of<Real>(), wide(p), wide(e), wide(m)), [&] {
               const std::array<std::size_t, 1> tokens{0};
               std::vector<Real> gradient{parts.e};
               of.add_look_up_gradient(tokens, std::array{parts.p}, parts.m, 1, gradient);
               return gradient;
             });
     }),
     {"reads_no_factor", "trains_without_positions", "detaches_the_multiplier", "up_is_0",
      "down_is_0", "sum_is_0"}},
    {norms_and_their_gradients,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto n = drawn_width<Real>(1, 512);
       const auto x = drawn_row_around<Real>(n, named("exponent", in_range(-8, 9)));
       const auto g = drawn_row<Real>(Stream(named("gradient", draws()), "gradient"), n, 0);
       const bool layer = one_of("norm", {"RMSNorm", "LayerNorm"}) == 1;
       const Norm norm = layer ? Norm::layer_norm : Norm::rms_norm;
       const Real epsilon = one_of("epsilon", {"0", "1/64"}) == 0 ? Real(0) : Real(1) / Real(64);
       covers("LayerNorm", layer, 0.25);
       const auto in = rounding_of<Real>();
       const auto placement = EpsilonPlacement::variance;
       std::vector<Real> out(n);
       judge("norm",
             (layer ? primitives::layer_norm : primitives::rms_norm)(in, wide(x), wide(epsilon),
                                                                     placement),
             [&] {
               of.normalize(norm, epsilon, x, out);
               return out;
             });
       judge("norm gradient",
             (layer ? primitives::layer_norm_gradient : primitives::rms_norm_gradient)(
                 in, wide(x), wide(g), wide(epsilon)),
             [&] {
               of.normalize_gradient(norm, epsilon, x, g, out);
               return out;
             });
     }),
     {"normalize_is_0", "normalize_gradient_is_0", "leaves_epsilon_out_of_the_norm"}},
};

}  // namespace embedscale::properties::optimizer
