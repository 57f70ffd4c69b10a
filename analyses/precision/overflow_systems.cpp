// How far the systems of the atlas that scale their tokens stay away from overflow at their start,
// and what would be lost at the other end if they scaled their positions down.
#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <numbers>
#include <optional>

#include "atlas/atlas.hpp"
#include "audit/parts.hpp"
#include "precision/sections.hpp"
#include "properties/evidence/interval.hpp"
#include "properties/precision/overflow.hpp"

namespace embedscale::precision_analysis::limits {
namespace {

using namespace properties::precision::overflow;
using atlas::System;
using properties::half_ulp;

template <class Real>
Place in_format() {
  return {{"format", FormatTraits<Real>::name}};
}

constexpr const char* at_start = "closed form, over the atlas";

/// The law of a table's entries, of which an audit tells the deviation.
struct Entries {
  using Kind = audit::Distribution::Kind;
  Kind kind;
  double rms;

  bool is_uniform() const {
    return kind == Kind::uniform || kind == Kind::xavier_uniform ||
           kind == Kind::packed_xavier_uniform;
  }
  bool is_cut() const { return kind == Kind::truncated_normal; }
  /// The half range, or σ (before the cut).
  double scale() const {
    if (is_uniform()) return rms * std::numbers::sqrt3;
    return is_cut() ? rms / std::sqrt(variance(TruncatedNormal{1})) : rms;
  }
  /// P(|e| < x).
  double share_below(double x) const {
    const double z = x / scale();
    if (is_uniform()) return std::min(z, 1.0);
    const double within = std::erf(z / std::numbers::sqrt2);
    return is_cut() ? std::min(within / std::erf(std::numbers::sqrt2), 1.0) : within;
  }
  /// The median of the largest |e| of n: x with P(|e| < x)^n = 1/2, so P(|e| >= x) = 1 − 2^(−1/n).
  double median_of_largest(double n) const {
    const double tail = -std::expm1(-std::numbers::ln2 / n);
    if (is_uniform()) return scale() * (1 - tail);
    // Of a cut normal: the share of the uncut one.
    const double kept = is_cut() ? std::erf(std::numbers::sqrt2) : 1.0;
    return scale() * properties::evidence::normal_deviations(tail * kept + (1 - kept));
  }
};

/// What stands in for the sizes that a source leaves to its users, as the largest of n draws hardly
/// depends on n; and how far a position table is looked at.
constexpr std::int64_t usual_vocabulary = 32000, usual_positions = 512, most_positions = 1024;

/// A system that scales its tokens, as far as it is told.
struct Scaled {
  const System* system;
  audit::Configuration c;  ///< with these sizes
  double m;                ///< before it is rounded
  std::optional<Entries> tokens{}, learned{};

