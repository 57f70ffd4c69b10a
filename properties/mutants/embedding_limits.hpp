#pragma once
// The smallest defects that the properties of embedding.hpp still see in their 10^4 cases.
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "embedding_sparse.hpp"

namespace embedscale::properties::mutants {

/// Looked-up channels high by one part in 2^`digits`.
template <int digits>
struct scales_rows_high : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, m, out);
    for (Real& t : out)
      t = t + t * (Real(1) / static_cast<Real>(1 << (digits / 2)) /
                   static_cast<Real>(1 << (digits - digits / 2)));
  }
};
using scales_rows_high_by_20_digits = scales_rows_high<20>;
using scales_rows_high_by_40_digits = scales_rows_high<40>;
using scales_rows_high_by_45_digits = scales_rows_high<45>;

/// m = √d high by one part in 2^`digits`, before it is rounded to the format.
template <int digits>
struct takes_a_root_high : Embedding {
  template <Scalar Real>
  static Real root(std::uint64_t d) {
    return static_cast<Real>(std::sqrt(static_cast<double>(d)) * (1.0 + std::ldexp(1.0, -digits)));
  }
};
using takes_a_root_high_by_48_digits = takes_a_root_high<48>;
using takes_a_root_high_by_39_digits = takes_a_root_high<39>;

/// A variance off by one part in 2^`digits`.
template <int digits>
struct gives_a_variance_high : Embedding {
  static double variance(const Initializer& law) {
    return Embedding::variance(law) * (1.0 + std::ldexp(1.0, -digits));
  }
};
using gives_a_variance_high_by_48_digits = gives_a_variance_high<48>;

/// The variance of uniform laws alone off by one part in 2^47: where they should meet another.
struct gives_uniform_tables_more : Embedding {
  static double variance(const Initializer& law) {
    const bool uniform = std::holds_alternative<Uniform>(law);
    return Embedding::variance(law) * (uniform ? 1.0 + 0x1p-47 : 1.0);
  }
};

/// The fourth moment of a cut normal law off by one part in 2^47.
struct gives_a_fourth_moment_high : Embedding {
  static double fourth_moment(const Initializer& law) {
    const bool cut = std::holds_alternative<TruncatedNormal>(law);
    return Embedding::fourth_moment(law) * (cut ? 1.0 + 0x1p-47 : 1.0);
  }
};

/// At the one factor 29/11 of either sign, one case in 360, a part in 2^40 of the token too much.
template <Scalar Real>
bool is_29_elevenths(const Real& x) {
  const Real one = Real(29) / Real(11);
  return x == one || x == Real(-one);
}
struct looks_up_wrong_at_one_factor : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, m, out);
    if (!is_29_elevenths(m)) return;
    for (Real& t : out) t = t + t / Real(1 << 20) / Real(1 << 20);
  }
};
struct adds_wrong_at_one_factor : Embedding {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    const Real x = Embedding::input(e, p, m);
    return is_29_elevenths(m) ? Real(x + x / Real(1 << 20) / Real(1 << 20)) : x;
  }
};

/// A part in 2^40 of the last row of a table of four rows is lost, at entries and inputs other
/// than 0.
struct loses_a_little_of_the_fourth_row : Embedding {
  template <Scalar Real>
  static void multiply(const EmbeddingTable<Real>& table, std::span<const Real> x,
                       std::span<Real> out) {
    std::vector<Real> rest(x.begin(), x.end());
    if (rest.size() > 3) rest[3] = rest[3] - rest[3] / Real(1 << 20) / Real(1 << 20);
    Embedding::multiply(table, std::span<const Real>(rest), out);
  }
};

/// One ulp more in the first channel of a product: wherever values are compared.
struct multiplies_one_ulp_high : Embedding {
  template <Scalar Real>
  static void multiply(const EmbeddingTable<Real>& table, std::span<const Real> x,
                       std::span<Real> out) {
    Embedding::multiply(table, x, out);
    out[0] = out[0] + out[0] / Real(1 << 7);
  }
};

/// A third position of one token is not added: a buffer of two.
struct adds_two_positions_at_most : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::size_t before = 0;
      for (std::size_t k = 0; k < i; ++k) before += tokens[k] == tokens[i] ? 1 : 0;
      if (before < 2)
        Embedding::add_look_up_gradient(tokens.subspan(i, 1), slopes.subspan(i * d, d), m, d,
                                        gradient);
    }
  }
};

/// The gradient of the last channel by a part in 2^40 too large.
struct gives_the_last_gradient_high : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Embedding::add_look_up_gradient(tokens, slopes, m, d, gradient);
    gradient.back() = gradient.back() + gradient.back() / Real(1 << 20) / Real(1 << 20);
  }
};

/// Sums in bfloat16, whatever the format.
struct sums_gradients_in_bfloat16 : Embedding {
  template <AnalyticScalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Embedding::add_look_up_gradient(tokens, slopes, m, d, gradient);
    for (Real& g : gradient)
      g = static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(g))));
  }
};

}  // namespace embedscale::properties::mutants
