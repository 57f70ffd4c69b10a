// Compiled once for each set of instructions; what needs no vectors stands below.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embedscale/fast/kernels.cpp"
// In between them nothing is gained.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <embedscale/fast/fast.hpp>
#include <embedscale/position_table.hpp>

#ifndef EMBEDSCALE_FAST_ROTATION
  #define EMBEDSCALE_FAST_ROTATION
namespace embedscale::fast {
/// A row of positions in binary64, room for the next one, and the turn to that; each of a whole
/// number of vectors.
struct Rotation {
  std::vector<double> cosine, sine, next_cosine, next_sine, cosine_of_turn, sine_of_turn;
};
inline constexpr std::size_t padding = 16;
inline std::size_t padded(std::size_t n) { return (n + padding - 1) / padding * padding; }
}  // namespace embedscale::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace embedscale::fast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
/// Sums are of so many parts, whatever a vector holds, so that they are the same bits.
constexpr std::size_t parts = 32;
constexpr std::size_t lanes = hn::MaxLanes(Floats());
constexpr std::size_t vectors = parts / lanes;

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

/// Running results of a fold over blocks.
struct Parts {
  Vector all[vectors];

  HWY_INLINE explicit Parts(float value) {
    for (auto& one : all) one = hn::Set(Floats(), value);
  }
  /// In pairs, as a tree: part k with part k + 16, and so on.
  template <class Of>
  HWY_INLINE float folded(const Of& of) {
    const Floats d;
    for (std::size_t half = vectors / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) all[k] = of(all[k], all[k + half]);
    HWY_ALIGN float out[lanes];
    hn::Store(all[0], d, out);
    const hn::CappedTag<float, 1> one;
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k)
        out[k] = hn::GetLane(of(hn::Set(one, out[k]), hn::Set(one, out[k + half])));
    return out[0];
  }
};

struct Plus {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};

/// Σ of(x); of(neutral) is 0.
template <class Of>
HWY_INLINE float sum_of(const float* x, std::size_t n, float neutral, const Of& of) {
  Parts sums(0);
  each_block(x, n, neutral, [&](const float* block) {
    for (std::size_t k = 0; k < vectors; ++k)
      sums.all[k] = hn::Add(sums.all[k], of(hn::LoadU(Floats(), block + k * lanes)));
  });
  return sums.folded(Plus());
}

