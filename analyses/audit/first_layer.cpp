// What the first attention sees, and its logits.
#include "audit/parts.hpp"

#include <embedscale/expected/softmax.hpp>

#include <algorithm>
#include <stdexcept>

namespace embedscale::audit {
namespace {

// The projection's σ, on a (heads·d_k, d_model) matrix.
Quantity projection_std(const Configuration& c, const std::optional<Law>& law,
                        const std::string& field) {
  const Quantity heads = told(c, "model.heads", c.model.heads);
  const Quantity d_k = told(c, "model.d_k", c.model.d_k);
  const Quantity rows =
      computed("heads*d_k", {&heads, &d_k}, [&] { return *heads.value * *d_k.value; });
  const bool own = c.marks.contains(field);
  return entry_rms(c, law, own ? field : "attention.projection", rows, d_model(c));
}

struct Logits {
  Quantity scale, d_k, sigma_q, sigma_k;
  std::string missing() const { return first_missing({&scale, &d_k, &sigma_q, &sigma_k}); }
  double std(std::size_t d, double query, double key) const {
    return expected::logit_std(*scale.value, *d_k.value, *sigma_q.value, *sigma_k.value, d, query,
                               key);
  }
};

struct Seen {
  expected::InputMoments moments{};
  double rms = 0;
  Method method = Method::closed_form;
};

// What the first attention sees.
Maybe<Seen> seen_by_attention(const Configuration& c, const InputScales& scales) try {
  const auto input = input_of(c, scales);
  const auto norms = norms_before_attention(c);
  if (!input.value || !norms.value) return {{}, input.value ? norms.missing : input.missing};
  const bool centred = expected::centres(*norms.value);
  const double q = expected::mean_square(*input.value);
  if (!std::isfinite(q)) return {{}, "leaves the range of binary64"};
  const double v = centred ? expected::centred_mean_square(*input.value) : q;
  const bool sums = centred && c.position.kind == PositionKind::sinusoidal;
  return {Seen{expected::input_moments(*input.value, *norms.value),
               std::sqrt(v) * expected::factor_of(*norms.value, q, v),
               sums ? Method::sum_over_positions : Method::closed_form},
          {}};
} catch (const std::invalid_argument&) {
  return {{}, zero_by_zero};
}

Quantity entropy(const Configuration& c, const Quantity& deviation) {
  const std::string path = "first_layer.entropy";
  const Quantity length = positions(c);
  if (std::string reason = first_missing({&deviation, &length}); !reason.empty())
    return missing(path, reason);
  const auto h =
      expected::log_sum_exp_and_entropy(*deviation.value, static_cast<std::uint64_t>(*length.value))
          .entropy;
  return quantity(path, h.value, Method::quadrature, h.error);
}

}  // namespace

FirstLayer first_layer(const Configuration& c, const InputScales& scales) {
  FirstLayer out;
  const auto fill = [](Quantity& q, const char* path, const std::string& reason, double value,
                       Method method) {
    q = reason.empty() ? quantity(path, value, method) : missing(path, reason);
  };
  const auto seen = seen_by_attention(c, scales);
  std::string reason = seen.missing;
  const Seen sees = seen.value.value_or(Seen{});
  const auto& moments = sees.moments;
  const double rms = sees.rms;
  const Method method = sees.method;
  fill(out.input_rms, "attention_input.rms", reason, rms, method);
  const auto share = [&](Quantity& q, const char* path, double a, double b) {
    const bool nothing = reason.empty() && moments.all == 0;
    fill(q, path, nothing ? "divides by attention_input.rms, which is 0" : reason,
         a / moments.all * (b / moments.all), method);
  };
  const double t = moments.token, p = moments.position;
  share(out.token_token, "first_layer.shares.token_token", t, t);
  share(out.token_position, "first_layer.shares.token_position", t, p);
  share(out.position_token, "first_layer.shares.position_token", p, t);
  share(out.position_position, "first_layer.shares.position_position", p, p);

  const Quantity length = positions(c);
  const Logits logits{told(c, "attention.scale", c.attention.scale),
                      told(c, "model.d_k", c.model.d_k),
                      projection_std(c, c.attention.projection_q, "attention.projection_q"),
                      projection_std(c, c.attention.projection_k, "attention.projection_k")};
  if (reason.empty()) reason = logits.missing();
  const auto d = static_cast<std::size_t>(c.model.d_model.value_or(1));
  const auto std = [&](double query, double key) {
    return reason.empty() ? logits.std(d, query, key) : 0;
  };
  fill(out.logit_std, "first_layer.logit_std", reason, std(rms * rms, rms * rms), method);
  if (reason.empty()) reason = first_missing({&length});
  if (reason.empty() && adds_positions(c.position.kind))
    reason = first_missing({&scales.constant_share});
  // Over a single key nothing deviates, but for rounding.
  const bool single = c.model.positions == 1;
  fill(out.logit_std_over_keys, "first_layer.logit_std_over_keys", reason,
       std(moments.all, single ? 0 : std::max(0.0, moments.over_keys)), method);
  out.entropy = entropy(c, out.logit_std_over_keys);
  return out;
}

}  // namespace embedscale::audit
