#pragma once
// The cosine between a token row and a fixed vector at initialisation.
//
// Let e have d independent channels of one law that is symmetric about 0, and p != 0 be fixed.
// Flipping the sign of one channel does not change the law of e, so E[e_i e_j/‖e‖²] = 0 for i != j;
// exchanging two does not either, so that E[e_i²/‖e‖²] is one number for all i, and these sum to 1.
// Hence E cos = 0 and E cos² = Σ p_i²/(d‖p‖²) = 1/d, whatever the law, and whatever p is.
//
// For a normal law the direction of e is uniform on the sphere, and cos² ~ Beta(1/2, (d−1)/2).
#include <cstdint>

namespace embedscale::expected {

/// √(E cos²) = d^−½: of every law that is symmetric about 0, its channels independent and alike.
///
/// Requires  P(e = 0) = 0, d >= 1.
double cosine_deviation(std::uint64_t d);

/// P(|cos| <= c) for normal channels; increasing in c and in d.
///
/// Requires  0 <= c <= 1.  Errors  std::invalid_argument where d < 2.
/// Ensures   a relative error below 1e−11 for d <= 2^20 (tested against 50 digits).
/// Source    Muirhead 1982, theorem 1.5.7.
double cosine_within(std::uint64_t d, double c);

/// The c that |cos| exceeds with probability `above`, for normal channels.
///
/// Requires  0 < above < 1.  Errors  std::invalid_argument where d < 2.
double cosine_exceeded(std::uint64_t d, double above);

/// The median of the largest |cos| that V independent normal rows have with one vector: the c with
/// P(|cos| <= c)^V = 1/2.
double largest_cosine(std::uint64_t d, std::uint64_t vocabulary);

}  // namespace embedscale::expected
