#pragma once
// Batches of draws of a small model, beside what is stated of it: what an entry of the ledger
// judges.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "../evidence/normal.hpp"
#include "first_layer_allowance.hpp"

namespace embedscale::properties::oracle {

/// Eight 32-bit pieces of a block; a normal takes two.
class Draws {
 public:
  explicit Draws(const Stream& stream) : stream_(stream) {}
  double operator()(Law law) {
    if (law == Law::normal)
      return std::sqrt(-2 * std::log(unit())) * std::cos(2 * std::numbers::pi * unit());
    const double x = 2 * unit() - 1;
    return law == Law::sign ? std::copysign(1.0, x) : std::numbers::sqrt3 * x;
  }

 private:
  double unit() {
    if (used_ % 8 == 0) words_ = stream_.block(used_ / 8);
    const std::uint64_t word = words_[used_ % 8 / 2] >> (used_ % 2 * 32);
    ++used_;
    return (static_cast<double>(word & 0xffffffff) + 0.5) * 0x1p-32;
  }
  Stream stream_;
  std::uint64_t used_ = 0;
  Stream::Block words_{};
};

constexpr std::size_t d_k = 8;

/// Of its value, what a batch deviates by at most. It is at most 1 %; 2 % is not exceeded by
/// chance (a χ²_63 of 3.7 times its mean: 1e-19), and keeps 2.75 deviations, the effect that is
/// seen, worth seeing.
constexpr double deviation_share = 0.02;

/// Where the mean of one of the six numbers may be. The allowance is to leading order: 3·10⁶ draws
/// put one mean, that of "LayerNorm, signs" at d = 32, 6 % beyond it, so a quarter is added for
/// the next order (not proved). A norm that makes a moment constant leaves roundings alone, 1e-12
/// of it.
inline double allowed(const Stated& formula, std::size_t k) {
  return 1.25 * formula.allowance[k] + 1e-12 * formula.value[k];
}
inline evidence::Interval null_of(const Stated& formula, std::size_t k) {
  return {formula.value[k] - allowed(formula, k), formula.value[k] + allowed(formula, k)};
}

/// The means of 64 batches of a model's six numbers, without a null.
inline std::array<evidence::BatchMean::Data, 6> batches_of(const Model& model, std::size_t d,
                                                           Weights weights, std::size_t per_batch,
                                                           const Stream& stream) {
  constexpr std::size_t batches = 64;
  const auto table = sinusoids(model, d);
  const Stated formula = stated(model, d, d_k);
  Draws draw(stream);
  std::array<evidence::BatchMean::Data, 6> data{};
  for (std::size_t b = 0; b < batches; ++b) {
    Six batch{};
    for (std::size_t i = 0; i < per_batch; ++i) {
      const Six six = run(model, d, d_k, weights, table, draw);
      for (std::size_t k = 0; k < 6; ++k) batch[k] += six[k] / static_cast<double>(per_batch);
    }
    for (std::size_t k = 0; k < 6; ++k) data[k].add(batch[k]);
  }
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_LE(std::sqrt(data[k].sample.variance()), deviation_share * formula.value[k])
        << model.name << ": " << names[k];
  return data;
}

}  // namespace embedscale::properties::oracle
