#pragma once
// The library's primitives as programs join them: a multiplier with its look-up, positions with
// their frequencies, draws of two tables, the scale of a head.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "../over.hpp"

namespace embedscale::properties::primitives {

/// One draw for each of two tables.
struct TokenAndPosition {
  double token, position;
};

/// The row times the multiplier of its width.
template <AnalyticScalar Real>
void embedded(const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
  table.look_up(token, root_multiplier<Real>(table.width()), out);
}

template <AnalyticScalar Real>
void encoded(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
             std::span<Real> out) {
  const auto w = sinusoidal_frequencies<Real>(d, rule);
  encode_position<Real>(p, w, layout, out);
}

template <AnalyticScalar Real>
struct Operations {
  Operation<Real(std::uint64_t d)> multiplier = root_multiplier<Real>;
  /// The input's token part.
  Operation<void(const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out)> embed =
      embedded<Real>;
  Operation<void(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                 std::span<Real> out)>
      encode = encoded<Real>;
  Operation<Real(std::size_t d_model, std::size_t heads)> scale =
      [](std::size_t d_model, std::size_t heads) { return attention_scale<Real>(d_model / heads); };

  void list(Members& to) { EMBEDSCALE_LIST(to, multiplier, embed, encode, scale); }
};

/// The library's.
template <AnalyticScalar Real>
inline constexpr Operations<Real> library{};
inline TokenAndPosition drawn(const Initializer& of_tokens, const Initializer& of_positions,
                              const Stream& stream, std::uint64_t index) {
  return {draw(of_tokens, stream, index), draw(of_positions, stream, index)};
}

struct Primitives : Over<Operations, double, float, binary16, bfloat16> {
  Operation<TokenAndPosition(const Initializer& of_tokens, const Initializer& of_positions,
                             const Stream& stream, std::uint64_t index)>
      draw = drawn;

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, draw);
  }
};

/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::primitives
