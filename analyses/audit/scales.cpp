// What enters the first block, the logits that a model starts with, and all of its scales.
#include "audit/parts.hpp"

#include <embedscale/expected/own_logit.hpp>
#include <embedscale/expected/position_table.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

// The sinusoids of a sum of so many channels.
expected::SinusoidalTable sinusoids(const Configuration& c, double sum_width, double base,
                                    std::int64_t length, double multiplier) {
  auto width = static_cast<std::size_t>(sum_width);
  if (c.position.combine == Combine::concatenation)
    width -= static_cast<std::size_t>(*c.token.width);
  return {sinusoidal_frequencies<double>(width, c.position.frequencies, base), c.position.first,
          length, multiplier};
}

double position_share(const Configuration& c, double token_share) {
  return c.position.combine == Combine::sum ? 1 : 1 - token_share;
}

Known<double> token_to_position(const InputScales& s) {
  if (s.position_rms.value == 0.0) return Missing{"divides by position.rms, which is 0"};
  return from([](double token, double position) { return token / position; }, s.token_rms,
              s.position_rms);
}

Known<double> input_rms(const Configuration& c, const Parts& p, const InputScales& s) {
  if (!adds_positions(c.position.kind))
    return from([](double t, double e) { return std::hypot(t, e); }, s.token_rms, s.extra_rms);
  return from(
      [&](double share, double t, double position, double e) {
        return std::hypot(std::sqrt(share) * t, std::sqrt(position_share(c, share)) * position, e);
      },
      p.token_share, s.token_rms, s.position_rms, s.extra_rms);
}

Known<double> constant_share(const Configuration& c, const Parts& p) {
  if (c.position.kind == PositionKind::learned)
    return from([](double length) { return 1 / length; }, p.positions);
  return from(
      [&](double length, double width, double base) {
        return expected::constant_share(
            sinusoids(c, width, base, static_cast<std::int64_t>(length), 1));
      },
      p.positions, p.sum_width, p.position_base);
}

// Above this many sines a sum over positions, which LayerNorm needs, would take seconds.
constexpr std::int64_t most_sines = 1 << 28;

// Whether a LayerNorm sees sinusoids: only then do sums over positions come in before the keys do.
bool centres_sinusoids(const Configuration& c) {
  const bool in_blocks = c.block.where && c.block.where != BlockNorm::none;
  return c.position.kind == PositionKind::sinusoidal &&
         ((c.embedding_norm && centres(*c.embedding_norm)) || (in_blocks && centres(c.block.norm)));
}

// The state of token e is (m·e + …)/RMS behind the final norm, whose ε is left out, and where that
// is a LayerNorm less its mean over channels. To leading order in 1/d, for any distribution.
Known<double> own_logit(const Configuration& c, const Parts& p,
                        const Known<expected::Input>& input) {
  using expected::Norm;
  if (c.output.tied == false)
    return Missing{"does not apply: the output matrix is not the token table"};
  if (c.block.where && c.block.where != BlockNorm::pre)
    return Missing{"does not apply: block.norm is not pre"};
  if (!p.output_entry.value) return Missing{p.output_entry.missing};
  if (c.token.is_factorised)
    return Missing{
        "does not apply: another matrix stands between the state and a factorised table"};
  if (!c.block.where) return Missing{p.norms_ahead_of_attention.missing};
  return from(
      [&](double m, double of_logits, const expected::Input& sum, double entry) -> Known<double> {
        const bool centred =
            centres(c.block.norm) || (c.embedding_norm && centres(*c.embedding_norm));
        const double square =
            centred ? expected::centred_mean_square(sum) : expected::mean_square(sum);
        if (square == 0) return Missing{"divides by input.rms, which is 0"};
        return expected::own_logit_to_leading_order(
            {sum.width, entry, m, of_logits,
             centred ? Norm::Kind::layer_norm : Norm::Kind::rms_norm},
            square);
      },
      p.factor, p.output_multiplier, input, p.token_entry);
}

}  // namespace

InputScales input_scales(const Configuration& c, const Parts& p) {
  const bool adds = adds_positions(c.position.kind),
             projects_token = c.token.is_factorised && !c.token.projects_sum();
  InputScales s;
  s.entry_rms = p.token_entry;
  s.token_rms =
      from([](double entry, double factor, double gain) { return std::abs(factor) * entry * gain; },
           s.entry_rms, p.factor, projects_token ? p.projection_gain : Known<double>(1.0));
  s.position_rms = p.position_rms;
  s.token_to_position = adds ? token_to_position(s) : p.position_rms;
  s.extra_rms = p.extra_rms;
  s.input_rms = input_rms(c, p, s);
  s.constant_share = adds ? constant_share(c, p) : p.position_rms;
  return s;
}

