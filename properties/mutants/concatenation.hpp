#pragma once
// Wrong primitives of sums, tied layers and cosines, each beside the defect it stands for, from the
// largest to the smallest. Those of readers and costs are in concatenation_reader.hpp.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../concatenation_exact.hpp"

namespace embedscale::properties::mutants {

/// Positions stand before tokens.
struct appends_the_token : concatenation::Library {
  template <Scalar Real>
  static void concatenate(std::span<const Real> e, std::span<const Real> p, std::span<Real> out) {
    embedscale::concatenate(p, e, out);
  }
};

/// Both parts are padded on one side: they overlap.
struct pads_both_on_the_right : concatenation::Library {
  template <Scalar Real>
  static void pad_left(std::span<const Real> p, std::span<Real> out) {
    embedscale::pad_right(p, out);
  }
};

/// The position begins one channel early, where the token still is.
struct begins_one_channel_early : concatenation::Library {
  template <Scalar Real>
  static void pad_left(std::span<const Real> p, std::span<Real> out) {
    embedscale::pad_left(p, out);
    std::rotate(out.begin(), out.begin() + (out.size() > p.size() ? 1 : 0), out.end());
  }
};

/// Padded with 2^−40 in the place of 0: nothing that a tolerance would see.
struct pads_with_almost_nothing : concatenation::Library {
  template <Scalar Real>
  static void pad_right(std::span<const Real> e, std::span<Real> out) {
    embedscale::pad_right(e, out);
    for (std::size_t j = e.size(); j < out.size(); ++j)
      out[j] = Real(1) / Real(1 << 20) / Real(1 << 20);
  }
};

/// The sum of two zeros of either sign is −0, as it is where rounding is downward.
struct sums_zeros_to_minus_zero : concatenation::Library {
  template <Scalar Real>
  static Real sum(const Real& e, const Real& p) {
    const Real x = e + p;
    if constexpr (requires { FormatTraits<Real>::digits; })
      return x == Real(0) ? Real(-0.0) : x;
    else
      return x;
  }
};

/// Subnormal results are flushed to zero, as some processors do.
struct flushes_sums_to_zero : concatenation::Library {
  template <Scalar Real>
  static Real sum(const Real& e, const Real& p) {
    const Real x = e + p;
    if constexpr (requires { FormatTraits<Real>::digits; })
      return is_normal_or_zero(x) ? x : Real(0);
    else
      return x;
  }
};

/// The copy loses the sign of −0: every value is right, one bit is not.
struct copies_zeros_as_plus : concatenation::Library {
  template <Scalar Real>
  static void concatenate(std::span<const Real> e, std::span<const Real> p, std::span<Real> out) {
    embedscale::concatenate(e, p, out);
    for (Real& x : out)
      if (x == Real(0)) x = Real(0);
  }
};

/// [w 0]: the position has no weights.
struct forgets_the_second_copy : concatenation::Library {
  template <Scalar Real>
  static std::vector<Real> tie(std::span<const Real> w) {
    auto out = concatenation::Library::tie(w);
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(w.size()), out.end(), Real(0));
    return out;
  }
};

/// The second copy is in reverse: right for one channel.
struct ties_in_reverse : concatenation::Library {
  template <Scalar Real>
  static std::vector<Real> tie(std::span<const Real> w) {
    auto out = concatenation::Library::tie(w);
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(w.size()), out.end());
    return out;
  }
};

/// The last weight of the copy is off by a part in 2^40.
struct ties_almost : concatenation::Library {
  template <Scalar Real>
  static std::vector<Real> tie(std::span<const Real> w) {
    auto out = concatenation::Library::tie(w);
    if (!out.empty()) out.back() = out.back() + out.back() / Real(1 << 20) / Real(1 << 20);
    return out;
  }
};

/// An inner product that leaves its last term out.
struct leaves_the_last_term_out : concatenation::Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> w, std::span<const Real> x) {
    return embedscale::dot(w.first(w.size() - 1), x.first(x.size() - 1));
  }
};

/// Every inner product is cut to six digits, whatever the format.
struct projects_in_six_digits : concatenation::Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> w, std::span<const Real> x) {
    const Real y = embedscale::dot(w, x);
    if constexpr (requires { FormatTraits<Real>::digits; })
      return Real(static_cast<double>(Format<8, 5>(static_cast<double>(y))));
    else
      return y;
  }
};

/// Inner products of an even number of terms, all tied ones among them, are 8 ulps too large.
struct adds_eight_ulps_to_long_sums : concatenation::Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> w, std::span<const Real> x) {
    const Real y = embedscale::dot(w, x);
    if constexpr (requires { FormatTraits<Real>::digits; })
      return Real(static_cast<double>(y) +
                  (w.size() % 2 == 0 ? 16 : 0) * half_ulp<Real>(static_cast<double>(y)));
    else
      return y;
  }
};

/// cos·‖p‖/‖e‖, where cos² is meant.
struct squares_one_length : concatenation::Library {
  template <Scalar Real>
  static Real squared_cosine(std::span<const Real> e, std::span<const Real> p) {
    return embedscale::dot(e, p) / embedscale::dot(e, e);
  }
};

/// The length of the position is left in.
struct forgets_to_normalise : concatenation::Library {
  template <Scalar Real>
  static Real squared_cosine(std::span<const Real> e, std::span<const Real> p) {
    const Real inner = embedscale::dot(e, p);
    return inner * inner / embedscale::dot(e, e);
  }
};

/// The first channel of e enters the inner product with a millionth more.
struct leans_to_the_first_channel : concatenation::Library {
  template <Scalar Real>
  static Real squared_cosine(std::span<const Real> e, std::span<const Real> p) {
    Real inner = embedscale::dot(e, p);
    inner = inner + e[0] * p[0] / Real(1 << 20);
    return inner * inner / (embedscale::dot(e, e) * embedscale::dot(p, p));
  }
};

/// Rows whose first channel is above 0 have half the square: no law that is symmetric about 0.
struct halves_what_starts_above_zero : concatenation::Library {
  template <Scalar Real>
  static Real squared_cosine(std::span<const Real> e, std::span<const Real> p) {
    const Real square = concatenation::Library::squared_cosine(e, p);
    return e[0] > Real(0) ? square / Real(2) : square;
  }
};

}  // namespace embedscale::properties::mutants
