#pragma once
// What each primitive has to give: its formula in 50 digits, with how far a program may be off that
// evaluates it in one format, whichever order it sums in, whether it divides by a number or
// multiplies by the reciprocal, and whether it fuses a product with a sum. Functions may err by two
// units in the last place; a function 1/√, too.
#include <embedscale/format.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/optimizer.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

#include "any_order.hpp"

namespace embedscale::properties::primitives {

using Row = std::vector<Wide>;

template <class Real>
Wide wide(const Real& x) {
  if constexpr (std::same_as<Real, Wide>)
    return x;
  else
    return Wide(static_cast<double>(x));
}
template <class Real>
Row wide(std::span<const Real> x) {
  Row out;
  out.reserve(x.size());
  for (const Real& value : x) out.push_back(wide(value));
  return out;
}
template <class Real>
Row wide(const std::vector<Real>& x) {
  return wide(std::span<const Real>(x));
}

/// The numbers that are right, and how far from each is allowed.
class Values {
 public:
  Values(const Evaluation& of, const std::vector<AnyOrder>& right);

  /// Whether the bounds say anything: all are finite, and no order comes to a number beyond the
  /// format's largest. Elsewhere a primitive may overflow, or refuse.
  bool are_bounded() const { return bounded_; }
  const Row& exact() const { return exact_; }
  /// How far each may be off.
  const std::vector<long double>& allowed() const { return allowed_; }
  /// The largest error as a share of its bound; infinite where a number is missing or is none.
  ///
  /// Requires  are_bounded.
  double share_of(const Row& computed) const;

 private:
  Row exact_;
  std::vector<long double> allowed_;
  bool bounded_;
};

/// scale·(⟨row, x⟩ + bias) for each of the rows, (n, d) in row-major order; no biases: none. The
/// scale may stand before the sum, in either factor. Of d products: γ_(d+1)·|scale|·Σ|row_j·x_j|,
/// and one u more with a bias.
Values scaled_products(const Rounding& in, const Row& x, const Row& rows, const Row& biases,
                       const Wide& scale);
/// Σ_i a_i·row_i: the same with the matrix transposed.
Values weighted_sum(const Rounding& in, const Row& a, const Row& rows);

/// m·e + p, and e + p/m.
Values multiplied_up(const Rounding& in, const Wide& e, const Wide& p, const Wide& m);
Values divided_down(const Rounding& in, const Wide& e, const Wide& p, const Wide& m);
/// One product of each entry, as a look-up and dropout make it.
Values products(const Rounding& in, const Row& x, const Wide& by);
/// x/(1 − rate), which dropout keeps; the rate is rounded to the format first, or not.
Values dropout(const Rounding& in, const Wide& x, double rate);
/// x/y, or x·(1/y): two roundings.
Values quotient(const Rounding& in, const Wide& x, const Wide& by);
Values sum(const Rounding& in, const Wide& x, const Wide& y);

/// ⟨x, y⟩²/(‖x‖²‖y‖²).
Values squared_cosine(const Rounding& in, const Row& x, const Row& y);

/// √d and 1/√d.
Values root(const Rounding& in, std::size_t d);
Values reciprocal_root(const Rounding& in, std::size_t d);

/// (x − mean)/√(var + ε) and x/√(ms + ε), or with ε beside the root. The mean is off by
/// γ_(n+1)·mean|x|, so that each difference is, and with them the root of their mean square: the
/// bound grows with |mean|/deviation, and in proportion to it. In one pass, E x² − (E x)², it grows
/// with the square.
Values layer_norm(const Rounding& in, const Row& x, const Wide& epsilon,
                  EpsilonPlacement placement);
Values rms_norm(const Rounding& in, const Row& x, const Wide& epsilon, EpsilonPlacement placement);

/// e^(z − max)/Σe^(z − max): relative to a weight u·|z − max| of the difference, 4u of the
/// exponential, γ_(n−1) of the sum and 2u of the quotient. An entry of −∞ gets 0.
Values softmax(const Rounding& in, const Row& z);
/// w_j(g_j − ⟨w, g⟩).
Values softmax_gradient(const Rounding& in, const Row& weights, const Row& upstream);
/// −Σ w ln w: γ_(n+4)·Σ|w ln w| where no weight is above 1.
Values entropy(const Rounding& in, const Row& weights);

/// (g_j − x_j⟨g, x⟩/(nD²))/D of RMSNorm, D² = ms + ε; of LayerNorm, x and g less their means in the
/// place of these. Over the reals ⟨g, x⟩ is the same with g itself; a mean of x that is off by δ
/// leaves n·δ·mean(g) in that, and programs take either.
Values rms_norm_gradient(const Rounding& in, const Row& x, const Row& upstream,
                         const Wide& epsilon);
Values layer_norm_gradient(const Rounding& in, const Row& x, const Row& upstream,
                           const Wide& epsilon);

/// What a step leaves: the parameter, then what is remembered, in the order of its struct. A moment
/// may be β·a + (1 − β)·g or a + (1 − β)(g − a), and at β <= ½ g − (1 − (1 − β))(g − a), as in
/// PyTorch's lerp. t·(1 − ηλ) for a decay rounds the parameter twice more.
Values sgd(const Rounding& in, const Wide& t, const Wide& gradient, const Sgd<Wide>& by);
Values momentum(const Rounding& in, const Wide& t, const Wide& gradient, const Momentum<Wide>& by,
                const Velocity<Wide>& state);
/// The powers of β may have been rounded so many times already, as by products from 1 on.
Values adam(const Rounding& in, const Wide& t, const Wide& gradient, const Adam<Wide>& by,
            const Moments<Wide>& state, int roundings_of_powers = 0);
Values adamw(const Rounding& in, const Wide& t, const Wide& gradient, const AdamW<Wide>& by,
             const Moments<Wide>& state, int roundings_of_powers = 0);

/// min(1, max_norm/√Σ(weight·‖gradient‖)²).
Values clipping_factor(const Rounding& in, const std::vector<Row>& gradients, const Row& weights,
                       const Wide& max_norm);
/// That times each gradient, one after the other, with weights 1.
Values clipped(const Rounding& in, const std::vector<Row>& gradients, const Wide& max_norm);

}  // namespace embedscale::properties::primitives
