#pragma once
// Generators of initial laws, and how counterexamples show them.
#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <tuple>
#include <variant>

#include "../../domain/decimal.hpp"
#include "../../domain/laws.hpp"
#include "floats.hpp"
#include "integers.hpp"

namespace embedscale::properties::domain {

/// "normal(1)", "uniform(+-1)", "xavier_normal(V 1 d 1)".
inline std::ostream& operator<<(std::ostream& out, const Law& law) {
  struct {
    std::ostream& to;
    void operator()(const Normal& l) { to << "(" << decimal(l.standard_deviation) << ")"; }
    void operator()(const Uniform& l) { to << "(+-" << decimal(l.half_range) << ")"; }
    void operator()(const TruncatedNormal& l) { to << "(" << decimal(l.standard_deviation) << ")"; }
    void operator()(const XavierUniform& l) { shape(l.vocabulary, l.d_model); }
    void operator()(const XavierNormal& l) { shape(l.vocabulary, l.d_model); }
    void shape(std::size_t v, std::size_t d) { to << "(V " << v << " d " << d << ")"; }
  } parameters{out << name_of(law)};
  std::visit(parameters, law.initializer);
  return out;
}

}  // namespace embedscale::properties::domain

namespace embedscale::properties::testing::generators {

/// Standard deviations and half ranges, on a logarithmic scale. Simplified to 1.
inline rc::Gen<double> scales() { return floats<double>(domain::law_scales); }

/// All five laws, each a fifth of the draws, of any scale or (V, d). Simplified to normal(1), and
/// within each law to scale 1, or V 1 d 1.
inline rc::Gen<domain::Law> laws() {
  const auto places = rc::gen::resize(100, rc::gen::inRange(0, 5));
  return rc::gen::map(rc::gen::tuple(places, scales(), integers(domain::vocabularies),
                                     integers(domain::table_widths)),
                      [](const std::tuple<int, double, std::uint64_t, std::uint64_t>& parts) {
                        const auto [place, scale, vocabulary, d] = parts;
                        return domain::law_of(static_cast<std::size_t>(place), scale, vocabulary,
                                              d);
                      });
}

}  // namespace embedscale::properties::testing::generators
