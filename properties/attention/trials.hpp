#pragma once
// How the claims about attention are tried, and what that has to reject.
#include <cmath>
#include <string>
#include <vector>

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

/// Two of at most 15 in size. Simplified to 0.
inline std::vector<double> two_whole_numbers(const std::string& name) {
  using namespace testing;
  const auto n = named(name, list_of(2, mapped<int, int>(in_range(0, 31), [](int k) {
                                       return k % 2 == 0 ? -k / 2 : (k + 1) / 2;
                                     })));
  return {n.begin(), n.end()};
}

/// What a mutant replaces.
namespace operation {
inline constexpr auto input = EMBEDSCALE_OPERATION(input);
inline constexpr auto project = EMBEDSCALE_OPERATION(project);
inline constexpr auto absorbed = EMBEDSCALE_OPERATION(absorbed);
inline constexpr auto dot = EMBEDSCALE_OPERATION(dot);
inline constexpr auto logit = EMBEDSCALE_OPERATION(logit);
inline constexpr auto mix = EMBEDSCALE_OPERATION(mix);
inline constexpr auto gradient = EMBEDSCALE_OPERATION(gradient);
inline constexpr auto multiplier = EMBEDSCALE_OPERATION(multiplier);
inline constexpr auto scale = EMBEDSCALE_OPERATION(scale);
inline constexpr auto softmax = EMBEDSCALE_OPERATION(softmax);
inline constexpr auto entropy = EMBEDSCALE_OPERATION(entropy);
inline constexpr auto projection = EMBEDSCALE_OPERATION(projection_law);
inline constexpr auto law_variance = EMBEDSCALE_OPERATION(variance);
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
