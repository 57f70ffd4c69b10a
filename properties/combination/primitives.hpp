#pragma once
// What the claims about up and down are about, on one channel: the library's functions, or others
// in their place.
#include <embedscale/combination.hpp>
#include <embedscale/dropout.hpp>
#include <embedscale/format.hpp>
#include <embedscale/merged.hpp>

#include <type_traits>

#include "../domain/rationals.hpp"
#include "../over.hpp"

namespace embedscale::properties::combination {

template <Scalar Real>
struct Operations {
  using Combine = Operation<Real(const Real& e, const Real& p, const Real& m)>;
  Combine up = embedscale::up<Real>;
  Combine down = embedscale::down<Real>;
  Combine down_by_reciprocal = embedscale::down_by_reciprocal<Real>;
  Operation<Real(const Real& e, const Real& p)> sum = embedscale::sum<Real>;
  Operation<Real(const Real& x, DropoutMask mask, const Real& s)> dropout =
      embedscale::dropout<Real>;
  /// The same, from the rate.
  Operation<Real(const Real& x, DropoutMask mask, double rate)> dropout_at_rate =
      [](const Real& x, DropoutMask mask, double rate) {
        return embedscale::dropout(x, mask, dropout_scale<Real>(rate));
      };

  Operation<Real(const Real& e, const Real& m, MultiplierPlace)> merged_token =
      embedscale::merged_token<Real>;
  Operation<Real(const Real& q, const Real& m, MultiplierPlace, Features)> merged_feature =
      embedscale::merged_feature<Real>;

  void list(Members& to) {
    EMBEDSCALE_LIST(to, up, down, down_by_reciprocal, sum, dropout, dropout_at_rate, merged_token,
                    merged_feature);
  }
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, domain::Rational, double, float, binary16, bfloat16> {};
/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::combination
