// Two scales of one table: exact samples, floating point, and the common parametrisations.
#include "properties/tied_output/scales.hpp"

#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "properties/domain/rationals.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using namespace properties::tied_output;
using properties::Part;
using properties::domain::Rational;

const Primitives primitives;

/// Case i: width k² of three, a table of any deviation.
struct Sample {
  int k;
  Rational sigma, other;

  std::size_t width() const { return static_cast<std::size_t>(k * k); }
  bool has_unit_logits() const { return sigma * k == 1; }
};

/// With both scales 1 and c = ±1, m is ±k and σ is 1/k; with any other c, m is not.
void measure_exactly(Section& s, const Options& options) {
  constexpr const char* method = "exact rationals, d = 1, 4 and 9";
  const Stream stream(options.seed, s.claim().id);
  const auto sample = [&](std::uint64_t i) {
    using properties::domain::positive_rational;
    return Sample{1 + static_cast<int>(i % 3), positive_rational(stream, 16 * i),
                  positive_rational(stream, 16 * i + 1)};
  };
  const Rational one(1);
  const auto apart = over<Tally>(options.samples, [&](std::uint64_t i) {
    const auto at = sample(i);
    const auto table = uncorrelated_table(at.width(), at.sigma),
               small = uncorrelated_table(at.width(), Rational(one / at.k));
    const Rational m = i % 2 == 0 ? at.other : Rational(1 / at.sigma);
    return both_are_one(table, table, i, m, one, primitives) !=
               (m == at.k && at.has_unit_logits()) ||
           !both_are_one(small, small, i, Rational(at.k), one, primitives);
  });
  s.decide_none("unit_scale_disagreements", {{"logits_times", "1"}}, apart, Part::belief, method);
  const auto parted = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto at = sample(i);
    if (at.has_unit_logits()) return std::nullopt;
    const auto table = uncorrelated_table(at.width(), at.sigma);
    const Rational m = 1 / at.sigma, c = 1 / (at.sigma * at.k);
    return m != at.k && both_are_one(table, table, i, m, c, primitives);
  });
  s.measure("parted_by_a_logit_factor", {{"logits_times", "not 1"}}, parted, method,
            all_of(Part::belief_elsewhere, parted.cases()));
}

void measure_rounding(Section& s, const Options& options) {
  Greatest worst;
  for (const auto d : points(options.widths, usual_widths)) {
    if (d > 1024) continue;  // V·d entries
    for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{0x5555555555555555}}) {
      worst.evaluate([&] { return unit_scales_share_of_bound<float>(d, bits, primitives); });
      worst.evaluate([&] { return unit_scales_share_of_bound<double>(d, bits, primitives); });
    }
  }
  if (worst.cases() > 0)
    s.measure("worst_share_of_bound", {}, worst,
              "tables of uncorrelated signs, binary32 and binary64",
              at_most(Part::statement, 1, worst.cases()));
}

/// A way to spell the scales of a shared table at one (d, V): deviation σ, m in, c out.
struct Parametrisation {
  std::string name;
  std::uint64_t d;
  double sigma, m, c;

  double input_rms() const { return std::abs(m) * sigma; }
  double logit_std() const { return std::abs(c) * sigma * std::sqrt(static_cast<double>(d)); }
  double quotient() const {
    const double in = input_rms(), out = logit_std();
    return std::max(in, out) / std::min(in, out);
  }
  /// But for rounding: σ's own, a root, a quotient and two products, each off by at most u.
  bool has_unit_scales() const {
    const auto is_one = [](double x) { return std::abs(x - 1) <= 8 * 0x1p-53; };
    return is_one(input_rms()) && is_one(logit_std());
  }
};

std::vector<Parametrisation> parametrisations(std::uint64_t d, std::uint64_t V,
                                              const std::vector<double>& deviations) {
  const double root = std::sqrt(static_cast<double>(d));
  const double xavier = std::sqrt(2 / (static_cast<double>(V) + static_cast<double>(d)));
  std::vector<Parametrisation> all{{"up: √d·e + p", d, 1 / root, root, 1},
                                   {"down: e + p/√d", d, 1 / root, 1, 1},
                                   {"σ = 1", d, 1, 1, 1},
                                   {"σ = 1, logits/√d", d, 1, 1, 1 / root}};
  for (const double sigma : deviations) {
    const std::string name = "σ = " + significant(sigma, 2);
    all.push_back({name, d, sigma, 1, 1});
    all.push_back({name + ", √d·e + p", d, sigma, root, 1});
  }
  all.push_back({"Xavier", d, xavier, 1, 1});
  all.push_back({"Xavier, √d·e + p", d, xavier, root, 1});
  return all;
}

/// Which of them have both scales at 1, at one width: 512 where it is among them.
void count_unit_scales(Section& s, const std::vector<Parametrisation>& ways) {
  const auto unit =
      over<Tally>(ways.size(), [&](std::uint64_t i) { return ways[i].has_unit_scales(); });
  std::string names;
  for (const auto& way : ways)
    if (way.has_unit_scales()) names += (names.empty() ? "" : "; ") + way.name;
  const auto d = ways.front().d;
  s.measure("unit_parametrisations", {{"d_model", d}}, unit, "closed form");
  s.measure("named_parametrisations", {{"names", names}}, unit);
  s.measure("root_of_width", {{"d_model", d}}, std::sqrt(static_cast<double>(d)));
}

}  // namespace

void one_table_two_scales(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_rounding(s, options);
  const auto widths = points(options.widths, usual_widths);
  const auto vocabularies = points(options.vocabulary, usual_vocabulary);
  const auto deviations = points(options.deviations, usual_deviations);
  for (const auto V : vocabularies)
    for (const auto d : widths)
      s.sweep("closed form", {{"d_model", d}, {"vocabulary", V}},
              axis("parametrisation", parametrisations(d, V, deviations), &Parametrisation::name),
              [](const Parametrisation& way) {
                return Values{
                    {"input_rms", way.input_rms()},
                    {"logit_std", Value(way.logit_std()).by("closed form, final state of RMS 1")},
                    {"larger_over_smaller", way.quotient()}};
              });
  s.measure("equal_scales", {}, 1);
  const auto middle = std::ranges::count(widths, 512u) > 0 ? 512u : widths.front();
  count_unit_scales(s, parametrisations(middle, vocabularies.front(), deviations));
}

}  // namespace embedscale::tied_output_analysis
