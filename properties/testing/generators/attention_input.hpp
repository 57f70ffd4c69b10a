#pragma once
// Generators of heads, of the parts of their input, and of scales of it.
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "../../attention_input_exact.hpp"
#include "../../attention_input_scales.hpp"
#include "../../attention_input_terms.hpp"
#include "conventions.hpp"
#include "integers.hpp"
#include "laws.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// A head of 2 channels, 2 of them in q and k, and so many keys, in rationals, with biases.
inline attention::input::Head<Rational> head(std::size_t keys) {
  attention::input::Head<Rational> out{2, 2, Rational(1), {}, {}, {}, {}, {}, {}};
  out.scale = named("scale", nonzero_rationals());
  out.w_q = named("W_Q", channels(4));
  out.w_k = named("W_K", channels(4));
  out.w_v = named("W_V", channels(4));
  out.b_q = named("b_Q", channels(2));
  out.b_k = named("b_K", channels(2));
  for (std::size_t j = 0; j < keys; ++j)
    out.x.push_back(named("x_" + std::to_string(j), channels(2)));
  return out;
}

/// Two channels of whole numbers of at most 15 in size. Shrinks to 0.
inline attention::input::Channels whole_channels(const std::string& of) {
  const auto whole = [](const std::string& name) {
    const auto number =
        rc::gen::map(in_range(0, 31), [](int k) { return k % 2 == 0 ? -k / 2 : (k + 1) / 2; });
    const auto n = named(name, rc::gen::container<std::vector<int>>(2, number));
    return std::vector<double>(n.begin(), n.end());
  };
  return {whole("e_" + of), whole("p_" + of)};
}

inline attention::input::Pairing pairing() {
  constexpr attention::input::Pairing all[] = {attention::input::Pairing::different_tokens,
                                               attention::input::Pairing::one_token,
                                               attention::input::Pairing::one_position};
  return all[named("in common: nothing, token, position", in_range(0, 3))];
}

/// A factor c of either sign from 2^−20 to 2^7 in size: a rounded √d, 1/√d, or any number.
inline double factor() {
  const auto d = named("d for c", widths_by_size({1, 1 << 14}));
  const auto kind = named("c: root d, 1/root d, any", in_range(0, 3));
  const auto any = named("any c", scales());
  const bool negative = named("c below 0", in_range(0, 2)) != 0;
  const double root = std::sqrt(static_cast<double>(d));
  const double c = kind == 0 ? root : kind == 1 ? 1 / root : any;
  return negative ? -c : c;
}

/// An even width up to 2·largest_half, a position, a table's deviation and a multiplier: √d or any.
struct InputScale {
  std::size_t d;
  std::int64_t position;
  double sigma, m;
};
inline InputScale input_scale(std::size_t largest_half) {
  const auto d = named("d", even_widths(1, largest_half));
  const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
  const auto sigma = named("sigma", scales());
  return {d, position, sigma, multiplier(d)};
}

/// A law of a projection on d channels.
inline attention::input::Setting setting(std::size_t d) {
  using expected::ProjectionLaw;
  constexpr ProjectionLaw laws[] = {ProjectionLaw::xavier, ProjectionLaw::xavier_per_head,
                                    ProjectionLaw::packed_xavier, ProjectionLaw::normal,
                                    ProjectionLaw::normal_by_width};
  const auto law = named("law: Xavier, per head, packed, normal, by width", in_range(0, 5));
  const auto d_k = named("d_k", widths_by_size({1, 1 << 10}));
  const auto heads = named("heads", widths_by_size({1, 64}));
  return {laws[law], {d, d_k, heads}, named("sigma of W", scales())};
}

}  // namespace embedscale::properties::testing::generators
