// Wrong initial laws, each rejected by the entry of the ledger that the library's pass in
// initializer_test. How far each is off is derived beside it; the faintest is what the draws still
// show.
#include <embedscale/initializer.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "../evidence/bounded.hpp"
#include "../evidence/normal.hpp"
#include "../evidence/whole_law.hpp"
#include "../testing/statistical.hpp"

namespace embedscale::properties::testing {
namespace {

using namespace evidence;

double normal(double z) { return cdf(boost::math::normal(), z); }
double uniform(double x) { return std::clamp(0.5 + 0.5 * x, 0.0, 1.0); }
/// A normal law cut at ±c.
double cut(double z, double c) {
  return std::clamp((normal(z) - normal(-c)) / (1 - 2 * normal(-c)), 0.0, 1.0);
}

/// A normal that is clamped where TruncatedNormal draws again.
double clamped(const Stream& s, std::uint64_t i) { return std::clamp(s.normal(i), -2.0, 2.0); }

/// One that is drawn again while it is beyond the limits.
double drawn_within(double least, double most, const Stream& s, std::uint64_t i) {
  for (std::uint64_t attempt = 0;; ++attempt)
    if (const double z = s.normal(i, attempt); least <= z && z <= most) return z;
}

/// The deviation of a Xavier law by fan-in alone, √(1/V), in that by both, √(2/(V+d)).
double by_fan_in_alone(double vocabulary, double d) {
  return std::sqrt((vocabulary + d) / (2 * vocabulary));
}

TEST(initializer, wrong_laws_are_seen) {
  Rejection<"initializer.draws_follow_their_laws", WholeLaw> mutants(7, 5);
  const Stream stream = mutants.stream();
  const auto off = [&](const char* what, auto law, auto wrong_law, auto draw) {
    std::vector<double> x(1 << 17);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = draw(stream, i);
    mutants.judge(distance_from(x, law), least_distance(law, wrong_law, -4, 4), what);
  };
  const auto off_by_a_factor = [&](const char* what, double times) {
    off(
        what, normal, [=](double z) { return normal(z / times); },
        [=](const Stream& s, std::uint64_t i) { return draw(Normal{times}, s, i); });
  };
  const auto truncated = [](double z) { return cut(z, 2); };
  off_by_a_factor("sigma 8 percent high", 1.08);
  off_by_a_factor("Xavier normal by fan-in alone", by_fan_in_alone(4000, 1000));
  off(
      "clamped at 2 sigma", truncated, [](double z) { return z < -2  ? 0
                                                             : z < 2 ? normal(z)
                                                                     : 1; },
      clamped);
  off("not cut", truncated, normal, [](const Stream& s, std::uint64_t i) { return s.normal(i); });
  off(
      "cut at 3 sigma", truncated, [](double z) { return cut(z, 3); },
      [](const Stream& s, std::uint64_t i) { return drawn_within(-3, 3, s, i); });
  // As Keras has it: the law is widened so that its deviation is σ after the cut.
  const double widened = 1 / std::sqrt(variance(TruncatedNormal{1}));
  off(
      "sigma restored after the cut", truncated, [=](double z) { return cut(z / widened, 2); },
      [=](const Stream& s, std::uint64_t i) { return draw(TruncatedNormal{widened}, s, i); });
  off(
      "half range taken for the deviation", uniform,
      [](double x) { return uniform(x / std::numbers::sqrt3); },
      [](const Stream& s, std::uint64_t i) { return draw(Uniform{std::numbers::sqrt3}, s, i); });
}

constexpr std::uint64_t n = 1 << 20;

TEST(initializer, normals_of_another_mean_are_seen) {
  Rejection<"initializer.normal_draws_have_mean_0", NormalMean> mutants(4, 2);
  const Stream stream = mutants.stream();
  NormalMean::Data faint, declared, folded, shifted;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double z = draw(Normal{1}, stream, i);
    faint.add(z + 1.0 / 80);
    declared.add(z + 1.0 / 40);
    folded.add(std::abs(z));
    shifted.add(z + 1);
  }
  mutants.judge(faint, 1.0 / 80, "a bias of sigma/80");
  mutants.judge(declared, 1.0 / 40, "a bias of sigma/40");
  mutants.judge(folded, std::sqrt(2 / std::numbers::pi), "without signs");
  mutants.judge(shifted, 1, "sigma taken for the mean, too");
}

// In units of the deviation that is meant. Of Normal{3}, the variance taken for the deviation is 9.
TEST(initializer, normals_of_another_variance_are_seen) {
  Rejection<"initializer.normal_draws_have_their_variance", NormalVariance> mutants(5, 2);
  const Stream stream = mutants.stream();
  const double fan_in = by_fan_in_alone(1000, 64);
  NormalVariance::Data high, low, by_fan_in, cut_off, squared;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double z = draw(Normal{1}, stream, i);
    high.add(1.01 * z);
    low.add(0.99 * z);
    by_fan_in.add(fan_in * z);
    cut_off.add(draw(TruncatedNormal{1}, stream, i));
    squared.add(3 * z);
  }
  mutants.judge(high, 0.01, "standard deviation one percent high");
  mutants.judge(low, 0.01, "standard deviation one percent low");
  mutants.judge(by_fan_in, 1 - fan_in, "Xavier normal by fan-in alone");
  mutants.judge(cut_off, 1 - std::sqrt(variance(TruncatedNormal{1})), "cut at 2 sigma");
  mutants.judge(squared, 2, "variance taken for the deviation");
}

