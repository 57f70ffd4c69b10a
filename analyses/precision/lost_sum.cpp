// What a sum loses of its smaller part: every pair of a position and a token of two formats; the
// loss by ratio, in closed form and summed over a format.
#include "precision/lost_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "report/parallel.hpp"

namespace embedscale::precision_analysis {

using namespace lost;

namespace {

/// Of one position beside every finite token.
struct Pairs {
  Tally lost_on_condition, kept_elsewhere, against_ratio, over_a_part, inexact_when_cancelling,
      against_distance;
  Greatest share;

  void operator+=(const Pairs& other) {
    lost_on_condition += other.lost_on_condition, kept_elsewhere += other.kept_elsewhere;
    against_ratio += other.against_ratio, over_a_part += other.over_a_part;
    inexact_when_cancelling += other.inexact_when_cancelling;
    against_distance += other.against_distance;
    share += other.share;
  }
};

template <Scalar Real>
Pairs pairs_with(const Real& p) {
  const Operations<Real>& of = primitives.of<Real>();
  Pairs all;
  for (std::uint64_t i = 0; i <= Real::max().bits(); ++i) {
    const auto size = Real::from_bits(static_cast<typename Real::Bits>(i));
    for (const Real& t : {size, Real(-size)}) {
      const bool lost = is_lost(t, p, of);
      if (has_to_be_lost(t, p))
        all.kept_elsewhere.evaluate([&] { return !lost; });
      else
        all.lost_on_condition.evaluate([&] { return lost; });
      all.against_ratio.evaluate([&] { return !follows_the_ratio(t, p, of); });
      all.over_a_part.evaluate([&] { return !is_off_by_no_more_than_a_part(t, p, of); });
      if (nearly_cancel(t, p))
        all.inexact_when_cancelling.evaluate([&] { return error_of_sum(t, p, of) != 0.0; });
      all.against_distance.evaluate([&] { return !is_off_by_the_distance(t, p, of); });
      all.share.evaluate([&] { return share_of_sum_bound(t, p, of); });
    }
  }
  return all;
}

template <Scalar Real>
void measure_pairs(Section& s) {
  constexpr const char* method = "exhaustive: every finite t";
  const auto positions = sinusoid(phases);
  std::vector<Pairs> each(phases);
  in_parallel(phases, [&](std::uint64_t i) {
    each[i] = pairs_with(static_cast<Real>(positions.values[i]));
  });
  Pairs all;
  for (const auto& one : each) all += one;
  const Place at{{"format", FormatTraits<Real>::name}};
  const auto pairs = all.share.cases();
  s.decide_none("lost_on_condition", at, all.lost_on_condition, Part::belief, method);
  s.decide_none("kept_elsewhere", at, all.kept_elsewhere, Part::necessity, method);
  s.measure("other_than_the_ratio_says", at, all.against_ratio, method,
            none_of(Part::statement, pairs));
  s.measure("over_a_part", at, all.over_a_part, method, none_of(Part::statement, pairs));
  s.measure("other_than_the_distance", at, all.against_distance, method,
            none_of(Part::statement, pairs));
  s.decide_none("inexact_when_cancelling", at, all.inexact_when_cancelling, Part::statement,
                method);
  s.measure("worst_share_of_bound", at, all.share, method, at_most(Part::statement, 1, pairs));
}

/// RMS of what is lost over the RMS of the position.
using Loss = std::function<double(double ratio)>;

/// Whether a format has so few numbers that all of them are summed over.
template <class Real>
constexpr bool is_small = FormatTraits<Real>::digits <= 12;

/// Beside sinusoids: every token of a small format, and the closed form of a large one.
template <Scalar Real>
Loss loss_by_ratio() {
  const auto positions = sinusoid(phases);
  const double rms = std::sqrt(positions.mean_square());
  if constexpr (is_small<Real>)
    return [=](double ratio) {
      return expected_loss<Real>(ratio * rms, positions, primitives.of<Real>());
    };
  else
    return [=](double ratio) { return limiting_loss(ratio * rms, positions, unit_roundoff<Real>); };
}
template <Scalar Real>
double limit_at(double ratio) {
  const auto positions = sinusoid(phases);
  return limiting_loss(ratio * std::sqrt(positions.mean_square()), positions, unit_roundoff<Real>);
}

/// Two ratios between which a loss that grows with the ratio passes a level.
struct Passed {
  double low, high;
};

/// The second is at most `within` times the first.  Requires a guess to begin at, off by some
/// factors of `step`.
Passed passed_at(const Loss& loss, double level, double guess, double step, double within) {
  Passed at{guess, guess};
  while (loss(at.low) >= level) at.low /= step;
  while (loss(at.high) < level) at.high *= step;
  while (at.high > within * at.low) {
    const double middle = std::sqrt(at.low * at.high);
    (loss(middle) < level ? at.low : at.high) = middle;
  }
  return at;
}

/// By the closed form; then, in a small format, by its tokens from there on.
template <Scalar Real>
Value ratio_of_loss(const Loss& loss, double level) {
  constexpr double u = unit_roundoff<Real>;
  Passed at = passed_at(limit_at<Real>, level, 2 * level / u, 1.5, 1 + 0x1p-16);
  if (is_small<Real>) at = passed_at(loss, level, at.high, 1.02, 1 + 0x1p-12);
  return Value(at.high).enclosed(at.low, at.high);
}

constexpr std::array levels{0.01, 0.1, 0.5};

template <Scalar Real>
void measure_ratios(Section& s) {
  const auto loss = loss_by_ratio<Real>();
  const Place at{{"format", FormatTraits<Real>::name}};
  constexpr double u = unit_roundoff<Real>;
  constexpr bool closed = !is_small<Real>;
  constexpr const char* method =
      closed ? "closed form of tokens far larger than positions" : summed;
  std::vector<std::optional<Value>> passed(levels.size());
  in_parallel(levels.size(),
              [&](std::uint64_t i) { passed[i] = ratio_of_loss<Real>(loss, levels[i]); });
  for (std::size_t i = 0; i < levels.size(); ++i)
    s.measure("ratio_of_loss", Place(at).set("level", levels[i]), *passed[i], method);
  s.measure("ratio_kept_below", at, 1 / u, "proved");
  s.measure("ratio_lost_from", at, 2 / u, "proved");

  std::vector<double> ratios;
  for (double ratio = closed ? 16 : 1; ratio <= 8 / u; ratio *= closed ? 4 : 2)
    ratios.push_back(ratio);
  std::vector<double> losses(ratios.size());
  in_parallel(ratios.size(), [&](std::uint64_t i) { losses[i] = loss(ratios[i]); });
  Greatest distance;
  s.measure("falling_losses", at, over<Tally>(ratios.size() - 1, [&](std::uint64_t i) {
              return losses[i + 1] < losses[i];
            }));
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    s.measure("loss", Place(at).set("ratio", ratios[i]), losses[i], method);
    if (!closed && ratios[i] >= 8)
      distance.evaluate([&] { return std::abs(losses[i] / limit_at<Real>(ratios[i]) - 1); });
  }
  if (!closed) s.measure("distance_of_limit", Place(at).set("from", 8), distance);
}

/// One ratio at scales over a binade: both parts times one factor.
void measure_scales(Section& s) {
  constexpr std::uint64_t scales = 16;
  constexpr int ratio = 2;
  const auto positions = sinusoid(phases);
  std::vector<double> losses(scales);
  in_parallel(scales, [&](std::uint64_t i) {
    const double factor = std::exp2(static_cast<double>(i) / scales);
    losses[i] = expected_loss<bfloat16>(ratio * factor / std::numbers::sqrt2,
                                        scaled(positions, factor), primitives.of<bfloat16>());
  });
  for (std::uint64_t i = 0; i < scales; ++i)
    s.measure("loss_at_scale", {{"ratio", ratio}, {"scale", static_cast<double>(i) / scales}},
              losses[i]);
}

}  // namespace

void sum_loses_the_smaller_part(Section& s, const cli::Options& options) {
  measure_pairs<binary16>(s);
  measure_pairs<bfloat16>(s);
  properties::precision::for_each_narrow_format([&]<class Real>() { measure_ratios<Real>(s); });
  properties::precision::for_each_tiny_format([&]<class Real>() {
    measure_pairs<Real>(s);
    measure_ratios<Real>(s);
  });
  measure_scales(s);
  measure_systems(s, options);
  const bfloat16 t(256), p(1);
  s.measure("example_sum", {{"t", 256}, {"p", 1}},
            static_cast<double>(primitives.of<bfloat16>().sum(t, p)));
}

}  // namespace embedscale::precision_analysis
