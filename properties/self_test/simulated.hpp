#pragma once
// Draws for each kind of check, under its null and under an effect of a given size.
#include <embedscale/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>

#include "../evidence/bounded.hpp"
#include "../evidence/power_law.hpp"
#include "../evidence/proportion.hpp"
#include "../evidence/two_samples.hpp"
#include "../evidence/whole_law.hpp"

namespace embedscale::properties::self_test {

using namespace evidence;

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

template <>
struct Simulated<NormalMean> {
  static constexpr std::uint64_t draws = 5;
  static NormalMean::Data data(const Indices& random, double effect) {
    NormalMean::Data data;
    for (std::uint64_t i = 0; i < draws; ++i) data.add(random.normal(i) + effect);
    return data;
  }
};
template <>
struct Simulated<SubGaussianMean> : Simulated<NormalMean> {};
template <>
struct Simulated<StudentMean> {
  static constexpr std::uint64_t draws = 6;
  static StudentMean::Data data(const Indices& random, double effect) {
    StudentMean::Data data{.null = {3, 3}};
    for (std::uint64_t i = 0; i < draws; ++i) data.add(3 + 2 * (random.normal(i) + effect));
    return data;
  }
};
template <>
struct Simulated<NormalVariance> {
  static constexpr std::uint64_t draws = 8;
  static NormalVariance::Data data(const Indices& random, double effect) {
    NormalVariance::Data data;
    for (std::uint64_t i = 0; i < draws; ++i) data.add((1 + effect) * random.normal(i));
    return data;
  }
};
template <>
struct Simulated<DeviationRatio> {
  static constexpr std::uint64_t draws = 7;
  static DeviationRatio::Data data(const Indices& random, double effect) {
    DeviationRatio::Data data;
    for (std::uint64_t i = 0; i < draws; ++i)
      data.add((1 + effect) * random.normal(2 * i), random.normal(2 * i + 1));
    return data;
  }
};
template <>
struct Simulated<EqualMeans> {
  static constexpr std::uint64_t draws = 4;
  static EqualMeans::Data data(const Indices& random, double effect) {
    EqualMeans::Data data;
    for (std::uint64_t i = 0; i < draws; ++i)
      data.add(5 + effect + random.normal(2 * i), 5 + random.normal(2 * i + 1));
    return data;
  }
};
/// Zeros and ones, of all laws in [0, 1] with their mean the widest.
template <>
struct Simulated<BoundedMean> {
  static constexpr std::uint64_t draws = 40;
  static BoundedMean::Data data(const Indices& random, double effect) {
    BoundedMean::Data data{{0.3, 0.3}};
    for (std::uint64_t i = 0; i < draws; ++i) data.add(random.uniform(i) < 0.3 + effect ? 1 : 0);
    return data;
  }
};
template <>
struct Simulated<BernsteinMean> {
  static constexpr std::uint64_t draws = 150;
  static BernsteinMean::Data data(const Indices& random, double effect) {
    BernsteinMean::Data data{.null = {0.3, 0.3}};
    for (std::uint64_t i = 0; i < draws; ++i) data.add(random.uniform(i) < 0.3 + effect ? 1 : 0);
    return data;
  }
};
template <>
struct Simulated<EqualBoundedMeans> {
  static constexpr std::uint64_t draws = 300;
  static EqualBoundedMeans::Data data(const Indices& random, double effect) {
    EqualBoundedMeans::Data data;
    for (std::uint64_t i = 0; i < draws; ++i)
      data.add(random.uniform(2 * i) < 0.1 + effect ? 1 : 0,
               random.uniform(2 * i + 1) < 0.1 ? 1 : 0);
    return data;
  }
};
template <>
struct Simulated<Proportion> {
  static constexpr std::uint64_t draws = 40;
  static Trials data(const Indices& random, double effect) {
    Trials data{0.5};
    for (std::uint64_t i = 0; i < draws; ++i) data.add(random.uniform(i) < 0.5 + effect);
    return data;
  }
};
template <>
struct Simulated<ProportionAtMost> : Simulated<Proportion> {};
/// Uniform, shifted: the distributions are `effect` apart.
template <>
struct Simulated<WholeLaw> {
  static constexpr std::uint64_t draws = 20;
  static WholeLaw::Data data(const Indices& random, double effect) {
    std::array<double, draws> x{};
    for (std::uint64_t i = 0; i < draws; ++i) x[i] = random.uniform(i) - effect;
    return distance_from(x, [](double at) { return std::clamp(at, 0.0, 1.0); });
  }
};
using Exponent = PowerLawExponent<1, 4, 16>;
template <>
struct Simulated<Exponent> {
  static constexpr std::uint64_t draws = 10;
  static Exponent::Data data(const Indices& random, double effect) {
    Exponent::Data data{0.5};
    const double step = std::pow(4, 0.5 + effect);
    for (std::uint64_t i = 0; i < draws; ++i)
      data.add({random.normal(3 * i), step * random.normal(3 * i + 1),
                step * step * random.normal(3 * i + 2)});
    return data;
  }
};

}  // namespace embedscale::properties::self_test
