// Compiled once for each set of instructions; what needs no vectors stands below.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embedscale/fast/kernels.cpp"
// In between them nothing is gained.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <embedscale/fast/fast.hpp>
#include <embedscale/position_table.hpp>

#ifndef EMBEDSCALE_FAST_ONCE
  #define EMBEDSCALE_FAST_ONCE
namespace embedscale::fast {
/// A row of positions in binary64, and the turn to the next one; each of a whole number of vectors.
struct Rotation {
  std::size_t pairs;
  std::vector<double> cosine, sine, cosine_of_turn, sine_of_turn;
};
inline constexpr std::size_t padding = 16;
struct Place {
  std::size_t row, pair;
};
inline bool is_decided(double x, double error) {
  return static_cast<float>(x - error) == static_cast<float>(x + error);
}

enum class UnitDistribution { normal, uniform, truncated_normal };
}  // namespace embedscale::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace embedscale::fast {
namespace HWY_NAMESPACE {
// In this order: each uses the first.
#include "vectors.ipp"

#include "draws.ipp"
#include "positions.ipp"
#include "rows.ipp"
}  // namespace HWY_NAMESPACE
}  // namespace embedscale::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace embedscale::fast {
namespace {

HWY_EXPORT(DrawGroups);
HWY_EXPORT(Encode);
HWY_EXPORT(LookUpAndAdd);
HWY_EXPORT(Powers);
HWY_EXPORT(Products);
HWY_EXPORT(Rotate);
HWY_EXPORT(Softmax);
HWY_EXPORT(Standardise);

/// How many rows of so many numbers there are.
std::size_t rows_of(const char* what, std::size_t numbers, std::size_t d) {
  if (d == 0 || numbers % d != 0)
    throw std::invalid_argument(std::string(what) + ": not a whole number of rows");
  return numbers / d;
}

/// Calls of(first, count) for all rows, each of which takes so many operations: on all threads
/// where these are worth it.
template <class Of>
void in_parallel(std::size_t rows, std::size_t operations, const Of& of) {
  constexpr std::size_t worth_it = 1 << 15;
  const std::size_t grain =
      std::max<std::size_t>(1, worth_it / std::max<std::size_t>(1, operations));
  if (rows <= grain) return of(std::size_t{0}, rows);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows, grain),
                    [&](const auto& range) { of(range.begin(), range.size()); });
}

/// Rows that are rotated from one that is not.
constexpr std::size_t rows_of_a_rotation = 512;

/// How far k rotations leave sine and cosine off, and x ± that is rounded, in 2^−53. An angle below
/// π/4 is off by (1 + 1 + 0.35)·π/4 (it is rounded to binary64, and multiplied by a rounded π,
/// which rounds), its sine by 0.85 and its cosine by 1.35 more: a row by less than 4, and so is the
/// number of size 1 that each rotation multiplies by. That rounds two products and a sum in each
/// part, none of which is 2 or more: 3·√2. Sizes above 1, below 1 + 2^−40, are in the last digits
/// of the factors. Last, 1 for x ± that.
constexpr double error_after(std::size_t k) {
  return 0x1p-53 * ((4.001 + 3 * 1.4143) * static_cast<double>(k) + 4 + 1);
}

/// Cosine and sine of each turn times p; of another angle behind them.
void encode(std::span<const Turn> turns, std::int64_t p, std::uint64_t behind,
            std::vector<double>& cosine, std::vector<double>& sine) {
  const auto size = (turns.size() + padding - 1) / padding * padding;
  std::vector<std::uint64_t> angles(size, behind);
  for (std::size_t i = 0; i < turns.size(); ++i)
    angles[i] = multiple(turns[i], static_cast<std::uint64_t>(p)).high;
  cosine.resize(size), sine.resize(size);
  HWY_DYNAMIC_DISPATCH(Encode)(angles.data(), size, cosine.data(), sine.data());
}

