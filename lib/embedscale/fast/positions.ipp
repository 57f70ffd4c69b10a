// Included once for each set of instructions: rows of positions, each rotated from the one before.

/// Cosine and sine of angles in 2^−64 turns, n a whole number of vectors: a quadrant and an angle
/// from −π/4 to π/4, by Cephes' polynomials (sin, cos).
void Encode(const std::uint64_t* angles, std::size_t n, double* cosine, double* sine) {
  const hn::CappedTag<double, 8> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::RebindToUnsigned<decltype(d)> words;
  const auto at = [&](double value) HWY_ATTR { return hn::Set(d, value); };
  const auto polynomial = [&](auto x, const auto& c) HWY_ATTR {
    auto sum = at(c[0]);
    for (std::size_t k = 1; k < std::size(c); ++k) sum = hn::MulAdd(sum, x, at(c[k]));
    return sum;
  };
  constexpr double of_sine[] = {1.58962301576546568060e-10, -2.50507477628578072866e-8,
                                2.75573136213857245213e-6,  -1.98412698295895385996e-4,
                                8.33333333332211858878e-3,  -1.66666666666666307295e-1};
  constexpr double of_cosine[] = {-1.13585365213876817300e-11, 2.08757008419747316778e-9,
                                  -2.75573141792967388112e-7,  2.48015872888517045348e-5,
                                  -1.38888888888730564116e-3,  4.16666666666665929218e-2};
  for (std::size_t i = 0; i < n; i += hn::MaxLanes(d)) {
    const auto angle = hn::LoadU(words, angles + i);
    const auto in_quadrant = hn::ConvertTo(d, hn::BitCast(integers, hn::ShiftLeft<2>(angle)));
    const auto x = hn::Mul(in_quadrant, at(0x1p-65 * std::numbers::pi));
    const auto square = hn::Mul(x, x);
    const auto s = hn::MulAdd(hn::Mul(x, square), polynomial(square, of_sine), x);
    const auto c = hn::MulAdd(hn::Mul(square, square), polynomial(square, of_cosine),
                              hn::MulAdd(square, at(-0.5), at(1)));
    // The nearest multiple of a quarter turn, its two bits.
    const auto quarter = hn::ShiftRight<62>(hn::Add(angle, hn::Set(words, std::uint64_t{1} << 61)));
    const auto exchanged =
        hn::RebindMask(d, hn::TestBit(quarter, hn::Set(words, std::uint64_t{1})));
    const auto sign_of_sine = hn::BitCast(d, hn::ShiftLeft<63>(hn::ShiftRight<1>(quarter)));
    const auto sign_of_cosine =
        hn::BitCast(d, hn::ShiftLeft<63>(hn::Xor(quarter, hn::ShiftRight<1>(quarter))));
    hn::StoreU(hn::Xor(hn::IfThenElse(exchanged, s, c), sign_of_cosine), d, cosine + i);
    hn::StoreU(hn::Xor(hn::IfThenElse(exchanged, c, s), sign_of_sine), d, sine + i);
  }
}

/// Rows begin … end − 1 for the pairs of channels from `pair` on, so many vectors at a time: their
/// products wait for each other. Where rounding x − error and x + error differs, the entry is
/// undecided, and its place is kept.
template <std::size_t count>
HWY_INLINE void rotate(Rotation& by, std::size_t pair, const double* errors, std::size_t begin,
                       std::size_t end, bool interleaved, float* out,
                       std::vector<Place>& undecided) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const hn::RebindToSigned<decltype(narrow)> bits;
  constexpr std::size_t step = hn::MaxLanes(d);
  using Doubles = hn::Vec<decltype(d)>;
  const std::size_t pairs = by.pairs;
  Doubles cosine[count], sine[count], turn_cosine[count], turn_sine[count];
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = pair + k * step;
    cosine[k] = hn::LoadU(d, by.cosine.data() + at), sine[k] = hn::LoadU(d, by.sine.data() + at);
    turn_cosine[k] = hn::LoadU(d, by.cosine_of_turn.data() + at);
    turn_sine[k] = hn::LoadU(d, by.sine_of_turn.data() + at);
  }
  for (std::size_t row = begin; row < end; ++row, out += 2 * pairs) {
    const auto error = hn::Set(d, errors[row]);
    auto differ = hn::Zero(bits);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = pair + k * step;
      const auto rounded = [&](auto x) HWY_ATTR {
        const auto low = hn::DemoteTo(narrow, hn::Sub(x, error));
        differ =
            hn::Or(differ, hn::Xor(hn::BitCast(bits, low),
                                   hn::BitCast(bits, hn::DemoteTo(narrow, hn::Add(x, error)))));
        return low;
      };
      const auto c = rounded(cosine[k]), s = rounded(sine[k]);
      if (at + step <= pairs) {
        if (interleaved) {
          hn::StoreInterleaved2(s, c, narrow, out + 2 * at);
        } else {
          hn::StoreU(s, narrow, out + at);
          hn::StoreU(c, narrow, out + pairs + at);
        }
      } else if (at < pairs) {
        HWY_ALIGN float of_sine[step], of_cosine[step];
        hn::Store(s, narrow, of_sine), hn::Store(c, narrow, of_cosine);
        for (std::size_t i = 0; at + i < pairs; ++i) {
          out[interleaved ? 2 * (at + i) : at + i] = of_sine[i];
          out[interleaved ? 2 * (at + i) + 1 : pairs + at + i] = of_cosine[i];
        }
      }
    }
    if (!hn::AllTrue(bits, hn::Eq(differ, hn::Zero(bits))))
      for (std::size_t k = 0; k < count; ++k) {
        HWY_ALIGN double of_sine[step], of_cosine[step];
        hn::Store(sine[k], d, of_sine), hn::Store(cosine[k], d, of_cosine);
        for (std::size_t i = 0; i < step && pair + k * step + i < pairs; ++i)
          if (!is_decided(of_sine[i], errors[row]) || !is_decided(of_cosine[i], errors[row]))
            undecided.push_back({row, pair + k * step + i});
      }
    for (std::size_t k = 0; k < count; ++k) {
      const auto c = cosine[k], s = sine[k];
      cosine[k] = hn::NegMulAdd(s, turn_sine[k], hn::Mul(c, turn_cosine[k]));
      sine[k] = hn::MulAdd(s, turn_cosine[k], hn::Mul(c, turn_sine[k]));
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = pair + k * step;
    hn::StoreU(cosine[k], d, by.cosine.data() + at), hn::StoreU(sine[k], d, by.sine.data() + at);
  }
}

/// A few rows at a time: more of them are in more pages, and in more lines of a cache's set, than
/// there is room for; halves write two lines a row.
void Rotate(Rotation& by, const double* errors, std::size_t rows, bool interleaved, float* out,
            std::vector<Place>& undecided) {
  constexpr std::size_t step = hn::MaxLanes(hn::CappedTag<double, 8>()),
                        count = std::min<std::size_t>(padding / step, 4);
  const std::size_t few = interleaved ? 8 : 4;
  for (std::size_t row = 0; row < rows; row += few)
    for (std::size_t pair = 0; pair < by.cosine.size(); pair += count * step)
      rotate<count>(by, pair, errors, row, std::min(row + few, rows), interleaved,
                    out + row * 2 * by.pairs, undecided);
}
