#pragma once
#include "optimizer/claims.hpp"
#include "optimizer/drawn.hpp"
#include "optimizer/primitives.hpp"
namespace embedscale::properties::optimizer {
using Library = Primitives;
template <Scalar Real>
void scale_rate(Optimiser<Real>& by, const Real& factor) {
  rate_of(by) = factor * rate_of(by);
}
template <Scalar Real>
Optimiser<Real> settings_of_head(std::size_t which) {
  return settings_of<Real>(which, 1.0, 1e-8);
}
}  // namespace embedscale::properties::optimizer
