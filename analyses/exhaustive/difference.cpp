// Up against m times down over all pairs (e, p) of finite numbers of bfloat16 and of binary16.
#include <fmt/format.h>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include "properties/precision/every_pair.hpp"

#include <algorithm>
#include <memory>

#include "exhaustive/run.hpp"

namespace embedscale::exhaustive {
namespace pairs {
namespace {

using namespace properties::precision::difference;

/// Tokens of a part, each with its negative: there are up to 2^16 positions to each.
constexpr std::uint64_t tokens_of_part = 32;

template <class Real>
constexpr std::uint64_t finite_magnitudes = properties::domain::Encoding<Real>::infinity;

template <class Real>
std::string text_of(const LargestOfPairs<Real>& largest) {
  return fmt::format("{} {}", static_cast<double>(largest.e), static_cast<double>(largest.p));
}

/// From 1 upwards, then from 0: of equally bad pairs the first is told, and one near 1 reads best.
template <class Real>
Real token(std::uint64_t i) {
  const std::uint64_t one = properties::domain::bits_of(Real(1));
  return properties::domain::encoded<Real>((one + i) % finite_magnitudes<Real>, 0);
}

template <class Real>
Found found_in(std::uint64_t part, const Positions<Real>& positions) {
  OfPairs<Real> pairs;
  const auto end = std::min((part + 1) * tokens_of_part, finite_magnitudes<Real>);
  for (std::uint64_t i = part * tokens_of_part; i < end; ++i)
    positions.add(token<Real>(i), up<Real>, down<Real>, pairs);
  Found found;
  found.count("pairs", pairs.pairs);
  found.count("in range", pairs.in_range);
  found.count("left out", pairs.pairs - pairs.in_range);
  found.count("agreeing", pairs.agreeing);
  found.count("asymmetric", pairs.asymmetric);
  found.raise("error in u", pairs.error.value, text_of(pairs.error));
  found.raise("error in ulps", pairs.ulps.value, text_of(pairs.ulps));
  return found;
}

template <class Real>
void add(std::vector<Run>& all) {
  for (const std::uint64_t d : exhausted_widths<Real>)
    all.push_back(
        {.name = fmt::format("difference/{}/{}", FormatTraits<Real>::name, d),
         .source = "analyses/exhaustive/difference.cpp",
         .parts = (finite_magnitudes<Real> + tokens_of_part - 1) / tokens_of_part,
         .evaluate = [positions = std::make_shared<const Positions<Real>>(root_multiplier<Real>(
                          d))](std::uint64_t part) { return found_in(part, *positions); }});
}

}  // namespace
}  // namespace pairs

std::vector<Run> difference_runs() {
  using namespace pairs;
  std::vector<Run> all;
  add<bfloat16>(all);
  add<binary16>(all);
  return all;
}

}  // namespace embedscale::exhaustive
