// What a sum loses of its smaller part, by ratio: in closed form and summed over a format's pairs.
#include "properties/precision/lost_sum.hpp"
#include <embedscale/random.hpp>

#include <array>
#include <functional>
#include <map>
#include <optional>

#include "atlas/atlas.hpp"
#include "precision/sections.hpp"
#include "report/table.hpp"

namespace embedscale::precision_analysis::lost {
namespace {

using namespace properties::precision::lost_sum;
using properties::evidence::Interval;

const Primitives primitives;

/// What a property counted of every token of a format.
template <Scalar Real>
void measure_pairs(Section& s, const char* property) {
  const Place at{{"format", FormatTraits<Real>::name}};
  for (const auto* quantity : {"lost_on_condition", "kept_elsewhere", "other_than_the_ratio_says",
                               "over_a_part", "other_than_the_distance", "inexact_when_cancelling"})
    s.measure_failures(quantity, at, property);
  s.measure_worst("worst_share_of_bound", at, property);
}

/// RMS of what is lost over the RMS of the position.
using LossByRatio = std::function<Loss(double ratio)>;

/// Whether a format has so few numbers that all of them are summed over.
template <class Real>
constexpr bool is_small = FormatTraits<Real>::digits <= 12;

/// Beside a sinusoid, by the tokens' deviation: summed over every pair of numbers of the format.
/// Tokens of 2A/u and more lose every position. Those below 2^−12 A count as losing nothing, as no
/// error is above |t|. Where both t ± A are in t's binade, the error is p's distance from the
/// multiples of t's ulp, and one token stands for the others.
template <Scalar Real>
std::function<double(double deviation)> summed_loss(const Sinusoid& sinusoid) {
  const auto positions = rounded_sizes<Real>(sinusoid);
  double mean_square = 0.0;
  for (const auto& [p, mass] : positions)
    mean_square += mass * static_cast<double>(p) * static_cast<double>(p);
  const auto token = [](std::uint64_t i) {
    return static_cast<double>(properties::precision::number<Real>(i));
  };
  const auto is_like_the_one_before = [&](std::uint64_t i) {
    const double before = token(i - 1), a = sinusoid.amplitude;
    return before > a && std::ilogb(before - a) == std::ilogb(token(i) + a);
  };
  std::vector<double> of_tokens(Real::max().bits() + std::size_t{1}, mean_square);
  in_parallel(of_tokens.size(), [&](std::uint64_t i) {
    const double size = token(i) / sinusoid.amplitude;
    if (size < 0x1p-12)
      of_tokens[i] = 0.0;
    else if (size * unit_roundoff<Real> < 2.0 && !is_like_the_one_before(i))
      of_tokens[i] = mean_square_error(Real(token(i)), positions, primitives.of<Real>());
  });
  for (std::uint64_t i = 1; i < of_tokens.size(); ++i)
    if (is_like_the_one_before(i)) of_tokens[i] = of_tokens[i - 1];
  return [of = std::move(of_tokens), mean_square](double deviation) {
    return expected_loss<Real>(deviation, of, mean_square);
  };
}

constexpr Sinusoid unit;

template <Scalar Real>
Loss limit_at(double ratio) {
  return limiting_loss(ratio * unit.rms(), unit, unit_roundoff<Real>);
}

/// Beside sinusoids: every token of a small format, and the closed form of a large one.
template <Scalar Real>
LossByRatio loss_by_ratio() {
  if constexpr (is_small<Real>)
    return [loss = summed_loss<Real>(unit)](double ratio) {
      const double at = loss(ratio * unit.rms());
      // Left out: positions of a mean square below 2^−36 A², and what tokens below 2^−12 A lose, of
      // a chance below 0.8·2^−12·A/σ. Over E p² = A²/2:
      const double off = 0x1p-35 * (1 + 1.2 / ratio);
      return Loss{at, {at, std::sqrt(at * at + off)}};
    };
  else
    return limit_at<Real>;
}

/// Ratios between which a loss that grows with the ratio passes a level.
Value ratio_of_loss(const LossByRatio& loss, double level, double guess) {
  double low = guess, high = guess;
  while (loss(low).within.upper >= level) low /= 2;
  while (loss(high).within.lower < level) high *= 2;
  const auto passed_by = [&](double Interval::*end) {
    std::pair between{low, high};
    while (between.second > (1 + 0x1p-20) * between.first) {
      const double middle = std::sqrt(between.first * between.second);
      (loss(middle).within.*end < level ? between.first : between.second) = middle;
    }
    return between;
  };
  const double first = passed_by(&Interval::upper).first, last = passed_by(&Interval::lower).second;
  return Value(std::sqrt(first * last)).enclosed(first, last);
}

template <Scalar Real>
void measure_ratios(Section& s) {
  static const auto loss = loss_by_ratio<Real>();  // nothing of it is drawn: once
  const Place at{{"format", FormatTraits<Real>::name}};
  constexpr double u = unit_roundoff<Real>;
  constexpr bool closed = !is_small<Real>;
  constexpr const char* method = closed ? "closed form of tokens far larger than positions"
                                        : "summed over every pair of numbers of the format";
  for (const double level : {0.01, 0.1, 0.5})
    s.measure("ratio_of_loss", Place(at).set("level", level),
              ratio_of_loss(loss, level, 2 * level / u), method);
  s.measure("ratio_kept_below", at, 1 / u, "proved");
  s.measure("ratio_lost_from", at, 2 / u, "proved");

  Greatest distance;
  Tally falling;
  std::optional<double> before;
  for (double ratio = closed ? 1 << 14 : 1; ratio <= 8 / u; ratio *= closed ? 4 : 2) {
    const auto [value, within] = loss(ratio);
    s.measure("loss", Place(at).set("ratio", ratio),
              Value(value).enclosed(within.lower, within.upper), method);
    if (before) falling.evaluate([&, value = value] { return value < *before; });
    before = value;
    if (!closed && ratio >= 8)
      distance.evaluate(
          [&, value = value] { return std::abs(value / limit_at<Real>(ratio).value - 1); });
  }
  s.measure("falling_losses", at, falling);
  if (!closed) s.measure("distance_of_limit", Place(at).set("from", 8), distance);
}

/// One ratio at scales over a binade: both parts times one factor.
void measure_scales(Section& s) {
  constexpr int scales = 16, ratio = 2;
  static const auto losses = [] {  // nothing of them is drawn: once
    std::array<double, scales> all;
    for (int i = 0; i < scales; ++i) {
      const Sinusoid scaled{std::exp2(static_cast<double>(i) / scales)};
      all[static_cast<std::size_t>(i)] = summed_loss<bfloat16>(scaled)(ratio * scaled.rms());
    }
    return all;
  }();
  for (int i = 0; i < scales; ++i)
    s.measure("loss_at_scale", {{"ratio", ratio}, {"scale", static_cast<double>(i) / scales}},
              losses[static_cast<std::size_t>(i)]);
}

using atlas::System;

/// Systems whose parts start alike.
struct Alike {
  const System* one;
  std::string names{};
  std::uint64_t systems = 0;

