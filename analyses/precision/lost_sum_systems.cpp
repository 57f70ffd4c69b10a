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

/// Systems whose parts start alike.
struct Alike {
  std::string names;
  std::uint64_t systems = 0;
  double token = 0, position = 0;
  bool sinusoidal = false;
  std::string kind, format;

  double ratio() const { return token / position; }
  /// A channel at a random phase, or a normal number.
  double drawn_position(const Stream& stream, std::uint64_t i) const {
    return position *
           (sinusoidal ? std::numbers::sqrt2 * std::sin(2 * std::numbers::pi * stream.uniform(i))
                       : stream.normal(i));
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

/// Of normal tokens and positions, drawn and rounded to the format.
template <Scalar Real>
Value drawn_loss(const Alike& of, const cli::Options& options, const std::string& name) {
  const Stream tokens(options.seed, name + "/tokens"), positions(options.seed, name + "/positions");
  return over<Quotient>(128 * options.samples,
                        [&](std::uint64_t i) {
                          const auto t = static_cast<Real>(of.token * tokens.normal(i));
                          const auto p = static_cast<Real>(of.drawn_position(positions, i));
                          const double error = error_of_sum(t, p, primitives.of<Real>());
                          return std::pair(error * error, std::pow(static_cast<double>(p), 2));
                        })
      .with_error(NormalConfidence::p999)
      .mapped([](double x) { return std::sqrt(std::max(0.0, x)); });
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
    properties::precision::for_each_narrow_format([&]<class Real>() {
      s.measure("loss_in_system", Place(at).set("format", FormatTraits<Real>::name),
                drawn_loss<Real>(of, options, std::string(s.claim().id) + "/" + of.names),
                "drawn tokens and positions");
    });
  }
  s.measure("other_systems", {{"below", all[std::min(shown, all.size()) - 1].ratio()}}, others);
}

}  // namespace embedscale::precision_analysis::lost
