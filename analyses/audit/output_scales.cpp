// The output matrix at initialisation, on a final state of RMS 1.
#include <embedscale/expected/first_layer.hpp>

#include "audit/parts.hpp"
#include "audit/scale_parts.hpp"

#include <embedscale/expected/own_logit.hpp>
#include <embedscale/expected/softmax.hpp>

namespace embedscale::audit {
namespace {

// σ of the output matrix: the token table's where it is shared.
Quantity output_entry(const Configuration& c, const InputScales& input) {
  const std::string path = "output.law";
  if (!c.output.tied) return told(c, "output.tied", Number());
  if (!*c.output.tied) {
    const Quantity rows = told(c, "model.vocabulary", c.model.vocabulary);
    const Quantity width = told(c, "model.d_model", c.model.d_model);
    return entry_rms(c, c.output.law, {path, &rows, &width});
  }
  if (c.position.combine == Combine::concatenation)
    return missing(path,
                   "does not apply: a table of token.width channels cannot be the output "
                   "matrix of a state of d_model");
  return input.entry_rms;
}

Quantity initial_loss(const Quantity& logit_std, const Quantity& vocabulary) {
  const std::string path = "output.initial_loss";
  if (std::string reason = first_missing({&logit_std, &vocabulary}); !reason.empty())
    return missing(path, reason);
  const auto loss =
      expected::softmax(*logit_std.value, static_cast<std::uint64_t>(*vocabulary.value))
          .log_sum_exp;
  return quantity(path, loss.value, Method::quadrature, loss.error);
}

// The state of token e is (m·e + …)/RMS behind the final norm, whose ε is left out, and where that
// is a LayerNorm less its mean over channels. To leading order in 1/d, for any law.
Quantity own_logit(const Configuration& c, const InputScales& input, const Quantity& factor,
                   const Quantity& multiplier) {
  const std::string path = "output.own_logit";
  if (c.output.tied == false)
    return missing(path, "does not apply: the output matrix is not the token table");
  if (c.block.where && c.block.where != BlockNorm::pre)
    return missing(path, "does not apply: block.norm is not pre");
  const auto sum = input_of(c, input.token_rms, input.extra_rms, input.position_rms);
  const Quantity tied = output_entry(c, input), where = c.block.where
                                                            ? quantity("block.norm", 0)
                                                            : told(c, "block.norm", Number());
  std::string reason = first_missing({&tied, &where, &factor, &multiplier});
  if (reason.empty()) reason = sum.missing;
  if (!reason.empty()) return missing(path, reason);
  const bool centred =
      c.block.norm.kind == expected::Norm::Kind::layer_norm ||
      (c.embedding_norm && c.embedding_norm->kind == expected::Norm::Kind::layer_norm);
  const double square =
      centred ? expected::centred_mean_square(*sum.value) : expected::mean_square(*sum.value);
  if (square == 0) return missing(path, "divides by input.rms, which is 0");
  const auto norm = centred ? expected::Norm::Kind::layer_norm : expected::Norm::Kind::rms_norm;
  const expected::TiedToken token{sum.value->width, *input.entry_rms.value, *factor.value,
                                  *multiplier.value, norm};
  return quantity(path, expected::own_logit_to_leading_order(token, square),
                  Method::without_branches);
}

}  // namespace

OutputScales output_scales(const Configuration& c, const InputScales& input,
                           const Quantity& factor) {
  const Quantity entry = output_entry(c, input);
  const Quantity width = told(c, "model.d_model", c.model.d_model);
  const Quantity multiplier = told(c, "output.multiplier", c.output.multiplier);
  const Quantity logit_std = computed("output.logit_std", {&entry, &width, &multiplier}, [&] {
    return std::abs(*multiplier.value) * std::sqrt(*width.value) * *entry.value;
  });
  return {.logit_std = logit_std,
          .initial_loss = initial_loss(logit_std, told(c, "model.vocabulary", c.model.vocabulary)),
          .own_logit = own_logit(c, input, factor, multiplier)};
}

}  // namespace embedscale::audit