/// Rows from one that is not rotated.
void rotate_from(std::int64_t first, std::span<const Turn> turns, Rotation by, bool interleaved,
                 std::span<float> out) {
  const std::size_t d = 2 * turns.size(), rows = out.size() / d;
  // An eighth of a turn, which does not turn, is decided in each row.
  encode(turns, first, std::uint64_t{1} << 61, by.cosine, by.sine);
  std::vector<double> errors(rows);
  for (std::size_t k = 0; k < rows; ++k) errors[k] = error_after(k);
  if (first == 0) errors[0] = 0;
  std::vector<Place> undecided;
  HWY_DYNAMIC_DISPATCH(Rotate)(by, errors.data(), rows, interleaved, out.data(), undecided);
  for (const auto& [row, i] : undecided) {
    const auto p = static_cast<std::uint64_t>(first) + row;
    const auto exact = sine_and_cosine(multiple(turns[i], p));
    out[row * d + (interleaved ? 2 * i : i)] = rounded<float>(exact.sine);
    out[row * d + (interleaved ? 2 * i + 1 : turns.size() + i)] = rounded<float>(exact.cosine);
  }
}

struct Unit {
  UnitDistribution distribution;
  float scale;
};
UnitDistribution unit(const Normal&) { return UnitDistribution::normal; }
UnitDistribution unit(const Uniform&) { return UnitDistribution::uniform; }
UnitDistribution unit(const TruncatedNormal&) { return UnitDistribution::truncated_normal; }
Unit unit_of(const Initializer& law) {
  const auto scale = static_cast<float>(scale_of(law));
  if (!std::isnormal(scale))
    throw std::invalid_argument("fast: the distribution's scale is no normal number of binary32");
  return {std::visit([](const auto& one) { return unit(one); }, law), scale};
}

constexpr std::size_t group = 64;

/// Draws first …, on this thread; what is not a whole group goes by way of one.
void draw(const Unit& unit, const Stream& stream, std::uint64_t first, std::span<float> out) {
  const auto groups = [&](std::uint64_t begin, std::size_t count, float* to) {
    HWY_DYNAMIC_DISPATCH(DrawGroups)
    (unit.distribution, stream.seed(), stream.name(), begin, count, unit.scale, to);
  };
  while (!out.empty()) {
    const std::size_t skipped = first % group;
    std::size_t size = out.size() / group * group;
    if (skipped == 0 && size > 0) {
      groups(first / group, size / group, out.data());
    } else {
      HWY_ALIGN float one[group];
      groups(first / group, 1, one);
      size = std::min(out.size(), group - skipped);
      std::copy_n(one + skipped, size, out.begin());
    }
    first += size, out = out.subspan(size);
  }
}

/// Sums of powers around one centre: they add up.
struct PowerSums {
  double of[4] = {};
  PowerSums& operator+=(const PowerSums& other) {
    for (std::size_t k = 0; k < 4; ++k) of[k] += other.of[k];
    return *this;
  }
};
constexpr std::size_t summed_at_once = 1 << 12;

/// Of parts in a row, each by sums(begin, size), which are added as a tree that the number of
/// threads does not change.
template <class Sums>
Moments moments_of(std::uint64_t count, double centre, const Sums& sums) {
  const auto parts = (count + summed_at_once - 1) / summed_at_once;
  const auto all = tbb::parallel_deterministic_reduce(
      tbb::blocked_range<std::uint64_t>(0, parts, 8), PowerSums{},
      [&](const auto& range, PowerSums sum) {
        for (auto part = range.begin(); part < range.end(); ++part) {
          const auto begin = part * summed_at_once;
          sum += sums(begin, std::min<std::uint64_t>(summed_at_once, count - begin));
        }
        return sum;
      },
      [](PowerSums a, const PowerSums& b) { return a += b; });
  const auto n = static_cast<double>(count);
  const double off = all.of[0] / n, second = all.of[1] / n;
  return {
      count, centre + off, second - off * off,
      all.of[3] / n - 4 * off * all.of[2] / n + 6 * off * off * second - 3 * off * off * off * off};
}

/// out (rows of x, rows of keys) = scale·⟨·, ·⟩ + bias.
void multiply(std::span<const float> x, std::span<const float> keys, std::size_t n, float scale,
              std::span<const float> bias, std::span<float> out) {
  const std::size_t rows = x.size() / n, key_rows = keys.size() / n;
  const float* const add = bias.empty() ? nullptr : bias.data();
  // One row of x leaves only the keys to be divided.
  if (rows == 1)
    in_parallel(key_rows, n, [&](std::size_t first, std::size_t count) {
      HWY_DYNAMIC_DISPATCH(Products)
      (x.data(), 1, keys.data() + first * n, count, n, scale, add == nullptr ? add : add + first,
       out.data() + first);
    });
  else
    in_parallel(rows, n * key_rows, [&](std::size_t first, std::size_t count) {
      HWY_DYNAMIC_DISPATCH(Products)
      (x.data() + first * n, count, keys.data(), key_rows, n, scale, add,
       out.data() + first * key_rows);
    });
}

