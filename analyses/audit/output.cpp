// The logits that a model starts with, and their loss.
#include "audit/parts.hpp"

#include <embedscale/expected/own_logit.hpp>

namespace embedscale::audit {
namespace {

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
        const bool centred = c.block.norm.kind == Norm::Kind::layer_norm ||
                             (c.embedding_norm && c.embedding_norm->kind == Norm::Kind::layer_norm);
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

}  // namespace embedscale::audit