HWY_INLINE float largest_of(const float* x, std::size_t n) {
  Parts most(-std::numeric_limits<float>::infinity());
  each_block(x, n, -std::numeric_limits<float>::infinity(), [&](const float* block) {
    for (std::size_t k = 0; k < vectors; ++k)
      most.all[k] = hn::Max(hn::LoadU(Floats(), block + k * lanes), most.all[k]);
  });
  return most.folded([](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
}

/// Rows of (x − mean)/√(mean square of that + ε), or of x without the mean.
void Standardise(const float* x, std::size_t n, std::size_t rows, bool centred, float epsilon,
                 float* out) {
  const auto size = static_cast<float>(n);
  for (; rows > 0; --rows, x += n, out += n) {
    const float mean = centred ? sum_of(x, n, 0, [](Vector v) HWY_ATTR { return v; }) / size : 0;
    const auto c = hn::Set(Floats(), mean);
    const float squares = sum_of(x, n, mean, [&](Vector v) HWY_ATTR {
      const auto off = hn::Sub(v, c);
      return hn::Mul(off, off);
    });
    const auto factor = hn::Set(Floats(), 1 / std::sqrt(squares / size + epsilon));
    transform(x, n, out, [&](Vector v) HWY_ATTR { return hn::Mul(hn::Sub(v, c), factor); });
  }
}

/// scale·⟨q, row⟩ of so many rows at a time, as their sums do not wait for each other.
template <std::size_t count>
HWY_INLINE void dots(const float* q, const float* keys, std::size_t n, float scale, float* out) {
  const Floats d;
  Vector sums[count][vectors];
  for (auto& row : sums)
    for (auto& one : row) one = hn::Zero(d);
  const auto add = [&](const float* x, const float* y, std::size_t stride) HWY_ATTR {
    for (std::size_t i = 0; i < vectors; ++i)
      for (std::size_t k = 0; k < count; ++k)
        sums[k][i] = hn::Add(sums[k][i], hn::Mul(hn::LoadU(d, x + i * lanes),
                                                 hn::LoadU(d, y + k * stride + i * lanes)));
  };
  std::size_t i = 0;
  for (; i + parts <= n; i += parts) add(q + i, keys + i, n);
  if (i < n) {
    HWY_ALIGN float x[parts] = {};
    HWY_ALIGN float y[count * parts] = {};
    std::memcpy(x, q + i, (n - i) * sizeof(float));
    for (std::size_t k = 0; k < count; ++k)
      std::memcpy(y + k * parts, keys + k * n + i, (n - i) * sizeof(float));
    add(x, y, parts);
  }
  for (std::size_t k = 0; k < count; ++k) {
    Parts of_row(0);
    std::ranges::copy(sums[k], of_row.all);
    out[k] = scale * of_row.folded(Plus());
  }
}

void Dots(const float* q, const float* keys, std::size_t n, std::size_t rows, float scale,
          float* out) {
  constexpr std::size_t most = 4;
  for (; rows >= most; rows -= most, keys += most * n, out += most)
    dots<most>(q, keys, n, scale, out);
  for (; rows > 0; --rows, keys += n, ++out) dots<1>(q, keys, n, scale, out);
}

/// e^x for x <= 0: 2^k·e^r with k = x/ln 2 to the nearest and |r| <= ln(2)/2. ln 2 is C₁ + C₂, of
/// which C₁ has 9 digits, so that k·C₁ is exact, and k·C₂ is off by 2^−24·0.05 at most. The
/// polynomial e^r = 1 + r + r²·P(r) is Cephes' (expf), off by 2^−23.3 of the result with its own
/// roundings; 2^k is multiplied in halves, the last of which rounds where it is subnormal.
HWY_INLINE Vector exponential(Vector x) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const auto at = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  // Below it everything is 0; a NaN stays.
  x = hn::IfThenElse(hn::Lt(x, at(-105.0f)), at(-105.0f), x);
  const auto k = hn::Round(hn::Mul(x, at(1.44269504f)));
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(k, at(0.693359375f))), hn::Mul(k, at(-2.12194440e-4f)));
  auto p = at(1.9875691500e-4f);
  for (const float c :
       {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
    p = hn::Add(hn::Mul(p, r), at(c));
  p = hn::Add(hn::Add(hn::Mul(p, hn::Mul(r, r)), r), at(1.0f));
  const auto whole = hn::ConvertTo(integers, k);
  const auto half = hn::ShiftRight<1>(whole);
  const auto power = [&](auto n) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(integers, 127))));
  };
  return hn::Mul(hn::Mul(p, power(half)), power(hn::Sub(whole, half)));
}

void Softmax(float* z, std::size_t n, std::size_t rows) {
  const Floats d;
  for (; rows > 0; --rows, z += n) {
    const auto most = hn::Set(d, largest_of(z, n));
    Parts sums(0);
    const auto add = [&](const float* x, float* out) HWY_ATTR {
      for (std::size_t k = 0; k < vectors; ++k) {
        const auto power = exponential(hn::Sub(hn::LoadU(d, x + k * lanes), most));
        hn::StoreU(power, d, out + k * lanes);
        sums.all[k] = hn::Add(sums.all[k], power);
      }
    };
    std::size_t i = 0;
    for (; i + parts <= n; i += parts) add(z + i, z + i);
    if (i < n) {
      HWY_ALIGN float last[parts];
      std::fill_n(last, parts, -std::numeric_limits<float>::infinity());
      std::memcpy(last, z + i, (n - i) * sizeof(float));
      add(last, last);
      std::memcpy(z + i, last, (n - i) * sizeof(float));
    }
    const auto factor = hn::Set(d, 1 / sums.folded(Plus()));
    transform(z, n, z, [&](Vector v) HWY_ATTR { return hn::Mul(v, factor); });
  }
}

