#pragma once
// What a row of a mutant changes in look-ups, position vectors and laws, and the defects of these
// that more than one room has to reject.
#include <cmath>
#include <variant>

#include "../testing/slightly_wrong.hpp"
#include "../testing/subject.hpp"
#include "primitives.hpp"

namespace embedscale::properties::conventions {

using testing::changes, testing::high, testing::in_floats, testing::replaces;

// What a mutant replaces.
inline constexpr auto look_up = EMBEDSCALE_OPERATION(look_up);
inline constexpr auto input = EMBEDSCALE_OPERATION(input);
inline constexpr auto encoding = EMBEDSCALE_OPERATION(encode);
inline constexpr auto law_variance = EMBEDSCALE_OPERATION(variance);

/// The library's look-up with of(m) in the place of m.
template <class Of>
constexpr auto multiplies_by(Of) {
  return replaces(look_up, []<class Real>(auto was, const auto& table, auto token, const Real& m,
                                          auto out) { was(table, token, Real(Of{}(m)), out); });
}

/// of(t) for each channel t that the library looks up.
template <class Of>
constexpr auto changes_tokens(Of) {
  return changes(look_up, [](auto&&, auto, auto&&, auto out) {
    for (auto& t : out) t = Of{}(t);
  });
}

/// Every token is brought to the mean square 1/`times`, whatever its table.
template <int times>
constexpr auto normalises_tokens() {
  return in_floats(replaces(look_up, []<class Real>(auto was, const EmbeddingTable<Real>& table,
                                                    auto token, const Real&, auto out) {
    double sum = 0;
    for (const Real& e : table.row(token)) sum += static_cast<double>(e) * static_cast<double>(e);
    const double rms = std::sqrt(times * sum / static_cast<double>(table.width()));
    was(table, token, static_cast<Real>(1.0 / rms), out);
  }));
}

/// of(x) for each channel x of the library's position vector of size d: of(x, d).
template <class Of>
constexpr auto changes_positions(Of) {
  return changes(encoding, [](auto, auto, auto, auto out) {
    for (auto& x : out) x = Of{}(x, out.size());
  });
}

/// A variance high by one part in 2^`digits`: of these laws, or of all.
template <int digits, class... Laws>
constexpr auto varies_high() {
  return changes(law_variance, [](double& variance, const Initializer& law) {
    const bool one = sizeof...(Laws) == 0 || (std::holds_alternative<Laws>(law) || ...);
    if (one) variance = high<digits>(variance);
  });
}

inline constexpr auto squares_the_multiplier = multiplies_by([](const auto& m) { return m * m; });
inline constexpr auto divides_by_the_multiplier =
    multiplies_by([]<class Real>(const Real& m) { return Real(1) / m; });
inline constexpr auto has_no_multiplier = multiplies_by([](const auto&) { return 1; });

inline constexpr auto leaves_the_last_channel = changes(
    look_up,
    [](const auto& table, auto token, auto&&, auto out) { out.back() = table.row(token).back(); });

inline constexpr auto scales_the_sum =
    replaces(input, [](auto, auto e, auto p, auto m) { return m * (e + p); });

/// Sines in the place of cosines: slices that overlap.
inline constexpr auto encodes_sines_twice =
    changes(encoding, [](auto, auto w, auto layout, auto out) {
      const bool halves = layout == SinusoidalLayout::halves;
      for (std::size_t i = 0; i < w.size(); ++i)
        out[halves ? w.size() + i : 2 * i + 1] = out[halves ? i : 2 * i];
    });

inline constexpr auto takes_half_ranges_for_deviations =
    changes(law_variance, [](double& variance, const Initializer& law) {
      const bool uniform =
          std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
      variance *= uniform ? 3.0 : 1.0;
    });

inline constexpr auto takes_vocabularies_for_fans =
    changes(law_variance, [](double& variance, const Initializer& law) {
      if (const auto* l = std::get_if<XavierUniform>(&law))
        variance = 1.0 / static_cast<double>(l->vocabulary);
      if (const auto* l = std::get_if<XavierNormal>(&law))
        variance = 1.0 / static_cast<double>(l->vocabulary);
    });

}  // namespace embedscale::properties::conventions
