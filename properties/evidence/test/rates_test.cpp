// What the checks promise, simulated in short (the report on trust has the long version): false
// alarms at a level of 5 %, misses at the smallest effect for 5 %. And broken checks, each of which
// breaks one of these promises and is seen to.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../../testing/statistical.hpp"
#include "../bounded.hpp"
#include "../power_law.hpp"
#include "../proportion.hpp"
#include "../two_samples.hpp"
#include "../whole_law.hpp"

namespace embedscale::properties::evidence {
namespace {

using testing::Assertion, testing::Rejection;
constexpr std::uint64_t trials = 1 << 15;
constexpr double level = 0.05;
constexpr Rates rates{level, level};

/// Each draw of each trial has its own index.
struct Indices {
  const Stream& stream;
  std::uint64_t trial;
  double normal(std::uint64_t i) const { return stream.normal(trial << 16 | i); }
  double uniform(std::uint64_t i) const { return stream.uniform(trial << 16 | i); }
  double coin(std::uint64_t i, double p) const { return uniform(i) < p ? 1 : 0; }
};

/// How a kind is simulated: one trial's data are `none` and `draws` draws, each added under an
/// effect, of which 0 is the null.
template <class Kind>
struct Simulation {
  std::uint64_t draws;
  typename Kind::Data none;
  void (*add)(typename Kind::Data& data, const Indices& random, std::uint64_t i, double effect);

  typename Kind::Data data(const Indices& random, double effect) const {
    auto all = none;
    for (std::uint64_t i = 0; i < draws; ++i) add(all, random, i, effect);
    return all;
  }
};
/// Uniform, shifted: the distributions are `effect` apart.
template <>
struct Simulation<WholeLaw> {
  static constexpr std::uint64_t draws = 20;
  static WholeLaw::Data data(const Indices& random, double effect) {
    std::array<double, draws> x{};
    for (std::uint64_t i = 0; i < draws; ++i) x[i] = random.uniform(i) - effect;
    return distance_from(x, [](double at) { return std::clamp(at, 0.0, 1.0); });
  }
};
using Exponent = PowerLawExponent<1, 4, 16>;

template <class Kind>
Simulation<Kind> simulation();
template <>
Simulation<NormalMean> simulation() {
  return {5, {}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(random.normal(i) + effect);
          }};
}
template <>
Simulation<SubGaussianMean> simulation() {
  const auto [draws, none, add] = simulation<NormalMean>();
  return {draws, none, add};
}
template <>
Simulation<StudentMean> simulation() {
  return {6, {.null = {3, 3}}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(3 + 2 * (random.normal(i) + effect));
          }};
}
template <>
Simulation<NormalVariance> simulation() {
  return {8, {}, [](auto& data, const auto& random, auto i, double effect) {
            data.add((1 + effect) * random.normal(i));
          }};
}
template <>
Simulation<DeviationRatio> simulation() {
  return {7, {}, [](auto& data, const auto& random, auto i, double effect) {
            data.add((1 + effect) * random.normal(2 * i), random.normal(2 * i + 1));
          }};
}
template <>
Simulation<EqualMeans> simulation() {
  return {4, {}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(5 + effect + random.normal(2 * i), 5 + random.normal(2 * i + 1));
          }};
}
// Zeros and ones, of all laws in [0, 1] with their mean the widest.
template <>
Simulation<BoundedMean> simulation() {
  return {40, {{0.3, 0.3}}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(random.coin(i, 0.3 + effect));
          }};
}
template <>
Simulation<BernsteinMean> simulation() {
  return {150, {.null = {0.3, 0.3}}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(random.coin(i, 0.3 + effect));
          }};
}
template <>
Simulation<EqualBoundedMeans> simulation() {
  return {300, {}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(random.coin(2 * i, 0.1 + effect), random.coin(2 * i + 1, 0.1));
          }};
}
template <>
Simulation<Proportion> simulation() {
  return {40, {0.5}, [](auto& data, const auto& random, auto i, double effect) {
            data.add(random.uniform(i) < 0.5 + effect);
          }};
}
template <>
Simulation<ProportionAtMost> simulation() {
  const auto [draws, none, add] = simulation<Proportion>();
  return {draws, none, add};
}
template <>
Simulation<WholeLaw> simulation() {
  return {};
}
template <>
Simulation<Exponent> simulation() {
  return {10, {0.5}, [](auto& data, const auto& random, auto i, double effect) {
            const double step = std::pow(4, 0.5 + effect);
            data.add({random.normal(3 * i), step * random.normal(3 * i + 1),
                      step * step * random.normal(3 * i + 2)});
          }};
}

