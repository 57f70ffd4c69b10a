#pragma once
// What the claims about the token part are about: the library's functions.
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/random.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

#include "../conventions/primitives.hpp"

namespace embedscale::properties::embedding {

using conventions::Rational;

template <Scalar Real>
struct RationalOperations : conventions::Operations<Real> {
  /// out = x·E.
  Operation<void(const EmbeddingTable<Real>& table, std::span<const Real> x, std::span<Real> out)>
      multiply = [](const auto& table, auto x, auto out) { table.multiply(x, out); };
  Operation<void(std::span<const std::size_t> tokens, std::span<const Real> slopes, const Real& m,
                 std::size_t d, std::span<Real> gradient)>
      add_look_up_gradient = embedscale::add_look_up_gradient<Real>;

  void list(Members& to) {
    conventions::Operations<Real>::list(to);
    EMBEDSCALE_LIST(to, multiply, add_look_up_gradient);
  }
};

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real> {
  Operation<Real(std::uint64_t d)> root = root_multiplier<Real>;
  /// A (rows, columns) table of the distribution, by its seed.
  Operation<void(const Initializer& of, std::size_t rows, std::size_t columns, std::uint64_t seed,
                 std::span<Real> out)>
      initialise = [](const Initializer& of, std::size_t, std::size_t, std::uint64_t seed,
                      std::span<Real> out) { fill(of, Stream(seed, "initialise"), out); };

  void list(Members& to) {
    RationalOperations<Real>::list(to);
    EMBEDSCALE_LIST(to, root, initialise);
  }
};

/// One draw for each of two tables.
struct TokenAndPosition {
  double token, position;
};

struct Primitives : Over<Operations, domain::Rational, double, float, binary16, bfloat16> {
  Operation<double(const Initializer& law)> variance = embedscale::variance;
  Operation<double(const Initializer& law)> fourth_moment = embedscale::fourth_moment;
  Operation<double(const Initializer& law, const Stream& stream, std::uint64_t index)> draw =
      embedscale::draw;
  Operation<TokenAndPosition(const Initializer& of_tokens, const Initializer& of_positions,
                             const Stream& stream, std::uint64_t index)>
      draw_both = [](const auto& of_tokens, const auto& of_positions, const auto& stream,
                     std::uint64_t index) {
        return TokenAndPosition{embedscale::draw(of_tokens, stream, index),
                                embedscale::draw(of_positions, stream, index)};
      };

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, variance, fourth_moment, draw, draw_both);
  }
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::embedding
