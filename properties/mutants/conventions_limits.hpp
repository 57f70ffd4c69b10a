#pragma once
// The smallest defects that the properties of conventions.hpp still see in their 10^4 cases, each
// with the next smaller one that they do not. Where roundings are bounded the limit is the bound:
// a few u of binary64, 2^−53. What a ratio of two RMS cannot see at any size is no defect of it:
// signs, and the order of channels.
#include <cmath>

#include "combination_limits.hpp"
#include "conventions.hpp"

namespace embedscale::properties::mutants {

/// Tokens too large by one part in 2^`digits`, where Real has so many.
template <int digits>
struct looks_up_high : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Conventions::look_up(table, token, m, out);
    for (Real& x : out) x = x + x * static_cast<Real>(std::ldexp(1.0, -digits));
  }
};
/// 2^−49 is seen in one case of 100, 2^−50 in none.
using looks_up_high_by_48_digits = looks_up_high<48>;
/// Balance ends at a line that cases approach to 2^−40: 2^−40 is seen in one of 500, 2^−41 never.
using looks_up_high_by_39_digits = looks_up_high<39>;
/// Two laws with one factor: 2^−41 is seen in one case of 1000, 2^−42 never.
using looks_up_high_by_40_digits = looks_up_high<40>;

/// The last channel alone, one part in 2^46: one in 2^48 is seen in one case of 200, where d is
/// small, one in 2^49 in none.
struct looks_up_the_last_channel_high : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Conventions::look_up(table, token, m, out);
    out.back() = out.back() + out.back() * static_cast<Real>(std::ldexp(1.0, -46));
  }
};

/// A variance off by one part in 2^50. For all laws 2^−51 is seen as well, as the most careless of
/// them is; 2^−52 is not.
struct varies_by_50_digits : Conventions {
  static double variance(const Initializer& law) {
    return Conventions::variance(law) * (1.0 + std::ldexp(1.0, -50));
  }
};

/// The four default laws, whose parameters are rounded, too: 2^−50 is not seen.
struct varies_by_49_digits : Conventions {
  static double variance(const Initializer& law) {
    return Conventions::variance(law) * (1.0 + std::ldexp(1.0, -49));
  }
};

/// The same of the cut law alone, in a quotient of deviations: 2^−47 is too small for it.
struct varies_the_cut_by_46_digits : Conventions {
  static double variance(const Initializer& law) {
    const bool cut = std::holds_alternative<TruncatedNormal>(law);
    return Conventions::variance(law) * (cut ? 1.0 + std::ldexp(1.0, -46) : 1.0);
  }
};

/// The last frequency high by one part in 2^`digits`.
template <int digits>
struct ends_high : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Conventions::frequencies(d, rule, base);
    w.back() = w.back() + w.back() * static_cast<Real>(std::ldexp(1.0, -digits));
    return w;
  }
};
/// 2^−50 is seen in one case of 300, 2^−51 in none.
using ends_high_by_49_digits = ends_high<49>;

/// base one part in 2^50 too large: one in 2^51 is seen in one case of 10^4, one in 2^52 in none.
struct raises_a_larger_base : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    const Real larger = base + base * static_cast<Real>(std::ldexp(1.0, -50));
    return Conventions::frequencies(d, rule, larger);
  }
};

/// tensor2tensor's last frequency a 64th too large, and no longer below the paper's at widths from
/// some hundred on. A 1024th leaves it below: the rules differ by more than that.
struct ends_above_the_paper : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Conventions::frequencies(d, rule, base);
    if (rule == FrequencyRule::tensor2tensor) w.back() = w.back() + w.back() / Real(64);
    return w;
  }
};

/// The first frequency one ulp above 1.
struct starts_one_ulp_high : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Conventions::frequencies(d, rule, base);
    w[0] = Real(1.0 + 0x1p-52);
    return w;
  }
};

/// Angles off by one part in 2^48. 2^−50 is seen in one case of 1500, 2^−51 in none; a constant on
/// every sine is not seen at any size, as it cancels in the difference of two vectors.
struct turns_too_far : Conventions {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    std::vector<Real> further(w.begin(), w.end());
    for (Real& x : further) x = x + x * static_cast<Real>(std::ldexp(1.0, -48));
    Conventions::encode(p, std::span<const Real>(further), layout, out);
  }
};

/// The logit at one factor alone, one case in 360, by one part in 2^40.
struct errs_at_one_logit_factor : Conventions {
  template <Scalar Real>
  static Real logit(const std::vector<Real>& row, const std::vector<Real>& h, const Real& factor) {
    const Real z = Conventions::logit(row, h, factor);
    return is_the_one_factor(Real(Real(1) / factor)) ? z + z / Real(1 << 20) / Real(1 << 20) : z;
  }
};

/// Both rates at one factor alone, one case in 360, by one part in 2^40.
struct errs_at_one_rate_factor : Conventions {
  template <Scalar Real>
  static Real off(const Real& rate, const Real& m) {
    return is_the_one_factor(m) ? Real(rate + rate / Real(1 << 20) / Real(1 << 20)) : rate;
  }
  template <Scalar Real>
  static Real gradient_rate(const Real& rate, const Real& m) {
    return Conventions::gradient_rate(off(rate, m), m);
  }
  template <Scalar Real>
  static Real sign_rate(const Real& rate, const Real& m) {
    return Conventions::sign_rate(off(rate, m), m);
  }
};

}  // namespace embedscale::properties::mutants
