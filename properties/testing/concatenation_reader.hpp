#pragma once
// The attempts to refute first_channels_unusable's statement, and the formulas of costs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../concatenation_costs.hpp"
#include "../concatenation_reader.hpp"
#include "concatenation.hpp"

namespace embedscale::properties::testing {

/// A table of three rows that may share channels, so that each channel matters in some case.
inline EmbeddingTable<Rational> small_table(std::size_t d) {
  const auto base = generators::named("row 0", generators::channels(d));
  auto rows = base;
  for (const char* name : {"row 1", "row 2"}) {
    const auto other = generators::named(name, generators::channels(d));
    for (std::size_t j = 0; j < d; ++j)
      rows.push_back(generators::named("own channel", generators::in_range(0, 2)) != 0 ? other[j]
                                                                                       : base[j]);
  }
  return {3, d, rows};
}

template <Scalar Real>
bool is_distinct(const EmbeddingTable<Real>& table, std::size_t token) {
  for (std::size_t v = 0; v < table.vocabulary(); ++v)
    if (v != token && std::ranges::equal(table.row(v), table.row(token))) return false;
  return true;
}

PROPERTY(concatenation, first_channels_unusable, with_the_position_none_is_misread) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 4));
  const auto table = small_table(d);
  const auto token = generators::named("token", generators::in_range<std::size_t>(0, 3));
  const auto p = generators::named("p", generators::channels(d));
  const bool distinct = is_distinct(table, token);
  covers("a row of its own", distinct, 0.3);
  if (distinct) holds_exactly(concatenation::reads_with_position(table, token, p, subject));
}

PROPERTY(concatenation, first_channels_unusable, without_it_where_another_row_is_nearer) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 4));
  const auto table = small_table(d);
  const auto token = generators::named("token", generators::in_range<std::size_t>(0, 3));
  const auto p = generators::named("p", generators::channels(d));
  holds_exactly(concatenation::errs_as_stated(table, token, p, subject));
}

/// Rows that are a few ulps to a few units apart, and a position of any of these sizes.
EXPENSIVE_PROPERTY(concatenation, first_channels_unusable, rounding_is_harmless_on_its_condition,
                   20) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 4));
  const Stream stream(generators::named("channels", generators::draws()), "channels");
  const auto apart = generators::named("rows apart by 2^-", generators::in_range(0, 24));
  const auto token = generators::named("token", generators::in_range<std::size_t>(0, 2));
  domain::Mixture near_1 = domain::normal_floats;
  near_1.lowest = -2, near_1.highest = 2;
  const auto judge = [&]<class Real>() {
    auto rows = floats_of<Real>(stream, 0, d, near_1);
    for (std::size_t j = 0; j < d; ++j) {
      const double step = std::ldexp(2 * stream.uniform(40 + j) - 1, -apart);
      rows.push_back(Real(static_cast<double>(rows[j]) + step));
    }
    const auto p = floats_of<Real>(stream, 8, d, near_1);
    const auto read =
        concatenation::reads_rounded(EmbeddingTable<Real>(2, d, rows), token, p, subject);
    covers("condition met in " + std::string(FormatTraits<Real>::name), read.condition, 0.1);
    covers("and not in " + std::string(FormatTraits<Real>::name), !read.condition, 0.02);
    holds_exactly(read.right || !read.condition);
  };
  judge.template operator()<float>();
  judge.template operator()<binary16>();
  judge.template operator()<bfloat16>();
}

inline concatenation::Shape small_shape() {
  using Joining = concatenation::Shape::Joining;
  const auto number = [](const char* name, std::uint64_t least, std::uint64_t most) {
    return generators::named(name, generators::in_range(least, most + 1));
  };
  const bool sum = number("a sum", 0, 1) != 0;
  const auto d_t = number("d_t", 1, 4), d_p = sum ? d_t : number("d_p", 1, 4);
  covers("a sum", sum, 0.3);
  covers("a concatenation", !sum, 0.3);
  return {sum ? Joining::sum : Joining::concatenation, number("V", 1, 6), number("L", 1, 5), d_t,
          d_p};
}

PROPERTY(concatenation, costs, are_those_of_a_count) {
  const auto shape = small_shape();
  holds_exactly(subject.costs(shape) == concatenation::counted_costs(shape));
}

PROPERTY(concatenation, costs, differ_as_stated) {
  const auto d = generators::named("d", generators::in_range<std::uint64_t>(2, 16385));
  const auto d_p = 1 + generators::named("d_p - 1", generators::draws()) % (d - 1);
  const auto vocabulary = generators::named("V", generators::in_range<std::uint64_t>(1, 256001));
  const auto positions = generators::named("L", generators::in_range<std::uint64_t>(1, 131073));
  holds_exactly(concatenation::differ_as_stated(
      concatenation::family_of(vocabulary, positions, d, d_p), subject));
}

}  // namespace embedscale::properties::testing
