// What a sum would lose of the position at the ratios of the systems of the atlas.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "conventions/atlas.hpp"
#include "precision/lost_sum.hpp"
#include "report/table.hpp"

namespace embedscale::precision_analysis::lost {
namespace {

using conventions_analysis::System;

/// As many values of a normal law, in the middle of parts of equal probability, with this RMS.
Positions normal_positions(double rms) {
  Positions made;
  for (std::size_t i = 0; i < phases / 2; ++i) {
    const double tail = (static_cast<double>(i) + 0.5) / static_cast<double>(phases);
    const double x = properties::evidence::normal_deviations(2 * tail);
    made.values.push_back(x);
    made.values.push_back(-x);
  }
  const double to_rms = rms / std::sqrt(made.mean_square());
  for (double& p : made.values) p *= to_rms;
  return made;
}

/// Systems whose parts start alike.
struct Alike {
  std::string names;
  std::uint64_t systems = 0;
  double token = 0, position = 0;
  bool sinusoidal = false;
  std::string kind, format;

  double ratio() const { return token / position; }
  Positions positions() const {
    return sinusoidal ? scaled(sinusoid(phases), position * std::numbers::sqrt2)
                      : normal_positions(position);
  }
};

/// By their ratio, the largest first.
std::vector<Alike> systems_alike() {
  std::map<std::string, Alike> alike;
  for (const System& system : conventions_analysis::installed_atlas()) {
    if (!conventions_analysis::ratio_of(system)) continue;
    const auto& c = system.configuration;
    Alike of{.token = *system.scales.input.token_rms.value,
             .position = *system.scales.input.position_rms.value,
             .sinusoidal = c.position.kind == audit::PositionKind::sinusoidal,
             .kind = std::string(audit::name_of(c.position.kind)),
             .format = std::string(audit::name_of(c.token.format))};
    auto& group = alike
                      .try_emplace(significant(of.token, 6) + "/" + significant(of.position, 6) +
                                       of.kind + of.format,
                                   of)
                      .first->second;
    group.names += (group.names.empty() ? "" : ", ") + c.name;
    ++group.systems;
  }
  std::vector<Alike> all;
  for (const auto& [key, of] : alike) all.push_back(of);
  std::ranges::stable_sort(all, std::greater{}, &Alike::ratio);
  return all;
}

/// Drawn, in binary32: normal tokens beside the positions in turn.
Value drawn_loss(const Alike& of, const Stream& stream, std::uint64_t draws) {
  const auto positions = of.positions();
  const auto squares = over<Quotient>(draws, [&](std::uint64_t i) {
    const auto t = static_cast<float>(of.token * stream.normal(i));
    const auto p = static_cast<float>(positions.values[i % phases]);
    const double error = error_of_sum(t, p, primitives.of<float>());
    return std::pair(error * error, static_cast<double>(p) * static_cast<double>(p));
  });
  return squares.with_error(NormalConfidence::p999).mapped([](double x) {
    return std::sqrt(std::max(0.0, x));
  });
}

}  // namespace

void measure_systems(Section& s, const cli::Options& options) {
  constexpr std::size_t shown = 8;
  const auto all = systems_alike();
  Tally others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& of = all[i];
    if (i >= shown) {
      for (std::uint64_t k = 0; k < of.systems; ++k) others.evaluate([] { return true; });
      continue;
    }
    const Place at{{"systems", of.names}, {"position", of.kind}, {"own_format", of.format}};
    s.measure("ratio", at, of.ratio());
    const auto in = [&](const char* format) { return Place(at).set("format", format); };
    const Stream stream(options.seed, std::string(s.claim().id) + "/" + of.names);
    s.measure("loss_in_system", in("binary32"), drawn_loss(of, stream, 16 * options.samples),
              "drawn tokens");
    const auto positions = of.positions();
    s.measure("loss_in_system", in("binary16"),
              expected_loss<binary16>(of.token, positions, primitives.of<binary16>()), summed);
    s.measure("loss_in_system", in("bfloat16"),
              expected_loss<bfloat16>(of.token, positions, primitives.of<bfloat16>()), summed);
  }
  s.measure("other_systems", {{"below", all[std::min(shown, all.size()) - 1].ratio()}}, others);
}

}  // namespace embedscale::precision_analysis::lost
