// Wrong norms and wrong rules for their ε, from the largest defect to the smallest that is seen.
#include <bit>
#include <cmath>
#include <cstdint>

#include "exact.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

/// The library's norm of this kind.
template <AnalyticScalar Real>
constexpr auto norm_of(LayerKind kind) {
  return kind == LayerKind::layer_norm ? library<Real>.layer_norm : library<Real>.rms_norm;
}

template <class Change, LayerKind kind, class Real>
void of_another(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                std::span<Real> out) {
  NormOf<Real> norm{kind, placement, epsilon};
  Change{}(norm);
  norm_of<Real>(kind)(x, norm.epsilon, norm.placement, out);
}

/// Both norms, with another ε or another place for it: change(norm).
template <class Change>
constexpr auto of_another(Change) {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.layer_norm = of_another<Change, LayerKind::layer_norm, Real>;
    to.rms_norm = of_another<Change, LayerKind::rms_norm, Real>;
  });
}

template <class Of, LayerKind kind, class Real>
void giving(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
            std::span<Real> out) {
  const std::vector<Real> input(x.begin(), x.end());
  norm_of<Real>(kind)(x, epsilon, placement, out);
  const auto parts = divided(input, kind);
  for (std::size_t j = 0; j < input.size(); ++j) out[j] = Of{}(out[j], input, parts[j]);
}

/// Both norms, with of(y, x, what the norm divides) for each channel y of what comes out.
template <class... Reals, class Of>
constexpr auto giving(Of) {
  return replacing<Reals...>([]<class Real>(Operations<Real>& to) {
    to.layer_norm = giving<Of, LayerKind::layer_norm, Real>;
    to.rms_norm = giving<Of, LayerKind::rms_norm, Real>;
  });
}

/// The ε for c·x by another rule: of(ε, c, placement).
template <class Of>
constexpr auto rescaling_by(Of) {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.rescaled_epsilon = [](const Real& epsilon, const Real& c, EpsilonPlacement placement) {
      return Real(Of{}(epsilon, c, placement));
    };
  });
}

template <class Real>
Real one_part_in_two_to_the(int digits) {
  Real tiny(1);
  for (; digits > 0; --digits) tiny = tiny / Real(2);
  return tiny;
}

/// An ε that nobody asked for, 2^−`digits`.
template <int digits>
constexpr auto adding_epsilon() {
  return of_another([]<class Real>(NormOf<Real>& norm) {
    norm.epsilon = norm.epsilon + one_part_in_two_to_the<Real>(digits);
  });
}

/// The ε is too large by one part in 2^`digits`.
template <int digits>
constexpr auto with_epsilon_high() {
  return of_another([]<class Real>(NormOf<Real>& norm) {
    norm.epsilon = norm.epsilon + norm.epsilon * one_part_in_two_to_the<Real>(digits);
  });
}

/// A part in 2^`digits` of the input goes past.
template <int digits>
constexpr auto leaking() {
  return giving([]<class Real>(const Real& y, const std::vector<Real>&, const Real& part) -> Real {
    return y + part * one_part_in_two_to_the<Real>(digits);
  });
}

