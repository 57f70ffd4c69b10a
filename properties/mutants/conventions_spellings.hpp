#pragma once
// Wrong programs for two_spellings_one_model: inputs, logits, gradients, steps and rates.
#include "conventions.hpp"

namespace embedscale::properties::mutants {

/// The table is folded and the logits go without 1/m (mattn/tensai#248).
struct forgets_the_logit_factor : Conventions {
  template <Scalar Real>
  static Real logit(const std::vector<Real>& row, const std::vector<Real>& h, const Real&) {
    return Conventions::logit(row, h, Real(1));
  }
};

/// √d times the logits where it should divide them (gordicaleksa/pytorch-original-transformer#7).
struct multiplies_the_logit : Conventions {
  template <Scalar Real>
  static Real logit(const std::vector<Real>& row, const std::vector<Real>& h, const Real& factor) {
    return Conventions::logit(row, h, Real(Real(1) / factor));
  }
};

/// The positions are multiplied along with the tokens.
struct multiplies_the_sum : Conventions {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * (e + p);
  }
};

/// A bias inside the factor, a millionth.
struct adds_a_bias_to_the_product : Conventions {
  template <Scalar Real>
  static Real logit(const std::vector<Real>& row, const std::vector<Real>& h, const Real& factor) {
    return Conventions::logit(row, h, factor) + factor / Real(1 << 20);
  }
};

/// The gradient passes the multiplier as if it were 1.
struct forgets_the_multiplier_backwards : Conventions {
  template <Scalar Real>
  static Real gradient(const Real& of_input, const Real& of_logit, const Real& h,
                       const conventions::Spelling<Real>& spelling) {
    return of_input + of_logit * spelling.out * h;
  }
};

/// The output's share of a shared table's gradient is lost.
struct detaches_the_output : Conventions {
  template <Scalar Real>
  static Real gradient(const Real& of_input, const Real& of_logit, const Real&,
                       const conventions::Spelling<Real>& spelling) {
    return Conventions::gradient(of_input, of_logit, Real(0), spelling);
  }
};

/// The gradient's rate is divided by m where it should be by m².
struct divides_the_rate_once : Conventions {
  template <Scalar Real>
  static Real gradient_rate(const Real& rate, const Real& m) {
    return rate / m;
  }
};

/// The rate of a step by signs is divided by m² as that of the gradient.
struct divides_the_rate_twice : Conventions {
  template <Scalar Real>
  static Real sign_rate(const Real& rate, const Real& m) {
    return rate / (m * m);
  }
};

/// The rate follows m with its sign, and turns round where m is below 0.
struct follows_the_sign_of_m : Conventions {
  template <Scalar Real>
  static Real sign_rate(const Real& rate, const Real& m) {
    return rate / m;
  }
};

/// Weight decay with the gradient's rate, a millionth.
struct decays_the_weights : Conventions {
  template <Scalar Real>
  static Real gradient_step(const Real& e, const Real& gradient, const Real& rate) {
    return Conventions::gradient_step(e, Real(gradient + e / Real(1 << 20)), rate);
  }
};

/// Adam's ε, a millionth, in the place of 0.
struct guards_the_quotient : Conventions {
  template <Scalar Real>
  static Real sign_step(const Real& e, const Real& gradient, const Real& rate) {
    const Real size = gradient < Real(0) ? Real(-gradient) : gradient;
    return e - rate * gradient / (size + Real(1) / Real(1 << 20));
  }
};

}  // namespace embedscale::properties::mutants
