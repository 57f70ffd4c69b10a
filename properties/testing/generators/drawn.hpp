#pragma once
// What is behind a Domain: a generator of RapidCheck, and how a counterexample shows what it drew.
#include <embedscale/random.hpp>

#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../domain/decimal.hpp"
#include "../draws.hpp"
#include "../exact_text.hpp"

namespace embedscale::properties::domain {

// How counterexamples show them: "(1 (0x1p+0), -3 (-0x1.8p+1))", "e = 1 (0x1p+0), p = -(m e + 2
// ulp)", "normal(1)", "uniform(+-1)", "xavier_normal(V 1 d 1)".
template <class Real>
std::ostream& operator<<(std::ostream& out, const Pair<Real>& pair) {
  return out << "(" << testing::exact_text(pair.e) << ", " << testing::exact_text(pair.p) << ")";
}

template <class Real>
std::ostream& operator<<(std::ostream& out, const Cancelling<Real>& pair) {
  return out << "e = " << testing::exact_text(pair.e) << ", p = -(m e"
             << (pair.k < 0 ? " - " : " + ") << std::abs(pair.k) << " ulp)";
}

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

namespace embedscale::properties::testing {

/// A handle of it.
template <class T>
Domain<T> domain_of(rc::Gen<T> generator) {
  return Domain<T>(std::make_shared<const rc::Gen<T>>(std::move(generator)));
}

template <class T>
const rc::Gen<T>& generator_of(const Domain<T>& domain) {
  return *static_cast<const rc::Gen<T>*>(domain.generator());
}

template <class T>
T named(const std::string& name, const Domain<T>& domain) {
  const auto& generator = generator_of(domain);
  if constexpr (IsFloat<T>::value)
    return (*rc::gen::map(generator, [](T x) { return Exactly<T>{x}; }).as(name)).value;
  else
    return *generator.as(name);
}

}  // namespace embedscale::properties::testing

namespace embedscale::properties::testing::generators {

/// A generator of draw(stream, index), at an index that RapidCheck chooses; `simpler(x)` is a
/// vector of what a failing x may be simplified to, the simplest first, all simpler than x.
///
/// Ensures   RapidCheck's size is ignored: the first case is drawn from the whole domain, like all.
template <class Draw, class Simpler>
auto drawn_from(Draw draw, Simpler simpler) {
  using Value = decltype(draw(Stream(0, ""), std::uint64_t{0}));
  return rc::Gen<Value>([=](rc::Random random, int) {
    return rc::shrinkable::shrinkRecur(
        draw(Stream(0, "generator"), random.next()),
        [simpler](const Value& x) { return rc::seq::fromContainer(simpler(x)); });
  });
}

/// Numbers between n and the lowest of the range to try in its place, the lowest first.
inline std::vector<std::uint64_t> smaller(std::uint64_t n, std::uint64_t lowest) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t step = n - lowest; step > 0; step /= 2) numbers.push_back(n - step);
  return numbers;
}

}  // namespace embedscale::properties::testing::generators