  double token() const { return *one->scales.input.token_rms.value; }
  double position() const { return *one->scales.input.position_rms.value; }
  double ratio() const { return token() / position(); }
  audit::PositionKind kind() const { return one->configuration.position.kind; }
  std::string format() const {
    return std::string(audit::name_of(one->configuration.token.format));
  }
  std::string key() const {
    return significant(token(), 6) + "/" + significant(position(), 6) +
           std::string(audit::name_of(kind())) + format();
  }
  /// A channel at a random phase, or a normal number.
  double drawn_position(const Stream& stream, std::uint64_t i) const {
    if (kind() != audit::PositionKind::sinusoidal) return position() * stream.normal(i);
    return position() * (std::numbers::sqrt2 * std::sin(2 * std::numbers::pi * stream.uniform(i)));
  }
};

/// By their ratio, the largest first.
std::vector<Alike> systems_alike() {
  std::map<std::string, Alike> alike;
  for (const System& system : atlas::installed()) {
    if (!atlas::ratio_of(system)) continue;
    const Alike of{&system};
    auto& group = alike.try_emplace(of.key(), of).first->second;
    group.names += (group.names.empty() ? "" : ", ") + system.configuration.name;
    ++group.systems;
  }
  std::vector<Alike> all;
  for (const auto& [key, of] : alike) all.push_back(of);
  std::ranges::stable_sort(all, std::greater{}, &Alike::ratio);
  return all;
}

/// Of normal tokens and positions, drawn and rounded to the format.
template <Scalar Real>
Value drawn_loss(const Alike& of, const Options& options, const std::string& name) {
  const Stream tokens(options.seed, name + "/tokens"), positions(options.seed, name + "/positions");
  return over<Quotient>(128 * options.samples,
                        [&](std::uint64_t i) {
                          const auto t = static_cast<Real>(of.token() * tokens.normal(i));
                          const auto p = static_cast<Real>(of.drawn_position(positions, i));
                          const double error = Added<Real>(t, p, primitives).error;
                          return std::pair(error * error, std::pow(static_cast<double>(p), 2));
                        })
      .with_error(NormalConfidence::p999)
      .mapped([](double x) { return std::sqrt(std::max(0.0, x)); });
}

/// At the ratios of the systems of the atlas: what a sum would lose of the position.
void measure_systems(Section& s, const Options& options) {
  constexpr std::size_t shown = 8;
  const auto all = systems_alike();
  Tally others;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& of = all[i];
    if (i >= shown) {
      for (std::uint64_t k = 0; k < of.systems; ++k) others.evaluate([] { return true; });
      continue;
    }
    const Place at{{"systems", of.names},
                   {"position", std::string(audit::name_of(of.kind()))},
                   {"own_format", of.format()}};
    s.measure("ratio", at, of.ratio());
    properties::precision::for_each_narrow_format([&]<class Real>() {
      s.measure("loss_in_system", Place(at).set("format", FormatTraits<Real>::name),
                drawn_loss<Real>(of, options, std::string(s.claim().id) + "/" + of.names),
                "drawn tokens and positions");
    });
  }
  s.measure("other_systems", {{"below", all[std::min(shown, all.size()) - 1].ratio()}}, others);
}

}  // namespace

void sum_loses_the_smaller_part(Section& s, const Options& options) {
  measure_pairs<binary16>(s, "holds_for_every_token_beside_some_positions");
  measure_pairs<bfloat16>(s, "holds_for_every_token_beside_some_positions");
  properties::precision::for_each_narrow_format([&]<class Real>() { measure_ratios<Real>(s); });
  properties::precision::for_each_tiny_format([&]<class Real>() {
    measure_pairs<Real>(s, "holds_for_every_pair_of_eight_bits");
    measure_ratios<Real>(s);
  });
  measure_scales(s);
  measure_systems(s, options);
  const bfloat16 t(256), p(1);
  s.measure("example_sum", {{"t", 256}, {"p", 1}},
            static_cast<double>(primitives.of<bfloat16>().sum(t, p)));
}

}  // namespace embedscale::precision_analysis::lost