void ScaleAndAdd(const float* x, float factor, const float* y, std::size_t n, float* out) {
  const Floats d;
  const auto m = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::Mul(m, hn::LoadU(d, x + i)), hn::LoadU(d, y + i)), d, out + i);
  for (; i < n; ++i) out[i] = factor * x[i] + y[i];
}

/// The row in binary32, `pairs` sines and cosines from `out` on, or beside each other; and the next
/// one. Whether both x − error and x + error are rounded to what is written, for all of them.
bool Rotate(Rotation& by, std::size_t pairs, double error, bool interleaved, float* out) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto step = hn::Lanes(d);
  const auto off = hn::Set(d, error);
  auto differ = hn::Zero(narrow);
  HWY_ALIGN float last[2 * 8];
  const auto rounded = [&](auto x) HWY_ATTR {
    const auto low = hn::DemoteTo(narrow, hn::Sub(x, off));
    differ = hn::Or(differ, hn::Xor(low, hn::DemoteTo(narrow, hn::Add(x, off))));
    return low;
  };
  for (std::size_t i = 0; i < pairs; i += step) {
    const auto c = hn::LoadU(d, by.cosine.data() + i), s = hn::LoadU(d, by.sine.data() + i);
    const auto cosine = rounded(c), sine = rounded(s);
    const bool fits = i + step <= pairs;
    float* to = fits ? out : last;
    const std::size_t at = fits ? i : 0, rest = std::min(step, pairs - i);
    if (interleaved) {
      hn::StoreInterleaved2(sine, cosine, narrow, to + 2 * at);
      if (!fits) std::memcpy(out + 2 * i, last, 2 * rest * sizeof(float));
    } else {
      hn::StoreU(sine, narrow, to + at);
      hn::StoreU(cosine, narrow, to + (fits ? pairs + at : 8));
      if (!fits) {
        std::memcpy(out + i, last, rest * sizeof(float));
        std::memcpy(out + pairs + i, last + 8, rest * sizeof(float));
      }
    }
    const auto cw = hn::LoadU(d, by.cosine_of_turn.data() + i),
               sw = hn::LoadU(d, by.sine_of_turn.data() + i);
    hn::StoreU(hn::NegMulAdd(s, sw, hn::Mul(c, cw)), d, by.next_cosine.data() + i);
    hn::StoreU(hn::MulAdd(s, cw, hn::Mul(c, sw)), d, by.next_sine.data() + i);
  }
  const hn::RebindToSigned<decltype(narrow)> bits;
  return hn::AllTrue(bits, hn::Eq(hn::BitCast(bits, differ), hn::Zero(bits)));
}

}  // namespace HWY_NAMESPACE
}  // namespace embedscale::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace embedscale::fast {
namespace {

HWY_EXPORT(Standardise);
HWY_EXPORT(Dots);
HWY_EXPORT(Softmax);
HWY_EXPORT(ScaleAndAdd);
HWY_EXPORT(Rotate);

/// How many rows of so many numbers there are.
std::size_t rows_of(const char* what, std::size_t numbers, std::size_t d) {
  if (d == 0 || numbers % d != 0)
    throw std::invalid_argument(std::string(what) + ": not a whole number of rows");
  return numbers / d;
}

/// Rows that are rotated from one exact row.
constexpr std::size_t rows_of_a_rotation = 512;

/// How far k rotations leave sine and cosine off, and x ± that is rounded. The exact row is off by
/// √2·2^−54, as its parts are rounded. So is the number of size 1 that each rotation multiplies by,
/// and that rounds two products and a sum in each part, none of which is 2 or more: √2·3·2^−53.
/// Sizes above 1, below 1 + 2^−40, are in the last digits of the factors. Last, 2^−53 for x ± that.
constexpr double error_after(std::size_t k) {
  return 1.4143 * 0x1p-54 * (7.001 * static_cast<double>(k) + 1) + 0x1p-53;
}

/// Sine and cosine of each turn, rounded to binary64; 1 behind them, which is decided.
void encode(std::span<const Turn> turns, std::int64_t p, std::vector<double>& cosine,
            std::vector<double>& sine) {
  cosine.assign(padded(turns.size()), 1.0), sine.assign(padded(turns.size()), 1.0);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto at = sine_and_cosine(multiple(turns[i], static_cast<std::uint64_t>(p)));
    cosine[i] = rounded<double>(at.cosine), sine[i] = rounded<double>(at.sine);
  }
}

}  // namespace

