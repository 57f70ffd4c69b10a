// Included once for each set of instructions: draws, 64 at a time, from 16 blocks of four words.

/// The low halves times m, in 64 bits each.
template <class V>
HWY_INLINE V product_of_low_halves(V x, std::uint32_t m) {
  const hn::DFromV<V> d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, (hn::GetLane(x) & 0xffffffff) * m);
#else
  const hn::RepartitionToNarrow<decltype(d)> halves;
  return hn::MulEven(hn::BitCast(halves, x), hn::Set(halves, m));
#endif
}

using Counters = hn::Vec<hn::CappedTag<std::uint64_t, 8>>;

/// The words of groups of 16 blocks, word w of block b of a group at 16·w + b, by Philox4x32-10; so
/// many groups at once, as one waits for its products. Counters are in the low halves of 64 bits:
/// a product then needs no shuffling; even ones in one vector and odd ones in the next; what is
/// above them in sums is in nobody's way.
template <std::size_t groups>
HWY_INLINE void words_of_groups(std::uint64_t seed, std::uint64_t name, std::uint64_t group,
                                Counters even_ones, std::uint32_t* words) {
  const hn::DFromV<Counters> d;
  constexpr std::size_t step = hn::MaxLanes(d), count = groups * 16 / step;
  Counters c[count][4];
  for (std::size_t k = 0; k < count; ++k) {
    c[k][0] = hn::Add(even_ones, hn::Set(d, 16 * group + k / 2 * 2 * step + k % 2));
    c[k][1] = hn::ShiftRight<32>(c[k][0]);
    c[k][2] = hn::Set(d, name), c[k][3] = hn::Set(d, name >> 32);
  }
  auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
    const auto k0 = hn::Set(d, key0), k1 = hn::Set(d, key1);
    for (std::size_t k = 0; k < count; ++k) {
      const auto p0 = product_of_low_halves(c[k][0], 0xD2511F53);
      const auto p1 = product_of_low_halves(c[k][2], 0xCD9E8D57);
      c[k][0] = hn::Xor3(hn::ShiftRight<32>(p1), c[k][1], k0), c[k][1] = p1;
      c[k][2] = hn::Xor3(hn::ShiftRight<32>(p0), c[k][3], k1), c[k][3] = p0;
    }
  }
  for (std::size_t k = 0; k < count; k += 2)
    for (std::size_t w = 0; w < 4; ++w) {
      std::uint32_t* const to = words + k * step / 16 * 64 + 16 * w + k * step % 16;
#if HWY_TARGET == HWY_SCALAR
      to[0] = static_cast<std::uint32_t>(hn::GetLane(c[k][w]));
      to[1] = static_cast<std::uint32_t>(hn::GetLane(c[k + 1][w]));
#else
      const hn::RepartitionToNarrow<decltype(d)> halves;
      hn::Store(hn::OddEven(hn::BitCast(halves, hn::ShiftLeft<32>(c[k + 1][w])),
                            hn::BitCast(halves, c[k][w])),
                halves, to);
#endif
    }
}

using Words = hn::Vec<hn::Rebind<std::int32_t, Floats>>;

/// −2 ln u for u = (word + ½)/2^32. Where the word is negative that is 1 + x, of which x is known
/// with all its digits.
HWY_INLINE Vector squared_radius(Words word) {
  const Floats d;
  const auto at = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto x = fused(hn::ConvertTo(d, word), at(0x1p-32f), at(0x1p-33f));
  const auto [k, m] = split(hn::IfThenElse(hn::Lt(x, at(0)), hn::Add(at(1), x), x));
  const auto f = hn::IfThenElse(hn::Eq(k, at(0)), x, hn::Sub(m, at(1)));
  return logarithm<-2>(k, f);
}

