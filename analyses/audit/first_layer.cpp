// What the first attention sees, and its logits.
#include "audit/parts.hpp"

#include <algorithm>
#include <stdexcept>

namespace embedscale::audit {
namespace {

using expected::Input, expected::InputMoments;

// What formulas make of norms, which throw where one divides 0 by 0.
template <class Compute>
auto unless_zero_by_zero(Compute compute) -> Known<std::invoke_result_t<Compute>> try {
  return compute();
} catch (const std::invalid_argument&) {
  return Missing{zero_by_zero};
}

void multiply(InputMoments& moments, double factor) {
  for (double* part : {&moments.all, &moments.over_keys, &moments.token, &moments.position})
    *part *= factor;
}

struct Seen {
  InputMoments moments;
  double rms;
};

// What the first attention sees behind a projection of the sum. The rows of its matrix are
// independent and of mean 0, so that each part, sinusoids too, has 1/d of its energy in the mean
// over channels, which a LayerNorm takes away.
Known<Seen> seen_behind_projection(const Parts& p, const Known<InputMoments>& stream) {
  const Known<Norms>& norms = p.norms_ahead_of_attention;
  const bool centres = norms.value && expected::centres(*norms.value);
  return from(
      [&](const Norms& before, const InputMoments& projected, double d_model) -> Known<Seen> {
        const double q = projected.all, centring = centres ? 1 - 1 / d_model : 1;
        if (!std::isfinite(q)) return Missing{"leaves the range of binary64"};
        return unless_zero_by_zero([&] {
          const double factor = expected::factor_of(before, q, q * centring);
          Seen seen{projected, 0};
          multiply(seen.moments, centring * factor * factor);
          seen.rms = std::sqrt(seen.moments.all);
          return seen;
        });
      },
      norms, stream, centres ? p.d_model : Known<double>(1.0));
}

Known<Seen> seen_by_attention(const Known<Input>& input, const Known<Norms>& norms) {
  return from(
      [](const Input& sum, const Norms& before) -> Known<Seen> {
        const double q = expected::mean_square(sum);
        if (!std::isfinite(q)) return Missing{"leaves the range of binary64"};
        return unless_zero_by_zero([&] {
          const double v = expected::centres(before) ? expected::centred_mean_square(sum) : q;
          return Seen{expected::input_moments(sum, before),
                      std::sqrt(v) * expected::factor_of(before, q, v)};
        });
      },
      input, norms);
}

}  // namespace

Known<InputMoments> stream_of(const Configuration& c, const Parts& p, const Known<Input>& input) {
  const auto moments = from(
      [](const Norms& norms, const Input& sum) {
        return unless_zero_by_zero([&] { return expected::input_moments(sum, norms); });
      },
      p.norms_on_sum, input);
  if (!c.token.projects_sum()) return moments;
  return from(
      [](InputMoments projected, double gain) {
        multiply(projected, gain * gain);
        return projected;
      },
      moments, p.projection_gain);
}

FirstLayer first_layer(const Configuration& c, const Parts& p, const InputScales& scales,
                       const Known<Input>& input, const Known<InputMoments>& stream) {
  const auto norms = from(
      [](Norms all, const Norms& ahead) {
        all.insert(all.end(), ahead.begin(), ahead.end());
        return all;
      },
      p.norms_on_sum, p.norms_ahead_of_attention);
  const bool projects = c.token.projects_sum();
  const auto seen = projects ? seen_behind_projection(p, stream) : seen_by_attention(input, norms);

  FirstLayer out;
  out.input_rms = from([](const Seen& s) { return s.rms; }, seen);
  const auto share = [&](auto one, auto other) {
    return from(
        [&](const Seen& s) -> Known<double> {
          const auto& m = s.moments;
          if (m.all == 0) return Missing{"divides by attention_input.rms, which is 0"};
          return m.*one / m.all * (m.*other / m.all);
        },
        seen);
  };
  constexpr auto token = &InputMoments::token, position = &InputMoments::position;
  out.token_token = share(token, token);
  out.token_position = share(token, position);
  out.position_token = share(position, token);
  out.position_position = share(position, position);

  // √E[z²] of a logit, for the mean squares of the query's and the key's input.
  const auto logit_std = [&](auto query, auto key) {
    return from(
        [&](const Seen& s, double scale, double d_k, double entry_q, double entry_k, double d) {
          return expected::logit_std(scale, d_k, entry_q, entry_k, static_cast<std::size_t>(d),
                                     query(s), key(s));
        },
        seen, p.scale, p.d_k, p.entry_q, p.entry_k, p.d_model);
  };
  const auto square = [](const Seen& s) { return s.rms * s.rms; };
  out.logit_std = logit_std(square, square);
  const auto over_keys = [&](const Seen& s) {
    // Over a single key nothing deviates, but for rounding.
    return c.model.positions == 1 ? 0 : std::max(0.0, s.moments.over_keys);
  };
  const bool adds = adds_positions(c.position.kind);
  out.logit_std_over_keys =
      from([](double deviation, double, double) { return deviation; },
           logit_std([](const Seen& s) { return s.moments.all; }, over_keys), p.positions,
           adds ? Known<double>(scales.constant_share) : Known<double>(0.0));
  out.entropy = from(
      [](double deviation, double keys) {
        return expected::log_sum_exp_and_entropy(deviation, static_cast<std::uint64_t>(keys))
            .entropy;
      },
      out.logit_std_over_keys, p.positions);

  const Known<Norms>& centring = projects ? p.norms_on_sum : norms;
  if (c.position.kind == PositionKind::sinusoidal && centring.value &&
      expected::centres(*centring.value))
    for (Quantity* one :
         {&out.input_rms, &out.logit_std, &out.logit_std_over_keys, &out.token_token,
          &out.token_position, &out.position_token, &out.position_position})
      one->method = Method::sum_over_positions;
  return out;
}

}  // namespace embedscale::audit
