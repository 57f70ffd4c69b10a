// The draws of floats, one at a time and in pairs; those of all else are in draws.cpp.
#include "draws.hpp"

#include <vector>

#include "generators/drawn.hpp"
#include "generators/simpler_floats.hpp"

namespace embedscale::properties::testing {
namespace {

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
      [mixture](const Real& x) { return generators::simpler_floats(x, mixture); }));
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
        for (const Real& e : generators::simpler_floats(pair.e, mixture))
          simpler.push_back({e, pair.p});
        for (const Real& p : generators::simpler_floats(pair.p, mixture))
          simpler.push_back({pair.e, p});
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
        for (const Real& e : generators::simpler_floats(pair.e, domain::cancelling_tokens(pair.m)))
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
