// What the claims say about random tables, by draws: each entry of the ledger in a
// test of its own, and what its check rejects.
#include <embedscale/fast/fast.hpp>

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../evidence/bounded.hpp"
#include "../evidence/normal.hpp"
#include "../evidence/proportion.hpp"
#include "../evidence/whole_law.hpp"
#include "../testing/statistical.hpp"
#include "balance.hpp"
#include "length.hpp"
#include "trials.hpp"
#include "variance.hpp"

namespace embedscale::properties::testing {
namespace {

using namespace evidence;
using embedding::Primitives;

Primitives mutant(std::string_view name) { return testing::mutant(embedding::mutants, name); }

constexpr std::array<std::size_t, 3> widths{16, 512, 4096};

/// Tokens of tables drawn from the law, looked up with √d: some rows at a time, so that no table
/// has to be kept.
template <class Visit>
void each_token(const Initializer& law, const Stream& stream, std::uint64_t count, std::size_t d,
                const Primitives& primitives, const Visit& visit) {
  constexpr std::size_t rows = 256;
  const double m = primitives.of<double>().root(d);
  std::vector<float> drawn(rows * d);
  for (std::uint64_t v = 0; v < count; v += rows) {
    fast::fill(law, {stream.bits(0), "tables"}, drawn, v * d);
    const EmbeddingTable<double> table(rows, d, {drawn.begin(), drawn.end()});
    for (std::size_t row = 0; row < rows; ++row)
      visit(conventions::looked_up(table, row, m, primitives));
  }
}

template <class Kind>
typename Kind::Data entries(typename Kind::Data data, const Initializer& law, const Stream& stream,
                            std::size_t d, const Primitives& primitives, double a) {
  each_token(law, stream, (1u << 23) / d, d, primitives, [&](const auto& token) {
    for (const double t : token)
      data.add(std::is_same_v<Kind, NormalVariance> ? t : t * t / (a * a));
  });
  return data;
}

// Normal of deviation d^−½, and Xavier's on (d, d).
TEST(embedding_draws, scaled_normal_tables_have_variance_1) {
  Assertion<"embedding.scaled_normal_tables_have_variance_1", NormalVariance> variance(6);
  for (const std::size_t d : widths)
    for (const std::size_t law : {0u, 4u}) {
      const auto which = std::to_string(d) + ", " + std::to_string(law);
      variance.judge(entries<NormalVariance>({}, embedding::laws_of_inverse_width(d)[law],
                                             variance.stream(which), d, Primitives{}, 1),
                     which);
    }
}

TEST(embedding_draws, wrong_normal_tables_have_another) {
  Rejection<"embedding.scaled_normal_tables_have_variance_1", NormalVariance> mutants(3, 6);
  const auto judge = [&](const char* name, double effect) {
    mutants.judge(entries<NormalVariance>({}, embedding::laws_of_inverse_width(16)[0],
                                          mutants.stream(name), 16, mutant(name), 1),
                  effect, name);
  };
  judge("looks_up_bare", 0.75);  // 1/4 of the deviation
  judge("looks_up_with_d", 3);
  judge("takes_the_root_of_one_more", std::sqrt(17.0 / 16.0) - 1);
}

// |t| <= a: √3 of a uniform law of variance 1, 2/√0.7737 of a cut normal one; a little above, as
// fl(√d) and the product round.
constexpr std::pair<std::size_t, double> bounded[] = {{1, 1.7321}, {2, 2.2738}, {3, 1.7321}};

TEST(embedding_draws, scaled_bounded_tables_have_variance_1) {
  Assertion<"embedding.scaled_bounded_tables_have_variance_1", BoundedMean> mean(9);
  for (const std::size_t d : widths)
    for (const auto& [law, a] : bounded) {
      const auto which = std::to_string(d) + ", " + std::to_string(law);
      mean.judge(entries<BoundedMean>({{1 / (a * a), 1 / (a * a)}},
                                      embedding::laws_of_inverse_width(d)[law], mean.stream(which),
                                      d, Primitives{}, a),
                 which);
    }
}

// Nominal σ = d^−½ of the cut law: the variance of what comes out is 0.7737, and not 1.
TEST(embedding_draws, a_nominal_deviation_is_not_enough) {
  Rejection<"embedding.scaled_bounded_tables_have_variance_1", BoundedMean> mutants(3, 9);
  const auto judge = [&](const Initializer& law, const Primitives& primitives, double a,
                         double variance, const char* name) {
    mutants.judge(entries<BoundedMean>({{1 / (a * a), 1 / (a * a)}}, law, mutants.stream(name), 16,
                                       primitives, a),
                  std::abs(variance - 1) / (a * a), name);
  };
  judge(TruncatedNormal{0.25}, Primitives{}, 2.0001, embedding::cut_variance, "nominal deviation");
  const Initializer uniform = embedding::laws_of_inverse_width(16)[1];
  judge(uniform, mutant("looks_up_bare"), 1.7321, 1.0 / 16, "bare");
  judge(uniform, mutant("takes_the_root_of_one_more"), 1.7854, 17.0 / 16, "root of one more");
}

double below_chi_squared(double degrees, double x) {
  return boost::math::gamma_p(degrees / 2, x / 2);
}

// ‖t‖²/(m²σ²) of a normal table of deviation 0.02, beside χ²_d.
WholeLaw::Data squared_lengths(std::size_t d, const Stream& stream, const Primitives& primitives) {
  const double scale = 0.0004 * static_cast<double>(d);
  std::vector<double> squares;
  each_token(Normal{0.02}, stream, 160'000, d, primitives, [&](const auto& token) {
    double sum = 0;
    for (const double t : token) sum += t * t;
    squares.push_back(sum / scale);
  });
  return distance_from(std::span(squares),
                       [&](double x) { return below_chi_squared(static_cast<double>(d), x); });
}

TEST(embedding_draws, squared_lengths_are_chi_squared) {
  Assertion<"embedding.squared_lengths_are_chi_squared", WholeLaw> law(3);
  for (const std::size_t d : {1u, 8u, 64u})
    law.judge(squared_lengths(d, law.stream(std::to_string(d)), Primitives{}), std::to_string(d));
}

// Eight channels multiplied by something else: the squared length is a factor times χ²_8.
TEST(embedding_draws, other_squared_lengths_are_not) {
  Rejection<"embedding.squared_lengths_are_chi_squared", WholeLaw> mutants(3, 3);
  const auto apart = [](double factor) {  // a distance at some x is at most the largest one
    double most = 0;
    for (double x = 0.25; x < 32; x += 0.25)
      most = std::max(most, std::abs(below_chi_squared(8, x / factor) - below_chi_squared(8, x)));
    return most;
  };
  for (const auto& [name, factor] : {std::pair("looks_up_bare", 1.0 / 8),
                                     {"looks_up_with_d", 8.0},
                                     {"takes_the_root_of_one_more", 9.0 / 8}})
    mutants.judge(squared_lengths(8, mutants.stream(name), mutant(name)), apart(factor), name);
}

struct Case {
  std::size_t d;
  double sigma;
};
// Where it is not too small to see: σ = d^−½ at small widths, and the break-even of a larger one.
const std::array<Case, 4> cases{
    {{2, std::sqrt(0.5)}, {8, std::sqrt(0.125)}, {16, 0.25}, {64, std::sqrt(1.0 / 128.0)}}};

evidence::Trials shorter(const Case& at, const Stream& stream, const Primitives& primitives) {
  const double m = root_multiplier<double>(at.d);
  evidence::Trials trials{expected::probability_shorter(at.d, m, at.sigma)};
  constexpr std::size_t at_once = 1000;
  std::vector<float> z(at_once * at.d);
  for (std::uint64_t v = 0; v < 400'000; v += at_once) {
    fast::fill(Normal{1}, {stream.bits(0), "lengths"}, z, v * at.d);
    for (auto row = z.begin(); row != z.end(); row += static_cast<std::ptrdiff_t>(at.d)) {
      const std::vector<double> one(row, row + static_cast<std::ptrdiff_t>(at.d));
      trials.add(embedding::squared_length_ratio(one, at.sigma, m, {at.d, 511}, primitives) < 1.0);
    }
  }
  return trials;
}

TEST(embedding_draws, shorter_tokens_are_as_frequent_as_stated) {
  Assertion<"embedding.shorter_tokens_are_as_frequent_as_stated", Proportion> share(cases.size());
  for (const Case& at : cases)
    share.judge(shorter(at, share.stream(std::to_string(at.d)), Primitives{}),
                std::to_string(at.d));
}

// Of eight channels of deviation 8^−½; what is seen is what another multiplier moves.
TEST(embedding_draws, other_lengths_are_shorter_at_another_rate) {
  Rejection<"embedding.shorter_tokens_are_as_frequent_as_stated", Proportion> mutants(3,
                                                                                      cases.size());
  const auto share = [](double m) { return expected::probability_shorter(8, m, std::sqrt(0.125)); };
  for (const auto& [name, m] : {std::pair("positions_scaled_down", 8.0),  // as good as a second √8
                                {"looks_up_bare", 1.0},
                                {"looks_up_with_d", 8.0}})
    mutants.judge(shorter(cases[1], mutants.stream(name), mutant(name)),
                  std::abs(share(std::sqrt(8.0)) - share(m)), name);
}

// x dense, of mean square 1 (±1), and a table of deviation 0.02: V·σ², one channel for each draw.
NormalVariance::Data sums(std::size_t vocabulary, const Stream& stream,
                          const Primitives& primitives) {
  constexpr std::size_t at_once = 64;
  const double scale = 0.02 * std::sqrt(static_cast<double>(vocabulary));
  NormalVariance::Data data;
  std::vector<float> signs(at_once * vocabulary), rows(signs.size());
  std::vector<double> x(vocabulary), out(1);
  while (data.n < 256'000) {
    const auto first = data.n * vocabulary;
    fast::fill(Uniform{1}, {stream.bits(0), "signs"}, signs, first);
    fast::fill(Normal{0.02}, {stream.bits(0), "rows"}, rows, first);
    for (std::size_t i = 0; i < signs.size(); i += vocabulary) {
      for (std::size_t v = 0; v < vocabulary; ++v) x[v] = std::copysign(1.0, signs[i + v]);
      const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i);
      primitives.of<double>().multiply(
          {vocabulary, 1, {row, row + static_cast<std::ptrdiff_t>(vocabulary)}}, x, out);
      data.add(out[0] / scale);
    }
  }
  return data;
}

TEST(embedding_draws, dense_inputs_sum_the_vocabulary) {
  Assertion<"embedding.dense_inputs_sum_the_vocabulary", NormalVariance> variance(3);
  for (const std::size_t vocabulary : {1u, 10u, 100u}) {
    const auto which = std::to_string(vocabulary);
    variance.judge(sums(vocabulary, variance.stream(which), Primitives{}), which);
  }
}

TEST(embedding_draws, an_average_does_not) {
  Rejection<"embedding.dense_inputs_sum_the_vocabulary", NormalVariance> mutants(3, 3);
  for (const auto& [vocabulary, name, effect] :
       {std::tuple(10u, "averages_over_the_vocabulary", 0.9),
        {4u, "leaves_the_first_token_out", 1 - std::sqrt(0.75)},
        {10u, "leaves_the_first_token_out", 1 - std::sqrt(0.9)}}) {
    const auto which = std::string(name) + ", " + std::to_string(vocabulary);
    mutants.judge(sums(vocabulary, mutants.stream(which), mutant(name)), effect, which);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing
