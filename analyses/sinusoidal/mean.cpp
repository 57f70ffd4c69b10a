// The mean over the coordinates of one position, and what all positions of a table have in common.
#include "properties/sinusoidal/table.hpp"
#include "sinusoidal/sections.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using report::Place;
using Vector = properties::sinusoidal::Place;

const Primitives primitives;

Coordinates coordinates_at(std::size_t d, std::int64_t p) {
  return coordinates_of(encoded<double>({.d = d, .position = p}, primitives));
}

/// Mean and variance over the coordinates of one position.
Values moments_at(std::size_t d, std::int64_t p) {
  const auto vector = encoded<double>({.d = d, .position = p}, primitives);
  const auto [mean, variance] = coordinates_of(vector);
  const auto entries = over<Sum>(d, [&](std::uint64_t j) { return vector[j]; });
  return {{"coordinate_mean", {mean, entries}}, {"coordinate_variance", {variance, entries}}};
}

double limit_at(std::int64_t p) { return expected::mean_over_coordinates(static_cast<double>(p)); }

/// How often the mean over coordinates is 0 up to rounding, in the first positions of small tables.
void positions_of_mean_0(Section& s, const std::vector<std::size_t>& widths) {
  const std::int64_t length = 512;
  Tally none;
  for (const auto d : widths)
    for (std::int64_t p = 0; is_small(d, length) && p < length; ++p)
      none.evaluate(
          [&] { return std::abs(coordinates_at(d, p).mean) <= rounding_of_mean<double>(p); });
  if (none.cases() > 0)
    s.measure("positions_of_mean_0", {{"positions", length}}, none,
              "every position, up to rounding", all_of(Part::belief, none.cases()));
}

double share_of(std::size_t d, std::int64_t length, FrequencyRule rule = FrequencyRule::paper) {
  return expected::constant_share({sinusoidal_frequencies<double>(d, rule), 0, length, 1});
}

}  // namespace

void is_not_zero_mean(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto all = positions(options, {0, 1, 2, 5, 10, 50, 100, 511, 1023, 4095, 32767, 131071});
  s.sweep("closed form: sine and cosine integrals", axis("position", all), [](std::int64_t p) {
    return Values{{"limit_of_the_mean", limit_at(p)}};
  });
  s.sweep("over the coordinates, paper frequencies", axis("d_model", widths), axis("position", all),
          moments_at);
  Greatest variance, limit;
  for (const auto p : all)
    for (const auto d : widths)
      for (const auto rule : rules) {
        limit.evaluate([&] {
          return limit_share_of_bound<double>({.d = d, .position = p, .rule = rule}, primitives);
        });
        for (const auto layout : layouts) {
          const Vector at{d, p, rule, layout};
          variance.evaluate([&] { return variance_share_of_bound<double>(at, primitives); });
          variance.evaluate([&] { return variance_share_of_bound<float>(at, primitives); });
        }
      }
  bounded(s, "variance", variance, Part::statement,
          "both rules and layouts, binary64 and binary32");
  bounded(s, "limit", limit, Part::statement, "both rules, binary64");
  positions_of_mean_0(s, widths);

  const auto curve = axis("position", by_powers(8, 17));
  s.sweep("closed form", curve, [](std::int64_t p) {
    return Values{{"limit_curve", limit_at(p)}};
  });
  s.sweep("over the coordinates", axis("d_model", first_of(4, widths)), curve,
          [](std::size_t d, std::int64_t p) {
            return Values{{"mean_curve", coordinates_at(d, p).mean}};
          });
  s.measure("zero", {}, 0.0);
}

void constant_share(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 1024, 4096, 16384});
  const auto lengths = positions(options, {2, 16, 50, 128, 512, 2048, 8192, 32768, 131072});
  Greatest worst;
  Tally none;
  s.sweep("closed form: Dirichlet's kernel", axis("d_model", widths), axis("positions", lengths),
          axis("rule", rules, name_of),
          [&](std::size_t d, std::int64_t length, FrequencyRule rule) {
            const double share = share_of(d, length, rule);
            none.evaluate([&] { return share <= negligible_share; });
            return Values{{"constant_share", share}};
          });
  for (const auto length : lengths)
    for (const auto d : widths)
      for (const auto rule : rules)
        for (const auto layout : layouts)
          if (is_small(d, length))
            worst.evaluate([&] {
              return constant_share_of_bound({d, length, rule, layout}, primitives);
            });
  s.measure("tables_without_a_constant", {{"share_at_most", negligible_share}}, none, "closed form",
            all_of(Part::belief, none.cases()));
  bounded(s, "share", worst, Part::statement, "tables up to 2^18 entries, both rules and layouts");

  s.sweep("closed form", axis("d_model", first_of(6, widths)), axis("positions", by_powers(8, 17)),
          [](std::size_t d, std::int64_t length) {
            return Values{{"share_curve", share_of(d, length)}};
          });
  // ((1 + cos 1)/2 + (1 + cos 0.01)/2)/2, as sin L·y/(L·sin y) is cos y at L = 2.
  s.measure("by_hand", {{"d_model", 4}, {"positions", 2}}, share_of(4, 2));
}

}  // namespace embedscale::sinusoidal_analysis
