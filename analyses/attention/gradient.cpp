// What comes back through the softmax, against the same with scaled logits: the typical query and
// the average one, by draws on common random numbers: at every deviation the same ones, so that
// ratios vary less than either part.
#include <embedscale/expected/dot_product.hpp>
#include <embedscale/expected/softmax_weights.hpp>

#include <map>

#include "attention/keys.hpp"

namespace embedscale::attention_analysis {
namespace {

constexpr std::array<std::uint64_t, 6> gradient_keys{2, 4, 16, 64, 256, 1024};
constexpr std::array gradient_deviations{1.0, 2.0, 4.0, 8.0, 16.0};
constexpr std::uint64_t common_width = 64;
constexpr std::array<std::uint64_t, 10> gradient_head_widths{8,   16,  32,   64,   128,
                                                             256, 512, 1024, 2048, 4096};
constexpr double hundredth = 0.01;
constexpr std::uint64_t most_logits = std::uint64_t{1} << 21;

/// E tr J, of which the integral is known.
Value trace_mean(double s, std::uint64_t n) {
  const auto trace = expected::jacobian_trace(s, n);
  return Value(trace.value).enclosed(trace.error).by("quadrature");
}

/// ‖J‖ and tr J of each draw at deviation s.
struct Jacobians {
  std::uint64_t keys;
  double s;
  Value trace;  ///< the mean of tr J
  Draws norms, traces;

  Jacobians(const Keys& of, double deviation)
      : keys(of.count), s(deviation), trace(trace_mean(s, keys)) {
    const auto by = [&](auto i) { return jacobian(of.logits(i), s, library<double>); };
    for (const auto& [norm, size] : of.of_each(by)) norms.push_back(norm), traces.push_back(size);
  }
  /// The mean of what is nearly proportional to tr J: few draws have most of either mean where
  /// logits are large, and the quotient of the two does not hang on how many.
  Value mean_of(const Draws& x) const {
    return over<Quotient>(x.size(), [&](std::uint64_t i) { return std::pair(x[i], traces[i]); })
        .with_error(NormalConfidence::p999)
        .mapped([&](double share) { return share * trace.value(); })
        .by("draws beside tr J, whose mean is an integral");
  }
  /// Of either: two keys have ‖J‖ = tr J, of a known law.
  Value median(const Draws& x) const {
    if (keys == 2) return Value(expected::median_jacobian_of_two(s)).by("closed form");
    return median_of(x);
  }
  /// Of ‖J‖, over that at another deviation.
  Value median_over(const Jacobians& other) const {
    if (keys == 2)
      return Value(median(norms).value() / other.median(norms).value()).by("closed form");
    return median_ratio(norms, other.norms);
  }
};

/// Those of the same keys by their deviation.
using AllJacobians = std::map<double, Jacobians>;
const Jacobians& at(double s, const Keys& keys, AllJacobians& all) {
  return all.try_emplace(s, keys, s).first->second;
}

/// The d_k = s² from which on the median of ‖J‖ is below so much of that at s = 1.
///
/// Given all logits but the largest, that one is a normal variable above the second, and ‖J‖ <= x
/// from a known value of it on: the mean of these chances varies much less than a count. Each end
/// of the interval takes both the median at s = 1 and this mean to be off, by α/2.
class VanishingWidth {
 public:
  VanishingWidth(std::uint64_t n, const Options& options)
      : keys_(n, options, "attention.all but the largest", most_logits) {
    keys_.sort_falling();
    at_one_ = keys_.norms(1);
    std::ranges::sort(at_one_);
  }

  Value below(double level) const {
    if (keys_.count == 2) {
      const double s = expected::vanishing_deviation_of_two(level);
      return Value(s * s).enclosed(1e-14 * s * s).by("closed form");
    }
    using namespace properties::evidence;
    const double s = deviation(level * median(at_one_), 0);
    return Estimate(s * s, summed(at_one_))
        .with_interval(
            [&](double c) -> Interval {
              const auto reference = median_interval(at_one_, (1 - c) / 2);
              const double errors = normal_deviations((1 - c) / 2);
              const double first = deviation(level * reference.upper, errors);
              const double last = deviation(level * reference.lower, -errors);
              return {first * first, last * last};
            },
            confidence)
        .by("draws of all logits but the largest, bisection");
  }