void standardise(const char* what, std::span<const float> x, std::size_t d, bool centred,
                 float epsilon, std::span<float> out) {
  require_size(what, out.size(), x.size());
  in_parallel(rows_of(what, x.size(), d), d, [&](std::size_t first, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(Standardise)
    (x.data() + first * d, d, count, centred, epsilon, out.data() + first * d);
  });
}

void normalize(const EncoderBlock<float>& block, std::span<float> x) {
  standardise("fast::apply", x, block.shape.d_model, block.norm.kind == NormKind::layer_norm,
              block.norm.epsilon, x);
}

/// Channels head·d_k … of each row of d_model, as rows of d_k, or as their columns.
std::vector<float> channels_of(std::size_t head, const BlockShape& shape,
                               std::span<const float> rows, bool as_columns) {
  const std::size_t d_k = shape.d_model / shape.heads, n = rows.size() / shape.d_model;
  std::vector<float> out(n * d_k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d_k; ++j)
      out[as_columns ? j * n + i : i * d_k + j] = rows[i * shape.d_model + head * d_k + j];
  return out;
}

}  // namespace

void position_table(std::int64_t first, std::span<const Turn> turns, SinusoidalLayout layout,
                    std::span<float> out) {
  const std::size_t d = 2 * turns.size(), rows = rows_of("fast::position_table", out.size(), d);
  Rotation by{.pairs = turns.size()};
  encode(turns, 1, 0, by.cosine_of_turn, by.sine_of_turn);
  const auto rotations = (rows + rows_of_a_rotation - 1) / rows_of_a_rotation;
  in_parallel(rotations, rows_of_a_rotation * d, [&](std::size_t begin, std::size_t count) {
    for (std::size_t k = begin; k < begin + count; ++k) {
      const auto row = k * rows_of_a_rotation;
      rotate_from(first + static_cast<std::int64_t>(row), turns, by,
                  layout == SinusoidalLayout::interleaved,
                  out.subspan(row * d, std::min(rows_of_a_rotation, rows - row) * d));
    }
  });
}

void look_up_and_add(const EmbeddingTable<float>& table, std::span<const std::size_t> tokens,
                     float multiplier, std::span<const float> positions, std::span<float> out) {
  const std::size_t d = table.width();
  require_size("fast::look_up_and_add: positions", positions.size(), tokens.size() * d);
  require_size("fast::look_up_and_add: out", out.size(), tokens.size() * d);
  for (const auto token : tokens) table.row(token);  // for its errors
  in_parallel(tokens.size(), d, [&](std::size_t row, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(LookUpAndAdd)
    (table.row(0).data(), tokens.data() + row, count, multiplier, positions.data() + row * d, d,
     out.data() + row * d);
  });
}

void layer_norm(std::span<const float> x, std::size_t d, float epsilon, std::span<float> out) {
  standardise("fast::layer_norm", x, d, true, epsilon, out);
}

void rms_norm(std::span<const float> x, std::size_t d, float epsilon, std::span<float> out) {
  standardise("fast::rms_norm", x, d, false, epsilon, out);
}

void softmax(std::span<float> z, std::size_t n, std::span<float> entropy, std::span<float> trace) {
  const auto rows = rows_of("fast::softmax", z.size(), n);
  if (!entropy.empty()) require_size("fast::softmax: entropy", entropy.size(), rows);
  if (!trace.empty()) require_size("fast::softmax: trace", trace.size(), rows);
  for (std::size_t row = 0; row < rows; ++row)
    if (std::ranges::all_of(z.subspan(row * n, n), [](float x) { return x == -HUGE_VALF; }))
      throw std::invalid_argument("fast::softmax: every entry of a row is masked (-inf)");
  in_parallel(rows, n, [&](std::size_t first, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(Softmax)
    (z.data() + first * n, n, count, entropy.empty() ? nullptr : entropy.data() + first,
     trace.empty() ? nullptr : trace.data() + first);
  });
}

void logits(std::span<const float> q, std::span<const float> keys, float scale,
            std::span<float> out) {
  require_size("fast::logits: keys", keys.size(), out.size() * q.size());
  if (q.empty())
    std::ranges::fill(out, scale * 0.0f);
  else if (!out.empty())
    multiply(q, keys, q.size(), scale, {}, out);
}

