// √d_model in each format: at every width, at those of Gemma, and in the systems of the atlas.
#include "properties/precision/rounded_root.hpp"

#include <fmt/format.h>

#include <map>

#include "atlas/atlas.hpp"
#include "audit/parts.hpp"
#include "precision/sections.hpp"
#include "properties/domain/widths.hpp"
#include "report/table.hpp"

namespace embedscale::precision_analysis::roots {
namespace {

using namespace properties::precision::rounded_root;
using atlas::System;
using Widths = std::vector<std::uint64_t>;

const Primitives primitives;

/// "1, 4, 256–258": numbers in their order, runs of them by their ends.
std::string runs_of(const Widths& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + count(numbers[i]);
    if (last > i) text += "–" + count(numbers[last]);
    i = last + 1;
  }
  return text;
}

/// What a format makes of the roots of all widths.
struct Roots {
  Tally exact, power, by_rounded_width;
  Greatest share, error, rounded_width_share, rounded_width_error;
  Widths powers, cast;  ///< whose root is a power of two; that can be cast to the format
};

template <Scalar Real>
Roots roots_of(const Widths& widths) {
  const Operations<Real>& of = primitives.of<Real>();
  Roots all;
  for (const auto d : widths) {
    const Real m = of.root(d), by_width = of.of_rounded_width(d);
    all.exact.evaluate([&] { return error_of_root(m, d) == 0.0; });
    if (all.power.evaluate([&] { return properties::is_power_of_two(static_cast<double>(m)); }))
      all.powers.push_back(d);
    all.share.evaluate([&] { return share_of_root_bound(m, d); });
    all.error.evaluate([&] { return std::abs(error_of_root(m, d)); });
    if (!properties::precision::fits<Real>(static_cast<double>(d))) continue;
    all.cast.push_back(d);
    all.by_rounded_width.evaluate([&] { return !(by_width == m); });
    all.rounded_width_share.evaluate([&] { return share_of_rounded_width_bound(by_width, d); });
    all.rounded_width_error.evaluate([&] { return std::abs(error_of_root(by_width, d)); });
  }
  return all;
}

template <Scalar Real>
void measure_roots(Section& s, const Widths& widths) {
  const auto all = roots_of<Real>(widths);
  const Place at{{"format", FormatTraits<Real>::name}};
  s.measure("exact_roots", at, all.exact);
  for (const auto* quantity : {"inexact_on_condition", "other_widths_that_are_exact"})
    s.measure_failures(quantity, at, "is_the_nearest_number_at_every_width");
  s.measure("share_of_bound", at, all.share, "exhaustive; the bound is proved");
  s.measure("largest_error", Place(at).set("d_model", widths[all.error.at()]), all.error,
            exhaustive);
  s.measure("power_of_two_roots", Place(at).set("widths", runs_of(all.powers)), all.power,
            exhaustive);
  if (all.cast.empty()) return;
  s.measure("moved_by_rounded_width", at, all.by_rounded_width, exhaustive);
  s.measure("share_of_rounded_width_bound", at, all.rounded_width_share,
            "exhaustive; the bound is proved");
  s.measure("largest_error_of_rounded_width",
            Place(at).set("d_model", all.cast[all.rounded_width_error.at()]),
            all.rounded_width_error);
}

/// The first width at which one rounding and two part, behind those where it is proved that they do
/// not.
template <Scalar Real>
void measure_two_roundings(Section& s) {
  const Place at{{"format", FormatTraits<Real>::name}};
  s.measure_failures("moved_by_two_roundings", at, "loses_nothing_beside_midpoints");
  const Operations<Real>& of = primitives.of<Real>();
  std::uint64_t d = double_rounding_is_harmless + 1;
  while (of.through_binary32(d) == of.root(d)) ++d;
  s.measure("first_width_by_two_roundings", at, static_cast<double>(d));
}

/// Gemma's models and their widths: gemma_pytorch's gemma/config.py, gemma/gm/nn/_gemma.py.
struct Model {
  const char* name;
  std::uint64_t d;
};
constexpr std::array<Model, 8> gemmas{{{"Gemma 2B", 2048},
                                       {"Gemma 2 2B", 2304},
                                       {"Gemma 3 4B", 2560},
                                       {"Gemma 7B", 3072},
                                       {"Gemma 2 9B", 3584},
                                       {"Gemma 3 12B", 3840},
                                       {"Gemma 2 27B", 4608},
                                       {"Gemma 3 27B", 5376}}};

template <Scalar Real>
void measure_model(Section& s, const Model& model) {
  const Real m = primitives.of<Real>().root(model.d);
  const Place at{{"model", model.name}, {"d_model", model.d}, {"format", FormatTraits<Real>::name}};
  const auto moved = over<Tally>(std::uint64_t{1} << (FormatTraits<Real>::digits - 1),
                                 [&](std::uint64_t i) { return moves_product(i, m, model.d); });
  s.measure("error_at_width", at, error_of_root(m, model.d), exhaustive);
  s.measure("moved_activations", at, moved.share_of_all(), "every significand of e");
  s.measure("root", at, static_cast<double>(m));
}

/// Those whose multiplier is rounded, the most first; all others are counted.
void measure_systems(Section& s) {
  const auto& systems = atlas::installed();
  const auto kind_of = [](const System& system) {
    const auto& m = atlas::multiplier_of(system);
    const auto& error = system.scales.scaled_down.rounding_error.value;
    if (!m || !error || !system.configuration.model.d_model) return m == 1.0 ? "1" : "not told";
    if (*error != 0) return "rounded";
    return *m == 1.0 ? "1" : "exact";
  };
  const auto error_of = [](const System& system) {
    return *system.scales.scaled_down.rounding_error.value;
  };
  std::map<std::pair<std::string, std::int64_t>, std::vector<const System*>> alike;
  for (const System& system : systems)
    if (const auto& c = system.configuration; kind_of(system) == std::string("rounded"))
      alike[{std::string(audit::name_of(c.token.format)), *c.model.d_model}].push_back(&system);
  std::vector<std::pair<Place, const System*>> all;
  for (const auto& [key, those] : alike) {
    std::string names;
    for (const auto* of : those) names += (names.empty() ? "" : ", ") + of->configuration.name;
    all.push_back(
        {{{"systems", names}, {"width", key.second}, {"own_format", key.first}}, those.back()});
  }
  std::ranges::stable_sort(all, std::greater{},
                           [&](const auto& of) { return std::abs(error_of(*of.second)); });
  for (const auto& [at, system] : all) {
    s.measure("error_in_system", at, error_of(*system), "the audit, over the atlas");
    s.measure("system_root", at, *atlas::multiplier_of(*system));
  }
  for (const std::string kind : {"rounded", "exact", "1", "not told"})
    s.measure("systems_by_rounding", {{"multiplier", kind}},
              over<Tally>(systems, [&](const System& system) { return kind_of(system) == kind; }),
              "the audit, over the atlas");
}

/// Of the record of Gemma that tells its table: what the rounding of m moves.
void measure_gemma(Section& s) {
  const auto& gemma = atlas::named("hf_gemma");
  const Place at{{"system", gemma.configuration.name}};
  const double moved = *gemma.scales.scaled_down.rounding_error.value;
  const double rms = *gemma.scales.input.token_rms.value;
  const auto norm = *audit::first_norm(gemma.configuration).value;
  s.measure("rms", at, rms);
  s.measure("epsilon", at, norm.epsilon);
  s.measure("moved_stream", at, moved);
  s.measure("moved_norm", at, std::abs(expected::epsilon_deviation(rms * rms, norm, 1 + moved)));
  s.measure("output_multiplier", at, *gemma.configuration.output.multiplier);
}

}  // namespace

void rounded_root_d(Section& s, const Options& options) {
  const auto widths = points(options.widths, properties::domain::Widths{1, 1 << 14}.all());
  properties::precision::for_each_narrow_format(
      [&]<class Real>() { measure_roots<Real>(s, widths); });
  properties::precision::for_each_tiny_format(
      [&]<class Real>() { measure_roots<Real>(s, widths); });
  measure_two_roundings<binary16>(s);
  measure_two_roundings<bfloat16>(s);
  for (const auto& model : gemmas) {
    measure_model<binary16>(s, model);
    measure_model<bfloat16>(s, model);
    s.measure("exact_root", {{"model", model.name}, {"d_model", model.d}},
              std::sqrt(static_cast<double>(model.d)));
  }
  measure_systems(s);
  measure_gemma(s);
}

}  // namespace embedscale::precision_analysis::roots
