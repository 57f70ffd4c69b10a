#pragma once
// How the claims about attention are tried, and what that has to reject.
#include <cmath>

#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::attention {

using Table = testing::Properties<Primitives>;

/// Of the claims about products of queries and keys, their softmax and its gradient; of those about
/// the first attention's input; and of the values of each primitive.
extern const Table properties, input_properties, value_properties;
extern const testing::Beliefs beliefs, input_beliefs;
extern const testing::Mutants<Primitives> mutants, format_mutants;

/// All of them.
testing::Trials trials();

/// What a mutant replaces.
namespace operation {
inline constexpr auto input = [](auto& to) -> decltype((to.input)) { return to.input; };
inline constexpr auto project = [](auto& to) -> decltype((to.project)) { return to.project; };
inline constexpr auto absorbed = [](auto& to) -> decltype((to.absorbed)) { return to.absorbed; };
inline constexpr auto dot = [](auto& to) -> decltype((to.dot)) { return to.dot; };
inline constexpr auto logit = [](auto& to) -> decltype((to.logit)) { return to.logit; };
inline constexpr auto mix = [](auto& to) -> decltype((to.mix)) { return to.mix; };
inline constexpr auto gradient = [](auto& to) -> decltype((to.gradient)) { return to.gradient; };
inline constexpr auto multiplier = [](auto& to) -> decltype((to.multiplier)) {
  return to.multiplier;
};
inline constexpr auto scale = [](auto& to) -> decltype((to.scale)) { return to.scale; };
inline constexpr auto softmax = [](auto& to) -> decltype((to.softmax)) { return to.softmax; };
inline constexpr auto entropy = [](auto& to) -> decltype((to.entropy)) { return to.entropy; };
inline constexpr auto projection = [](auto& to) -> decltype((to.projection_law)) {
  return to.projection_law;
};
inline constexpr auto law_variance = [](auto& to) -> decltype((to.variance)) {
  return to.variance;
};
}  // namespace operation

template <class Real>
using Out = std::span<Real>;

/// The scale of(d_model, d_k), in double.
template <class Of>
constexpr auto scales_by(Of) {
  return testing::replaces(operation::scale, [](auto, std::size_t d_model, std::size_t d_k) {
    return Of{}(static_cast<double>(d_model), static_cast<double>(d_k));
  });
}

/// The softmax of of(z) for each logit z.
template <class Of>
constexpr auto softmaxes_of(Of) {
  return testing::replaces(operation::softmax, []<class Real>(auto was, Out<Real> z) {
    for (Real& value : z) value = Of{}(value);
    was(z);
  });
}

/// exp(z)/(left + Σ exp(z)), the largest logit left in.
template <AnalyticScalar Real>
void softmax_without_maximum(Out<Real> z, double left) {
  using std::exp;
  Real sum = static_cast<Real>(left);
  for (Real& value : z) sum = sum + (value = exp(value));
  for (Real& value : z) value = value / sum;
}

/// All but the last, where there are more than one.
template <class Real>
Numbers<Real> but_the_last(Numbers<Real> x) {
  return x.first(x.size() > 1 ? x.size() - 1 : 1);
}

}  // namespace embedscale::properties::attention
