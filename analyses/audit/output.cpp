// The logits that a model starts with, and their loss.
#include "audit/parts.hpp"

#include <embedscale/expected/own_logit.hpp>
#include <embedscale/expected/softmax.hpp>

namespace embedscale::audit {
namespace {

// σ of the output matrix: the token table's where it is shared.
double output_entry(const Configuration& c, const InputScales& input) {
  if (!c.output.tied) return required(c, "output.tied", Number());
  if (!c.token.has_table() && !c.output.law)
    throw Missing{"does not apply: without a token table an output has a law, and none is given"};
  if (!*c.output.tied)
    return entry_rms(c, c.output.law, "output.law",
                     [&] { return std::pair(vocabulary(c), d_model(c)); });
  if (c.position.combine == Combine::concatenation)
    throw Missing{
        "does not apply: a table of token.width channels cannot be the output matrix of a state "
        "of d_model"};
  return value_of(input.entry_rms);
}

// The state of token e is (m·e + …)/RMS behind the final norm, whose ε is left out, and where that
// is a LayerNorm less its mean over channels. To leading order in 1/d, for any law.
double own_logit(const Configuration& c, const InputScales& input, const Quantity& factor) {
  using expected::Norm;
  if (c.output.tied == false)
    throw Missing{"does not apply: the output matrix is not the token table"};
  if (c.block.where && c.block.where != BlockNorm::pre)
    throw Missing{"does not apply: block.norm is not pre"};
  output_entry(c, input);
  if (c.token.is_factorised)
    throw Missing{"does not apply: another matrix stands between the state and a factorised table"};
  if (!c.block.where) required(c, "block.norm", Number());
  const double m = value_of(factor),
               of_logits = required(c, "output.multiplier", c.output.multiplier);
  const auto sum = input_of(c, input);
  const bool centred = c.block.norm.kind == Norm::Kind::layer_norm ||
                       (c.embedding_norm && c.embedding_norm->kind == Norm::Kind::layer_norm);
  const double square = centred ? expected::centred_mean_square(sum) : expected::mean_square(sum);
  if (square == 0) throw Missing{"divides by input.rms, which is 0"};
  return expected::own_logit_to_leading_order(
      {sum.width, value_of(input.entry_rms), m, of_logits,
       centred ? Norm::Kind::layer_norm : Norm::Kind::rms_norm},
      square);
}

}  // namespace

OutputScales output_scales(const Configuration& c, const InputScales& input,
                           const Quantity& factor) {
  OutputScales s;
  s.logit_std = figure("output.logit_std", [&] {
    const double entry = output_entry(c, input);
    // A factorised table sees a state that another matrix has taken to its width.
    const bool narrow = c.token.is_factorised && *c.output.tied;
    const double width = narrow ? static_cast<double>(*c.token.width) : d_model(c);
    return std::abs(required(c, "output.multiplier", c.output.multiplier)) * std::sqrt(width) *
           entry;
  });
  s.initial_loss = figure("output.initial_loss", [&] {
    const double deviation = value_of(s.logit_std);
    return expected::log_sum_exp_and_entropy(deviation, static_cast<std::uint64_t>(vocabulary(c)))
        .log_sum_exp;
  });
  s.own_logit = figure(
      "output.own_logit", [&] { return own_logit(c, input, factor); }, Method::without_branches);
  return s;
}

}  // namespace embedscale::audit
