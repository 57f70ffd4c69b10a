#pragma once
// Generators of what a norm is given: its kind, its ε, and channels that it can divide.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "../../normalization_exact.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// One of the four norms, shown by its name. Shrinks to RMSNorm with ε under the root.
struct WhichNorm {
  normalization::LayerKind kind;
  EpsilonPlacement placement;
};

inline std::ostream& operator<<(std::ostream& out, const WhichNorm& norm) {
  return out << (norm.kind == normalization::LayerKind::layer_norm ? "LayerNorm" : "RMSNorm")
             << (norm.placement == EpsilonPlacement::variance ? "" : ", epsilon beside the root");
}

inline WhichNorm which_norm() {
  return named(
      "norm", rc::gen::map(in_range(0, 4), [](int i) {
        return WhichNorm{
            i % 2 == 0 ? normalization::LayerKind::rms_norm : normalization::LayerKind::layer_norm,
            i < 2 ? EpsilonPlacement::variance : EpsilonPlacement::standard_deviation};
      }));
}

/// The same with an ε of its own.
template <Scalar Real>
normalization::NormOf<Real> norm_with(const Real& epsilon) {
  const WhichNorm which = which_norm();
  return {which.kind, which.placement, epsilon};
}

/// `size` rationals that are not all equal. Shrinks to 1, 0, 0.
inline std::vector<Rational> uneven_channels(const std::string& name, std::size_t size) {
  return named(name, rc::gen::map(channels(size), [](std::vector<Rational> x) {
                 if (std::ranges::all_of(x, [&](const Rational& v) { return v == x[0]; }))
                   x[0] = x[0] + 1;
                 return x;
               }));
}

}  // namespace embedscale::properties::testing::generators