/// A pair of normal numbers of two words (Box and Muller 1958): of the second, 30 bits are an angle
/// from −π/4 to π/4, one exchanges cosine and sine, the sign bit is that of both. Sine and cosine
/// are polynomials of the least error, 2^−28.
struct Pair {
  Vector cosine, sine;
};
HWY_INLINE Pair normal_pair(Words first, Words second, Vector scale) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const auto at = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto radius = hn::Mul(hn::Sqrt(squared_radius(first)), scale);
  const auto x = hn::Mul(hn::ConvertTo(d, hn::ShiftLeft<2>(second)),
                         at(static_cast<float>(0x1p-33 * std::numbers::pi)));
  const auto square = hn::Mul(x, x);
  const auto s =
      hn::Mul(x, polynomial(square, {-1.95040222e-4f, 8.33203644e-3f, -0.166666508f, 1.0f}));
  const auto c = fused(
      square, polynomial(square, {2.43904524e-5f, -1.38867635e-3f, 4.16666232e-2f, -0.5f}), at(1));
  const auto exchanged = hn::RebindMask(d, hn::TestBit(second, hn::Set(integers, 1 << 30)));
  const auto sign = hn::BitCast(d, hn::And(second, hn::Set(integers, INT32_MIN)));
  const auto signed_radius = hn::Xor(radius, sign);
  return {hn::Mul(signed_radius, hn::IfThenElse(exchanged, s, c)),
          hn::Mul(signed_radius, hn::IfThenElse(exchanged, c, s))};
}

/// One of the 2^23 odd multiples of 2^−23 in (−1, 1).
HWY_INLINE Vector uniform_of(Words word) {
  const hn::RebindToSigned<Floats> integers;
  const auto odd = hn::Or(hn::ShiftRight<8>(word), hn::Set(integers, 1));
  return hn::Mul(hn::ConvertTo(Floats(), odd), hn::Set(Floats(), 0x1p-23f));
}

/// √2·erf⁻¹(y) for y = erf(√2)·word/2^31 (Giles 2012, single precision, the middle): within
/// ±(2 − 2^−23), which words of 2^31 give.
HWY_INLINE Vector truncated_normal_of(Words word) {
  const Floats d;
  const auto at = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto y = hn::Mul(hn::ConvertTo(d, word), at(0x1p-31f * 0.95449973610364158f));
  const auto [k, m] = split(fused(hn::Neg(y), y, at(1)));
  const auto w = hn::Sub(at(-2.5f), logarithm<1>(k, hn::Sub(m, at(1))));
  const auto p =
      polynomial(w, {2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f,
                     0.00021858087f, -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f});
  return hn::Mul(hn::Mul(p, at(1.41421356f)), y);
}

/// Of the words of a group, the draws at scale 1, times the scale.
template <UnitDistribution of>
HWY_INLINE void draw_group(const std::uint32_t* words, float scale, float* out) {
  const Floats d;
  const auto factor = hn::Set(d, scale);
  const auto at = [&](std::size_t i) HWY_ATTR {
    return hn::BitCast(hn::RebindToSigned<Floats>(),
                       hn::Load(hn::RebindToUnsigned<Floats>(), words + i));
  };
  if constexpr (of == UnitDistribution::normal) {
    for (const std::size_t pair : {0, 32})
      for (std::size_t b = pair; b < pair + 16; b += lanes) {
        const auto [cosine, sine] = normal_pair(at(b), at(b + 16), factor);
        hn::StoreU(cosine, d, out + b), hn::StoreU(sine, d, out + b + 16);
      }
  } else {
    for (std::size_t i = 0; i < 64; i += lanes)
      hn::StoreU(
          hn::Mul(of == UnitDistribution::uniform ? uniform_of(at(i)) : truncated_normal_of(at(i)),
                  factor),
          d, out + i);
  }
}

template <UnitDistribution of>
void draw_groups(std::uint64_t seed, std::uint64_t name, std::uint64_t group, std::size_t groups,
                 float scale, float* out) {
  HWY_ALIGN std::uint32_t words[128];
  const auto even_ones = hn::ShiftLeft<1>(hn::Iota(hn::DFromV<Counters>(), 0));
  for (; groups >= 2; groups -= 2, group += 2, out += 128) {
    words_of_groups<2>(seed, name, group, even_ones, words);
    draw_group<of>(words, scale, out), draw_group<of>(words + 64, scale, out + 64);
  }
  if (groups == 0) return;
  words_of_groups<1>(seed, name, group, even_ones, words);
  draw_group<of>(words, scale, out);
}

void DrawGroups(UnitDistribution of, std::uint64_t seed, std::uint64_t name, std::uint64_t group,
                std::size_t groups, float scale, float* out) {
  using enum UnitDistribution;
  if (of == normal) return draw_groups<normal>(seed, name, group, groups, scale, out);
  if (of == uniform) return draw_groups<uniform>(seed, name, group, groups, scale, out);
  draw_groups<truncated_normal>(seed, name, group, groups, scale, out);
}
