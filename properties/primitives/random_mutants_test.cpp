// Wrong generators and maps, each rejected by the entry of the ledger that the library's passes in
// random_test. How far each is off is derived beside it; the faintest is what the draws still show.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <vector>

#include "../evidence/bounded.hpp"
#include "../evidence/normal.hpp"
#include "../evidence/whole_law.hpp"
#include "../testing/statistical.hpp"

namespace embedscale::properties::testing {
namespace {

using namespace evidence;
using std::numbers::pi;

// Five streams and one second attempt, 10 000 words of each, of word(seed, name, index, attempt).
template <class Word>
DistinctWords::Data words_of(std::uint64_t seed, Word word) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    for (const auto& [s, name] : {std::pair(seed, "a"), {seed + 1, "a"}, {seed, "b"}})
      for (const std::uint64_t attempt : {0u, 1u}) words.push_back(word(s, name, i, attempt));
  }
  std::ranges::sort(words);
  const auto same = std::ranges::unique(words);
  return {words.size(), words.size() - same.size()};
}

// A state of b bits lacks 64 − b. Walked in order, a period of 2^24 would not show in 60 000 words;
// here each index has a state of its own. What repeats itself for certain is rejected for certain,
// as a word that lacks all of its bits.
TEST(random, words_of_wrong_generators_are_seen) {
  Rejection<"random.words_are_distinct", DistinctWords> mutants(5);
  const std::uint64_t seed = mutants.stream().bits(0);
  const auto word = [](std::uint64_t s, std::string_view name, std::uint64_t i,
                       std::uint64_t attempt) { return Stream(s, name).block(i, attempt)[0]; };
  const auto of_state = [&](int bits) {
    return words_of(
        seed, [&](auto... at) { return Stream(0, "state").bits(word(at...) >> (64 - bits)); });
  };
  mutants.judge(of_state(26), 38, "a state of 26 bits");
  mutants.judge(of_state(24), 40, "a state of 24 bits");
  mutants.judge(words_of(seed, [&](auto s, auto name, auto i,
                                   auto attempt) { return word(0, name, s + i, attempt); }),
                64, "seed + index in the place of both");
  mutants.judge(words_of(seed, [&](auto s, auto name, auto i,
                                   auto attempt) { return word(s, name, i % 8192, attempt); }),
                64, "a period of 8192");
  mutants.judge(
      words_of(seed, [&](auto s, auto name, auto i, auto) { return word(s, name, i, 0); }), 64,
      "the attempt is ignored");
}

// Products xx' of x = 2u − 1, as (xx' + 1)/2: E x² = 1/3 shows as 1/6. Of {au} for a whole a, u is
// (k + {au})/a with k and {au} independent, so that the covariance is (1/12)/a, and E xx' four
// times that: 1/66 of the range at a = 11.
TEST(random, wrong_means_and_correlations_are_seen) {
  constexpr Interval half{0.5, 0.5};
  Rejection<"random.streams_are_uncorrelated", BoundedMean> mutants(4, 5);
  const Stream stream = mutants.stream();
  BoundedMean::Data cut{half}, congruential{half}, same{half}, antithetic{half};
  for (std::uint64_t i = 0; i < 1 << 18; ++i) {
    const double u = stream.uniform(i), x = 2 * u - 1, next = 11 * u - std::floor(11 * u);
    cut.add(0.03 + 0.97 * u);
    congruential.add((x * (2 * next - 1) + 1) / 2);
    same.add((x * x + 1) / 2);
    antithetic.add((-x * x + 1) / 2);
  }
  mutants.judge(cut, 0.03 / 2, "u in (0.03, 1)");
  mutants.judge(congruential, 1.0 / 66, "u(i+1) = 11 u(i) mod 1");
  mutants.judge(same, 1.0 / 6, "the seed is ignored");
  mutants.judge(antithetic, 1.0 / 6, "antithetic neighbours");
}

// Box and Muller's radius of one uniform and cosine of another.
double radius(double u) { return std::sqrt(-2 * std::log(u)); }
double cosine(double v) { return std::cos(2 * pi * v); }

