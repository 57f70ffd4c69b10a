#pragma once
// The closed forms of attention_input.hpp against draws, by primitives of InputLibrary's shape.
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../attention_input_scales.hpp"
#include "../evidence/normal.hpp"
#include "../evidence/power_law.hpp"
#include "statistical.hpp"

namespace embedscale::properties::testing::draws {

namespace input = attention::input;

/// Numbers of one stream, in order.
class Sequence {
 public:
  explicit Sequence(const Stream& stream) : stream_(stream) {}
  double normal() { return stream_.normal(next_++); }
  double of(const Initializer& law) { return draw(law, stream_, next_++); }
  double sign() { return stream_.bits(next_++) % 2 == 0 ? 1.0 : -1.0; }
  std::uint64_t below(std::uint64_t n) { return stream_.below(n, next_++); }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

using Exponent = evidence::PowerLawExponent<4, 16, 64>;

/// A logit's token·token part is z = ‖q‖·g with g = s·⟨q, k⟩/‖q‖. Tokens of entries ±d^−½ have one
/// length, so with normal W_Q and W_K of variance 1/d_model each q_a is normal, and so is g, at any
/// q. E z² = d_k·Var q_a·Var g: the exponents of the two add up to that of z, with ½ in d_k.
struct TwoFactors {
  Exponent::Data of_q, of_g;
};
enum class Along { d_model, d_k };
constexpr std::array cells{input::Cell{input::Factor::absent, input::Factor::absent},
                           input::Cell{input::Factor::absent, input::Factor::present},
                           input::Cell{input::Factor::present, input::Factor::absent},
                           input::Cell{input::Factor::present, input::Factor::present}};

/// The exponents that each has under the claim.
inline TwoFactors expected_exponents(Along along, const input::Cell& cell) {
  if (along == Along::d_k) return {{.exponent = 0}, {.exponent = exponent_in_d_k(cell) - 0.5}};
  return {{.exponent = exponent_in_d_model(cell) / 2}, {.exponent = exponent_in_d_model(cell) / 2}};
}

/// n draws of both at each of the widths, d_k being 1 where d_model varies and d_model 4 where d_k
/// does; the same weights for all four cells.
template <class Primitives>
std::array<TwoFactors, 4> drawn_exponents(Along along, std::uint64_t n, const Stream& stream,
                                          const Primitives& primitives) {
  std::array<TwoFactors, 4> out;
  for (std::size_t c = 0; c < cells.size(); ++c) out[c] = expected_exponents(along, cells[c]);
  Sequence numbers(stream);
  for (std::uint64_t i = 0; i < n; ++i) {
    std::array<std::array<double, Exponent::k>, 4> q_a{}, g{};
    for (std::size_t w = 0; w < Exponent::k; ++w) {
      const std::size_t d = along == Along::d_model ? Exponent::widths[w] : 4;
      const std::size_t d_k = along == Along::d_k ? Exponent::widths[w] : 1;
      const double sigma = 1 / std::sqrt(static_cast<double>(d));
      std::vector<double> w_q(d_k * d), w_k(d_k * d), e_i(d), e_j(d);
      for (double& x : w_q) x = sigma * numbers.normal();
      for (double& x : w_k) x = sigma * numbers.normal();
      for (double& x : e_i) x = sigma * numbers.sign();
      for (double& x : e_j) x = sigma * numbers.sign();
      const std::vector<double> none(d_k, 0.0);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const bool multiplied = cells[c].root_d_model == input::Factor::present;
        const bool scaled = cells[c].root_d_k == input::Factor::present;
        const double m = multiplied ? primitives.template multiplier<double>(d) : 1.0;
        const double s = scaled ? primitives.template scale<double>(d, d_k) : 1.0;
        const auto projected = [&](const std::vector<double>& weights,
                                   const std::vector<double>& e) {
          std::vector<double> x(d), y(d_k);
          for (std::size_t j = 0; j < d; ++j) x[j] = primitives.input(e[j], 0.0, m);
          primitives.project(std::span<const double>(weights), std::span<const double>(none),
                             std::span<const double>(x), std::span<double>(y));
          return y;
        };
        const auto q = projected(w_q, e_i), k = projected(w_k, e_j);
        double length = 0;
        for (const double value : q) length += value * value;
        q_a[c][w] = q.back();
        g[c][w] = primitives.logit(std::span<const double>(q), std::span<const double>(k), s) /
                  std::sqrt(length);
      }
    }
    for (std::size_t c = 0; c < cells.size(); ++c) out[c].of_q.add(q_a[c]), out[c].of_g.add(g[c]);
  }
  return out;
}

/// Where a projection is drawn: tokens N(0, σ²) times m, sinusoids, 8 channels.
struct Drawn {
  const char* name;
  double sigma, m;
};
constexpr std::size_t drawn_width = 8;
inline const std::array<Drawn, 4> drawn_inputs{Drawn{"up", std::sqrt(0.125), std::sqrt(8.0)},
                                               {"unscaled", std::sqrt(0.125), 1},
                                               {"folded", 1, 1},
                                               {"small table", 0.02, std::sqrt(8.0)}};

/// One channel of W·x with entries of W from `law`, and ‖x‖².
struct Projected {
  double y, square;
};
template <class Primitives>
Projected drawn_projection(const Initializer& law, const Drawn& at, Sequence& numbers,
                           const Primitives& primitives) {
  static const auto w = sinusoidal_frequencies<double>(drawn_width, FrequencyRule::paper);
  std::vector<double> p(drawn_width), x(drawn_width), weights(drawn_width);
  const std::vector<double> none(1, 0.0);
  encode_position<double>(static_cast<std::int64_t>(numbers.below(4096)), w,
                          SinusoidalLayout::interleaved, p);
  for (std::size_t j = 0; j < drawn_width; ++j)
    x[j] = primitives.input(at.sigma * numbers.normal(), p[j], at.m);
  for (double& value : weights) value = numbers.of(law);
  std::vector<double> y(1);
  primitives.project(std::span<const double>(weights), std::span<const double>(none),
                     std::span<const double>(x), std::span<double>(y));
  double square = 0;
  for (const double value : x) square += value * value;
  return {y[0], square};
}

}  // namespace embedscale::properties::testing::draws
