// The draws of floats, one at a time and in pairs, and what a failing one is simplified to; the
// draws of all else are in draws.cpp.
#include "draws.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "generators/drawn.hpp"

namespace embedscale::properties::testing {
namespace {

/// Whole numbers up to this are simple by their size, all others by their digits.
constexpr double largest_small = 1024.0;

/// How simple a number is, for comparison from left to right, less being simpler. First come the
/// whole numbers up to 1024 by their size; then the other finite numbers: those of fewer
/// significant bits first, of these those whose exponent is nearer to 0, then those above 1, then
/// those with the smaller significand; then infinity; then NaN. Of x and −x, x is the simpler.
std::array<double, 6> simplicity(double x) {
  const double negative = std::signbit(x) ? 1.0 : 0.0, size = std::abs(x);
  if (std::isnan(x)) return {3.0, 0.0, 0.0, 0.0, 0.0, negative};
  if (std::isinf(x)) return {2.0, 0.0, 0.0, 0.0, 0.0, negative};
  if (size <= largest_small && size == std::floor(size))
    return {0.0, size, 0.0, 0.0, 0.0, negative};
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const double e = exponent - 1;
  return {1.0,         static_cast<double>(53 - std::countr_zero(digits)),
          std::abs(e), e < 0 ? 1.0 : 0.0,
          fraction,    negative};
}

/// Sizes to try in the place of a finite size > 0: whole numbers on the way to 0, both whole
/// neighbours, what is behind the point; fewer significant bits, rounded down and up; exponents on
/// the way to 0; one bit less.
std::vector<double> simpler_sizes(double size) {
  std::vector<double> sizes{0.0, 1.0};
  for (double step = std::min(std::floor(size), largest_small); step >= 1.0;
       step = std::floor(step / 2.0))
    sizes.push_back(std::floor(size) - step);
  for (const double whole : {std::floor(size), std::ceil(size)}) sizes.push_back(whole);
  sizes.push_back(size - std::floor(size));
  int exponent = 0;
  const auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(size, &exponent), 53));
  const auto add = [&](std::uint64_t of, int binary) {
    sizes.push_back(std::ldexp(static_cast<double>(of), binary - 53));
  };
  for (int dropped = std::countr_zero(digits) + 1; dropped < 53; ++dropped) {
    const std::uint64_t kept = digits >> dropped << dropped;
    add(kept, exponent);
    add(kept + (std::uint64_t{1} << dropped), exponent);
  }
  for (int step = exponent - 1; step != 0; step /= 2) add(digits, exponent - step);
  for (int bit = 51; bit >= 0; --bit)
    if ((digits >> bit & 1) != 0) add(digits ^ (std::uint64_t{1} << bit), exponent);
  return sizes;
}

/// The members of a mixture that x may be simplified to, all of them simpler, the simplest first.
///
/// Ensures   a chain of these ends: numbers of a format are finitely many, and each is simpler than
///           the one before. Where nothing else fails it ends at 0, else at 1; in a mixture that
///           has neither, at the power of two whose exponent is nearest to 0.
template <class Real>
std::vector<Real> simpler_floats(const Real& failing, const domain::Mixture& mixture) {
  const auto x = static_cast<double>(failing);
  const auto largest = static_cast<double>(std::numeric_limits<Real>::max());
  const bool finite = std::isfinite(x);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto from = domain::class_of(failing);  // the sign of a small format's NaN is lost in x
  const auto as_is = finite ? x : std::copysign(x, from.negative ? -1.0 : 1.0);
  std::vector<double> sizes =
      finite && x != 0.0 ? simpler_sizes(std::abs(x)) : std::vector{0.0, 1.0};
  if (finite) sizes.push_back(std::abs(x));
  if (!finite)
    sizes.insert(sizes.end(), {0.5, largest, infinity, std::numeric_limits<double>::quiet_NaN()});

  std::vector<std::pair<std::array<double, 6>, Real>> found;
  for (const double size : sizes)
    for (const double sign : {1.0, -1.0}) {
      const double to = std::copysign(size, sign);
      const auto rounded = static_cast<Real>(to);
      const bool exact = static_cast<double>(rounded) == to || std::isnan(to);
      if (exact && simplicity(to) < simplicity(as_is) && domain::contains(mixture, rounded))
        found.emplace_back(simplicity(to), rounded);
    }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Real> simpler;
  for (const auto& [key, to] : found)
    if (simpler.empty() || domain::bits_of(simpler.back()) != domain::bits_of(to))
      simpler.push_back(to);
  return simpler;
}

/// Steps to try in the place of k, on the way to 0, + before −.
std::vector<std::int64_t> simpler_steps(std::int64_t k) {
  const std::int64_t size = k < 0 ? -k : k;
  std::vector<std::int64_t> steps;
  for (std::int64_t step = size; step > 0; step /= 2)
    for (const std::int64_t to : {size - step, step - size})
      if (to != 0 || steps.empty()) steps.push_back(to);
  if (k < 0) steps.push_back(size);
  return steps;
}

}  // namespace

template <class Real>
Domain<Real> floats(const domain::Mixture& mixture) {
  return domain_of(generators::drawn_from(
      [mixture](const Stream& stream, std::uint64_t index) {
        return domain::any_float<Real>(stream, index, mixture);
      },
      [mixture](const Real& x) { return simpler_floats(x, mixture); }));
}

template <class Real>
Domain<domain::Pair<Real>> sized_pairs(const Real& m, const domain::Mixture& mixture) {
  using Pair = domain::Pair<Real>;
  return domain_of(generators::drawn_from(
      [=](const Stream& stream, std::uint64_t index) {
        return domain::sized_pair(stream, index, m, mixture);
      },
      [=](const Pair& pair) {
        std::vector<Pair> simpler;
        for (const Real& e : simpler_floats(pair.e, mixture)) simpler.push_back({e, pair.p});
        for (const Real& p : simpler_floats(pair.p, mixture)) simpler.push_back({pair.e, p});
        return simpler;
      }));
}

template <class Real>
Domain<domain::Cancelling<Real>> cancelling(const Real& m) {
  using Pair = domain::Cancelling<Real>;
  return domain_of(generators::drawn_from(
      [m](const Stream& stream, std::uint64_t index) {
        return domain::cancelling(stream, index, m);
      },
      [](const Pair& pair) {
        std::vector<Pair> simpler;
        for (const Real& e : simpler_floats(pair.e, domain::cancelling_tokens(pair.m)))
          simpler.push_back({e, pair.m, pair.k});
        for (const std::int64_t k : simpler_steps(pair.k)) simpler.push_back({pair.e, pair.m, k});
        return simpler;
      }));
}

#define EMBEDSCALE_DRAW_FLOATS(Real)                                                        \
  template Real named(const std::string&, const Domain<Real>&);                             \
  template Domain<Real> floats(const domain::Mixture&);                                     \
  template domain::Pair<Real> named(const std::string&, const Domain<domain::Pair<Real>>&); \
  template Domain<domain::Pair<Real>> sized_pairs(const Real&, const domain::Mixture&);     \
  template domain::Cancelling<Real> named(const std::string&,                               \
                                          const Domain<domain::Cancelling<Real>>&);         \
  template Domain<domain::Cancelling<Real>> cancelling(const Real&);
EMBEDSCALE_DRAW_FLOATS(double)
EMBEDSCALE_DRAW_FLOATS(float)
EMBEDSCALE_DRAW_FLOATS(binary16)
EMBEDSCALE_DRAW_FLOATS(bfloat16)
#undef EMBEDSCALE_DRAW_FLOATS

}  // namespace embedscale::properties::testing