 private:
  /// Where P(‖J‖ <= x), moved by so many of its standard errors, is ½.
  double deviation(double x, double errors) const {
    return met_from(1, 2, 1e-5, [&](double s) {
      const auto chances = summed(keys_.of_each([&](std::uint64_t i) {
        const auto others = keys_.logits(i).subspan(1);
        const double least = largest_at_norm(x, others, s);
        return expected::normal_above(least) / expected::normal_above(others[0]);
      }));
      return chances.mean() + errors * chances.standard_error() >= 0.5;
    });
  }
  Keys keys_;
  Draws at_one_;
};

/// The Jacobian at each deviation, and the gradient of the query in a head of each width: mean,
/// median, and both as shares of those at deviation 1.
void measure_gradient_points(Section& s, const Keys& keys, AllJacobians& all,
                             const Options& options) {
  auto sizes = points(options.deviations, gradient_deviations);
  const auto widths = points(options.head_widths, std::array{common_width});
  if (options.deviations.empty() && !options.head_widths.empty())
    for (const auto d : widths)
      if (const double size = std::sqrt(static_cast<double>(d)); !std::ranges::count(sizes, size))
        sizes.push_back(size);
  const Place place{{"keys", keys.count}};
  const Jacobians& scaled = at(1, keys, all);
  const auto upstream = keys.upstream();
  for (const auto d : widths) {
    const auto across = keys.across(d);
    const auto reference = keys.query_gradients(1, d, across, upstream);
    s.sweep("draws", Place(place).set("d_k", d), axis("std", sizes), [&](double size) {
      const Jacobians& unscaled = at(size, keys, all);
      const auto query = size == 1 ? reference : keys.query_gradients(size, d, across, upstream);
      const auto mean = unscaled.mean_of(query);
      return Values{{"query_gradient_mean", mean},
                    {"query_gradient_median", median_of(query)},
                    {"query_mean_ratio", quotient(mean, scaled.mean_of(reference))},
                    {"query_median_ratio", median_ratio(query, reference)}};
    });
  }
  s.sweep("draws", place, axis("std", sizes), [&](double size) {
    const Jacobians& unscaled = at(size, keys, all);
    const auto mean = unscaled.mean_of(unscaled.norms);
    return Values{{"jacobian_norm_mean", mean},
                  {"jacobian_norm_median", unscaled.median(unscaled.norms)},
                  {"jacobian_trace_mean", unscaled.trace},
                  {"jacobian_trace_median", unscaled.median(unscaled.traces)},
                  {"norm_mean_ratio", quotient(mean, scaled.mean_of(scaled.norms))},
                  {"norm_median_ratio", unscaled.median_over(scaled)}};
  });
}

/// Heads without the scale, on draws of their own.
void measure_gradient_heads(Section& s, const Keys& fresh, const Options& options) {
  const auto reference = fresh.norms(1);
  s.sweep(
      "draws, order statistics", {{"keys", fresh.count}},
      axis("d_k", points(options.head_widths, gradient_head_widths)), [&](std::uint64_t d) {
        const double deviation = std::sqrt(static_cast<double>(d));
        return Values{{"unscaled_median_ratio", median_ratio(fresh.norms(deviation), reference)}};
      });
}

/// Mean and median against those at deviation 1; the median's line ends where nothing is left.
void measure_gradient_curves(Section& s, const Keys& keys, AllJacobians& all) {
  const Jacobians& scaled = at(1, keys, all);
  const auto mean = scaled.mean_of(scaled.norms);
  std::vector<double> sizes;
  for (int k = 0; k <= 12; ++k) sizes.push_back(std::exp2(k / 2.0));
  s.sweep("draws", {{"keys", keys.count}}, axis("std", sizes), [&](double size) {
    const Jacobians& unscaled = at(size, keys, all);
    const auto median = unscaled.median_over(scaled);
    Values values{{"mean_curve", quotient(unscaled.mean_of(unscaled.norms), mean)}};
    if (median.value() > 1e-6) values.push_back({"median_curve", median});
    return values;
  });
}

}  // namespace

void gradients_vanish_unscaled(Section& s, const Options& options) {
  Options many = options;  // a median takes more draws than a mean
  many.samples = 32 * options.samples;
  const auto counts = points(options.keys, gradient_keys);
  std::vector<std::size_t> drawn{0, counts.size() / 2, counts.size() - 1};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto n = counts[i];
    const Keys keys(n, many, s.claim().id, most_logits);
    AllJacobians all;
    measure_gradient_points(s, keys, all, options);
    const VanishingWidth vanishing(n, options);
    for (const double level : {0.1, hundredth}) {
      const auto width = vanishing.below(level);
      for (const auto* quantity : {"vanishing_width", "sufficient_width"})
        s.measure(quantity, {{"keys", n}, {"below", level}}, width);
    }
    measure_gradient_heads(s, Keys(n, options, "attention.heads without the scale", most_logits),
                           options);
    // d ln E tr J/d ln s between s = 64 and 128, which is −1 where the mean falls as 1/s.
    s.measure("trace_exponent_error", {{"keys", n}},
              std::abs(std::log2(trace_mean(128, n).value() / trace_mean(64, n).value()) + 1),
              "quadrature, deviations 64 and 128");
    if (std::ranges::count(drawn, i) > 0) measure_gradient_curves(s, keys, all);
  }
  s.measure("small_share", {}, hundredth);
  s.measure("common_width", {}, static_cast<double>(common_width));
}

}  // namespace embedscale::attention_analysis
