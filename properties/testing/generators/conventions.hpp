#pragma once
// Generators of what the claims of conventions.hpp speak of: scales, laws, starts, gradients.
#include <cmath>
#include <cstdint>
#include <ostream>
#include <tuple>
#include <utility>
#include <variant>

#include "../../conventions_scale.hpp"
#include "../../conventions_spellings.hpp"
#include "numbers.hpp"

namespace embedscale::properties::testing::generators {

/// n/k·2^−t, from 30 down to 2^−9/12: the scales of tables. Shrinks to 1.
inline rc::Gen<double> scales() {
  return rc::gen::map(rc::gen::pair(positive_rationals(), in_range(0, 10)),
                      [](const std::pair<Rational, int>& parts) {
                        return std::ldexp(static_cast<double>(parts.first), -parts.second);
                      });
}

/// Even widths from 2·least to 2·most. Shrinks to the least.
inline rc::Gen<std::size_t> even_widths(std::size_t least, std::size_t most) {
  return rc::gen::map(in_range<std::size_t>(least, most + 1),
                      [](std::size_t half) { return 2 * half; });
}

/// One of the frameworks of default_laws, shown by its name. Shrinks to PyTorch.
struct Framework {
  std::size_t index;
};

inline std::ostream& operator<<(std::ostream& out, const Framework& framework) {
  constexpr const char* names[] = {"PyTorch", "MXNet", "Keras", "Flax"};
  return out << names[framework.index];
}

inline rc::Gen<Framework> frameworks() {
  return rc::gen::map(in_range<std::size_t>(0, 4), [](std::size_t i) { return Framework{i}; });
}

/// An Initializer that counterexamples show as "uniform(1)".
struct Law {
  Initializer initializer;
};

inline std::ostream& operator<<(std::ostream& out, const Law& law) {
  struct {
    std::ostream& to;
    void operator()(const Normal& l) { to << "normal(" << l.standard_deviation << ")"; }
    void operator()(const Uniform& l) { to << "uniform(+-" << l.half_range << ")"; }
    void operator()(const TruncatedNormal& l) {
      to << "truncated_normal(" << l.standard_deviation << ")";
    }
    void operator()(const XavierUniform& l) { fans("uniform", l.vocabulary, l.d_model); }
    void operator()(const XavierNormal& l) { fans("normal", l.vocabulary, l.d_model); }
    void fans(const char* shape, std::size_t v, std::size_t d) {
      to << "xavier_" << shape << "(V " << v << " d " << d << ")";
    }
  } show{out};
  std::visit(show, law.initializer);
  return out;
}

/// All five laws, of any scale or (V, d). Shrinks to normal(1), and within each law to scale 1.
inline rc::Gen<Law> laws() {
  return rc::gen::map(rc::gen::tuple(in_range(0, 5), scales(), in_range<std::size_t>(1, 60000),
                                     in_range<std::size_t>(1, 8193)),
                      [](const std::tuple<int, double, std::size_t, std::size_t>& parts) -> Law {
                        const auto [kind, scale, vocabulary, d] = parts;
                        switch (kind) {
                          case 0: return {Normal{scale}};
                          case 1: return {Uniform{scale}};
                          case 2: return {TruncatedNormal{scale}};
                          case 3: return {XavierUniform{vocabulary, d}};
                          default: return {XavierNormal{vocabulary, d}};
                        }
                      });
}

/// A random place to look at: even d, position below 2^17, both rules, both layouts.
inline conventions::Start start(std::size_t largest_half) {
  const auto d = named("d", even_widths(1, largest_half));
  const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
  const bool tensor2tensor = named("tensor2tensor", in_range(0, 2)) != 0 && d >= 4;
  const bool halves = named("halves", in_range(0, 2)) != 0;
  return {d, position, tensor2tensor ? FrequencyRule::tensor2tensor : FrequencyRule::paper,
          halves ? SinusoidalLayout::halves : SinusoidalLayout::interleaved};
}

/// √d or a fraction of either sign.
inline double multiplier(std::size_t d) {
  const auto m = named("m", nonzero_rationals());
  const bool root = named("root d for m", in_range(0, 2)) != 0;
  return root ? root_multiplier<double>(d) : static_cast<double>(m);
}

/// What reaches one channel from the rest of a model. Shrinks to 0.
inline conventions::Upstream<Rational> upstream() {
  const auto of_input = named("dL/dx", rationals());
  const auto of_logit = named("dL/dz", rationals());
  return {of_input, of_logit, named("h", rationals())};
}

}  // namespace embedscale::properties::testing::generators
