// What the claims over the reals look like in numbers.
#include <numbers>

#include "combination/sections.hpp"

namespace embedscale::combination_analysis {
namespace {

/// Uniform on ±1 with the last digits of a double, too: on a grid of 2^−51 a small number has few,
/// and binary64's roundings would be 2 % smaller.
double uniform_to_the_last_digit(const Stream& stream, std::uint64_t i) {
  return (2.0 * stream.uniform(i) - 1.0) + 0x1p-51 * (stream.uniform(i, 1) - 0.5);
}

/// RMS of U − Z over RMS of U, in u, over drawn pairs that need no function of the C library: e
/// uniform with standard deviation d^−½, p uniform on ±1.
template <Scalar Real>
Value relative_rounding(std::uint64_t d, std::uint64_t n, const Stream& stream) {
  const double half_range = std::sqrt(3.0 / static_cast<double>(d));
  const Real m = root_multiplier<Real>(d);
  const auto squares = over<Quotient>(n, [&](std::uint64_t i) {
    const auto e = static_cast<Real>(half_range * uniform_to_the_last_digit(stream, 2 * i));
    const auto p = static_cast<Real>(uniform_to_the_last_digit(stream, 2 * i + 1));
    const auto [u, z] = two_ways<Real>(e, p, m, Division::by_m, primitives);
    const double gap = static_cast<double>(u) - static_cast<double>(z);
    return std::pair(gap * gap, static_cast<double>(u) * static_cast<double>(u));
  });
  return squares.with_error(NormalConfidence::p999).mapped([](double x) {
    return std::sqrt(std::max(0.0, x)) / unit_roundoff<Real>;
  });
}

/// Angle in degrees between two inputs with orthogonal parts, at token-to-position ratios r and r′:
/// that between (r, 1) and (r′, 1).
double angle_between(double ratio, double other) {
  const double cosine =
      (ratio * other + 1.0) / std::sqrt((ratio * ratio + 1.0) * (other * other + 1.0));
  return std::acos(std::min(cosine, 1.0)) * 180.0 / std::numbers::pi;
}

}  // namespace

void up_is_down_times_root_d(Section& s, const Options& options) {
  const std::uint64_t n = 64 * options.samples;
  s.measure_failures("exact_disagreements", {}, "for_every_nonzero_factor");
  const auto widths = axis("d_model", points(options.widths, properties::domain::common_widths));
  properties::domain::for_each_format([&]<class Real>() {
    s.sweep("draws: e uniform with standard deviation d^-1/2, p uniform on ±1",
            {{"format", FormatTraits<Real>::name}}, widths, [&](std::uint64_t d) {
              return Values{{"relative_rounding_difference",
                             relative_rounding<Real>(d, n, stream_at(d, s, options))}};
            });
  });
}

void only_the_ratio_sets_direction(Section& s, const Options&) {
  s.measure_failures("minor_disagreements", {}, "minors_vanish_with_the_ratio");
  s.measure_failures("cosine_disagreements", {}, "cosines_of_up_and_down_are_equal");
  s.measure_failures("neighbours_moved_together", {}, "neighbours_stay_if_candidates_carry_it");
  // x, near and far are whole numbers, and x alone carries a factor of 2.
  constexpr std::uint64_t sizes = 17;
  const auto whole = [](std::uint64_t i) { return static_cast<double>(i % sizes) - 8.0; };
  s.measure("neighbours_moved_alone", {},
            over<Tally>(sizes * sizes * sizes,
                        [&](std::uint64_t i) {
                          const double x = whole(i), near = whole(i / sizes),
                                       far = whole(i / sizes / sizes);
                          return is_nearer(x, near, far) != is_nearer(2.0 * x, near, far);
                        }),
            "every triple of whole numbers from −8 to 8, the first times 2");

  // With σ = d^−½ the up-scaled token has RMS 1 and a sinusoid 1/√2, whatever d.
  constexpr double up_ratio = std::numbers::sqrt2;
  constexpr const char* method = "closed form: orthogonal parts";
  std::vector<double> ratios;
  for (int k = -24; k <= 24; ++k) ratios.push_back(std::exp2(k / 4.0));
  s.sweep(method, axis("token_to_position", ratios), [](double ratio) {
    return Values{{"angle_of_ratio", angle_between(ratio, up_ratio)}};
  });
  const std::vector of_interest{up_ratio, std::sqrt(2.0 / 512.0)};  // without a multiplier at 512
  s.sweep(method, axis("token_to_position", of_interest), [](double ratio) {
    return Values{{"angle_to_up", angle_between(ratio, up_ratio)}};
  });
}

void multiplier_commutes_with_order(Section& s, const Options& options) {
  s.measure_failures("gap_disagreements", {}, "the_gap_is_m_less_one_times_p");
  s.measure_failures("orders_that_agree", {}, "the_gap_is_m_less_one_times_p");
  const auto [after, before] = scaled_after_and_before<double>(0, 1, 2, primitives);
  s.measure("by_hand", {{"scaled", "after"}}, after);
  s.measure("by_hand", {{"scaled", "before"}}, before);

  s.sweep("closed form", axis("d_model", points(options.widths, properties::domain::common_widths)),
          axis("scaled", std::vector{"before", "after"}),
          [](std::uint64_t d, std::string_view order) {
            const double sigma = 1.0 / std::sqrt(static_cast<double>(d));
            const double position = std::numbers::sqrt2 / 2.0;
            const double m = order == "before" ? root_multiplier<double>(d) : 1.0;
            return Values{{"token_to_position", m * sigma / position}};
          });
  s.measure("balance", {}, 1.0);
}

}  // namespace embedscale::combination_analysis
