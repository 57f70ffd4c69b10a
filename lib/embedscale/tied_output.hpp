#pragma once
// The output layer that shares the token table: the logit of word v is how far the last hidden
// vector h points along its row. What multiplies rows on the way in (√d_model) does not come with
// them on the way out; a factor there is a choice of its own.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>

#include <array>
#include <span>

namespace embedscale {

namespace detail {

/// <E_v, h> of four rows from `first` on, each summed as dot sums it. Additions of one sum wait for
/// each other; those of the other rows fill the time.
template <Scalar Real>
std::array<Real, 4> dots_of_four_rows(const EmbeddingTable<Real>& table, std::size_t first,
                                      std::span<const Real> h) {
  const auto e0 = table.row(first), e1 = table.row(first + 1), e2 = table.row(first + 2),
             e3 = table.row(first + 3);
  Real s0(0), s1(0), s2(0), s3(0);
  for (std::size_t j = 0; j < h.size(); ++j) {
    s0 = s0 + Real(e0[j] * h[j]);
    s1 = s1 + Real(e1[j] * h[j]);
    s2 = s2 + Real(e2[j] * h[j]);
    s3 = s3 + Real(e3[j] * h[j]);
  }
  return {s0, s1, s2, s3};
}

}  // namespace detail

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
  const std::size_t in_fours = out.size() - out.size() % 4;
  for (std::size_t v = 0; v < in_fours; v += 4) {
    const auto dots = detail::dots_of_four_rows(table, v, h);
    for (std::size_t k = 0; k < dots.size(); ++k) out[v + k] = multiplier * dots[k];
  }
  for (std::size_t v = in_fours; v < out.size(); ++v) out[v] = multiplier * dot(table.row(v), h);
}

}  // namespace embedscale
