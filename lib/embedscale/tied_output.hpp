#pragma once
// The output layer that shares the token table: the logit of word v is how far the last hidden
// vector h points along its row. What multiplies rows on the way in (√d_model) does not come with
// them on the way out; a factor there is a choice of its own.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>

#include <span>

namespace embedscale {

/// out[v] = fl(multiplier · <E_v, h>), the inner product summed from left to right.
///
/// `multiplier` is 1 in Vaswani et al. 2017 and GPT-2; T5 with a shared table has d^(−1/2) (its
/// code scales h before the product: the same over the reals).
///
/// Requires  h of the table's width d, out of its vocabulary V.
/// Errors    std::invalid_argument where the sizes disagree.
/// Source    Press and Wolf 2017, section 2; Vaswani et al. 2017, section 3.4.
template <Scalar Real>
void tied_logits(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& multiplier,
                 std::span<Real> out) {
  require_size("tied_logits: hidden vector", h.size(), table.width());
  require_size("tied_logits: output", out.size(), table.vocabulary());
  dots(table.values(), h, out);
  for (Real& z : out) z = multiplier * z;
}

}  // namespace embedscale
