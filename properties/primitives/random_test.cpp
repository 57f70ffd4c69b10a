// The random numbers: the generator against a second implementation's answers, the maps to (0, 1),
// to normals and to {0, …, n−1} against their formulas, and the laws by checks of the ledger. Wrong
// generators and maps are each rejected by the entry that the library's pass: how far each is off
// is derived beside it; the faintest is what the draws still show.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string_view>
#include <vector>

#include "../evidence/normal.hpp"
#include "../evidence/whole_law.hpp"
#include "../testing/statistical.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::testing::random_test {
namespace {

using namespace evidence;
using std::numbers::pi;

/// An index that needs all of its 64 bits, and differs in the low ones.
constexpr std::uint64_t far(std::uint64_t i) { return i << 40 | i; }

TEST(random, names_hash_as_published) {  // FNV-1a test vectors, 64 bits
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(hash_of("√"), 0x565a8e1b88661b37u) << "bytes above 127 are unsigned";  // from Python
}

// By another program, written from Salmon et al. 2011, section 3.3, that has the answers of
// Random123's tests/kat_vectors: the counter is index and attempt, the key seed and name.
TEST(random, block_is_philox_of_seed_name_index_and_attempt) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(Stream(0, "block").block(0), (Stream::Block{0x72b3c4c2018ba751, 0x8002e6f83d123512,
                                                        0xa8fbe61380e39352, 0xaaeef7e9c922cc3a}));
  EXPECT_EQ(Stream(ones, "block").block(far(999), 77),
            (Stream::Block{0xccbcd45d89e7dbd6, 0xc05dec3347a1e8e5, 0x415620072c81a637,
                           0x8f3dc64bb73126b9}));
  EXPECT_EQ(Stream(1, "").block(far(123), 1),
            (Stream::Block{0xf9acd722e90970c0, 0xa1fa4bbb120726eb, 0xf86cff698dc7b0c6,
                           0xcca474713e5acb82}));
}

// Half an odd number of cells: 0 and 1 are out of reach. Without the half, or with 53 bits and the
// half (which rounds up to 1), this fails.
TEST(random, uniform_is_the_middle_of_one_of_2_to_the_52_cells) {
  const Stream stream(1, "open interval");
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint64_t cell = stream.block(far(i))[0] >> 12;
    const double u = stream.uniform(far(i));
    ASSERT_EQ(std::ldexp(u, 53), static_cast<double>(2 * cell + 1));
    ASSERT_TRUE(0.0 < u && u < 1.0);
  }
  // The extreme cells map to 2^-53 and 1 − 2^-53, which are doubles, so no rounding reaches an end.
  constexpr auto last_cell = static_cast<double>((std::uint64_t{1} << 53) - 1);
  static_assert(last_cell * 0x1p-53 < 1.0 && 1.0 * 0x1p-53 > 0.0);
}

// A Box-Muller normal in 50 digits. In double, with u = 2^-53 and libm within one ulp (2u): the
// logarithm's relative error 2u halves under the root, which adds u: 2u on the radius. The angle
// has 3u (the double π and two products; the factor 2 is exact, one u to spare), at most 2π·3u =
// 6πu in absolute terms; the cosine's own ulp is 2u, the product u. Altogether radius·(5 + 6π)u,
// and 1u more covers the terms in u².
TEST(random, normal_is_box_muller_of_the_first_two_words) {
  using Wide = exact::Decimal50;
  const Stream stream(2, "box muller");
  const Wide two_pi = 2 * Wide::pi();
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const auto words = stream.block(far(i), i % 3);
    const Wide u = ldexp(Wide(2 * (words[0] >> 12) + 1), -53);
    const Wide v = ldexp(Wide(2 * (words[1] >> 12) + 1), -53);
    const Wide radius = sqrt(-2 * log(u));
    const Wide error = abs(Wide(stream.normal(far(i), i % 3)) - radius * cos(two_pi * v));
    ASSERT_LE(error, radius * (6 + 3 * two_pi) * ldexp(Wide(1), -53)) << i;
  }
}