void linear(const LinearLayer<float>& layer, std::size_t d, std::span<const float> x,
            std::span<float> out) {
  const auto rows = rows_of("fast::linear", x.size(), d);
  const auto size = rows_of("fast::linear: weights", layer.weights.size(), d);
  require_size("fast::linear: out", out.size(), rows * size);
  if (!layer.bias.empty()) require_size("fast::linear: bias", layer.bias.size(), size);
  if (rows > 0) multiply(x, layer.weights, d, 1, layer.bias, out);
}

void self_attention(const BlockShape& shape, const BlockWeights<float>& weights,
                    std::span<const float> x, std::span<float> out) {
  detail::require_tokens(shape, x.size(), out.size());
  const std::size_t d = shape.d_model, d_k = d / shape.heads, n = x.size() / d;
  if (n == 0) return;
  std::vector<float> q(x.size()), k(x.size()), v(x.size()), means(x.size());
  linear({weights.query, weights.query_bias}, d, x, q);
  linear({weights.key, weights.key_bias}, d, x, k);
  linear({weights.value, weights.value_bias}, d, x, v);
  std::vector<float> of_pairs(n * n), of_head(n * d_k);
  for (std::size_t head = 0; head < shape.heads; ++head) {
    multiply(channels_of(head, shape, q, false), channels_of(head, shape, k, false), d_k,
             attention_scale<float>(d_k), {}, of_pairs);
    softmax(of_pairs, n);
    multiply(of_pairs, channels_of(head, shape, v, true), n, 1, {}, of_head);
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(of_head.begin() + static_cast<std::ptrdiff_t>(i * d_k), d_k,
                  means.begin() + static_cast<std::ptrdiff_t>(i * d + head * d_k));
  }
  linear({weights.output, weights.output_bias}, d, means, out);
}

void feed_forward(const BlockShape& shape, const BlockWeights<float>& weights,
                  std::span<const float> x, std::span<float> out) {
  detail::require_tokens(shape, x.size(), out.size());
  std::vector<float> hidden(x.size() / shape.d_model * shape.d_ff);
  linear({weights.inner, weights.inner_bias}, shape.d_model, x, hidden);
  for (float& value : hidden) value = relu(value);
  linear({weights.outer, weights.outer_bias}, shape.d_ff, hidden, out);
}

void apply(const EncoderBlock<float>& block, std::span<const float> x, std::span<float> out) {
  if (block.norm.placement != EpsilonPlacement::variance)
    throw std::invalid_argument("fast::apply: the norm's epsilon is not on the variance");
  std::vector<float> y(x.begin(), x.end()), branch(x.size());
  const auto add = [&](auto sublayer) {
    branch = y;
    if (block.norms == NormPlacement::pre) normalize(block, branch);
    sublayer(block.shape, block.weights, branch, branch);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += branch[i];
    if (block.norms == NormPlacement::post) normalize(block, y);
  };
  require_size("fast::apply: out", out.size(), x.size());
  add(self_attention), add(feed_forward);
  std::ranges::copy(y, out.begin());
}

void fill(const Initializer& law, const Stream& stream, std::span<float> out, std::uint64_t first) {
  const auto unit = unit_of(law);
  // Of whole groups but for the first and the last.
  const std::size_t ahead = std::min<std::size_t>(out.size(), (group - first % group) % group);
  draw(unit, stream, first, out.first(ahead));
  const auto rest = out.subspan(ahead);
  in_parallel((rest.size() + group - 1) / group, group, [&](std::size_t at, std::size_t count) {
    draw(unit, stream, first + ahead + at * group,
         rest.subspan(at * group, std::min(count * group, rest.size() - at * group)));
  });
}

Moments moments(std::span<const float> x) {
  const double centre = x.empty() ? 0 : x[0];
  return moments_of(x.size(), centre, [&](std::uint64_t begin, std::uint64_t size) {
    PowerSums sums;
    HWY_DYNAMIC_DISPATCH(Powers)(x.data() + begin, size, centre, sums.of);
    return sums;
  });
}

Moments moments_of_draws(const Initializer& law, const Stream& stream, std::uint64_t count) {
  const auto unit = unit_of(law);
  return moments_of(count, 0, [&](std::uint64_t begin, std::uint64_t size) {
    HWY_ALIGN float x[summed_at_once];
    draw(unit, stream, begin, {x, size});
    PowerSums sums;
    HWY_DYNAMIC_DISPATCH(Powers)(x, size, 0, sums.of);
    return sums;
  });
}

}  // namespace embedscale::fast
#endif