// Of (x/a + 1)/2: half the mean of x/a. A normal clamped at −2σ and drawn again above 2σ has
// −2Φ(−2) over 1 − Φ(−2), and a = 2σ.
TEST(initializer, bounded_laws_of_another_mean_are_seen) {
  Rejection<"initializer.bounded_draws_have_mean_0", BoundedMean> mutants(3, 3);
  const Stream stream = mutants.stream();
  constexpr Interval half{0.5, 0.5};
  BoundedMean::Data positive{half}, shorter{half}, one_sided{half};
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = draw(Uniform{1}, stream, i);
    positive.add((std::abs(x) + 1) / 2);
    shorter.add((0.97 * x + 0.03 + 1) / 2);
    one_sided.add((std::max(drawn_within(-9, 2, stream, i), -2.0) / 2 + 1) / 2);
  }
  const double below = normal(-2);
  mutants.judge(one_sided, below / (2 * (1 - below)), "clamped below, drawn again above");
  mutants.judge(shorter, 0.03 / 2, "uniform on (-0.94 a, a)");
  mutants.judge(positive, 0.25, "uniform on (0, a)");
}

// Of (x/a)². A clamped normal has E z² = (1 − 2Φ(−2))·v + 8Φ(−2), where v is that of the cut one.
// A wrong variance of the right draws is a wrong null.
TEST(initializer, bounded_laws_of_another_variance_are_seen) {
  Rejection<"initializer.bounded_draws_have_their_variance", BoundedMean> mutants(5, 3);
  const Stream stream = mutants.stream();
  const double v = variance(TruncatedNormal{1}), below = normal(-2);
  const double fan_in = by_fan_in_alone(4, 2);
  constexpr double third = 1.0 / 3;
  BoundedMean::Data shorter{{third, third}}, by_fan_in{{third, third}}, half_range{{1, 1}};
  BoundedMean::Data clamps{{v / 4, v / 4}}, nominal{{0.25, 0.25}};
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = draw(Uniform{1}, stream, i), z = draw(TruncatedNormal{1}, stream, i);
    shorter.add(0.955 * x * x);
    by_fan_in.add(fan_in * fan_in * x * x);
    half_range.add(x * x);
    clamps.add(std::pow(clamped(stream, i) / 2, 2));
    nominal.add(z * z / 4);
  }
  mutants.judge(shorter, 0.045 * third, "half range 2.3 percent low");
  mutants.judge(clamps, below * (4 - v) / 2, "clamped at 2 sigma");
  mutants.judge(nominal, (1 - v) / 4, "nominal sigma taken for that of the cut law");
  mutants.judge(by_fan_in, (1 - fan_in * fan_in) * third, "Xavier uniform by fan-in alone");
  mutants.judge(half_range, 1 - third, "half range taken for the deviation");
}

}  // namespace
}  // namespace embedscale::properties::testing