TEST(random, below_is_the_scaled_upper_half_word) {
  const Stream stream(3, "below");
  for (const std::uint64_t n : {1ull, 2ull, 3ull, 1000ull, 1ull << 31, 1ull << 32})
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t draw = stream.below(n, far(i));
      ASSERT_LT(draw, n);
      // draw = ⌊upper·n/2^32⌋, restated without a division.
      const std::uint64_t upper = stream.block(far(i))[0] >> 32;
      ASSERT_TRUE(draw << 32 <= upper * n && upper * n - (draw << 32) < (1ull << 32));
    }
}

// 60 000 words: two of 64 bits agree by chance with probability below 60 000²/2^65 = 9.8e-11.
TEST(random, streams_and_attempts_are_distinct) {
  Assertion<"random.words_are_distinct", DistinctWords> distinct;
  const std::uint64_t seed = distinct.stream().bits(0);
  const std::array streams{Stream(seed, "a"), Stream(seed + 1, "a"), Stream(seed, "b"),
                           Stream(seed, "ab"), Stream(hash_of("a"), "")};
  std::set<std::uint64_t> words;
  std::uint64_t drawn = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i, drawn += streams.size() + 1) {
    for (const Stream& s : streams) words.insert(s.bits(i));
    words.insert(streams[0].block(i, 1)[0]);
  }
  distinct.judge({drawn, words.size()});
}

TEST(random, draws_follow_their_distributions) {
  Assertion<"random.draws_follow_their_laws", WholeLaw> laws(2);
  const Stream stream = laws.stream();
  std::vector<double> uniform(1 << 17), normal(1 << 17);
  for (std::size_t i = 0; i < uniform.size(); ++i)
    uniform[i] = stream.uniform(i), normal[i] = stream.normal(i);
  laws.judge(distance_from(uniform, [](double u) { return u; }), "uniform");
  const boost::math::normal standard;
  laws.judge(distance_from(normal, [&](double z) { return cdf(standard, z); }), "normal");
}

/// Judges of(i) for 2^18 indices; a mutant, which is so far off, by its effect and name.
void judge_each(auto& check, auto none, auto of, auto... told) {
  for (std::uint64_t i = 0; i < 1 << 18; ++i) none.add(of(i));
  check.judge(none, told...);
}

TEST(random, normal_has_mean_0) {
  Assertion<"random.normal_has_mean_0", NormalMean> mean;
  judge_each(mean, NormalMean::Data{}, [s = mean.stream()](auto i) { return s.normal(i); });
}

TEST(random, normal_has_variance_1) {
  Assertion<"random.normal_has_variance_1", NormalVariance> variance;
  judge_each(variance, NormalVariance::Data{},
             [s = variance.stream()](auto i) { return s.normal(i); });
}

// Five streams and one second attempt, 10 000 words of each, of word(seed, name, index, attempt).
template <class Word>
DistinctWords::Data words_of(std::uint64_t seed, Word word) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    for (const auto& [s, name] : {std::pair(seed, "a"), {seed + 1, "a"}, {seed, "b"}})
      for (const std::uint64_t attempt : {0u, 1u}) words.push_back(word(s, name, i, attempt));
  }
  std::ranges::sort(words);
  const auto end = std::unique(words.begin(), words.end());
  return {words.size(), static_cast<std::size_t>(end - words.begin())};
}