Known<expected::Input> input_of(const Configuration& c, const Parts& p, const InputScales& s) {
  const Known<double> none = 0.0;
  const bool adds = adds_positions(c.position.kind), sums = centres_sinusoids(c);
  return from(
      [&](double width, double token, double extra, double position, double length, double,
          double share) -> Known<expected::Input> {
        if (sums && length > std::floor(static_cast<double>(most_sines) / width))
          return Missing{
              fmt::format("needs a sum over {} positions times {} channels, more than "
                          "2^28",
                          *c.model.positions, width)};
        expected::Input input{.width = static_cast<std::size_t>(width),
                              .token_mean_square = share * (token * token),
                              .common_mean_square = extra * extra};
        const std::int64_t keys = c.model.positions.value_or(1);
        if (c.position.kind == PositionKind::sinusoidal)
          input.position =
              sinusoids(c, width, c.position.base.value_or(10000), keys, *c.position.multiplier);
        else if (adds)
          input.position =
              expected::LearnedTable{position_share(c, share) * (position * position), keys};
        else
          input.position = expected::NoTable{keys};
        return input;
      },
      p.sum_width, s.token_rms, s.extra_rms, adds ? Known<double>(s.position_rms) : none,
      sums ? p.positions : none, sums ? p.position_base : none, p.token_share);
}

std::vector<MergedScales> merged_scales(const Configuration& c, const InputScales& s) {
  std::vector<MergedScales> all;
  for (std::size_t i = 0; i < c.merged.size(); ++i) {
    const auto path = [i](const char* figure) { return fmt::format("merged[{}].{}", i, figure); };
    const Merged& rows = c.merged[i];
    MergedScales one{{path("factor")}, {path("rms")}, {path("token_to_rows")}};
    one.factor = merged_factor(c, rows);
    one.rms = from([](double by, double rms) { return std::abs(by) * rms; }, one.factor,
                   told(c, "merged[].rms", rows.rms));
    one.token_to_rows =
        one.rms.value == 0.0
            ? Missing{"divides by " + one.rms.path + ", which is 0"}
            : from([](double token, double rms) { return token / rms; }, s.token_rms, one.rms);
    all.push_back(std::move(one));
  }
  return all;
}

OutputScales output_scales(const Configuration& c, const Parts& p,
                           const Known<expected::Input>& input) {
  OutputScales s;
  // A factorised table sees a state that another matrix has taken to its width.
  const bool narrow = c.token.is_factorised && c.output.tied == true;
  const Known<double> width = narrow ? static_cast<double>(*c.token.width) : p.d_model;
  s.logit_std =
      from([](double entry, double channels,
              double multiplier) { return std::abs(multiplier) * std::sqrt(channels) * entry; },
           p.output_entry, width, p.output_multiplier);
  s.initial_loss = from(
      [](double deviation, double words) {
        return expected::log_sum_exp_and_entropy(deviation, static_cast<std::uint64_t>(words))
            .log_sum_exp;
      },
      s.logit_std, p.vocabulary);
  s.own_logit = own_logit(c, p, input);
  s.own_logit.method = Method::without_branches;
  return s;
}

Scales scales_of(const Configuration& c) {
  const Parts parts = parts_of(c);
  Scales s;
  s.input = input_scales(c, parts);
  s.merged = merged_scales(c, s.input);
  const auto input = input_of(c, parts, s.input);
  const auto stream = stream_of(c, parts, input);
  s.first_layer = first_layer(c, parts, s.input, input, stream);
  s.output = output_scales(c, parts, input);
  if (c.token.has_table())
    s.adam_relative_step = from([](double entry) { return 1 / entry; }, parts.token_entry);
  else
    s.adam_relative_step.missing = "does not apply: token.kind is features, which no table trains";
  s.scaled_down = scaled_down(c, parts, s.input, input, stream, s.first_layer);
  return s;
}

std::vector<Quantity> quantities(const Scales& s) {
  const auto& [input, merged, first, output, step, down] = s;
  std::vector<Quantity> all{input.token_rms,
                            input.position_rms,
                            input.token_to_position,
                            input.extra_rms,
                            input.input_rms,
                            input.constant_share,
                            first.input_rms,
                            first.logit_std,
                            first.logit_std_over_keys,
                            first.entropy,
                            first.token_token,
                            first.token_position,
                            first.position_token,
                            first.position_position,
                            output.logit_std,
                            output.initial_loss,
                            output.own_logit,
                            step,
                            down.factor,
                            down.exact_factor,
                            down.rounding_error,
                            down.input_rms,
                            down.epsilon_shrinkage_up,
                            down.epsilon_shrinkage_down,
                            down.epsilon_deviation,
                            down.logit_std};
  for (const auto& one : merged) all.insert(all.end(), {one.factor, one.rms, one.token_to_rows});
  return all;
}

std::vector<Verdict> verdicts(const Scales& s) { return s.scaled_down.rounds_identically; }

bool is_within(double factor, double ratio) {
  const double most = factor * (1 + rounding_of_formulas);
  return ratio <= most && 1 <= ratio * most;
}

}  // namespace embedscale::audit
