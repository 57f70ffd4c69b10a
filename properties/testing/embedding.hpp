#pragma once
// The attempts to refute the claims of embedding.hpp, for any primitives of Library's shape.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../domain/formats.hpp"
#include "../embedding_balance.hpp"
#include "../embedding_length.hpp"
#include "../embedding_sparse.hpp"
#include "../embedding_variance.hpp"
#include "generators/conventions.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

/// A finite law of three values, which need not be symmetric.
inline embedding::FiniteLaw<Rational> finite_law() {
  embedding::FiniteLaw<Rational> law{generators::named("values", generators::channels(3)), {}};
  for (const char* name : {"first weight", "second weight", "third weight"})
    law.weights.push_back(generators::named(name, generators::positive_rationals()));
  return law;
}

EXPENSIVE_PROPERTY(embedding, root_d_restores_unit_variance, moments_follow_m, 2) {
  const auto law = finite_law();
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(embedding::moments_follow_m(law.values, law.weights, m, subject));
}

PROPERTY(embedding, root_d_restores_unit_variance, variance_is_1_for_every_family) {
  const auto d = generators::named("d", generators::widths_by_size({1, std::uint64_t{1} << 20}));
  for (const auto& law : embedding::laws_of_inverse_width(d))
    domain::for_each_format(
        [&]<class Real>() { holds(embedding::unit_variance_share<Real>(law, d, subject)); });
}

EXPENSIVE_PROPERTY(embedding, root_d_restores_unit_variance, rows_gain_a_factor_root_d, 5) {
  const auto d = generators::named("d", generators::widths({1, 96}));
  const auto family = generators::named("family", generators::in_range<std::size_t>(0, 5));
  const auto i = generators::named("row", generators::draws());
  const auto law = embedding::laws_of_inverse_width(d)[family];
  const Stream stream(d, "rows");
  covers("normal", family == 0, 0.1);
  covers("cut normal", family == 2, 0.1);
  domain::for_each_format([&]<class Real>() {
    std::vector<Real> row;
    for (std::size_t j = 0; j < d; ++j)
      row.push_back(static_cast<Real>(subject.draw(law, stream, i + j)));
    holds(embedding::row_rms_share<Real>(row, subject));
  });
}

PROPERTY(embedding, small_tables_stay_dominated, energy_is_two_m_squared_sigma_squared) {
  const auto at = generators::start(256);
  const auto sigma = generators::named("sigma", generators::scales());
  const double m = generators::multiplier(at.d);
  holds(embedding::energy_share_of_bound(sigma, m, at, subject));
}

/// σ√(2d) around 2^k, off it by a part in 2^j: at k = 0 the factor just makes up, or does not.
PROPERTY(embedding, small_tables_stay_dominated, positions_dominate_below_the_break_even) {
  const auto at = generators::start(256);
  const int k = generators::named("k", generators::in_range(-2, 3));
  const int j = generators::named("j", generators::in_range(1, 41));
  const bool below = generators::named("below", generators::in_range(0, 2)) != 0;
  const bool bare = generators::named("without the factor", generators::in_range(0, 2)) != 0;
  covers("just too narrow", below && k == 0, 0.06);
  covers("just wide enough", !below && k == 0, 0.06);
  const double width = bare ? 1.0 : static_cast<double>(at.d);
  const double off = std::ldexp(below ? -1.0 : 1.0, -j);
  const double sigma = std::ldexp((1.0 + off) / std::sqrt(2.0 * width), k);
  holds_exactly(embedding::break_even_decides(sigma, at, subject));
}

PROPERTY(embedding, balances_the_two_parts, the_factor_divides_the_positions_share) {
  const auto e = generators::named("e", generators::channels(2));
  const auto p = generators::named("p", generators::channels(2));
  const auto m = generators::named("m", generators::nonzero_rationals());
  holds_exactly(embedding::share_is_divided(e, p, m, subject));
}

