// What √d makes of a table of deviation d^−½, in exact arithmetic and in four formats.
#include "properties/embedding/variance.hpp"

#include <algorithm>
#include <cmath>

#include "embedding/sections.hpp"
#include "properties/domain/formats.hpp"
#include "properties/domain/widths.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;

const Primitives primitives;

/// m/√d − 1 for m = fl(√d), as (m² − d)/(√d·(m + √d)): nothing cancels but m² − d, which fma rounds
/// once.
template <Scalar Real>
double error_of_root(std::uint64_t width) {
  const auto m = static_cast<double>(root_multiplier<Real>(width));
  const auto d = static_cast<double>(width);
  const double root = std::sqrt(d);
  return std::fma(m, m, -d) / (root * (m + root));
}

bool is_square(std::uint64_t d) {
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(d)));
  return root * root == d;
}

template <Scalar Real>
void measure_in_format(Section& s, const std::vector<std::uint64_t>& widths) {
  constexpr const char* exhaustive = "exhaustive";
  Greatest share, error;
  Tally unit, other;
  for (const auto d : widths) {
    for (const auto& law : laws_of_inverse_width(d))
      share.evaluate([&] { return unit_variance_share<Real>(law, d, primitives); });
    const double off = error.evaluate([&] { return std::abs(error_of_root<Real>(d)); });
    const bool is_unit = unit.evaluate([&] { return off == 0; });
    other.evaluate([&] { return is_unit != is_square(d); });
  }
  const Place at{{"format", FormatTraits<Real>::name}};
  s.measure("worst_share_of_bound", at, share, "m²·Var e of five laws against 1",
            at_most(Part::statement, 1, 5 * widths.size()));
  s.measure("widths_of_variance_1", at, unit, exhaustive);
  s.decide_none("other_than_stated", at, other, Part::statement, exhaustive);
  s.measure("largest_error_of_deviation", at, error, exhaustive);
  s.measure("largest_error_of_variance", at, {2 * error.value(), error});
}

/// The five laws of deviation d^−½, and the cut one that only calls itself so.
struct NamedLaw {
  std::size_t index;
  const char* name;
  Initializer at(std::uint64_t d) const {
    const auto laws = laws_of_inverse_width(d);
    if (index < laws.size()) return laws[index];
    return TruncatedNormal{1 / std::sqrt(static_cast<double>(d))};
  }
};
constexpr std::array<NamedLaw, 6> named_laws{
    {{0, "normal"},
     {1, "uniform"},
     {2, "truncated_normal"},
     {3, "xavier_uniform V = d"},
     {4, "xavier_normal V = d"},
     {5, "truncated_normal of nominal deviation d_model^-1/2"}}};

}  // namespace

void root_d_restores_unit_variance(Section& s, const Options& options) {
  const Draws draws(options.seed, s.claim().id);
  s.decide("moment_disagreements", none_of(Part::belief, options.samples), exact,
           [&](std::uint64_t i) {
             return !moments_follow_m<Rational>(
                 draws.channels(i, 0, 3),
                 {draws.positive(i, 3), draws.positive(i, 4), draws.positive(i, 5)},
                 draws.positive(i, 6), primitives);
           });
  const auto every = points(options.widths, properties::domain::Widths{1, 1 << 14}.all());
  properties::domain::for_each_format([&]<class Real>() { measure_in_format<Real>(s, every); });
  s.sweep("closed form", {{"format", "binary64"}},
          axis("d_model", points(options.widths, shown_widths)),
          axis("law", named_laws, &NamedLaw::name), [](std::uint64_t d, const NamedLaw& law) {
            const double variance = token_variance<double>(law.at(d), d, primitives);
            return Values{{"token_variance", variance}, {"token_deviation", std::sqrt(variance)}};
          });

  std::vector<std::uint64_t> drawn;
  for (std::uint64_t d = 16; d <= 1 << 14; d += std::max<std::uint64_t>(1, d / 32))
    drawn.push_back(d);
  const auto curve = axis("d_model", points(options.widths, drawn));
  const auto error = [](auto of) {
    return [of](std::uint64_t d) { return Values{{"error_of_root", of(d)}}; };
  };
  s.sweep("", {{"format", "bfloat16"}}, curve, error(error_of_root<bfloat16>));
  s.sweep("", {{"format", "binary16"}}, curve, error(error_of_root<binary16>));
}

}  // namespace embedscale::embedding_analysis
