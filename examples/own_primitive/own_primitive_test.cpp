// Your own code under embedscale's properties: give it the shape of combination::Library, and name
// it in the place of the library. Here the sum is a fused multiply-add, as many kernels compute it:
// one rounding less than fl(fl(m·e) + p). Are the claims about rounding true of it, too?
#include <embedscale/properties/testing/combination.hpp>

#include <cmath>
#include <type_traits>

namespace own {

struct Fused : embedscale::properties::combination::Library {
  template <embedscale::Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    if constexpr (std::is_floating_point_v<Real>)
      return std::fma(m, e, p);
    else
      return Library::up(e, p, m);
  }
};

/// A defect that the properties must find in it.
struct FusedTheWrongWay : Fused {
  template <embedscale::Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    return Fused::up(p, e, m);
  }
};

}  // namespace own

namespace mutants = own;

namespace embedscale::properties::testing {

HOLDS(combination, up_is_down_times_root_d, for_every_nonzero_factor, own::Fused)
HOLDS(combination, rounds_identically, when_the_root_is_a_power_of_two, own::Fused)
HOLDS(combination, rounds_identically, else_within_eight_u_or_nine, own::Fused)
REJECTS(combination, rounds_identically, else_within_eight_u_or_nine, FusedTheWrongWay)

}  // namespace embedscale::properties::testing