/// |m|σ/s around 2^k, off it by a part in 2^j: balance ends at k = −1 and at k = 1.
PROPERTY(embedding, balances_the_two_parts, balanced_from_half_to_twice_the_quotient) {
  const auto d = generators::named("d", generators::widths({1, 256}));
  const auto sigma = generators::named("sigma", generators::scales());
  const auto s = generators::named("s", generators::scales());
  const int k = generators::named("k", generators::in_range(-2, 3));
  const int j = generators::named("j", generators::in_range(1, 41));
  const bool below = generators::named("below", generators::in_range(0, 2)) != 0;
  covers("at an end, below", below && (k == -1 || k == 1), 0.1);
  covers("at an end, above", !below && (k == -1 || k == 1), 0.1);
  const double m = std::ldexp(s / sigma * (1.0 + std::ldexp(below ? -1.0 : 1.0, -j)), k);
  holds_exactly(embedding::interval_decides_balance(sigma, s, m, d, subject));
}

/// Every width up to 1024, and those around 4.
PROPERTY(embedding, balances_the_two_parts, equal_laws_are_balanced_up_to_width_4) {
  const auto any = generators::named("d", generators::widths());
  const auto few = generators::named("small d", generators::widths({1, 8}));
  const auto sigma = generators::named("sigma", generators::scales());
  for (const auto d : {any, few})
    holds_exactly(embedding::equal_laws_balance_up_to_4(sigma, d, subject));
}

/// A shape of a table: any, or one at which two families have one variance.
inline embedding::Shape shape(std::uint64_t width) {
  const auto vocabulary = generators::named("V", generators::integers(domain::vocabularies));
  const bool square = generators::named("V = d", generators::in_range(0, 4)) == 0;
  return {square ? width : vocabulary, width};
}

PROPERTY(embedding, depends_on_initialisation, rms_is_that_of_the_family) {
  const auto table = shape(generators::named("d", generators::widths({1, 256})));
  const auto sigma = generators::named("sigma", generators::scales());
  for (const auto family : embedding::families)
    holds(embedding::family_share_of_bound(family, table, sigma, subject));
}

/// σ = 2^−k, or 1/√(2·4^k), and d or V + d to match, in part of the cases.
PROPERTY(embedding, depends_on_initialisation, two_families_meet_where_stated) {
  const auto any = generators::named("d", generators::integers(domain::table_widths));
  const int k = generators::named("k", generators::in_range(0, 8));
  const bool matched = generators::named("d = 4^k", generators::in_range(0, 4)) == 0;
  const auto width = matched ? std::uint64_t{1} << (2 * k) : any;
  auto table = shape(width);
  if (generators::named("V + d = 2 4^k", generators::in_range(0, 4)) == 0 && matched)
    table.vocabulary = width;
  const Rational sigma = Rational(1) / Rational(1 << k);
  covers("sigma is 1/root d", matched, 0.15);
  covers("V equals d", table.vocabulary == table.d, 0.15);
  for (const auto one : embedding::families)
    for (const auto other : embedding::families)
      holds_exactly(embedding::meet_where_stated(one, other, table, sigma, subject));
}

/// In every format, tables of any numbers and V up to 64.
PROPERTY(embedding, lookup_has_unit_fan_in, one_hot_times_table_is_a_row) {
  const auto vocabulary = generators::named("V", generators::widths({1, 64}));
  const auto token = generators::named("token", generators::draws()) % vocabulary;
  const auto i = generators::named("table", generators::draws());
  const Stream stream(vocabulary, "tables");
  covers("first row", token == 0, 0.02);
  covers("last row", token + 1 == vocabulary, 0.02);
  domain::for_each_format([&]<class Real>() {
    std::vector<Real> values;
    for (std::size_t j = 0; j < 2 * vocabulary; ++j)
      values.push_back(domain::any_float<Real>(stream, i + j, domain::finite_floats));
    holds_exactly(
        embedding::one_hot_is_row(EmbeddingTable<Real>(vocabulary, 2, values), token, subject));
  });
}

EXPENSIVE_PROPERTY(embedding, lookup_has_unit_fan_in, variance_is_sigma_squared_per_square, 20) {
  const auto vocabulary = generators::named("V", generators::in_range<std::size_t>(1, 5));
  const auto x = generators::named("x", generators::channels(vocabulary));
  const auto sigma = generators::named("sigma", generators::positive_rationals());
  holds_exactly(embedding::variance_is_of_the_input(x, sigma, subject));
}

