// What the checks promise, simulated in short (the report on trust has the long version): false
// alarms at a level of 5 %, misses at the smallest effect for 5 %. And broken checks, each of which
// breaks one of these promises and is seen to.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "../../testing/statistical.hpp"
#include "../bounded.hpp"
#include "../proportion.hpp"
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

template <class Kind>
Simulation<Kind> simulation() {
  if constexpr (std::same_as<Kind, NormalMean> || std::same_as<Kind, SubGaussianMean>)
    return {5, {}, [](auto& data, const auto& random, auto i, double effect) {
              data.add(random.normal(i) + effect);
            }};
  else if constexpr (std::same_as<Kind, StudentMean>)
    return {6, {.null = {3, 3}}, [](auto& data, const auto& random, auto i, double effect) {
              data.add(3 + 2 * (random.normal(i) + effect));
            }};
  else if constexpr (std::same_as<Kind, NormalVariance>)
    return {8, {}, [](auto& data, const auto& random, auto i, double effect) {
              data.add((1 + effect) * random.normal(i));
            }};
  else if constexpr (std::same_as<Kind, BoundedMean>)  // zeros and ones: the widest law in [0, 1]
    return {40, {{0.3, 0.3}}, [](auto& data, const auto& random, auto i, double effect) {
              data.add(random.uniform(i) < 0.3 + effect ? 1 : 0);
            }};
  else if constexpr (std::same_as<Kind, Proportion> || std::same_as<Kind, ProportionAtMost>)
    return {40, {0.5}, [](auto& data, const auto& random, auto i, double effect) {
              data.add(random.uniform(i) < 0.5 + effect);
            }};
  else
    return {};
}

/// How often `accepts` rejects what `Kind` draws under the null.
template <class Kind>
Trials alarms(const Stream& stream, const auto& accepts) {
  const auto kind = simulation<Kind>();
  Trials rejected{level};
  for (std::uint64_t t = 0; t < trials; ++t)
    rejected.add(!accepts(kind.data({stream, t}, 0), level));
  return rejected;
}
/// How often it accepts what Kind draws under an effect.
template <class Kind>
Trials misses(const Stream& stream, double effect, const auto& accepts) {
  const auto kind = simulation<Kind>();
  Trials accepted{level};
  for (std::uint64_t t = 0; t < trials; ++t)
    accepted.add(accepts(kind.data({stream, t}, effect), level));
  return accepted;
}
/// That of Kind itself at the draws that are simulated, for a miss rate of `beta`.
template <class Kind>
double smallest_effect(double beta = level) {
  return Kind::smallest_effect(simulation<Kind>().draws, {level, beta});
}

// Each kind is a case of the grid, under its own name and stream.
template <class... Kinds>
void alarm(auto& grid) {
  (grid.judge(alarms<Kinds>(grid.stream(Kinds::name), Kinds::accepts), Kinds::name), ...);
}
template <class... Kinds>
void miss(auto& grid) {
  (grid.judge(misses<Kinds>(grid.stream(Kinds::name), smallest_effect<Kinds>(), Kinds::accepts),
              Kinds::name),
   ...);
}
template <class Kind>
void miss_downwards(auto& grid) {
  grid.judge(misses<Kind>(grid.stream("downwards"), -smallest_effect<Kind>(), Kind::accepts),
             "downwards");
}

TEST(simulation, exact_checks_alarm_as_declared) {
  Assertion<"evidence.exact_checks_alarm_as_declared", Proportion> grid(3);
  alarm<NormalMean, StudentMean, NormalVariance>(grid);
}
TEST(simulation, bounds_alarm_at_most_as_declared) {
  Assertion<"evidence.bounds_alarm_at_most_as_declared", ProportionAtMost> grid(6);
  alarm<SubGaussianMean, BoundedMean, Proportion, ProportionAtMost, WholeLaw>(grid);
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
  Assertion<"evidence.exact_checks_miss_as_declared", Proportion> grid(4);
  miss<NormalMean, StudentMean, NormalVariance>(grid);
  miss_downwards<NormalMean>(grid);
}
TEST(simulation, bounds_miss_at_most_as_declared) {
  Assertion<"evidence.bounds_miss_at_most_as_declared", ProportionAtMost> grid(5);
  miss<SubGaussianMean, BoundedMean, Proportion, ProportionAtMost, WholeLaw>(grid);
}

