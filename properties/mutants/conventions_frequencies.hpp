#pragma once
// Wrong programs for paper_and_code_agree: frequencies and position vectors, from the largest
// defect to the smallest.
#include "conventions.hpp"

namespace embedscale::properties::mutants {

/// The paper's frequencies where tensor2tensor's were trained (converters of Marian's models).
struct has_the_papers_frequencies_alone : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule, const Real& base) {
    return Conventions::frequencies(d, FrequencyRule::paper, base);
  }
};

/// i/d for 2i/d, in both rules: they agree as they should, half as far down.
struct halves_the_exponent : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    using std::sqrt;
    return Conventions::frequencies(d, rule, Real(sqrt(base)));
  }
};

/// i from 1 to d/2 instead of from 0.
struct counts_from_one : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Conventions::frequencies(d, rule, base);
    const Real step = w[1];
    for (Real& value : w) value = value * step;
    return w;
  }
};

/// The last frequency is that of the channel before it.
struct stops_one_short : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Conventions::frequencies(d, rule, base);
    w.back() = w[w.size() - 2];
    return w;
  }
};

/// Inverse frequencies kept in binary32 (NVIDIA/TensorRT-LLM#18774): 6 parts in 10^8 at most.
struct keeps_frequencies_in_binary32 : Conventions {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Conventions::frequencies(d, rule, base);
    for (Real& value : w) value = static_cast<Real>(static_cast<float>(value));
    return w;
  }
};

/// Positions that are counted from 1 where they were from 0.
struct encodes_the_next_position : Conventions {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Conventions::encode(p + 1, w, layout, out);
  }
};

/// Angles rounded to binary32, in a model that is otherwise in binary64.
struct keeps_angles_in_binary32 : Conventions {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    std::vector<Real> turned;
    for (const Real& value : w)
      turned.push_back(static_cast<Real>(static_cast<float>(static_cast<Real>(p) * value)));
    Conventions::encode(1, std::span<const Real>(turned), layout, out);
  }
};

}  // namespace embedscale::properties::mutants