/// With one to k ones of V, the others 0.
EXPENSIVE_PROPERTY(embedding, lookup_has_unit_fan_in, ones_are_counted_not_rows, 20) {
  const auto mask = generators::named("ones", generators::in_range<std::uint64_t>(1, 16));
  std::vector<Rational> x;
  int ones = 0;
  for (int v = 0; v < 4; ++v) {
    x.push_back(Rational(static_cast<int>(mask >> v & 1)));
    ones += static_cast<int>(mask >> v & 1);
  }
  const auto sigma = generators::named("sigma", generators::positive_rationals());
  covers("one-hot", ones == 1, 0.1);
  covers("dense", ones > 2, 0.1);
  holds_exactly(embedding::variance_over_tables(x, sigma, subject) ==
                Rational(ones) * sigma * sigma);
}

EXPENSIVE_PROPERTY(embedding, norm_concentrates, squared_length_spreads_by_kurtosis, 20) {
  const auto law = finite_law();
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 4));
  const auto m = generators::named("m", generators::nonzero_rationals());
  covers("several channels", d > 1, 0.4);
  holds_exactly(embedding::squared_length_spreads_as_stated(law, d, m, subject));
}

PROPERTY(embedding, norm_concentrates, kurtosis_is_that_of_the_law) {
  const auto law = generators::named("law", generators::laws());
  covers("truncated", std::holds_alternative<TruncatedNormal>(law.initializer), 0.1);
  holds(embedding::kurtosis_share_of_bound(law.initializer, subject));
}

/// A drawn row, and a deviation that puts it beside the position's length.
EXPENSIVE_PROPERTY(embedding, norm_concentrates, shorter_where_the_chi_squared_is_small, 3) {
  const auto at = generators::start(64);
  const auto i = generators::named("row", generators::draws());
  const int j = generators::named("j", generators::in_range(0, 41));
  const bool below = generators::named("below", generators::in_range(0, 2)) != 0;
  const double m = generators::multiplier(at.d);
  std::vector<double> z;
  double squares = 0;
  for (std::size_t k = 0; k < at.d; ++k) {
    z.push_back(Stream(at.d, "lengths").normal(i + k));
    squares += z.back() * z.back();
  }
  covers("shorter", below, 0.3);
  covers("longer", !below, 0.3);
  const double edge = std::sqrt(static_cast<double>(at.d) / (2.0 * squares)) / std::abs(m);
  const double sigma = edge * (1.0 + std::ldexp(below ? -0.5 : 0.5, -j));
  holds_exactly(embedding::shorter_where_stated(z, sigma, m, at, subject));
}

EXPENSIVE_PROPERTY(embedding, gradient_scale, is_m_times_the_sum_of_slopes, 10) {
  const auto entries = generators::named("table", generators::channels(6));
  const auto c = generators::named("curvature", generators::rationals());
  embedding::Batch<Rational> batch{{}, generators::named("w", generators::channels(6)), c};
  for (const char* name : {"first token", "second token", "third token"})
    batch.tokens.push_back(generators::named(name, generators::in_range<std::size_t>(0, 3)));
  const auto entry = generators::named("entry", generators::in_range<std::size_t>(0, 6));
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto times = std::count(batch.tokens.begin(), batch.tokens.end(), entry / 2);
  covers("token not looked up", times == 0, 0.15);
  covers("token looked up once", times == 1, 0.2);
  covers("token looked up twice", times == 2, 0.1);
  holds_exactly(embedding::gradient_is_of_the_loss(entries, 2, batch, entry, m, subject));
}

/// A token that occurs up to 64 times, slopes of either sign and of many sizes.
PROPERTY(embedding, gradient_scale, rounds_within_n_u) {
  const auto n = generators::named("n", generators::in_range<std::size_t>(1, 65));
  const auto d = generators::named("d", generators::widths());
  const auto i = generators::named("slopes", generators::draws());
  const Stream stream(d, "slopes");
  const auto in = [&]<class Real>() {
    std::vector<Real> slopes;
    for (std::size_t k = 0; k < n; ++k)
      slopes.push_back(
          static_cast<Real>(stream.normal(i + k) * std::exp2(-8.0 * stream.uniform(i + k, 1))));
    holds(embedding::gradient_share_of_bound(slopes, subject.template root<Real>(d), subject));
  };
  in.template operator()<float>();
  in.template operator()<binary16>();
  in.template operator()<bfloat16>();
}

}  // namespace embedscale::properties::testing
