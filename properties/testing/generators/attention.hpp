#pragma once
// Generators of what the claims of attention.hpp speak of: laws of one channel, logits, keys.
#include <embedscale/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../attention_moments.hpp"
#include "integers.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// The upper value a of an entry that is a or −1/a: fractions of 1 to 4. Shrinks to 1.
inline rc::Gen<Rational> atoms() {
  return rc::gen::map(rc::gen::pair(in_range(1, 5), in_range(1, 5)),
                      [](const std::pair<int, int>& parts) {
                        return Rational(parts.first) / Rational(parts.second);
                      });
}

/// 1, 2 or, once in eight, 3: so many channels have 4, 16 or 64 outcomes. Shrinks to 1.
inline rc::Gen<std::size_t> few_channels() {
  return rc::gen::map(in_range(0, 8), [](int i) -> std::size_t {
    return i < 4 ? 1 : i < 7 ? 2 : 3;
  });
}

/// A channel's law: independent (a third), coupled by so many eighths of the most (a third), or
/// coupled so that the variance is 1 all the same (a third), which is possible near a = b = 1.
inline attention::ChannelLaw<Rational> channel_law() {
  const int kind = named("coupled", in_range(0, 3));
  if (kind == 2) {
    const auto near_one = [](const char* name) {
      return Rational(1) + Rational(1) / Rational(named(name, in_range(2, 6)));
    };
    const auto a = near_one("1/(a - 1)"), b = near_one("1/(b - 1)");
    return {a, b, attention::balanced_coupling(a, b)};
  }
  const auto a = named("a", atoms()), b = named("b", atoms());
  if (kind == 0) return {a, b, Rational(0)};
  const auto eighths = Rational(named("eighths", in_range(1, 9)));
  return {a, b, attention::largest_coupling(a, b) * eighths / Rational(8)};
}

/// Two whole numbers from −9 to 9.
inline rc::Gen<std::array<std::int64_t, 2>> integer_pair() {
  return rc::gen::map(rc::gen::pair(in_range<std::int64_t>(-9, 10), in_range<std::int64_t>(-9, 10)),
                      [](const std::pair<std::int64_t, std::int64_t>& pair) {
                        return std::array{pair.first, pair.second};
                      });
}

/// n standard normal numbers of one draw.
inline std::vector<double> normals(std::size_t n, std::uint64_t draw) {
  const Stream stream(draw, "normals");
  std::vector<double> x;
  for (std::size_t j = 0; j < n; ++j) x.push_back(stream.normal(j));
  return x;
}

/// n multiples of `step`, uniform up to `most` in size, a multiple of it.
inline std::vector<double> multiples_of(double step, std::size_t n, const Stream& stream,
                                        double most) {
  const auto steps = static_cast<std::uint64_t>(most / step);
  std::vector<double> x;
  for (std::size_t j = 0; j < n; ++j) {
    const auto below = static_cast<double>(stream.below(2 * steps + 1, j));
    x.push_back(step * (below - static_cast<double>(steps)));
  }
  return x;
}

}  // namespace embedscale::properties::testing::generators
