#pragma once
// How often the nearest row of a table is not the row that was sent, if something is added to it.
//
// A table has V independent rows t_v of d channels N(0, s²). Row t_i arrives as y = t_i + δ, and
// the reader takes the row that is nearest to y: it errs if for some j != i
//
//   ‖t_j − y‖² < ‖t_i − y‖² = ‖δ‖².
//
// Given y, the V − 1 others are independent, and ‖t_j − y‖²/s² is noncentral χ² with d degrees and
// noncentrality λ = ‖y‖²/s²; so, with b = ‖δ‖²/s² and F_λ that law's distribution,
//
//   P(error | y) = 1 − (1 − F_λ(b))^(V−1),     λ ~ noncentral χ²_d(b):
//
// one integral over λ, which depends on δ through its length alone. For V = 2 there is a second
// way: t_j − t_i is N(0, 2s²), so P(error) = F(b/2) with noncentrality b/2.
#include <cstdint>
#include <span>
#include <vector>

namespace embedscale::expected {

/// P(‖t − y‖² < s²·b) for one row t, with ‖y‖² = s²·λ.
///
/// Requires  d >= 1, λ >= 0.  Ensures  0 where b is 0.
double row_within(std::uint64_t d, double lambda, double b);

/// The probability that one of V − 1 independent rows is nearer, if each is with probability `one`.
double any_of_others(std::uint64_t vocabulary, double one);

struct Misreading {
  double value, error;  ///< |value − exact| <= error, up to what Boost's laws err by
};

/// P(error), of one length b = ‖δ‖²/s², for each vocabulary.
///
/// Requires  d >= 2, b >= 0.  Errors  std::invalid_argument.
std::vector<Misreading> misread(std::uint64_t d, double b,
                                std::span<const std::uint64_t> vocabularies);

/// The mean of P(error) over added vectors of these lengths b = ‖δ‖²/s², for each vocabulary.
///
/// Ensures   `error` has what the interpolation over lengths may err by. A mean below 1e−290 is 0.
std::vector<Misreading> mean_misread(std::uint64_t d, std::span<const double> lengths,
                                     std::span<const std::uint64_t> vocabularies);

}  // namespace embedscale::expected
