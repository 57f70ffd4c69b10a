// What comes back through the softmax, against the same with scaled logits: the typical query and
// the average one, by draws on common random numbers: at every deviation the same ones, so that
// ratios vary less than either part.
#include "properties/attention/gradient.hpp"

#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "attention/sections.hpp"
#include "properties/evidence/median.hpp"
#include "report/parallel.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using properties::Part;

constexpr std::array<std::uint64_t, 6> key_counts{2, 4, 16, 64, 256, 1024};
constexpr std::array deviations{1.0, 2.0, 4.0, 8.0, 16.0};
constexpr std::uint64_t common_width = 64;
constexpr std::array<std::uint64_t, 10> head_widths{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr double tenth = 0.1, hundredth = 0.01, confidence = 0.999;

/// A number for each draw.
using Draws = std::vector<double>;

Sum summed(const Draws& x) {
  return over<Sum>(x.size(), [&](std::uint64_t i) { return x[i]; });
}

/// By the standard error, as means of thousands are nearly normal.
Value mean_of(const Draws& x) { return summed(x).with_error(NormalConfidence::p999); }

/// With the exact interval of order statistics.
Value median_of(Draws x) {
  using namespace properties::evidence;
  std::ranges::sort(x);
  return Value(median(x), summed(x))
      .with_interval([&](double c) { return median_interval(x, 1 - c); }, confidence)
      .by("draws, order statistics");
}

/// n keys, and draws of the logits over their deviation.
class Keys {
 public:
  std::uint64_t count, draws;

  /// Of a million logits at most, but 100 draws at least.
  Keys(std::uint64_t n, const Options& options, std::string_view name)
      : count(n),
        draws(
            std::min(options.samples, std::max<std::uint64_t>(100, (std::uint64_t{1} << 20) / n))),
        stream_(options.seed, std::string(name) + "/" + std::to_string(n)),
        xi_(n * draws) {
    in_parallel(xi_.size(), [&](std::uint64_t i) { xi_[i] = stream_.normal(i); });
  }

  /// ‖J‖ at deviation s.
  Draws norms(double s) const {
    Draws out(draws);
    in_parallel(draws,
                [&](std::uint64_t i) { out[i] = jacobian_norm(logits(i), s, library<double>); });
    return out;
  }

  /// And the length of the query's gradient in a head of d_k channels.
  Draws query_gradients(double s, std::uint64_t d_k) const {
    Draws out(draws);
    in_parallel(draws, [&](std::uint64_t i) {
      std::vector<double> g(count);
      double length = 0, across = 0;
      for (std::size_t j = 0; j < count; ++j) {
        g[j] = stream_.normal(i * count + j, 1);
        length += g[j] * g[j];
      }
      for (double& x : g) x /= std::sqrt(length);
      for (std::uint64_t c = 1; c < d_k; ++c) {
        const double x = stream_.normal(i * d_k + c, 2);
        across += x * x;
      }
      out[i] = query_gradient(logits(i), g, std::sqrt(across), s, d_k, library<double>);
    });
    return out;
  }

  /// The d_k = s² from which on the median of ‖J‖ is below so much of that at s = 1, with the s² at
  /// which the ends of the intervals are: by bisection, from where it has begun to fall.
  Value vanishing_width(double level) const {
    const auto reference = norms(1);
    const auto at_one = median_of(reference);
    const auto deviation = [&](auto end, double below, double low, double high) {
      const auto above = [&](double s) { return end(median_of(norms(s))) > below; };
      while (above(high)) low = high, high *= 2;
      while (high - low > 4e-3 * high) {
        const double middle = (low + high) / 2;
        (above(middle) ? low : high) = middle;
      }
      return high;
    };
    const auto lower = [](const Value& x) { return x.lower().value(); };
    const auto upper = [](const Value& x) { return x.upper().value(); };
    const double s =
        deviation([](const Value& x) { return x.value(); }, level * at_one.value(), 1, 2);
    const double first = deviation(lower, level * upper(at_one), s / 1.5, s);
    const double last = deviation(upper, level * lower(at_one), s, 1.25 * s);
    return Value(s * s, summed(reference)).as_sure_as(at_one, first * first, last * last);
  }

 private:
  std::span<const double> logits(std::size_t i) const {
    return std::span<const double>(xi_).subspan(i * count, count);
  }
  Stream stream_;
  std::vector<double> xi_;
};

struct Averages {
  Value mean, median;
  explicit Averages(const Draws& x) : mean(mean_of(x)), median(median_of(x)) {}
};

double over_that(const Value& x, const Value& reference) { return x.value() / reference.value(); }

double trace_mean(double s, std::uint64_t n) { return 1 - expected::sum_of_squares(s, n).value; }

/// The Jacobian at each deviation, and the gradient of the query in a head of each width: mean,
/// median, and both as shares of those at deviation 1.
void measure_points(Section& s, const Keys& keys, const Options& options) {
  auto sizes = points(options.deviations, deviations);
  const auto widths = points(options.head_widths, std::array{common_width});
  if (options.deviations.empty() && !options.head_widths.empty())
    for (const auto d : widths)
      if (const double size = std::sqrt(static_cast<double>(d)); !std::ranges::count(sizes, size))
        sizes.push_back(size);
  const Place place{{"keys", keys.count}};
  for (const auto d : widths) {
    const Averages reference(keys.query_gradients(1, d));
    s.sweep("draws", Place(place).set("d_k", d), axis("std", sizes), [&](double size) {
      const Averages query(keys.query_gradients(size, d));
      return Values{{"query_gradient_mean", query.mean},
                    {"query_gradient_median", query.median},
                    {"query_mean_ratio", over_that(query.mean, reference.mean)},
                    {"query_median_ratio", over_that(query.median, reference.median)}};
    });
  }
  const Averages reference(keys.norms(1));
  s.sweep("draws", place, axis("std", sizes), [&](double size) {
    const Averages norms(keys.norms(size));
    return Values{{"jacobian_norm_mean", norms.mean},
                  {"jacobian_norm_median", norms.median},
                  {"jacobian_trace_mean", Value(trace_mean(size, keys.count)).by("quadrature")},
                  {"norm_mean_ratio", over_that(norms.mean, reference.mean)},
                  {"norm_median_ratio", over_that(norms.median, reference.median)}};
  });
}

/// Heads without the scale, on draws of their own: whether the median is below a hundredth of that
/// with the scale, from the width on at which the other draws say so, and not below.
void measure_heads(Section& s, const Keys& fresh, const Value& threshold, const Options& options) {
  const auto reference = median_of(fresh.norms(1));
  s.sweep("draws, order statistics", {{"keys", fresh.count}},
          axis("d_k", points(options.head_widths, head_widths)), [&](std::uint64_t d) {
            const auto width = static_cast<double>(d);
            const auto median = median_of(fresh.norms(std::sqrt(width)));
            Reading reading{"unscaled_median_ratio", quotient(median, reference)};
            if (width >= threshold.upper().value())
              reading.rule = at_most(Part::belief, hundredth, fresh.draws);
            else if (width <= threshold.lower().value())
              reading.rule = at_least(Part::necessity, hundredth, fresh.draws);
            return Values{reading};
          });
}

/// Where the median vanishes, to two digits as sentences have it.
Value measure_width(Section& s, const Keys& keys, double level) {
  const auto width = keys.vanishing_width(level);
  s.sweep("draws, order statistics, bisection", {{"keys", keys.count}, {"below", level}}, [&] {
    return Values{{"vanishing_width", width},
                  {"vanishing_width_rounded", std::round(rounded(width.value(), 2))}};
  });
  return width;
}

/// Mean and median against those at deviation 1; the median's line ends where nothing is left.
void measure_curves(Section& s, const Keys& keys) {
  const Averages reference(keys.norms(1));
  std::vector<double> sizes;
  for (int k = 0; k <= 12; ++k) sizes.push_back(std::exp2(k / 2.0));
  s.sweep("draws", {{"keys", keys.count}}, axis("std", sizes), [&](double size) {
    const Averages norms(keys.norms(size));
    const double median = over_that(norms.median, reference.median);
    Values values{{"mean_curve", over_that(norms.mean, reference.mean)}};
    if (median > 1e-6) values.push_back({"median_curve", median});
    return values;
  });
}

}  // namespace

