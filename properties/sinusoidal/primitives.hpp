#pragma once
// What the claims about sinusoidal positions are about: the library's functions, or others in their
// place.
#include <embedscale/format.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "../exact/decimal50.hpp"
#include "../over.hpp"

namespace embedscale::properties::sinusoidal {

template <AnalyticScalar Real>
struct Operations {
  Operation<std::vector<Real>(std::size_t d, FrequencyRule rule, const Real& base)> frequencies =
      sinusoidal_frequencies<Real>;
  Operation<void(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                 std::span<Real> out)>
      encode = encode_position<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, frequencies, encode); }
};

/// The library's.
template <AnalyticScalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, double, float, binary16, bfloat16, exact::Decimal50> {};
/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::sinusoidal