/// How often `Check` rejects what `Kind` draws under the null.
template <class Kind, class Check = Kind>
Trials alarms(const Stream& stream) {
  const auto kind = simulation<Kind>();
  Trials rejected{level};
  for (std::uint64_t t = 0; t < trials; ++t)
    rejected.add(!Check::accepts(kind.data({stream, t}, 0), level));
  return rejected;
}

/// How often it accepts what Kind draws under the smallest effect that it says it sees, times
/// `direction`.
template <class Kind, class Check = Kind>
Trials misses(const Stream& stream, double direction = 1) {
  const auto kind = simulation<Kind>();
  const double effect = direction * Check::smallest_effect(kind.draws, rates);
  Trials accepted{level};
  for (std::uint64_t t = 0; t < trials; ++t)
    accepted.add(Check::accepts(kind.data({stream, t}, effect), level));
  return accepted;
}

// Each kind is a case of the grid, under its own name and stream.
template <class... Kinds>
void alarm(auto& grid) {
  (grid.judge(alarms<Kinds>(grid.stream(Kinds::name)), Kinds::name), ...);
}
template <class... Kinds>
void miss(auto& grid) {
  (grid.judge(misses<Kinds>(grid.stream(Kinds::name)), Kinds::name), ...);
}

TEST(simulation, exact_checks_alarm_as_declared) {
  Assertion<"evidence.exact_checks_alarm_as_declared", Proportion> grid(5);
  alarm<NormalMean, StudentMean, NormalVariance, DeviationRatio, EqualMeans>(grid);
}
TEST(simulation, bounds_alarm_at_most_as_declared) {
  Assertion<"evidence.bounds_alarm_at_most_as_declared", ProportionAtMost> grid(9);
  alarm<SubGaussianMean, BoundedMean, BernsteinMean, EqualBoundedMeans, Proportion,
        ProportionAtMost, WholeLaw, Exponent>(grid);
  // A grid of four that divides the level among them alarms at most as often as one.
  const Stream stream = grid.stream("grid");
  const auto kind = simulation<NormalMean>();
  Trials families{level};
  for (std::uint64_t t = 0; t < trials; ++t) {
    bool accepted = true;
    for (std::uint64_t i = 0; i < 4; ++i)
      accepted = accepted && NormalMean::accepts(kind.data({stream, 4 * t + i}, 0), level / 4);
    families.add(!accepted);
  }
  grid.judge(families, "grid of four");
}
// At the effect on the side that is missed more: upwards, but for the mean both.
TEST(simulation, exact_checks_miss_as_declared) {
  Assertion<"evidence.exact_checks_miss_as_declared", Proportion> grid(6);
  miss<NormalMean, StudentMean, NormalVariance, DeviationRatio, EqualMeans>(grid);
  grid.judge(misses<NormalMean>(grid.stream("downwards"), -1), "downwards");
}
TEST(simulation, bounds_miss_at_most_as_declared) {
  Assertion<"evidence.bounds_miss_at_most_as_declared", ProportionAtMost> grid(9);
  miss<SubGaussianMean, BoundedMean, BernsteinMean, EqualBoundedMeans, Proportion, ProportionAtMost,
       WholeLaw, Exponent>(grid);
  grid.judge(misses<Exponent>(grid.stream("downwards"), -1), "downwards");
}

