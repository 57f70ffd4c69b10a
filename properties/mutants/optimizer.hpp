#pragma once
// Wrong programs around the factor and in the settings of a folded table, from the largest defect
// to the smallest that is still rejected. Wrong steps are in optimizer_steps.hpp.
#include <cmath>
#include <limits>
#include <span>

#include <embedscale/format.hpp>

#include "../optimizer.hpp"

namespace embedscale::properties::mutants {

using Training = optimizer::Library;
using optimizer::Norm;

/// A part in 2^40.
template <Scalar Real>
Real a_fortieth_digit() {
  return Real(1) / Real(1 << 20) / Real(1 << 20);
}

/// Positions are divided by d, not by √d.
struct divides_positions_twice : Training {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real& m) {
    return Training::down(e, Real(p / m), m);
  }
};

/// No positions, whichever way: both ways agree.
struct trains_without_positions : Training {
  template <Scalar Real>
  static Real up(const Real& e, const Real&, const Real& m) {
    return m * e;
  }
  template <Scalar Real>
  static Real down(const Real& e, const Real&, const Real&) {
    return e;
  }
};

/// The factor is applied outside of what is differentiated.
struct detaches_the_multiplier : Training {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real&, std::size_t d,
                                   std::span<Real> gradient) {
    Training::add_look_up_gradient(tokens, slopes, Real(1), d, gradient);
  }
};

/// The way back has the factor in bfloat16, the way there has not.
struct rounds_the_factor_on_the_way_back : Training {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    const Real rounded = Real(static_cast<double>(bfloat16(static_cast<double>(m))));
    Training::add_look_up_gradient(tokens, slopes, rounded, d, gradient);
  }
};

/// The gradient of a token's second occurrence is lost, with the factor alone.
struct loses_a_repeated_token : Training {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    const auto kept = m == Real(1) ? tokens.size() : tokens.size() - 1;
    Training::add_look_up_gradient(tokens.first(kept), slopes.first(kept * d), m, d, gradient);
  }
};

/// The norm keeps an ε where none was asked for.
template <int Digits>
struct keeps_an_epsilon : Training {
  template <AnalyticScalar Real>
  static Real kept(const Real& epsilon) {
    return epsilon == Real(0) ? Real(std::pow(10.0, -Digits)) : epsilon;
  }
  template <AnalyticScalar Real>
  static void normalize(Norm norm, const Real& epsilon, std::span<const Real> x,
                        std::span<Real> out) {
    Training::normalize(norm, kept(epsilon), x, out);
  }
  template <AnalyticScalar Real>
  static void normalize_gradient(Norm norm, const Real& epsilon, std::span<const Real> x,
                                 std::span<const Real> upstream, std::span<Real> out) {
    Training::normalize_gradient(norm, kept(epsilon), x, upstream, out);
  }
};
using keeps_epsilon_of_pytorch = keeps_an_epsilon<5>;
using keeps_epsilon_of_24_digits = keeps_an_epsilon<24>;

/// down is off by one part in 2^40.
struct divides_positions_by_slightly_less : Training {
  template <Scalar Real>
  static Real down(const Real& e, const Real& p, const Real& m) {
    return Training::down(e, Real(p + p * a_fortieth_digit<Real>()), m);
  }
};

/// The factor at the token is an ulp of binary64 low.
struct takes_the_factor_an_ulp_low : Training {
  template <Scalar Real>
  static Real up(const Real& e, const Real& p, const Real& m) {
    if constexpr (std::numeric_limits<Real>::is_iec559)
      return Training::up(e, p, Real(m - m * std::numeric_limits<Real>::epsilon() / Real(2)));
    else
      return Training::up(e, p, m);
  }
};

/// The table is folded, the settings stay as they are.
struct leaves_the_settings : Training {
  template <class Settings, Scalar Real>
  static Settings folded(const Settings& by, const Real&) {
    return by;
  }
  template <Scalar Real>
  static AdamW<Real> folded_by_schedule(const AdamW<Real>& by, const Real&) {
    return by;
  }
};

/// Gradient descent's rule m² for all, or Adam's m.
struct folds_by_the_other_rule : Training {
  template <class Settings, Scalar Real>
  static Settings folded(const Settings& by, const Real& m) {
    Settings folded = Training::folded(by, m);
    if constexpr (requires { folded.rate; }) {
      constexpr bool adaptive = requires { folded.epsilon; };
      folded.rate = adaptive ? Real(m * folded.rate) : Real(folded.rate / m);
    } else {
      folded.adam.rate = m * folded.adam.rate;
    }
    return folded;
  }
  template <Scalar Real>
  static AdamW<Real> folded_by_schedule(const AdamW<Real>& by, const Real& m) {
    AdamW<Real> folded = Training::folded_by_schedule(by, m);
    folded.schedule = m * folded.schedule;
    return folded;
  }
};

/// A penalty of the table as it was, or AdamW's decay at the new rate.
struct leaves_the_penalty : Training {
  template <class Settings, Scalar Real>
  static Settings folded(const Settings& by, const Real& m) {
    Settings folded = Training::folded(by, m);
    if constexpr (requires { folded.penalty; })
      folded.penalty = by.penalty;
    else
      folded.adam.penalty = by.adam.penalty;
    return folded;
  }
  template <Scalar Real>
  static AdamW<Real> folded_by_schedule(const AdamW<Real>& by, const Real& m) {
    AdamW<Real> folded = Training::folded_by_schedule(by, m);
    folded.decay = by.decay;
    return folded;
  }
};

/// ε as it was.
struct leaves_epsilon : Training {
  using Training::folded;
  template <Scalar Real>
  static Adam<Real> folded(const Adam<Real>& by, const Real& m) {
    auto folded = Training::folded(by, m);
    folded.epsilon = by.epsilon;
    return folded;
  }
  template <Scalar Real>
  static AdamW<Real> folded(const AdamW<Real>& by, const Real& m) {
    auto folded = Training::folded(by, m);
    folded.adam.epsilon = by.adam.epsilon;
    return folded;
  }
};

/// λ/m, which is right where the rate multiplies the decay, in the paper's spelling.
struct folds_the_decay_once_more : Training {
  using Training::folded;
  template <Scalar Real>
  static AdamW<Real> folded(const AdamW<Real>& by, const Real& m) {
    auto folded = Training::folded(by, m);
    folded.decay = by.decay / m;
    return folded;
  }
};

/// The rate of the folded table is low by a part in 2^40.
struct folds_slightly_low : Training {
  template <class Settings, Scalar Real>
  static Settings folded(const Settings& by, const Real& m) {
    const Real less = Real(1) - a_fortieth_digit<Real>();
    Settings folded = Training::folded(by, m);
    if constexpr (requires { folded.rate; })
      folded.rate = less * folded.rate;
    else
      folded.adam.rate = less * folded.adam.rate;
    return folded;
  }
};

}  // namespace embedscale::properties::mutants
