#pragma once
// Wrong norms and wrong rules for their ε, from the largest defect to the smallest that is seen.
#include <embedscale/format.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "../normalization_exact.hpp"

namespace embedscale::properties::mutants {

using normalization::Library;

/// Both norms of the library, with `Change` before and behind: a type with
///   epsilon(ε, placement)   the ε to give them
///   placement(placement)    where to add it
///   out(y, x, divided x)    a channel of what comes out
template <class Change>
struct changed_norm : Library {
  template <AnalyticScalar Real>
  static void layer_norm(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                         std::span<Real> out) {
    const std::vector<Real> input(x.begin(), x.end());
    Library::layer_norm(x, Change::epsilon(epsilon, placement), Change::placement(placement), out);
    finish(input, normalization::LayerKind::layer_norm, out);
  }
  template <AnalyticScalar Real>
  static void rms_norm(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                       std::span<Real> out) {
    const std::vector<Real> input(x.begin(), x.end());
    Library::rms_norm(x, Change::epsilon(epsilon, placement), Change::placement(placement), out);
    finish(input, normalization::LayerKind::rms_norm, out);
  }

 private:
  template <Scalar Real>
  static void finish(const std::vector<Real>& x, normalization::LayerKind kind,
                     std::span<Real> out) {
    const auto parts = normalization::divided(x, kind);
    for (std::size_t j = 0; j < x.size(); ++j) out[j] = Change::out(out[j], x, parts[j]);
  }
};

/// Nothing changed.
struct NoChange {
  template <class Real>
  static Real epsilon(const Real& epsilon, EpsilonPlacement) {
    return epsilon;
  }
  static EpsilonPlacement placement(EpsilonPlacement placement) { return placement; }
  template <class Real>
  static Real out(const Real& y, const std::vector<Real>&, const Real&) {
    return y;
  }
};

template <class Real>
Real one_part_in_two_to_the(int digits) {
  Real tiny(1);
  for (; digits > 0; --digits) tiny = tiny / Real(2);
  return tiny;
}

/// Not divided.
struct OnlyCentred : NoChange {
  template <class Real>
  static Real out(const Real&, const std::vector<Real>&, const Real& part) {
    return part;
  }
};
using only_centres = changed_norm<OnlyCentred>;

/// Divided by the variance, the root forgotten.
struct WithoutRoot : NoChange {
  template <class Real>
  static Real out(const Real& y, const std::vector<Real>&, const Real& part) {
    return part == Real(0) ? y : Real(y * y / part);
  }
};
using forgets_the_root = changed_norm<WithoutRoot>;

/// All channels are 0, whatever comes in.
struct Nothing : NoChange {
  template <class Real>
  static Real out(const Real&, const std::vector<Real>&, const Real&) {
    return Real(0);
  }
};
using returns_nothing = changed_norm<Nothing>;

/// The sign of the first channel is divided by as well.
struct Turned : NoChange {
  template <class Real>
  static Real out(const Real& y, const std::vector<Real>& x, const Real&) {
    return x[0] < Real(0) ? Real(-y) : y;
  }
};
using turns_along_the_first_channel = changed_norm<Turned>;

/// An ε that nobody asked for, 2^−`digits`.
template <int digits>
struct WithEpsilon : NoChange {
  template <class Real>
  static Real epsilon(const Real& epsilon, EpsilonPlacement) {
    return epsilon + one_part_in_two_to_the<Real>(digits);
  }
};
using adds_an_epsilon_of_its_own = changed_norm<WithEpsilon<17>>;  // 10^−5, nearly
using adds_an_epsilon_of_2_to_the_minus_300 = changed_norm<WithEpsilon<300>>;
/// With c = 2^−20, in binary64, the smallest that moves a bit in most runs of some thousand cases.
using adds_an_epsilon_of_2_to_the_minus_90 = changed_norm<WithEpsilon<90>>;

/// A part in 2^`digits` of the input goes past.
template <int digits>
struct Leaking : NoChange {
  template <class Real>
  static Real out(const Real& y, const std::vector<Real>&, const Real& part) {
    return y + part * one_part_in_two_to_the<Real>(digits);
  }
};
using leaks_the_input = changed_norm<Leaking<10>>;
using leaks_a_part_in_2_to_the_44 = changed_norm<Leaking<44>>;
using leaks_a_part_in_2_to_the_60 = changed_norm<Leaking<60>>;

/// The ε is on the other side of the root.
struct OtherSide : NoChange {
  static EpsilonPlacement placement(EpsilonPlacement placement) {
    return placement == EpsilonPlacement::variance ? EpsilonPlacement::standard_deviation
                                                   : EpsilonPlacement::variance;
  }
};
using adds_epsilon_on_the_other_side = changed_norm<OtherSide>;

/// The ε is left out.
struct NoEpsilon : NoChange {
  template <class Real>
  static Real epsilon(const Real&, EpsilonPlacement) {
    return one_part_in_two_to_the<Real>(300);  // against 0/0
  }
};
using forgets_epsilon = changed_norm<NoEpsilon>;

/// The ε is too large by one part in 2^`digits`.
template <int digits>
struct EpsilonHigh : NoChange {
  template <class Real>
  static Real epsilon(const Real& epsilon, EpsilonPlacement) {
    return epsilon + epsilon * one_part_in_two_to_the<Real>(digits);
  }
};
using adds_epsilon_twice = changed_norm<EpsilonHigh<0>>;
using adds_epsilon_high_by_40_digits = changed_norm<EpsilonHigh<40>>;
/// In closed form: 2^−49 is 16u, more than the 14u that are allowed; 2^−50 is not.
using adds_epsilon_high_by_49_digits = changed_norm<EpsilonHigh<49>>;

/// Divided by a root that a table and one step of Newton's give ("fast inverse square root"): 0.17
/// % off at the most, by an amount that hangs on the digits and so not on a power of two.
struct FastRoot : NoChange {
  template <class Real>
  static Real out(const Real& y, const std::vector<Real>& x, const Real&) {
    const auto s = static_cast<float>(static_cast<double>(normalization::mean_square(x)));
    const auto guess = std::bit_cast<float>(0x5f3759dfu - (std::bit_cast<std::uint32_t>(s) >> 1u));
    const double step = static_cast<double>(guess) *
                        (1.5 - 0.5 * static_cast<double>(s) * static_cast<double>(guess) *
                                   static_cast<double>(guess));
    return static_cast<Real>(static_cast<double>(y) * step * std::sqrt(static_cast<double>(s)));
  }
};
using divides_by_a_fast_root = changed_norm<FastRoot>;

/// The divisor is rounded to `Kept`, where Real is wider.
template <class Kept>
struct RootKeptIn : NoChange {
  template <class Real>
  static Real out(const Real& y, const std::vector<Real>& x, const Real&) {
    const double root = std::sqrt(static_cast<double>(normalization::mean_square(x)));
    return static_cast<Real>(static_cast<double>(y) * (root / static_cast<double>(Kept(root))));
  }
};
using keeps_the_root_in_binary32 = changed_norm<RootKeptIn<float>>;
using keeps_the_root_in_bfloat16 = changed_norm<RootKeptIn<bfloat16>>;

/// The ε for c·x by another rule: `Rule::of(ε, c, placement)`.
template <class Rule>
struct changed_epsilon : Library {
  template <Scalar Real>
  static Real rescaled_epsilon(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
    return Rule::of(epsilon, c, placement);
  }
};

/// It is the same ε.
struct Unchanged {
  template <class Real>
  static Real of(const Real& epsilon, const Real&, EpsilonPlacement) {
    return epsilon;
  }
};
using forgets_to_rescale = changed_epsilon<Unchanged>;

/// Multiplied where division was meant.
struct Multiplied {
  template <class Real>
  static Real of(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
    return expected::rescaled_epsilon(epsilon, Real(Real(1) / c), placement);
  }
};
using multiplies_epsilon = changed_epsilon<Multiplied>;

/// By c in both places.
struct ByFactor {
  template <class Real>
  static Real of(const Real& epsilon, const Real& c, EpsilonPlacement) {
    return epsilon / c;
  }
};
using divides_epsilon_by_c = changed_epsilon<ByFactor>;

/// By c² in both places.
struct BySquare {
  template <class Real>
  static Real of(const Real& epsilon, const Real& c, EpsilonPlacement) {
    return epsilon / (c * c);
  }
};
using divides_epsilon_by_the_square = changed_epsilon<BySquare>;

/// Too small by one part in 2^60.
struct SlightlyLess {
  template <class Real>
  static Real of(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
    const Real right = expected::rescaled_epsilon(epsilon, c, placement);
    return right - right * one_part_in_two_to_the<Real>(60);
  }
};
using rescales_slightly_less = changed_epsilon<SlightlyLess>;

}  // namespace embedscale::properties::mutants