// Broken checks: half the level is 0.025 off; twice it 0.05, and the others are further.
TEST(simulation, sees_broken_levels_of_exact_checks) {
  Rejection<"evidence.exact_checks_alarm_as_declared", Proportion> grid(5, 3);
  const auto off = [&]<class Kind>(Kind, const char* what, double by, auto accepts) {
    grid.judge(alarms<Kind>(grid.stream(what), accepts), by, what);
  };
  off(NormalMean{}, "one-sided at half the level", 0.025, [](const auto& data, double alpha) {
    return data.sum < 0 || NormalMean::accepts(data, alpha);
  });
  off(NormalVariance{}, "alpha for alpha/2", 0.05,
      [](const auto& data, double alpha) { return NormalVariance::accepts(data, 2 * alpha); });
  off(NormalVariance{}, "twice the draws", 0.05, [](auto data, double alpha) {
    data.n *= 2;
    return NormalVariance::accepts(data, alpha);
  });
  off(StudentMean{}, "half the draws", 0.025, [](auto data, double alpha) {
    data.sample.mean /= std::sqrt(2.0);  // of n under the root
    return StudentMean::accepts(data, alpha);
  });
  off(StudentMean{}, "normal for Student's t", 0.05, [](const auto& data, double alpha) {
    return StudentMean::statistic(data) < quantile(complement(boost::math::normal(), alpha / 2));
  });
}
TEST(simulation, sees_broken_levels_of_bounds_and_grids) {
  Rejection<"evidence.bounds_alarm_at_most_as_declared", ProportionAtMost> grid(2, 7);
  const auto undoes_what_the_grid_divides_by = [](const auto& data, double alpha) {
    return NormalMean::accepts(data, 4 * alpha);
  };
  const auto half_the_range = [](auto data, double alpha) {
    data.n *= 4, data.sum *= 4;
    return BoundedMean::accepts(data, alpha);
  };
  grid.judge(alarms<NormalMean>(grid.stream("grid"), undoes_what_the_grid_divides_by), 0.1,
             "no Bonferroni");
  grid.judge(alarms<BoundedMean>(grid.stream("range"), half_the_range), 0.025, "half the range");
}
TEST(simulation, sees_broken_powers_of_exact_checks) {
  Rejection<"evidence.exact_checks_miss_as_declared", Proportion> grid(4, 4);
  const auto off = [&]<class Kind>(Kind, const char* what, double effect, double by, auto accepts) {
    grid.judge(misses<Kind>(grid.stream(what), effect, accepts), by, what);
  };
  off(NormalMean{}, "one-sided", -smallest_effect<NormalMean>(), 0.95,
      [](const auto& data, double alpha) {
        return data.sum < 0 || NormalMean::accepts(data, 2 * alpha);
      });
  off(StudentMean{}, "beta ignored", smallest_effect<StudentMean>(0.5), 0.4, StudentMean::accepts);
  off(StudentMean{}, "twice the draws",
      StudentMean::smallest_effect(2 * simulation<StudentMean>().draws, rates), 0.1,
      StudentMean::accepts);
  off(NormalVariance{}, "variance for deviation",
      std::pow(1 + smallest_effect<NormalVariance>(), 2) - 1, 0.03, NormalVariance::accepts);
}
TEST(simulation, sees_broken_powers_of_bounds) {
  Rejection<"evidence.bounds_miss_at_most_as_declared", ProportionAtMost> mutant(1, 7);
  mutant.judge(misses<SubGaussianMean>(mutant.stream(), smallest_effect<SubGaussianMean>(0.999),
                                       SubGaussianMean::accepts),
               0.4, "beta ignored");
}

}  // namespace
}  // namespace embedscale::properties::evidence