// A state of b bits lacks 64 − b. Walked in order, a period of 2^24 would not show in 60 000 words;
// here each index has a state of its own. What repeats itself for certain is rejected for certain,
// as a word that lacks all of its bits.
TEST(random, words_of_wrong_generators_are_seen) {
  Rejection<"random.words_are_distinct", DistinctWords> mutants(3);
  const std::uint64_t seed = mutants.stream().bits(0);
  const auto word = [](std::uint64_t s, std::string_view name, std::uint64_t i,
                       std::uint64_t attempt) { return Stream(s, name).block(i, attempt)[0]; };
  const auto of_state = [&](int bits) {
    return words_of(
        seed, [&](auto... at) { return Stream(0, "state").bits(word(at...) >> (64 - bits)); });
  };
  mutants.judge(of_state(26), 38, "a state of 26 bits");
  mutants.judge(words_of(seed, [&](auto s, auto name, auto i,
                                   auto attempt) { return word(0, name, s + i, attempt); }),
                64, "seed + index in the place of both");
  mutants.judge(
      words_of(seed, [&](auto s, auto name, auto i, auto) { return word(s, name, i, 0); }), 64,
      "the attempt is ignored");
}

// Box and Muller's radius of one uniform and cosine of another.
double radius(double u) { return std::sqrt(-2 * std::log(u)); }
double cosine(double v) { return std::cos(2 * pi * v); }

TEST(random, wrong_laws_are_seen) {
  Rejection<"random.draws_follow_their_laws", WholeLaw> mutants(4, 2);
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
      "u of 5 bits", uniform, [&](double x) { return uniform((std::floor(32 * x) + 1) / 32); },
      [](double u, double) { return std::floor(32 * u) / 32; });
  off(
      "sigma 8 percent high", normal, [&](double z) { return normal(z / 1.08); },
      [](double u, double v) { return 1.08 * radius(u) * cosine(v); });
  off(
      "Box-Muller without its cosine", normal,
      [](double z) { return z > 0 ? -std::expm1(-z * z / 2) : 0.0; },
      [](double u, double) { return radius(u); });
  // Of mean 0 and variance 1, and symmetric: only its whole law tells.
  constexpr double scale = std::numbers::sqrt3 / pi;
  off(
      "a logistic distribution of variance 1", normal,
      [=](double z) { return 1 / (1 + std::exp(-z / scale)); },
      [=](double u, double) { return scale * std::log(u / (1 - u)); });
}

// E sin πv = 2/π, and the radius has the mean √(π/2).
TEST(random, normals_of_another_mean_are_seen) {
  Rejection<"random.normal_has_mean_0", NormalMean> mutants(3);
  const auto off = [&, s = mutants.stream()](double effect, const char* what, auto of) {
    judge_each(
        mutants, NormalMean::Data{},
        [&](auto i) { return of(radius(s.uniform(i)), s.uniform(i, 1)); }, effect, what);
  };
  off(1.0 / 40, "a bias of sigma/40", [](double r, double v) { return r * cosine(v) + 1.0 / 40; });
  off(std::sqrt(2 / pi), "the sine of half a turn",
      [](double r, double v) { return r * std::sin(pi * v); });
  off(std::sqrt(pi / 2), "Box-Muller without its cosine", [](double r, double) { return r; });
}

// The variance of n uniforms' sum is n/12; of the cosine, 1/2.
TEST(random, normals_of_another_variance_are_seen) {
  Rejection<"random.normal_has_variance_1", NormalVariance> mutants(3);
  const Stream s = mutants.stream();
  const auto off = [&](double effect, const char* what, auto of) {
    judge_each(mutants, NormalVariance::Data{}, of, effect, what);
  };
  off(0.02, "sigma 2 percent high", [&](auto i) { return 1.02 * s.normal(i); });
  off(1 - std::sqrt(11.0 / 12), "eleven uniforms of twelve", [&](auto i) {
    double sum = -5.5;
    for (std::uint64_t attempt = 0; attempt < 11; ++attempt) sum += s.uniform(i, attempt);
    return sum;
  });
  off(1 - std::sqrt(0.5), "Box-Muller without its 2",
      [&](auto i) { return s.normal(i) / std::numbers::sqrt2; });
}

}  // namespace
}  // namespace embedscale::properties::testing::random_test