/// The divisor is rounded to `Kept`, where Real is wider.
template <class Kept>
constexpr auto keeping_the_root_in() {
  return giving<double, float, bfloat16>(
      []<class Real>(const Real& y, const std::vector<Real>& x, const Real&) {
        const double root = std::sqrt(static_cast<double>(mean_square(x)));
        return static_cast<Real>(static_cast<double>(y) * (root / static_cast<double>(Kept(root))));
      });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"only_centres", "Not divided.",
     giving(
         []<class Real>(const Real&, const std::vector<Real>&, const Real& part) { return part; })},

    {"forgets_the_root", "Divided by the variance, the root forgotten.",
     giving([]<class Real>(const Real& y, const std::vector<Real>&, const Real& part) {
       return part == Real(0) ? y : Real(y * y / part);
     })},

    {"returns_nothing", "All channels are 0, whatever comes in.",
     giving(
         []<class Real>(const Real&, const std::vector<Real>&, const Real&) { return Real(0); })},

    {"turns_along_the_first_channel", "The sign of the first channel is divided by as well.",
     giving([]<class Real>(const Real& y, const std::vector<Real>& x, const Real&) {
       return x[0] < Real(0) ? Real(-y) : y;
     })},

    {"adds_an_epsilon_of_its_own", "An ε that nobody asked for, 10^−5 nearly.",
     adding_epsilon<17>()},
    {"adds_an_epsilon_of_2_to_the_minus_300", "A smaller one: none is too small over the reals.",
     adding_epsilon<300>()},
    {"adds_an_epsilon_of_2_to_the_minus_90",
     "With c = 2^−20, in binary64, the smallest that moves a bit in most runs of some thousand "
     "cases.",
     adding_epsilon<90>()},

    {"leaks_the_input", "A part in 2^10 of the input goes past.", leaking<10>()},
    {"leaks_a_part_in_2_to_the_44", "A part in 2^44 of it.", leaking<44>()},
    {"leaks_a_part_in_2_to_the_60", "A part in 2^60 of it.", leaking<60>()},

    {"adds_epsilon_on_the_other_side", "The ε is on the other side of the root.",
     of_another([]<class Real>(NormOf<Real>& norm) {
       norm.placement = norm.placement == EpsilonPlacement::variance
                            ? EpsilonPlacement::standard_deviation
                            : EpsilonPlacement::variance;
     })},

    {"forgets_epsilon", "The ε is left out, but for 2^−300 against 0/0.",
     of_another(
         []<class Real>(NormOf<Real>& norm) { norm.epsilon = one_part_in_two_to_the<Real>(300); })},

    {"adds_epsilon_twice", "The ε is added twice.", with_epsilon_high<0>()},
    {"adds_epsilon_high_by_40_digits", "The ε is too large by one part in 2^40.",
     with_epsilon_high<40>()},
    {"adds_epsilon_high_by_49_digits",
     "In closed form 2^−49 is 16u, more than the 14u that are allowed; 2^−50 is not.",
     with_epsilon_high<49>()},

    {"divides_by_a_fast_root",
     "Divided by a root that a table and one step of Newton's give ('fast inverse square root'): "
     "0.17 % off at the most, by an amount that hangs on the digits and so not on a power of two.",
     giving<double, float, bfloat16>([]<class Real>(const Real& y, const std::vector<Real>& x,
                                                    const Real&) {
       const auto s = static_cast<float>(static_cast<double>(mean_square(x)));
       const auto guess =
           std::bit_cast<float>(0x5f3759dfu - (std::bit_cast<std::uint32_t>(s) >> 1u));
       const double step = static_cast<double>(guess) *
                           (1.5 - 0.5 * static_cast<double>(s) * static_cast<double>(guess) *
                                      static_cast<double>(guess));
       return static_cast<Real>(static_cast<double>(y) * step * std::sqrt(static_cast<double>(s)));
     })},

    {"keeps_the_root_in_binary32", "The divisor is rounded to binary32, where the norm is wider.",
     keeping_the_root_in<float>()},
    {"keeps_the_root_in_bfloat16", "The same with bfloat16.", keeping_the_root_in<bfloat16>()},

    {"forgets_to_rescale", "The ε stays the same for c·x.",
     rescaling_by([](const auto& epsilon, const auto&, EpsilonPlacement) { return epsilon; })},

    {"multiplies_epsilon", "Multiplied where division was meant.",
     rescaling_by([]<class Real>(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
       return library<Real>.rescaled_epsilon(epsilon, Real(Real(1) / c), placement);
     })},

    {"divides_epsilon_by_c", "By c in both places.",
     rescaling_by(
         [](const auto& epsilon, const auto& c, EpsilonPlacement) { return epsilon / c; })},

    {"divides_epsilon_by_the_square", "By c² in both places.",
     rescaling_by(
         [](const auto& epsilon, const auto& c, EpsilonPlacement) { return epsilon / (c * c); })},

    {"rescales_slightly_less", "Too small by one part in 2^60.",
     rescaling_by([]<class Real>(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
       const Real right = library<Real>.rescaled_epsilon(epsilon, c, placement);
       return Real(right - right * one_part_in_two_to_the<Real>(60));
     })},
};

}  // namespace embedscale::properties::normalization