  const std::string& name() const { return c.name; }
  std::size_t width() const { return static_cast<std::size_t>(*c.model.d_model); }
  /// |factor| of the positions.
  double factor() const { return std::abs(c.position.multiplier.value_or(1)); }
  bool has_sinusoids() const { return c.position.kind == audit::PositionKind::sinusoidal; }
  bool adds() const {
    return audit::adds_positions(c.position.kind) && c.position.combine == audit::Combine::sum &&
           (has_sinusoids() || learned);
  }
};

std::optional<Entries> entries(const std::optional<audit::Distribution>& law,
                               const std::optional<double>& rms) {
  if (!law || !rms || *rms == 0) return std::nullopt;
  return Entries{law->kind, *rms};
}

std::vector<Scaled> scaled_systems() {
  std::vector<Scaled> all;
  for (const System& system : atlas::installed()) {
    const auto& m = atlas::meant_multiplier_of(system);
    if (!m || *m == 1 || !system.configuration.model.d_model) continue;
    Scaled one{.system = &system, .c = system.configuration, .m = std::abs(*m)};
    if (!one.c.model.vocabulary) one.c.model.vocabulary = usual_vocabulary;
    if (!one.c.model.positions) one.c.model.positions = usual_positions;
    const auto scales = audit::input_scales(one.c, audit::parts_of(one.c));
    one.tokens = entries(one.c.token.law, scales.entry_rms.value);
    if (!one.has_sinusoids()) {
      auto rms = scales.position_rms.value;
      if (rms && one.factor() > 0) *rms /= one.factor();
      one.learned = entries(one.c.position.law, rms);
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// The median, over tables, of the largest scaled token.
double largest_scaled(const Scaled& one, double m) {
  const double n = static_cast<double>(*one.c.model.vocabulary) * static_cast<double>(one.width());
  return m * one.tokens->median_of_largest(n);
}

/// T of a format that a configuration may name.
double threshold_of(audit::NumberFormat format) {
  switch (format) {
    case audit::NumberFormat::binary64: return std::numeric_limits<double>::max();
    case audit::NumberFormat::binary32: return overflows_from<float>();
    case audit::NumberFormat::binary16: return overflows_from<binary16>();
    case audit::NumberFormat::bfloat16: break;
  }
  return overflows_from<bfloat16>();
}

/// T over the largest scaled token, in each format and in that of its own.
void measure_headroom(Section& s, const std::vector<Scaled>& all) {
  const auto measure = [&](const Place& format, const auto& headroom) {
    double least = std::numeric_limits<double>::infinity();
    std::string of;
    for (const auto& one : all) {
      if (!one.tokens) continue;
      const double room = headroom(one);
      s.measure("token_headroom", Place(format).set("system", one.name()), room, at_start);
      if (room < least) least = room, of = one.name();
    }
    if (!of.empty()) s.measure("least_headroom", Place(format).set("system", of), least, at_start);
  };
  for_each_small_format([&]<class Real>() {
    measure(in_format<Real>(), [](const Scaled& one) {
      return overflows_from<Real>() / largest_scaled(one, double(Real(one.m)));
    });
  });
  measure({{"format", "its own"}}, [](const Scaled& one) {
    const auto format = one.c.token.format;
    return threshold_of(format) / largest_scaled(one, audit::rounded_to(format, one.m));
  });
}

/// The largest scaled tokens, and what of a logit an audit tells.
void measure_starts(Section& s, const std::vector<Scaled>& all) {
  for (const auto& one : all) {
    const Place at{{"system", one.name()}, {"d_model", one.width()}};
    if (one.tokens) s.measure("largest_token", at, largest_scaled(one, one.m), at_start);
    const auto measure = [&](const char* quantity, const audit::Quantity& figure,
                             const std::optional<double>& factor) {
      if (figure.value && factor && *figure.value > 0)
        s.measure(quantity, at, overflows_from<binary16>() / (*figure.value / std::abs(*factor)),
                  at_start);
    };
    const auto& scales = one.system->scales;
    measure("input_headroom", scales.input.input_rms, 1.0);
    measure("product_deviations", scales.first_layer.logit_std, one.c.attention.scale);
    measure("own_logit_headroom", scales.output.own_logit, one.c.output.multiplier);
  }
}

/// Of the components of a table: those that become 0 as p/m, with subnormals kept, or flushed.
struct Lost {
  double kept = 0, flushed = 0;
};

/// By the law; 0 where a million such tables have less than one such component.
template <class Real>
Lost lost_of_learned(const Scaled& one) {
  const double by = one.m / one.factor();
  const double components =
      static_cast<double>(*one.c.model.positions) * static_cast<double>(one.width());
  const auto share = [&](double below) {
    const double x = one.learned->share_below(by * below);
    return x * components < 1e-6 ? 0.0 : x;
  };
  return {share(double(std::numeric_limits<Real>::denorm_min()) / 2),
          share(FormatTraits<Real>::min_normal)};
}

/// Counts over the table as it is stored in the format.
template <class Real>
Lost lost_of_sinusoids(const Scaled& one) {
  const auto d = one.width();
  const auto positions =
      static_cast<std::uint64_t>(std::min(*one.c.model.positions, most_positions));
  const auto w = sinusoidal_frequencies<double>(d, one.c.position.frequencies,
                                                one.c.position.base.value_or(10000));
  Lost lost;
  std::vector<double> row(d);
  for (std::uint64_t i = 0; i < positions; ++i) {
    encode_position<double>(one.c.position.first + static_cast<std::int64_t>(i), w,
                            *one.c.position.layout, row);
    for (const double x : row) {
      const auto faint = properties::combination::faint_position<Real>(Real(one.factor() * x),
                                                                       Real(one.m), library<Real>);
      lost.kept += faint.vanished(), lost.flushed += faint.below_normal();
    }
  }
  const auto components = static_cast<double>(positions * d);
  return {lost.kept / components, lost.flushed / components};
}

template <class Real>
void measure_lost(Section& s, const std::vector<Scaled>& all) {
  std::vector<Lost> lost(all.size());
  in_parallel(all.size(), [&](std::uint64_t i) {
    lost[i] = all[i].learned ? lost_of_learned<Real>(all[i]) : lost_of_sinusoids<Real>(all[i]);
  });
  const auto put = [&](const char* subnormals, double Lost::*share) {
    const auto worst = std::ranges::max_element(lost, {}, share);
    Tally losing;
    for (const auto& one : lost) losing.evaluate([&] { return one.*share > 0; });
    const Place at = in_format<Real>().set("subnormals", subnormals);
    s.measure("systems", Place(at).set("that", "lose positions"), losing);
    const auto at_worst = static_cast<std::size_t>(worst - lost.begin());
    const std::string of = (*worst).*share > 0 ? all[at_worst].name() : "none";
    s.measure("positions_lost", Place(at).set("system", of), (*worst).*share,
              "each component, or closed form of a learned table");
  };
  put("kept", &Lost::kept);
  put("flushed", &Lost::flushed);
  // What is flushed is below the smallest normal number: beside a token that is not scaled.
  double most = 0;
  for (const auto& one : all)
    if (one.tokens)
      most = std::max(most, FormatTraits<Real>::min_normal / half_ulp<Real>(one.tokens->rms));
  s.measure("lost_in_half_ulps", in_format<Real>(), most, at_start);
  for (const auto& one : all) {
    if (!one.tokens) continue;
    const Place at = in_format<Real>().set("system", one.name());
    const double normal = FormatTraits<Real>::min_normal, m = double(Real(one.m));
    s.measure("tokens_below_normal", Place(at).set("way", "up"),
              one.tokens->share_below(normal / m), at_start);
    s.measure("tokens_below_normal", Place(at).set("way", "down"), one.tokens->share_below(normal),
              at_start);
  }
}

template <class... Reals>
void measure_other_end(Section& s, const std::vector<Scaled>& systems) {
  std::vector<Scaled> all;
  std::ranges::copy_if(systems, std::back_inserter(all), &Scaled::adds);
  if (all.empty()) return;
  (measure_lost<Reals>(s, all), ...);
  s.measure("systems", {{"that", "scale and add positions"}},
            over<Tally>(all.size(), [](std::uint64_t) { return true; }));
}

}  // namespace

void measure_range_of_systems(Section& s) {
  const auto systems = scaled_systems();
  s.measure("systems",
            {{"that", "scale"},
             {"usual_vocabulary", usual_vocabulary},
             {"usual_positions", usual_positions},
             {"counted_to", most_positions}},
            over<Tally>(systems, [](const Scaled& one) { return one.tokens.has_value(); }));
  measure_headroom(s, systems);
  measure_starts(s, systems);
  measure_other_end<float, binary16, bfloat16, e5m2, e4m3>(s, systems);
}

}  // namespace embedscale::precision_analysis::limits
