#pragma once
// What a normalisation layer makes of a vector of known mean square, with its ε.
//
//   ε added to the variance             y = x/√(s + ε)       RMS of y = √(s/(s + ε))
//   ε added to the standard deviation   y = x/(√s + ε)       RMS of y = √s/(√s + ε)
//
// s is the mean square of what is divided: of x for RMSNorm, of x less its mean for LayerNorm. A
// factor c of the input is the same as another ε: N_ε(c·x) = N_ε′(x), ε′ = ε/c² or ε/c.
#include <embedscale/normalization.hpp>

namespace embedscale::expected {

/// A normalisation layer at initialisation: gain 1, bias 0.
struct Norm {
  enum class Kind { layer_norm, rms_norm };
  Kind kind = Kind::layer_norm;
  double epsilon = 0;  ///< >= 0; in units of x² or of x, by its placement
  EpsilonPlacement placement = EpsilonPlacement::variance;

  friend bool operator==(const Norm&, const Norm&) = default;
};

/// What x is multiplied by.
///
/// Requires  mean_square >= 0, ε >= 0.
/// Errors    std::invalid_argument where both are 0: 0/0.
double normalizing_factor(double mean_square, const Norm& norm);

/// 1 − RMS of what comes out: how much smaller than 1 it is because of ε. Written so that nothing
/// cancels: with r = ε/(s + ε), 1 − √(1 − r) = r/(1 + √(1 − r)).
///
/// Requires  as normalizing_factor.
double epsilon_shrinkage(double mean_square, const Norm& norm);

/// ε′ with N_ε(c·x) = N_ε′(x) for c > 0: ε is in units of x², or of x.
template <Scalar Real>
Real rescaled_epsilon(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
  return placement == EpsilonPlacement::variance ? Real(epsilon / (c * c)) : Real(epsilon / c);
}

/// 1 − RMS of what comes out for x/c over RMS of what comes out for x: with c = √d what ε makes of
/// scaling down. The two outputs differ by this one factor in all channels. Nothing cancels:
///
///   ε added to the variance    r = ε(c − 1)(c + 1)/(s + c²ε)   1 − √(1 − r) = r/(1 + √(1 − r)),
///                              1 − r = (s + ε)/(s + c²ε)
///   to the standard deviation  ε(c − 1)/(√s + cε)
///
/// Requires  the mean square s of x above 0, ε >= 0, c > 0; below 0 where c < 1.
/// Errors    std::invalid_argument.
double epsilon_deviation(double mean_square, const Norm& norm, double c);

}  // namespace embedscale::expected
