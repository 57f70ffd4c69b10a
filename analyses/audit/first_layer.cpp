// What the first attention sees, and its logits.
#include "audit/parts.hpp"

#include <embedscale/expected/softmax.hpp>

#include <algorithm>
#include <stdexcept>

namespace embedscale::audit {
namespace {

// The projection's σ, on a (heads·d_k, d_model) matrix.
double projection_std(const Configuration& c, const std::optional<Law>& law,
                      const std::string& field) {
  return entry_rms(c, law, c.marks.contains(field) ? field : "attention.projection", [&] {
    const double heads = required(c, "model.heads", c.model.heads);
    const double rows = heads * required(c, "model.d_k", c.model.d_k);
    return std::pair(rows, d_model(c));
  });
}

// √E[z²] of a logit, for these mean squares of the query's and the key's input.
double logit_std(const Configuration& c, double query, double key) {
  const Attention& a = c.attention;
  const double scale = required(c, "attention.scale", a.scale),
               d_k = required(c, "model.d_k", c.model.d_k);
  const double sigma_q = projection_std(c, a.projection_q, "attention.projection_q");
  const double sigma_k = projection_std(c, a.projection_k, "attention.projection_k");
  return expected::logit_std(scale, d_k, sigma_q, sigma_k,
                             static_cast<std::size_t>(*c.model.d_model), query, key);
}

struct Seen {
  expected::InputMoments moments;
  double rms;
  Method method;
};

// The same behind a projection of the sum. The rows of its matrix are independent and of mean 0, so
// that each part, sinusoids too, has 1/d of its energy in the mean over channels, which a LayerNorm
// takes away.
Seen seen_behind_projection(const Configuration& c, const InputScales& scales) {
  const auto norms = norms_ahead_of_attention(c);
  Seen seen{moments_of_stream(c, scales), 0, Method::closed_form};
  auto& m = seen.moments;
  const double q = m.all;
  if (!std::isfinite(q)) throw Missing{"leaves the range of binary64"};
  const double centring = expected::centres(norms) ? 1 - 1 / d_model(c) : 1;
  const double factor = expected::factor_of(norms, q, q * centring);
  for (double* part : {&m.all, &m.over_keys, &m.token, &m.position})
    *part *= centring * factor * factor;
  seen.rms = std::sqrt(m.all);
  if (expected::centres(norms_on_sum(c)) && c.position.kind == PositionKind::sinusoidal)
    seen.method = Method::sum_over_positions;
  return seen;
}

// What the first attention sees.
Seen seen_by_attention(const Configuration& c, const InputScales& scales) try {
  if (c.token.projects_sum()) return seen_behind_projection(c, scales);
  const auto input = input_of(c, scales);
  const auto norms = norms_before_attention(c);
  const bool centred = expected::centres(norms);
  const double q = expected::mean_square(input);
  if (!std::isfinite(q)) throw Missing{"leaves the range of binary64"};
  const double v = centred ? expected::centred_mean_square(input) : q;
  const bool sums = centred && c.position.kind == PositionKind::sinusoidal;
  return {expected::input_moments(input, norms), std::sqrt(v) * expected::factor_of(norms, q, v),
          sums ? Method::sum_over_positions : Method::closed_form};
} catch (const std::invalid_argument&) {
  throw Missing{zero_by_zero};
}

}  // namespace

FirstLayer first_layer(const Configuration& c, const InputScales& scales) {
  std::optional<Seen> seen;
  Missing unseen;
  try {
    seen = seen_by_attention(c, scales);
  } catch (const Missing& why) {
    unseen = why;
  }
  // A figure of what is seen.
  const auto of_seen = [&](const char* path, auto compute) {
    return figure(
        path, [&] { return seen ? compute(*seen) : throw unseen; },
        seen ? seen->method : Method::closed_form);
  };
  const auto share = [&](const char* path, auto one, auto other) {
    return of_seen(path, [&](const Seen& s) {
      const auto& m = s.moments;
      if (m.all == 0) throw Missing{"divides by attention_input.rms, which is 0"};
      return m.*one / m.all * (m.*other / m.all);
    });
  };
  constexpr auto token = &expected::InputMoments::token,
                 position = &expected::InputMoments::position;
  FirstLayer out;
  out.input_rms = of_seen("attention_input.rms", [](const Seen& s) { return s.rms; });
  out.token_token = share("first_layer.shares.token_token", token, token);
  out.token_position = share("first_layer.shares.token_position", token, position);
  out.position_token = share("first_layer.shares.position_token", position, token);
  out.position_position = share("first_layer.shares.position_position", position, position);
  out.logit_std = of_seen("first_layer.logit_std", [&](const Seen& s) {
    return logit_std(c, s.rms * s.rms, s.rms * s.rms);
  });
  out.logit_std_over_keys = of_seen("first_layer.logit_std_over_keys", [&](const Seen& s) {
    // Over a single key nothing deviates, but for rounding.
    const double over_keys = c.model.positions == 1 ? 0 : std::max(0.0, s.moments.over_keys);
    const double deviation = logit_std(c, s.moments.all, over_keys);
    positions(c);
    if (adds_positions(c.position.kind)) value_of(scales.constant_share);
    return deviation;
  });
  out.entropy = figure("first_layer.entropy", [&] {
    const double deviation = value_of(out.logit_std_over_keys);
    return expected::log_sum_exp_and_entropy(deviation, static_cast<std::uint64_t>(positions(c)))
        .entropy;
  });
  return out;
}

}  // namespace embedscale::audit