void gradients_vanish_unscaled(Section& s, const Options& options) {
  const auto counts = points(options.keys, key_counts);
  if (std::ranges::min(counts) < 2)
    throw std::invalid_argument(
        "--keys: the gradient through one weight is 0 (attention.gradients_vanish_unscaled)");
  std::vector<std::size_t> drawn{0, counts.size() / 2, counts.size() - 1};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = counts[i];
    const Keys keys(n, options, s.claim().id);
    measure_points(s, keys, options);
    measure_width(s, keys, tenth);
    const auto vanished = measure_width(s, keys, hundredth);
    measure_heads(s, Keys(n, options, "attention.heads without the scale"), vanished, options);
    // d ln E tr J/d ln s between s = 64 and 128, which is −1 where the mean falls as 1/s.
    s.measure("trace_exponent_error", {{"keys", n}},
              std::abs(std::log2(trace_mean(128, n) / trace_mean(64, n)) + 1),
              "quadrature, deviations 64 and 128", at_most(Part::statement, 0.05, 1));
    if (std::ranges::count(drawn, i) > 0) measure_curves(s, keys);
  }
  s.measure("small_share", {}, hundredth);
  s.measure("common_width", {}, static_cast<double>(common_width));
}

}  // namespace embedscale::attention_analysis