TEST(random, wrong_laws_are_seen) {
  Rejection<"random.draws_follow_their_laws", WholeLaw> mutants(7, 2);
  const Stream stream = mutants.stream();
  const boost::math::normal bell;
  const auto normal = [&](double z) { return cdf(bell, z); };
  const auto uniform = [](double u) { return std::clamp(u, 0.0, 1.0); };
  const auto off = [&](const char* what, auto law, auto wrong_law, auto draw) {
    std::vector<double> x(1 << 17);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = draw(stream.uniform(i), stream.uniform(i, 1));
    mutants.judge(distance_from(x, law), least_distance(law, wrong_law, -5, 5), what);
  };
  off(
      "u in (0.02, 1)", uniform, [&](double x) { return uniform((x - 0.02) / 0.98); },
      [](double u, double) { return 0.02 + 0.98 * u; });
  off(
      "u of 5 bits", uniform, [&](double x) { return uniform((std::floor(32 * x) + 1) / 32); },
      [](double u, double) { return std::floor(32 * u) / 32; });
  off(
      "sigma 8 percent high", normal, [&](double z) { return normal(z / 1.08); },
      [](double u, double v) { return 1.08 * radius(u) * cosine(v); });
  off(
      "Box-Muller with log2", normal,
      [&](double z) { return normal(z * std::sqrt(std::numbers::ln2)); },
      [](double u, double v) { return std::sqrt(-2 * std::log2(u)) * cosine(v); });
  off(
      "Box-Muller without its radius", normal,
      [](double z) { return 1 - std::acos(std::clamp(z / std::numbers::sqrt2, -1.0, 1.0)) / pi; },
      [](double, double v) { return std::numbers::sqrt2 * cosine(v); });
  off(
      "Box-Muller without its cosine", normal,
      [](double z) { return z > 0 ? -std::expm1(-z * z / 2) : 0.0; },
      [](double u, double) { return radius(u); });
  // Of mean 0 and variance 1, and symmetric: only its whole law tells.
  constexpr double scale = std::numbers::sqrt3 / pi;
  off(
      "a logistic law of variance 1", normal,
      [=](double z) { return 1 / (1 + std::exp(-z / scale)); },
      [=](double u, double) { return scale * std::log(u / (1 - u)); });
}

// E sin πv = 2/π, and the radius has the mean √(π/2).
TEST(random, normals_of_another_mean_are_seen) {
  Rejection<"random.normal_has_mean_0", NormalMean> mutants(3);
  const Stream stream = mutants.stream();
  NormalMean::Data biased, half_turn, no_cosine;
  for (std::uint64_t i = 0; i < 1 << 18; ++i) {
    const double u = stream.uniform(i), v = stream.uniform(i, 1);
    biased.add(radius(u) * cosine(v) + 1.0 / 40);
    half_turn.add(radius(u) * std::sin(pi * v));
    no_cosine.add(radius(u));
  }
  mutants.judge(biased, 1.0 / 40, "a bias of sigma/40");
  mutants.judge(half_turn, std::sqrt(2 / pi), "the sine of half a turn");
  mutants.judge(no_cosine, std::sqrt(pi / 2), "Box-Muller without its cosine");
}

// The variance of n uniforms' sum is n/12; of the cosine, 1/2.
TEST(random, normals_of_another_variance_are_seen) {
  Rejection<"random.normal_has_variance_1", NormalVariance> mutants(5);
  const Stream stream = mutants.stream();
  NormalVariance::Data high, low, eleven, log2, no_factor;
  for (std::uint64_t i = 0; i < 1 << 18; ++i) {
    const double u = stream.uniform(i), v = stream.uniform(i, 1), z = radius(u) * cosine(v);
    high.add(1.02 * z);
    low.add(0.98 * z);
    double sum = u + v - 1;
    for (const std::uint64_t word : stream.block(i, 2)) sum += static_cast<double>(word) * 0x1p-64;
    for (const std::uint64_t word : stream.block(i, 3)) sum += static_cast<double>(word) * 0x1p-64;
    eleven.add(sum + static_cast<double>(stream.block(i, 4)[0]) * 0x1p-64 - 4.5);
    log2.add(std::sqrt(-2 * std::log2(u)) * cosine(v));
    no_factor.add(std::sqrt(-std::log(u)) * cosine(v));
  }
  mutants.judge(high, 0.02, "sigma 2 percent high");
  mutants.judge(low, 0.02, "sigma 2 percent low");
  mutants.judge(eleven, 1 - std::sqrt(11.0 / 12), "eleven uniforms of twelve");
  mutants.judge(log2, 1 / std::sqrt(std::numbers::ln2) - 1, "Box-Muller with log2");
  mutants.judge(no_factor, 1 - std::sqrt(0.5), "Box-Muller without its 2");
}

}  // namespace
}  // namespace embedscale::properties::testing
