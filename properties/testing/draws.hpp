#pragma once
// How the body of a property draws: plain functions, so that no topic parses RapidCheck.
//
//   const auto d = named("d", widths());
//   const auto e = named("e", rationals());
//
// What a counterexample shows is what was drawn, under its name; each domain says what its members
// are simplified to. None depends on RapidCheck's size: the first case is drawn from the whole
// domain like the last.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../domain/integers.hpp"
#include "../domain/laws.hpp"
#include "../domain/pairs.hpp"
#include "../domain/rationals.hpp"
#include "../domain/widths.hpp"

namespace embedscale::properties::testing {

using domain::Rational;

/// A set of values to draw from, with what they are simplified to; a handle of a generator.
template <class T>
class Domain {
 public:
  explicit Domain(std::shared_ptr<const void> generator) : generator_(std::move(generator)) {}
  const void* generator() const { return generator_.get(); }

 private:
  std::shared_ptr<const void> generator_;
};

/// Draws a value under its name, as counterexamples show it; floats exactly.
///
/// Requires  the body of a property that runs; an ASCII name: GoogleTest garbles others in its
///           JSON; T one of the types that the functions below return.
template <class T>
T named(const std::string& name, const Domain<T>& domain);
/// One of the domain for each of the names, in their order.
template <class T, class... Names>
std::array<T, sizeof...(Names)> each_named(const Domain<T>& domain, const Names&... names) {
  return {named(names, domain)...};
}

/// Draws one of these by its place, shown by its name. Simplified to the first.
std::size_t one_of(const std::string& name, const std::vector<std::string>& names);

/// The next of the places 0 … points − 1 of an exhaustive property: each in one case.
std::uint64_t every(const std::string& name, std::uint64_t points);

/// lowest … end − 1, uniformly. Simplified to the lowest.  T: int, std::int64_t, std::uint64_t.
template <class T>
Domain<T> in_range(T lowest, T end);

/// The fractions of domain::Rationals; simplified to 0, or to 1. Sign and size are drawn apart, so
/// that each is simplified by itself: to the smallest size, to whole numbers, to +.
Domain<Rational> rationals();
Domain<Rational> nonzero_rationals();
Domain<Rational> positive_rationals();
/// `size` rationals: one vector of channels.
Domain<std::vector<Rational>> channels(std::size_t size);

/// Any width of the domain, uniformly; on a logarithmic scale; the even ones from 2·least to
/// 2·most, uniformly. Simplified to the lowest.
Domain<std::uint64_t> widths(domain::Widths range = domain::swept_widths);
Domain<std::uint64_t> widths_by_size(const domain::Widths& range);
Domain<std::uint64_t> even_widths(std::uint64_t least, std::uint64_t most);
/// The multiples of `factor` in a range (sinusoids want even widths, heads a width that they
/// divide), on a logarithmic scale. Simplified to the lowest.  Requires a multiple in the range.
Domain<std::uint64_t> multiples(std::uint64_t factor, const domain::Widths& range);
/// Any number of the range, on a logarithmic scale with its edges. Simplified to the lowest.
Domain<std::uint64_t> integers(const domain::Integers& range);
/// 0 … 2^17, or another range. Simplified to 0.
Domain<std::int64_t> positions(const domain::Integers& range = domain::positions);
/// The index of a counter-based draw: the case's own randomness, as one integer.
Domain<std::uint64_t> draws();

/// Standard deviations and half ranges, on a logarithmic scale. Simplified to 1.
Domain<double> scales();
/// All five laws, each a fifth of the draws, of any scale or (V, d). Simplified to normal(1), and
/// within each law to scale 1, or V 1 d 1.
Domain<domain::Law> laws();
/// Draws a factor c of either sign, from 2^−20 to 2^7 in size: a rounded √d, 1/√d, or any number.
double factor();

/// Members of the mixture; simplified to 0, 1, small whole numbers, few significant bits, small
/// exponents, in this order, and to + before −.  Real: double, float, binary16, bfloat16; so below.
template <class Real>
Domain<Real> floats(const domain::Mixture& mixture = domain::every_float);
/// Pairs (e, p) of every size, as domain::sized_pair draws them; e is simplified first, then p.
template <class Real>
Domain<domain::Pair<Real>> sized_pairs(
    const Real& m, const domain::Mixture& mixture = domain::measurable_floats<Real>());
/// Tokens and positions with m·e ≈ −p; e is simplified first, then k, to 0.
///
/// Requires  1 <= m, finite, with room for tokens: see domain::cancelling_tokens.
template <class Real>
Domain<domain::Cancelling<Real>> cancelling(const Real& m);

/// `size` members of a domain.  T: int, Rational.
template <class T>
Domain<std::vector<T>> list_of(std::size_t size, const Domain<T>& domain);

/// f of a member, or of two whole numbers drawn apart; simplified as these are, shown as f says.
/// T, From: those that draws.cpp names.
template <class T, class From>
Domain<T> mapped(const Domain<From>& domain, std::function<T(const From&)> f);
template <class T>
Domain<T> mapped(const Domain<int>& first, const Domain<int>& second, std::function<T(int, int)> f);

}  // namespace embedscale::properties::testing
