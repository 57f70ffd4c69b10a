// What the first attention sees, and its logits.
#include "audit/parts.hpp"

#include <algorithm>
#include <stdexcept>

namespace embedscale::audit {
namespace {

using expected::Input, expected::InputMoments;

void multiply(InputMoments& moments, double factor) {
  for (double* part : {&moments.all, &moments.over_keys, &moments.token, &moments.position})
    *part *= factor;
}

// expected::input_moments throws where a norm divides 0 by 0.
Known<InputMoments> moments_behind(const Norms& norms, const Input& input) try {
  return expected::input_moments(input, norms);
} catch (const std::invalid_argument&) {
  return Missing{zero_by_zero};
}

struct Seen {
  InputMoments moments;
  double rms;
};

// What the first attention sees behind a projection of the sum. The rows of its matrix are
// independent and of mean 0, so that each part, sinusoids too, has 1/d of its energy in the mean
// over channels, which a LayerNorm takes away.
Known<Seen> seen_behind_projection(const Parts& p, const Known<InputMoments>& stream) {
  return from(
      [&](const Norms& norms, const InputMoments& projected) -> Known<Seen> {
        const double q = projected.all;
        if (!std::isfinite(q)) return Missing{"leaves the range of binary64"};
        const bool centres = expected::centres(norms);
        return from(
            [&](double d_model) -> Known<Seen> {
              const double centring = centres ? 1 - 1 / d_model : 1;
              try {
                const double factor = expected::factor_of(norms, q, q * centring);
                Seen seen{projected, 0};
                multiply(seen.moments, centring * factor * factor);
                seen.rms = std::sqrt(seen.moments.all);
                return seen;
              } catch (const std::invalid_argument&) {
                return Missing{zero_by_zero};
              }
            },
            centres ? p.d_model : Known<double>(1.0));
      },
      p.norms_ahead_of_attention, stream);
}

Known<Seen> seen_by_attention(const Known<Input>& input, const Known<Norms>& norms) {
  return from(
      [](const Input& sum, const Norms& before) -> Known<Seen> {
        const double q = expected::mean_square(sum);
        if (!std::isfinite(q)) return Missing{"leaves the range of binary64"};
        const double v = expected::centres(before) ? expected::centred_mean_square(sum) : q;
        return from(
            [&](const InputMoments& moments) {
              return Seen{moments, std::sqrt(v) * expected::factor_of(before, q, v)};
            },
            moments_behind(before, sum));
      },
      input, norms);
}

}  // namespace

Known<InputMoments> moments_of_stream(const Configuration& c, const Parts& p,
                                      const Known<Input>& input) {
  const auto moments = from(moments_behind, p.norms_on_sum, input);
  if (!c.token.projects_sum()) return moments;
  return from(
      [](InputMoments projected, double gain) {
        multiply(projected, gain * gain);
        return projected;
      },
      moments, p.projection_gain);
}

FirstLayer first_layer(const Configuration& c, const Parts& p, const InputScales& scales,
                       const Known<Input>& input) {
  const auto norms = from(
      [](Norms all, const Norms& ahead) {
        all.insert(all.end(), ahead.begin(), ahead.end());
        return all;
      },
      p.norms_on_sum, p.norms_ahead_of_attention);
  const bool projects = c.token.projects_sum();
  const auto seen = projects ? seen_behind_projection(p, moments_of_stream(c, p, input))
                             : seen_by_attention(input, norms);
  const auto* centring = std::get_if<Norms>(projects ? &p.norms_on_sum : &norms);
  const bool sums =
      c.position.kind == PositionKind::sinusoidal && centring && expected::centres(*centring);
  const Method method = sums ? Method::sum_over_positions : Method::closed_form;

  FirstLayer out;
  out.input_rms =
      figure("attention_input.rms", from([](const Seen& s) { return s.rms; }, seen), method);
  const auto share = [&](const char* path, auto one, auto other) {
    const auto of_all = [&](const Seen& s) -> Known<double> {
      const auto& m = s.moments;
      if (m.all == 0) return Missing{"divides by attention_input.rms, which is 0"};
      return m.*one / m.all * (m.*other / m.all);
    };
    return figure(path, from(of_all, seen), method);
  };
  constexpr auto token = &InputMoments::token, position = &InputMoments::position;
  out.token_token = share("first_layer.shares.token_token", token, token);
  out.token_position = share("first_layer.shares.token_position", token, position);
  out.position_token = share("first_layer.shares.position_token", position, token);
  out.position_position = share("first_layer.shares.position_position", position, position);

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
  out.logit_std = figure("first_layer.logit_std", logit_std(square, square), method);
  const auto over_keys = [&](const Seen& s) {
    // Over a single key nothing deviates, but for rounding.
    return c.model.positions == 1 ? 0 : std::max(0.0, s.moments.over_keys);
  };
  const Known<double> none = 0.0;
  out.logit_std_over_keys =
      figure("first_layer.logit_std_over_keys",
             from([](double deviation, double, double) { return deviation; },
                  logit_std([](const Seen& s) { return s.moments.all; }, over_keys), p.positions,
                  adds_positions(c.position.kind) ? known(scales.constant_share) : none),
             method);
  out.entropy =
      figure("first_layer.entropy", from(
                                        [](double deviation, double keys) {
                                          return expected::log_sum_exp_and_entropy(
                                                     deviation, static_cast<std::uint64_t>(keys))
                                              .entropy;
                                        },
                                        known(out.logit_std_over_keys), p.positions));
  return out;
}

}  // namespace embedscale::audit
