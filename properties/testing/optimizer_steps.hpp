#pragma once
// The attempts to refute what is stated of Adam on a folded table, and of steps relative to a
// table.
#include <cmath>
#include <vector>

#include "optimizer.hpp"

namespace embedscale::properties::testing {

/// AdamW whose learning rate multiplies the decay as well, as PyTorch has it.
template <class Real>
optimizer::Optimiser<Real> scheduled(const optimizer::Optimiser<Real>& by) {
  auto adamw = std::get<AdamW<Real>>(by);
  adamw.schedule = adamw.adam.rate;
  adamw.adam.rate = Real(1);
  adamw.decay = Real(1) / Real(16);
  return adamw;
}

/// Adam with a penalty in one half of the cases; AdamW in its paper's spelling.
template <class Real>
void with_a_penalty(optimizer::Optimiser<Real>& by) {
  const bool penalized = generators::named("penalty", generators::in_range(0, 2)) != 0;
  const Real lambda = penalized ? Real(1) / Real(8) : Real(0);
  if (auto* adam = std::get_if<Adam<Real>>(&by)) adam->penalty = lambda;
  if (auto* adamw = std::get_if<AdamW<Real>>(&by)) adamw->adam.penalty = lambda;
}

/// ε beside gradients of every size: it has to be folded, too.
template <class Real>
void with_an_epsilon(optimizer::Optimiser<Real>& by) {
  const int digits = generators::named("-log2 epsilon", generators::in_range(0, 40));
  const Real epsilon = static_cast<Real>(std::ldexp(1.0, -digits));
  if (auto* adam = std::get_if<Adam<Real>>(&by)) adam->epsilon = epsilon;
  if (auto* adamw = std::get_if<AdamW<Real>>(&by)) adamw->adam.epsilon = epsilon;
}

/// The folded run of AdamW where its learning rate multiplies the decay.
template <class Real, class Subject>
optimizer::Run<Real> scheduled_run(const optimizer::Run<Real>& up, const Subject& subject) {
  return {optimizer::Placing::folded, up.m,
          subject.folded_by_schedule(std::get<AdamW<Real>>(up.of_table), up.m), up.of_head};
}

EXPENSIVE_PROPERTY(optimizer, folded_adam_step, within_the_thirtieth_digit_at_m, 10) {
  const auto which = any_optimiser(2, 4);
  const bool by_schedule =
      generators::named("rate multiplies decay", generators::in_range(0, 2)) != 0 && which == 3;
  covers("rate multiplies decay", by_schedule, 0.15);
  auto at = drawn<Wide>(which, wide_root(), Follows::anything);
  with_an_epsilon(at.up.of_table);
  with_a_penalty(at.up.of_table);
  if (by_schedule) at.up.of_table = scheduled(at.up.of_table);
  const auto folded = by_schedule ? scheduled_run(at.up, subject) : folded_run(at.up, subject);
  holds(
      optimizer::share_of_thirtieth_digit(at.start, at.up, folded, at.slopes(subject), 2, subject));
}

EXPENSIVE_PROPERTY(optimizer, folded_adam_step, same_bits_at_powers_of_two, 10) {
  same_bits_at_a_power_of_two(any_optimiser(2, 4), Follows::anything, subject,
                              [&](const auto& up) { return folded_run(up, subject); });
}

/// In 50 digits, gradients and ε over many decades: one is negligible beside the other, or not.
PROPERTY(optimizer, folded_adam_step, first_steps_differ_as_stated) {
  const auto which = any_optimiser(2, 4);
  const Wide m = wide_root();
  const int size = generators::named("log2 g", generators::in_range(-60, 10));
  const auto i = generators::named("g", generators::draws());
  covers("g below epsilon", size < -32, 0.2);
  covers("g above epsilon", size > -16, 0.2);
  const Stream stream(0, "gradients");
  const Wide g = Wide(stream.uniform(i)) * ldexp(Wide(i % 2 == 0 ? 1 : -1), size);
  holds(optimizer::input_step_share(optimizer::settings_of<Wide>(which, 1.0, 1e-8), g, m, subject));
}

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

PROPERTY(optimizer, relative_step, adam_ignores_a_factor_of_the_gradients) {
  const int k = generators::named("log2 factor", generators::in_range(-8, 9));
  const auto n = generators::named("steps", generators::in_range<std::size_t>(1, 13));
  const auto i = generators::named("draw", generators::draws());
  covers("above 1", k > 0, 0.3);
  covers("below 1", k < 0, 0.3);
  const Stream stream(n, "steps");
  const auto in = [&]<class Real>(Real factor) {
    const auto adam = without_epsilon<Real>(stream, i);
    const auto g = gradients<Real>(stream, i + 8, n);
    const Real t = static_cast<Real>(stream.uniform(i + 3));
    holds_exactly(optimizer::ignores_a_factor_of_the_gradients<Real>(adam, t, g, factor, subject));
    holds_exactly(optimizer::ignores_a_factor_of_the_gradients<Real>(AdamW<Real>{adam, Real(0.125)},
                                                                     t, g, factor, subject));
  };
  in(static_cast<float>(std::ldexp(1.0, k)));
  in(std::ldexp(1.0, k));
}

PROPERTY(optimizer, relative_step, first_step_is_the_rate_over_sigma) {
  const int k = generators::named("log2 sigma", generators::in_range(-10, 4));
  const auto n = generators::named("entries", generators::in_range<std::size_t>(1, 13));
  const auto i = generators::named("draw", generators::draws());
  covers("sigma below 1/16", k < -4, 0.3);
  const Stream stream(n, "first steps");
  const auto in = [&]<class Real>(Real scale) {
    const Real sigma = scale * static_cast<Real>(0.5 + stream.uniform(i + 3));
    holds(optimizer::relative_step_share<Real>(without_epsilon<Real>(stream, i), sigma,
                                               gradients<Real>(stream, i + 8, n), subject));
  };
  in(static_cast<float>(std::ldexp(1.0, k)));
  in(std::ldexp(1.0, k));
}

PROPERTY(optimizer, relative_step, descent_carries_a_factor_of_the_gradients) {
  const auto factor = generators::named("factor", generators::nonzero_rationals());
  const auto g = generators::named("g", generators::channels(3));
  const auto t = generators::named("e", generators::rationals());
  holds_exactly(optimizer::carries_a_factor_of_the_gradients(rational_optimiser(Rational(0)), t, g,
                                                             factor, subject));
}

}  // namespace embedscale::properties::testing
