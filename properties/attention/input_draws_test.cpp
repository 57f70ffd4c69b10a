// The closed forms of the first attention's input against draws: each entry of the ledger in a test
// of its own, and what its check rejects.
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../evidence/normal.hpp"
#include "../evidence/power_law.hpp"
#include "../testing/statistical.hpp"
#include "input_scales.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention::input {
namespace {

Primitives wrong(std::string_view name) { return testing::mutant(mutants, name); }

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

/// The exponents that each has under the claim.
TwoFactors expected_exponents(Along along, const Cell& cell) {
  if (along == Along::d_k) return {{.exponent = 0}, {.exponent = exponent_in_d_k(cell) - 0.5}};
  return {{.exponent = exponent_in_d_model(cell) / 2}, {.exponent = exponent_in_d_model(cell) / 2}};
}

/// n draws of both at each of the widths, d_k being 1 where d_model varies and d_model 4 where d_k
/// does; the same weights for all four cells.
std::array<TwoFactors, 4> drawn_exponents(Along along, std::uint64_t n, const Stream& stream,
                                          const PrimitivesIn<double>& primitives) {
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
      for (auto* weights : {&w_q, &w_k})
        for (double& x : *weights) x = sigma * numbers.normal();
      for (auto* token : {&e_i, &e_j})
        for (double& x : *token) x = sigma * numbers.sign();
      const std::vector<double> none(d_k, 0.0);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const Factors<double> by(cells[c], d, d_k, primitives);
        const auto projected = [&](const std::vector<double>& weights,
                                   const std::vector<double>& e) {
          std::vector<double> x(d), y(d_k);
          for (std::size_t j = 0; j < d; ++j) x[j] = primitives.input(e[j], 0.0, by.m);
          primitives.project(weights, none, x, y);
          return y;
        };
        const auto q = projected(w_q, e_i), k = projected(w_k, e_j);
        q_a[c][w] = q.back();
        g[c][w] = primitives.logit(q, k, by.s) / std::sqrt(dot<double>(q, q));
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
const std::array<Drawn, 4> drawn_inputs{Drawn{"up", std::sqrt(0.125), std::sqrt(8.0)},
                                        {"unscaled", std::sqrt(0.125), 1},
                                        {"folded", 1, 1},
                                        {"small table", 0.02, std::sqrt(8.0)}};

/// One channel of W·x with entries of W from `law`, and ‖x‖².
struct Projected {
  double y, square;
};
Projected drawn_projection(const Initializer& law, const Drawn& at, Sequence& numbers,
                           const PrimitivesIn<double>& primitives) {
  static const auto w = sinusoidal_frequencies<double>(drawn_width, FrequencyRule::paper);
  std::vector<double> p(drawn_width), x(drawn_width), weights(drawn_width);
  const std::vector<double> none(1, 0.0);
  encode_position<double>(static_cast<std::int64_t>(numbers.below(4096)), w,
                          SinusoidalLayout::interleaved, p);
  for (std::size_t j = 0; j < drawn_width; ++j)
    x[j] = primitives.input(at.sigma * numbers.normal(), p[j], at.m);
  for (double& value : weights) value = numbers.of(law);
  std::vector<double> y(1);
  primitives.project(weights, none, x, y);
  return {y[0], dot<double>(x, x)};
}

/// Both factors of a drawn logit, along d_model and along d_k, in all four cells.
TEST(attention_root_d_model_does_not_cancel, draws_have_the_exponents) {
  testing::Assertion<"attention.logit_std_exponents", Exponent> exponents(16);
  const auto n = Exponent::draws_for(0.1, exponents.rates());
  for (const auto along : {Along::d_model, Along::d_k}) {
    const std::string name = along == Along::d_model ? "d_model" : "d_k";
    for (const auto& [of_q, of_g] :
         drawn_exponents(along, n, exponents.stream(name), Primitives{})) {
      exponents.judge(of_q, name);
      exponents.judge(of_g, name);
    }
  }
}

/// d^0.62 for the root: off by little more than what has to be seen.
Primitives another_power() {
  Primitives primitives;
  primitives.of<double>().multiplier = [](std::size_t d) {
    return std::pow(static_cast<double>(d), 0.62);
  };
  return primitives;
}

TEST(attention_root_d_model_does_not_cancel, draws_reject_other_exponents) {
  testing::Rejection<"attention.logit_std_exponents", Exponent> exponents(3, 16);
  const auto n = Exponent::draws_for(0.1, exponents.rates());
  const auto with_both = [&](Along along, const Primitives& mutant, const char* name) {
    return drawn_exponents(along, n, exponents.stream(name), mutant)[3];
  };
  exponents.judge(with_both(Along::d_k, wrong("forgets_the_root"), "d_k for its root").of_g, 0.5,
                  "d_k for its root");
  exponents.judge(
      with_both(Along::d_model, wrong("multiplies_tokens_by_the_width"), "d for its root").of_g,
      0.5, "d for its root");
  exponents.judge(with_both(Along::d_model, another_power(), "another power").of_q, 0.12,
                  "another power");
}

/// Given x, a channel of W·x is normal where W is: in units of 0.3·‖x‖.
evidence::NormalVariance::Data normal_projections(double sigma, const Drawn& at, std::uint64_t n,
                                                  const Stream& stream) {
  Sequence numbers(stream);
  evidence::NormalVariance::Data data;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto [y, square] = drawn_projection(Normal{sigma}, at, numbers, Primitives{});
    data.add(y / (0.3 * std::sqrt(square)));
  }
  return data;
}
TEST(attention_first_projection_range, normal_draws_have_the_variance) {
  using evidence::NormalVariance;
  testing::Assertion<"attention.variance_under_normal_weights", NormalVariance> grid(
      drawn_inputs.size());
  const auto n = NormalVariance::draws_for(0.05, grid.rates());
  for (const auto& at : drawn_inputs)
    grid.judge(normal_projections(0.3, at, n, grid.stream(at.name)), at.name);
}
TEST(attention_first_projection_range, normal_draws_of_another_deviation_are_seen) {
  using evidence::NormalVariance;
  testing::Rejection<"attention.variance_under_normal_weights", NormalVariance> mutants(
      3, drawn_inputs.size());
  const auto n = NormalVariance::draws_for(0.05, mutants.rates());
  const auto judge = [&](double sigma, const char* name) {
    mutants.judge(normal_projections(sigma, drawn_inputs[0], n, mutants.stream(name)),
                  std::abs(sigma / 0.3 - 1), name);
  };
  judge(0.3 * 0.3, "variance for deviation");
  judge(0.3 / std::sqrt(2.0), "as if packed");
  judge(0.3 * 1.06, "6 percent high");
}

using expected::ProjectionLaw;
constexpr std::array uniform_laws{ProjectionLaw::xavier, ProjectionLaw::packed_xavier,
                                  ProjectionLaw::xavier_per_head, ProjectionLaw::nn_linear};

/// 64 batches of the squares of 4096 channels, in units of what is stated: 1 in the mean, up to
/// rounding.
///
/// An entry of x rounds twice after a sinusoid within 2u, its product and the sum of d once each: y
/// is off by (d + 5)u·Σ|w_j x_j|, whose square has at most d times the mean of y²; so the mean of
/// y² moves by 2(d + 5)√d·u = 74u. What is stated has 16u (variance_is_in_closed_form), square and
/// quotient 2u, sums of 4096 and of 64 positive terms 4160u: less than 4352u with higher orders,
/// and with the 2^−52 by which the drawn laws' variances, of 52 bits, miss those of the laws.
evidence::BatchMean::Data uniform_projections(ProjectionLaw which, const Drawn& at,
                                              const Stream& stream, const Primitives& primitives) {
  const Setting setting{which, {drawn_width, 4, 2}, 1};
  const auto law = primitives.projection_law(setting.law, setting.shape, 1);
  const double stated = expected::projection_variance(stated_weight_variance(setting), drawn_width,
                                                      at.m * at.m * at.sigma * at.sigma + 0.5);
  Sequence numbers(stream);
  constexpr double off = 4352 * unit_roundoff<double>;
  evidence::BatchMean::Data data{.sample = {}, .null = {1 - off, 1 + off}};
  for (int batch = 0; batch < 64; ++batch) {
    double mean = 0;
    for (int i = 0; i < 4096; ++i) {
      const double y = drawn_projection(law, at, numbers, primitives).y;
      mean += y * y / stated / 4096;
    }
    data.add(mean);
  }
  return data;
}

/// Over the tokens, too: σ_W²·d·(m²σ² + ½) under uniform weights, of each of their laws.
TEST(attention_first_projection_range, uniform_draws_have_the_variance_in_closed_form) {
  testing::Assertion<"attention.variance_under_uniform_weights", evidence::BatchMean> grid(
      uniform_laws.size());
  for (std::size_t k = 0; k < uniform_laws.size(); ++k) {
    const auto& at = drawn_inputs[k];
    grid.judge(uniform_projections(uniform_laws[k], at, grid.stream(at.name), Primitives{}),
               at.name);
  }
}
/// y² has a variance of at most 3·E‖x‖⁴/(E‖x‖²)² − 1 <= 3·(1 + 2/8) − 1 of its squared mean, as a
/// sum of uniform ones has less kurtosis than a normal one: a batch deviates by 2.6 % or less.
TEST(attention_first_projection_range, uniform_draws_of_another_distribution_are_seen) {
  testing::Rejection<"attention.variance_under_uniform_weights", evidence::BatchMean> mutants(
      3, uniform_laws.size());
  const auto judge = [&](ProjectionLaw law, const Primitives& mutant, double factor,
                         const char* name) {
    mutants.judge(uniform_projections(law, drawn_inputs[0], mutants.stream(name), mutant),
                  std::abs(factor - 1) / (factor * 0.026), name);
  };
  judge(ProjectionLaw::packed_xavier, wrong("forgets_that_three_are_packed"), 2, "not packed");
  judge(ProjectionLaw::xavier, wrong("counts_one_head"), 4.0 / 3, "one head");
  judge(ProjectionLaw::nn_linear, wrong("takes_root_five_for_a_gain"), 15, "a for the gain");
}

}  // namespace
}  // namespace embedscale::properties::attention::input