// Broken checks. What each does wrong is its name.
struct one_sided_at_half_the_level : NormalMean {
  static bool accepts(const Data& data, double alpha) {
    return data.sum < 0 || NormalMean::accepts(data, alpha);
  }
};
struct one_sided_at_the_level : NormalMean {
  static bool accepts(const Data& data, double alpha) {
    return data.sum < 0 || NormalMean::accepts(data, 2 * alpha);
  }
};
struct alpha_for_half_of_it : NormalVariance {
  static bool accepts(const Data& data, double alpha) {
    return NormalVariance::accepts(data, 2 * alpha);
  }
};
struct twice_the_draws : NormalVariance {
  static bool accepts(Data data, double alpha) {
    data.n *= 2;
    return NormalVariance::accepts(data, alpha);
  }
};
struct half_the_draws_under_the_root : StudentMean {
  static bool accepts(Data data, double alpha) {
    data.sample.mean /= std::sqrt(2.0);
    return StudentMean::accepts(data, alpha);
  }
};
struct one_degree_of_freedom_too_many : EqualMeans {
  static bool accepts(const Data& data, double alpha) {
    return statistic(data) < quantile(complement(boost::math::normal(), alpha / 2));
  }
};
struct variance_for_deviation : DeviationRatio {
  static bool accepts(const Data& data, double alpha) {
    return DeviationRatio::accepts({data.n, std::pow(data.first, 2), std::pow(data.second, 2)},
                                   alpha);
  }
};
struct bonferroni_forgotten : NormalMean {
  static bool accepts(const Data& data, double alpha) {
    return NormalMean::accepts(data, 4 * alpha);  // undoes what the grid divides by
  }
};
struct hoeffding_of_half_the_range : BoundedMean {
  static bool accepts(Data data, double alpha) {
    return BoundedMean::accepts({data.null, 4 * data.n, 4 * data.sum}, alpha);
  }
};
struct beta_ignored : StudentMean {
  static double smallest_effect(std::uint64_t n, Rates wanted) {
    return StudentMean::smallest_effect(n, {wanted.alpha, 0.5});
  }
};
struct effect_of_twice_the_draws : EqualMeans {
  static double smallest_effect(std::uint64_t n, Rates wanted) {
    return EqualMeans::smallest_effect(2 * n, wanted);
  }
};
struct effect_on_the_variance : NormalVariance {
  static double smallest_effect(std::uint64_t n, Rates wanted) {
    return std::pow(1 + NormalVariance::smallest_effect(n, wanted), 2) - 1;
  }
};
struct beta_ignored_by_a_bound : SubGaussianMean {
  static double smallest_effect(std::uint64_t n, Rates wanted) {
    return SubGaussianMean::smallest_effect(n, {wanted.alpha, 0.999});
  }
};

// Half the level is 0.025 off; twice it 0.05, and the others are further.
TEST(simulation, sees_broken_levels_of_exact_checks) {
  Rejection<"evidence.exact_checks_alarm_as_declared", Proportion> grid(6, 5);
  const auto off = [&]<class Kind, class Broken>(const char* what, double by) {
    grid.judge(alarms<Kind, Broken>(grid.stream(what)), by, what);
  };
  off.operator()<NormalMean, one_sided_at_half_the_level>("one-sided at half the level", 0.025);
  off.operator()<NormalVariance, alpha_for_half_of_it>("alpha for alpha/2", 0.05);
  off.operator()<NormalVariance, twice_the_draws>("twice the draws", 0.05);
  off.operator()<StudentMean, half_the_draws_under_the_root>("half the draws", 0.025);
  off.operator()<EqualMeans, one_degree_of_freedom_too_many>("normal for Student's t", 0.025);
  off.operator()<DeviationRatio, variance_for_deviation>("variance for deviation", 0.05);
}
TEST(simulation, sees_broken_levels_of_bounds_and_grids) {
  Rejection<"evidence.bounds_alarm_at_most_as_declared", ProportionAtMost> grid(2, 9);
  grid.judge(alarms<NormalMean, bonferroni_forgotten>(grid.stream("grid")), 0.1, "no Bonferroni");
  grid.judge(alarms<BoundedMean, hoeffding_of_half_the_range>(grid.stream("range")), 0.025,
             "half the range");
}
TEST(simulation, sees_broken_powers_of_exact_checks) {
  Rejection<"evidence.exact_checks_miss_as_declared", Proportion> grid(4, 6);
  const auto off = [&]<class Kind, class Broken>(const char* what, double direction, double by) {
    grid.judge(misses<Kind, Broken>(grid.stream(what), direction), by, what);
  };
  off.operator()<NormalMean, one_sided_at_the_level>("one-sided", -1, 0.95);
  off.operator()<StudentMean, beta_ignored>("beta ignored", 1, 0.4);
  off.operator()<EqualMeans, effect_of_twice_the_draws>("twice the draws", 1, 0.1);
  off.operator()<NormalVariance, effect_on_the_variance>("variance for deviation", 1, 0.03);
}
TEST(simulation, sees_broken_powers_of_bounds) {
  Rejection<"evidence.bounds_miss_at_most_as_declared", ProportionAtMost> mutant(1, 9);
  mutant.judge(misses<SubGaussianMean, beta_ignored_by_a_bound>(mutant.stream()), 0.4,
               "beta ignored");
}

}  // namespace
}  // namespace embedscale::properties::evidence
