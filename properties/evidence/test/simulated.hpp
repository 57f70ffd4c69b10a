#pragma once
// Draws for each kind of check, under its null and under an effect of a given size.
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../bounded.hpp"
#include "../power_law.hpp"
#include "../proportion.hpp"
#include "../two_samples.hpp"
#include "../whole_law.hpp"

namespace embedscale::properties::evidence {

/// `draws` draws of one trial of a kind; an effect of 0 is the null. Each draw of each trial has
/// its own index.
template <class Kind>
struct Simulated;

struct Indices {
  const Stream& stream;
  std::uint64_t trial;
  double normal(std::uint64_t i) const { return stream.normal(trial << 16 | i); }
  double uniform(std::uint64_t i) const { return stream.uniform(trial << 16 | i); }
};

/// Data of so many draws, each added by add(data, i).
template <class Data, class Add>
Data sum(std::uint64_t draws, Data data, Add add) {
  for (std::uint64_t i = 0; i < draws; ++i) add(data, i);
  return data;
}

template <>
struct Simulated<NormalMean> {
  static constexpr std::uint64_t draws = 5;
  static auto data(const Indices& random, double effect) {
    return sum(draws, NormalMean::Data{},
               [&](auto& data, auto i) { data.add(random.normal(i) + effect); });
  }
};
template <>
struct Simulated<SubGaussianMean> : Simulated<NormalMean> {};
template <>
struct Simulated<StudentMean> {
  static constexpr std::uint64_t draws = 6;
  static auto data(const Indices& random, double effect) {
    return sum(draws, StudentMean::Data{.null = {3, 3}},
               [&](auto& data, auto i) { data.add(3 + 2 * (random.normal(i) + effect)); });
  }
};
template <>
struct Simulated<NormalVariance> {
  static constexpr std::uint64_t draws = 8;
  static auto data(const Indices& random, double effect) {
    return sum(draws, NormalVariance::Data{},
               [&](auto& data, auto i) { data.add((1 + effect) * random.normal(i)); });
  }
};
template <>
struct Simulated<DeviationRatio> {
  static constexpr std::uint64_t draws = 7;
  static auto data(const Indices& random, double effect) {
    return sum(draws, DeviationRatio::Data{}, [&](auto& data, auto i) {
      data.add((1 + effect) * random.normal(2 * i), random.normal(2 * i + 1));
    });
  }
};
template <>
struct Simulated<EqualMeans> {
  static constexpr std::uint64_t draws = 4;
  static auto data(const Indices& random, double effect) {
    return sum(draws, EqualMeans::Data{}, [&](auto& data, auto i) {
      data.add(5 + effect + random.normal(2 * i), 5 + random.normal(2 * i + 1));
    });
  }
};
/// Zeros and ones, of all laws in [0, 1] with their mean the widest.
template <>
struct Simulated<BoundedMean> {
  static constexpr std::uint64_t draws = 40;
  static auto data(const Indices& random, double effect) {
    return sum(draws, BoundedMean::Data{{0.3, 0.3}},
               [&](auto& data, auto i) { data.add(random.uniform(i) < 0.3 + effect ? 1 : 0); });
  }
};
template <>
struct Simulated<BernsteinMean> {
  static constexpr std::uint64_t draws = 150;
  static auto data(const Indices& random, double effect) {
    return sum(draws, BernsteinMean::Data{.null = {0.3, 0.3}},
               [&](auto& data, auto i) { data.add(random.uniform(i) < 0.3 + effect ? 1 : 0); });
  }
};
template <>
struct Simulated<EqualBoundedMeans> {
  static constexpr std::uint64_t draws = 300;
  static auto data(const Indices& random, double effect) {
    return sum(draws, EqualBoundedMeans::Data{}, [&](auto& data, auto i) {
      data.add(random.uniform(2 * i) < 0.1 + effect ? 1 : 0,
               random.uniform(2 * i + 1) < 0.1 ? 1 : 0);
    });
  }
};
template <>
struct Simulated<Proportion> {
  static constexpr std::uint64_t draws = 40;
  static auto data(const Indices& random, double effect) {
    return sum(draws, Trials{0.5},
               [&](auto& data, auto i) { data.add(random.uniform(i) < 0.5 + effect); });
  }
};
template <>
struct Simulated<ProportionAtMost> : Simulated<Proportion> {};
/// Uniform, shifted: the distributions are `effect` apart.
template <>
struct Simulated<WholeLaw> {
  static constexpr std::uint64_t draws = 20;
  static auto data(const Indices& random, double effect) {
    std::array<double, draws> x{};
    for (std::uint64_t i = 0; i < draws; ++i) x[i] = random.uniform(i) - effect;
    return distance_from(x, [](double at) { return std::clamp(at, 0.0, 1.0); });
  }
};
using Exponent = PowerLawExponent<1, 4, 16>;
template <>
struct Simulated<Exponent> {
  static constexpr std::uint64_t draws = 10;
  static auto data(const Indices& random, double effect) {
    const double step = std::pow(4, 0.5 + effect);
    return sum(draws, Exponent::Data{0.5}, [&](auto& data, auto i) {
      data.add({random.normal(3 * i), step * random.normal(3 * i + 1),
                step * step * random.normal(3 * i + 2)});
    });
  }
};

}  // namespace embedscale::properties::evidence
