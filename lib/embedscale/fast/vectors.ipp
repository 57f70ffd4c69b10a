// Included once for each set of instructions: vectors, sums of them, and functions of the same bits
// by all of them.
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
/// Sums are of so many parts, whatever a vector holds, so that they are the same bits.
constexpr std::size_t parts = 32;
constexpr std::size_t lanes = hn::MaxLanes(Floats());
constexpr std::size_t vectors = parts / lanes;

/// a·b + c, rounded once by every processor.
template <class V>
HWY_INLINE V fused(V a, V b, V c) {
#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  const hn::DFromV<V> d;
  HWY_ALIGN hn::TFromV<V> x[hn::MaxLanes(d)], y[hn::MaxLanes(d)], z[hn::MaxLanes(d)];
  hn::Store(a, d, x), hn::Store(b, d, y), hn::Store(c, d, z);
  for (std::size_t k = 0; k < hn::MaxLanes(d); ++k) z[k] = std::fma(x[k], y[k], z[k]);
  return hn::Load(d, z);
#endif
}

/// c₀xⁿ⁻¹ + … + c_{n−1}.
template <std::size_t n>
HWY_INLINE Vector polynomial(Vector x, const float (&c)[n]) {
  auto sum = hn::Set(Floats(), c[0]);
  for (std::size_t k = 1; k < n; ++k) sum = fused(sum, x, hn::Set(Floats(), c[k]));
  return sum;
}

/// Calls visit(block) for 32 numbers at a time, the last ones followed by `neutral`.
template <class Visit>
HWY_INLINE void each_block(const float* x, std::size_t n, float neutral, const Visit& visit) {
  std::size_t i = 0;
  for (; i + parts <= n; i += parts) visit(x + i);
  if (i == n) return;
  HWY_ALIGN float last[parts];
  std::fill_n(last, parts, neutral);
  std::memcpy(last, x + i, (n - i) * sizeof(float));
  visit(last);
}

/// out[i] = of(x[i]), a vector at a time.
template <class Of>
HWY_INLINE void transform(const float* x, std::size_t n, float* out, const Of& of) {
  const Floats d;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(of(hn::LoadU(d, x + i)), d, out + i);
  if (i == n) return;
  HWY_ALIGN float last[lanes] = {};
  std::memcpy(last, x + i, (n - i) * sizeof(float));
  hn::Store(of(hn::Load(d, last)), d, last);
  std::memcpy(out + i, last, (n - i) * sizeof(float));
}

/// The lanes of a vector in pairs, as a tree: lane k with lane k + half, and so on.
template <class D, class V, class Of>
HWY_INLINE hn::TFromD<D> folded_lanes(D d, V v, const Of& of) {
#if HWY_TARGET != HWY_SCALAR         // which has no halves
  constexpr std::size_t bytes = 16;  // below it, they are no vectors
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > bytes) {
    const hn::Half<D> half;
    return folded_lanes(half, of(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), of);
  } else
#endif
  {
    HWY_ALIGN hn::TFromD<D> x[hn::MaxLanes(D())];
    hn::Store(v, d, x);
    const hn::CappedTag<hn::TFromD<D>, 1> one;
    for (std::size_t n = hn::MaxLanes(D()) / 2; n > 0; n /= 2)
      for (std::size_t k = 0; k < n; ++k)
        x[k] = hn::GetLane(of(hn::Set(one, x[k]), hn::Set(one, x[k + n])));
    return x[0];
  }
}

/// Vectors in pairs in the same way, and then the lanes of what is left.
template <class D, std::size_t n, class Of>
HWY_INLINE hn::TFromD<D> folded(D d, hn::Vec<D> (&all)[n], const Of& of) {
  for (std::size_t half = n / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) all[k] = of(all[k], all[k + half]);
  return folded_lanes(d, all[0], of);
}

struct Plus {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};

/// Running results of a fold over blocks.
struct Parts {
  Vector all[vectors];
  HWY_INLINE explicit Parts(float value) {
    for (auto& one : all) one = hn::Set(Floats(), value);
  }
  template <class Of>
  HWY_INLINE float result(const Of& of) {
    return folded(Floats(), all, of);
  }
};

/// e^x for x <= 0: 2^k·e^r with k = x/ln 2 to the nearest and |r| <= ln(2)/2. ln 2 is C₁ + C₂, of
/// which C₁ is rounded to binary32; products are fused, so that k·C₁ is off by nothing and k·C₂ by
/// 2^−49·k. The polynomial e^r = 1 + r + r²·P(r) is Cephes' (expf), off by 2^−23.5 of the result
/// with its own roundings. 2^(k + 100) goes into the exponent; 2^−100 is a product, which rounds
/// where the result is subnormal.
HWY_INLINE Vector exponential(Vector x) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const auto at = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto from = hn::Max(at(-105.0f), x);  // below it everything is 0
  // The last digits of this sum are k + 100.
  const auto shifted = fused(from, at(1.44269504f), at(0x1.8p23f + 100));
  const auto k = hn::Sub(shifted, at(0x1.8p23f + 100));
  const auto r = fused(k, at(-0x1.7f7d1cp-20f), fused(k, at(-0x1.62e4p-1f), from));
  const auto p = polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  const auto power = hn::Add(fused(p, hn::Mul(r, r), r), at(1.0f));
  const auto raised =
      hn::Add(hn::BitCast(integers, power), hn::ShiftLeft<23>(hn::BitCast(integers, shifted)));
  // The digits of a NaN would go into the exponent, too.
  return hn::IfThenElse(hn::Eq(x, x), hn::Mul(hn::BitCast(d, raised), at(0x1p-100f)), x);
}

/// times·ln(2^k·(1 + f)), √½ <= 1 + f < √2, `times` a power of two or its negative, which rounds
/// nothing: f·P(f) with the least relative error, 2^−25.2, and k·ln 2; off by less than 2.5 units.
template <int times>
HWY_INLINE Vector logarithm(Vector k, Vector f) {
  const auto p = polynomial(f, {times * 0.0872236118f, times * -0.143668458f, times * 0.149522662f,
                                times * -0.165623933f, times * 0.199568331f, times * -0.250020742f,
                                times * 0.333341867f, times * -0.499999881f, times * 1.0f});
  return fused(f, p, hn::Mul(k, hn::Set(Floats(), times * 0.693147182f)));
}

struct Split {
  Vector exponent, mantissa;  ///< x = 2^exponent·mantissa, from √½ (rounded down) to √2
};
/// Of a normal number above 0.
HWY_INLINE Split split(Vector x) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const auto bits = hn::BitCast(integers, x);
  const auto k = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(integers, 0x3f3504f3)));
  return {hn::ConvertTo(d, k), hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(k)))};
}