void position_table(std::int64_t first, std::span<const Turn> turns, SinusoidalLayout layout,
                    std::span<float> out) {
  const std::size_t d = 2 * turns.size(), rows = rows_of("fast::position_table", out.size(), d);
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  Rotation by;
  encode(turns, 1, by.cosine_of_turn, by.sine_of_turn);
  std::fill(by.sine_of_turn.begin() + static_cast<std::ptrdiff_t>(turns.size()),
            by.sine_of_turn.end(), 0.0);
  by.next_cosine = by.cosine_of_turn, by.next_sine = by.sine_of_turn;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto p = first + static_cast<std::int64_t>(row);
    const std::size_t rotations = row % rows_of_a_rotation;
    if (rotations == 0) encode(turns, p, by.cosine, by.sine);
    const double error = error_after(rotations);
    const auto to = out.subspan(row * d, d);
    const auto is_decided = [error](double x) {
      return static_cast<float>(x - error) == static_cast<float>(x + error);
    };
    if (!HWY_DYNAMIC_DISPATCH(Rotate)(by, turns.size(), error, interleaved, to.data()))
      for (std::size_t i = 0; i < turns.size(); ++i)
        if (!is_decided(by.cosine[i]) || !is_decided(by.sine[i])) {
          const auto exact = sine_and_cosine(multiple(turns[i], static_cast<std::uint64_t>(p)));
          to[interleaved ? 2 * i : i] = rounded<float>(exact.sine);
          to[interleaved ? 2 * i + 1 : turns.size() + i] = rounded<float>(exact.cosine);
        }
    by.cosine.swap(by.next_cosine), by.sine.swap(by.next_sine);
  }
}

void look_up_and_add(const EmbeddingTable<float>& table, std::span<const std::size_t> tokens,
                     float multiplier, std::span<const float> positions, std::span<float> out) {
  const std::size_t d = table.width();
  require_size("fast::look_up_and_add: positions", positions.size(), tokens.size() * d);
  require_size("fast::look_up_and_add: out", out.size(), tokens.size() * d);
  for (std::size_t i = 0; i < tokens.size(); ++i) HWY_DYNAMIC_DISPATCH(ScaleAndAdd)
  (table.row(tokens[i]).data(), multiplier, positions.data() + i * d, d, out.data() + i * d);
}

void layer_norm(std::span<const float> x, std::size_t d, float epsilon, std::span<float> out) {
  require_size("fast::layer_norm: out", out.size(), x.size());
  HWY_DYNAMIC_DISPATCH(Standardise)
  (x.data(), d, rows_of("fast::layer_norm", x.size(), d), true, epsilon, out.data());
}

void rms_norm(std::span<const float> x, std::size_t d, float epsilon, std::span<float> out) {
  require_size("fast::rms_norm: out", out.size(), x.size());
  HWY_DYNAMIC_DISPATCH(Standardise)
  (x.data(), d, rows_of("fast::rms_norm", x.size(), d), false, epsilon, out.data());
}

void softmax(std::span<float> z, std::size_t n) {
  const auto rows = rows_of("fast::softmax", z.size(), n);
  for (std::size_t row = 0; row < rows; ++row)
    if (std::ranges::all_of(z.subspan(row * n, n), [](float x) { return x == -HUGE_VALF; }))
      throw std::invalid_argument("fast::softmax: every entry of a row is masked (-inf)");
  HWY_DYNAMIC_DISPATCH(Softmax)(z.data(), n, rows);
}

void logits(std::span<const float> q, std::span<const float> keys, float scale,
            std::span<float> out) {
  require_size("fast::logits: keys", keys.size(), out.size() * q.size());
  HWY_DYNAMIC_DISPATCH(Dots)(q.data(), keys.data(), q.size(), out.size(), scale, out.data());
}

}  // namespace embedscale::fast
#endif
