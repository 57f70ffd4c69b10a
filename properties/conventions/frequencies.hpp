#pragma once
// Measures of code_uses_the_papers_frequencies: the frequencies of both rules, against their
// definitions and against each other, and how far they put the vectors of one position apart.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scale.hpp"

namespace embedscale::properties::conventions {

/// base^(d/(d−2)): the base with which the paper's formula has tensor2tensor's frequencies.
///
/// Requires  an even d >= 4.
template <AnalyticScalar Real>
Real effective_base(std::size_t d, const Real& base) {
  using std::pow;
  return pow(base, Real(static_cast<int>(d)) / Real(static_cast<int>(d - 2)));
}

/// The w_i of a rule from its definition, base^(−fraction), in long double.
inline std::vector<long double> stated_frequencies(std::size_t d, FrequencyRule rule,
                                                   long double base = 10000) {
  const long double half = static_cast<long double>(d) / 2.0L, log = std::log(base);
  const long double last = rule == FrequencyRule::paper ? half : half - 1.0L;
  std::vector<long double> w;
  for (std::size_t i = 0; i < d / 2; ++i)
    w.push_back(std::exp(-static_cast<long double>(i) / last * log));
  return w;
}

/// u of long double, in which the definitions are evaluated; where it is no wider than double it
/// counts as much.
inline constexpr double wide_roundoff =
    static_cast<double>(std::numeric_limits<long double>::epsilon() / 2.0L);

/// How far frequencies are from what they say, and tensor2tensor's from the paper's formula with
/// the effective base: the largest relative distance over all i, as a share of its bound.
///
/// libm's pow, exp and log are taken to be within one ulp, at most 2u (glibc documents it for
/// x86-64). With L = −ln w, and b^x moved by |x|·ln b times the relative error of x:
///   a rule          its exponent has u: L·u; pow 2u; in all (L + 2)u;
///   its definition  quotient u″, log 2u″, product u″: 4L·u″; exp 2u″;
///   effective base  fl(d/(d−2)) has u: ln B·u, where ln B = d/(d−2)·ln b; pow 2u;
///   paper with B    2i/d times these two, L·u + 2u at most, and its own (L + 2)u;
///   both            (L + 2)u + (2L + 4)u = (3L + 6)u.
/// A definition is rounded to double and each quotient is made there: u′. Higher orders stay below
/// one part in 2^10, as 3L + 7 < 50 for base <= 10^6.
///
/// Requires  an even d >= 4, 1 < base <= 10^6, in Real; what is stated of d and base.
/// Ensures   infinity unless there are d/2 frequencies.
template <AnalyticScalar Real>
double frequencies_share_of_bound(const std::vector<long double>& stated_code,
                                  const std::vector<long double>& stated_paper, const Real& base,
                                  const PrimitivesIn<Real>& primitives) {
  const std::size_t d = 2 * stated_code.size();
  const auto code = primitives.frequencies(d, FrequencyRule::tensor2tensor, base);
  const auto paper = primitives.frequencies(d, FrequencyRule::paper, base);
  const auto raised = primitives.frequencies(d, FrequencyRule::paper, effective_base(d, base));
  if (code.size() != d / 2 || paper.size() != d / 2 || raised.size() != d / 2) return HUGE_VAL;
  constexpr double u = unit_roundoff<Real>;
  double worst = 0;
  const auto compare = [&worst](double w, double exact, double bound) {
    const double total = (unit_roundoff<double> + bound) * (1.0 + 0x1p-10);
    const double share = std::abs(w / exact - 1.0) / total;
    worst = std::isnan(share) ? HUGE_VAL : std::max(worst, share);
  };
  for (std::size_t i = 0; i < d / 2; ++i) {
    const auto c = static_cast<double>(stated_code[i]), p = static_cast<double>(stated_paper[i]);
    const double log_c = std::log(c), log_p = std::log(p);
    const auto own = [&](double log) {
      return (2.0 - log) * u + (2.0 - 4.0 * log) * wide_roundoff + unit_roundoff<double>;
    };
    compare(static_cast<double>(code[i]), c, own(log_c));
    compare(static_cast<double>(paper[i]), p, own(log_p));
    compare(static_cast<double>(code[i]), static_cast<double>(raised[i]), (6.0 - 3.0 * log_c) * u);
  }
  return worst;
}

/// Whether the rules meet at i = 0, in w = 1 to the bit, and nowhere else: tensor2tensor's is lower
/// at every other i, by the factor base^(4i/(d(d−2))).
///
/// Requires  an even d >= 4; ln(base)·4/(d(d−2)) well above the roundings of two powers, which in
/// binary64 is so for base >= 2 and d <= 2^14, 10^−8 against (2L + 4)u < 10^−14.
inline bool rules_meet_at_zero_alone(std::size_t d, double base, const Primitives& primitives) {
  const auto code = primitives.of<double>().frequencies(d, FrequencyRule::tensor2tensor, base);
  const auto paper = primitives.of<double>().frequencies(d, FrequencyRule::paper, base);
  if (code.size() != d / 2 || paper.size() != d / 2) return false;
  bool as_stated = code[0] == 1.0 && paper[0] == 1.0;
  for (std::size_t i = 1; i < d / 2; ++i) as_stated = as_stated && code[i] < paper[i];
  return as_stated;
}

/// √((2/d)·Σ_i (1 − cos(p·(w_i − w′_i)))), as (sin a − sin b)² + (cos a − cos b)² is
/// 2 − 2cos(a − b); with 1 − cos x = 2 sin²(x/2), which does not cancel. And a bound on how far the
/// same, measured on two vectors, is from it: by the triangle inequality of the root mean square at
/// most the sum of what rounding moves each vector by, and the closed form's.
///
/// A pair (sin a, cos a) moves by at most as much as its angle, and 2u of its length 1 for the ulp
/// of sine and cosine. The angle fl(p·w_i) is off by α_i = p·w_i·(L_i + 3)u: (L_i + 2)u as above,
/// and the product's u; α_0 = 0, as w_0 = 1. So a vector moves by √((1/d)·Σ(α_i + 2u)²). The
/// closed form's angles have (4L_i + 2)u″ as above and 2u″ for difference and product: below
/// 4α_i/u·u″. Then the sums: d + 16 roundings at most, of values at most 2, halved by the root:
/// (d + 16)u. First order, and one part in 2^10.
///
/// Requires  an even d >= 4.
struct RmsDifference {
  double value, bound;
};
inline RmsDifference stated_rms_difference(std::size_t d, std::int64_t p, double base) {
  const double u = unit_roundoff<double>;
  const auto square_moved = [&](std::size_t i, long double frequency) {
    const auto w = static_cast<double>(frequency);
    const double angle =
        i == 0 ? 0.0 : static_cast<double>(p) * w * (3.0 - std::log(w)) * (u + 4.0 * wide_roundoff);
    return (angle + 2.0 * u) * (angle + 2.0 * u);
  };
  long double sum = 0;
  double of_paper = 0, of_code = 0;
  const auto paper = stated_frequencies(d, FrequencyRule::paper, base),
             code = stated_frequencies(d, FrequencyRule::tensor2tensor, base);
  for (std::size_t i = 0; i < d / 2; ++i) {
    const long double sine = std::sin(static_cast<long double>(p) * (paper[i] - code[i]) / 2.0L);
    sum += 2.0L * sine * sine;
    of_paper += square_moved(i, paper[i]), of_code += square_moved(i, code[i]);
  }
  const auto n = static_cast<double>(d);
  return {static_cast<double>(std::sqrt(2.0L * sum / static_cast<long double>(d))),
          (std::sqrt(of_paper / n) + std::sqrt(of_code / n) + (n + 16) * u) * (1.0 + 0x1p-10)};
}
inline double frequency_rule_rms_difference(std::size_t d, std::int64_t p, double base = 10000) {
  return stated_rms_difference(d, p, base).value;
}

/// The difference, measured on the two vectors.
inline double measured_rms_difference(std::size_t d, std::int64_t p, double base,
                                      SinusoidalLayout layout,
                                      const sinusoidal::Operations<double>& primitives) {
  const auto in = [&](FrequencyRule rule) {
    return sinusoidal::encoded<double>({d, p, rule, layout}, primitives, base);
  };
  auto apart = in(FrequencyRule::tensor2tensor);
  const auto paper = in(FrequencyRule::paper);
  for (std::size_t j = 0; j < d; ++j) apart[j] -= paper[j];
  return root_mean_square(apart);
}

/// |measured − closed form| over its bound.
inline double rms_difference_share_of_bound(std::size_t d, std::int64_t p, double base,
                                            SinusoidalLayout layout,
                                            const sinusoidal::Operations<double>& primitives) {
  const auto [stated, bound] = stated_rms_difference(d, p, base);
  return std::abs(measured_rms_difference(d, p, base, layout, primitives) - stated) / bound;
}

}  // namespace embedscale::properties::conventions
