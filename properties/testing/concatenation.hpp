#pragma once
// The attempts to refute the claims about sums and cosines, for any primitives of Library's shape.
// Those about readers and costs are in concatenation_reader.hpp.
#include <cstdint>
#include <string>
#include <vector>

#include "../concatenation_cosine.hpp"
#include "../domain/floats.hpp"
#include "../domain/formats.hpp"
#include "generators/numbers.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

/// `size` floats of a mixture, from `first` on.
template <class Real>
std::vector<Real> floats_of(const Stream& stream, std::uint64_t first, std::size_t size,
                            const domain::Mixture& mixture) {
  std::vector<Real> out;
  for (std::size_t j = 0; j < size; ++j)
    out.push_back(domain::any_float<Real>(stream, first + j, mixture));
  return out;
}

PROPERTY(concatenation, is_a_padded_sum, at_every_token_and_position) {
  const auto of_tokens = generators::named("d_t", generators::in_range<std::size_t>(0, 4));
  const auto of_positions = generators::named("d_p", generators::in_range<std::size_t>(0, 4));
  std::vector<std::vector<Rational>> tokens, positions;
  for (const char* name : {"token 0", "token 1"})
    tokens.push_back(generators::named(name, generators::channels(of_tokens)));
  for (const char* name : {"position 0", "position 1"})
    positions.push_back(generators::named(name, generators::channels(of_positions)));
  covers("both parts have channels", of_tokens > 0 && of_positions > 0, 0.3);
  holds_exactly(concatenation::all_inputs_agree(tokens, positions, subject));
}

PROPERTY(concatenation, is_a_padded_sum, to_the_bit_in_every_format) {
  const auto of_tokens = generators::named("d_t", generators::in_range<std::size_t>(0, 6));
  const auto of_positions = generators::named("d_p", generators::in_range<std::size_t>(0, 6));
  const Stream stream(generators::named("channels", generators::draws()), "channels");
  domain::for_each_format([&]<class Real>() {
    const auto e = floats_of<Real>(stream, 0, of_tokens, domain::finite_floats);
    const auto p = floats_of<Real>(stream, 6, of_positions, domain::finite_floats);
    const auto found = concatenation::bits_of_inputs(e, p, subject);
    covers("a negative zero", found.negative_zeros > 0, 0.08);
    holds_exactly(found.disagreements == 0);
  });
}

PROPERTY(concatenation, sum_is_a_tied_concatenation, at_any_weights) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 5));
  const auto w = generators::named("w", generators::channels(d));
  const auto e = generators::named("e", generators::channels(d));
  const auto p = generators::named("p", generators::channels(d));
  holds_exactly(concatenation::outputs_agree(w, e, p, subject));
}

/// Widths up to 32, the largest for which 8du <= 1 in bfloat16; sizes near 1, where sums cancel and
/// rounding shows.
PROPERTY(concatenation, sum_is_a_tied_concatenation, within_the_bound_of_two_sums) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 33));
  const Stream stream(generators::named("channels", generators::draws()), "channels");
  domain::Mixture near_1 = domain::finite_floats;
  near_1.lowest = -3, near_1.highest = 3;
  near_1.weights = {30, 0, 2, 0, 0};
  covers("one channel", d == 1, 0.01);
  domain::for_each_format([&]<class Real>() {
    const auto w = floats_of<Real>(stream, 0, d, near_1);
    const auto e = floats_of<Real>(stream, 32, d, near_1);
    const auto p = floats_of<Real>(stream, 64, d, near_1);
    holds_exactly(concatenation::stays_finite(w, e, p));
    holds(concatenation::share_of_bound(w, e, p, subject));
  });
}

/// Any size a format has: underflow is in the bound, overflow is outside of the claim.
PROPERTY(concatenation, sum_is_a_tied_concatenation, within_the_bound_at_every_size) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 9));
  const Stream stream(generators::named("channels", generators::draws()), "channels");
  // Half of binary64's smallest subnormal is no number of binary64, in which the measure adds up.
  const auto judge = [&]<class Real>() {
    const auto w = floats_of<Real>(stream, 0, d, domain::finite_floats);
    const auto e = floats_of<Real>(stream, 8, d, domain::finite_floats);
    const auto p = floats_of<Real>(stream, 16, d, domain::finite_floats);
    const bool inside = concatenation::stays_finite(w, e, p);
    covers("in range of " + std::string(FormatTraits<Real>::name), inside, 0.1);
    if (inside) holds(concatenation::share_of_bound(w, e, p, subject));
  };
  judge.template operator()<float>();
  judge.template operator()<binary16>();
  judge.template operator()<bfloat16>();
}

/// Whole numbers keep the fractions short; with them the identity holds for all rationals, as both
/// sides do not change when e or p is scaled.
PROPERTY(concatenation, parts_are_nearly_orthogonal, mean_square_over_symmetries_is_one_over_d) {
  const auto d = generators::named("d", generators::in_range<std::size_t>(1, 4));
  const auto vector = [&](const char* name) {
    const auto first = generators::named(std::string(name) + "_0", generators::in_range(1, 7));
    std::vector<Rational> out{Rational(first)};
    for (std::size_t j = 1; j < d; ++j)
      out.push_back(Rational(generators::named(name, generators::in_range(-6, 7))));
    return out;
  };
  const auto e = vector("e"), p = vector("p");
  covers("two channels or more", d > 1, 0.4);
  holds_exactly(concatenation::mean_square_is_one_over_d(e, p, subject));
}

}  // namespace embedscale::properties::testing
