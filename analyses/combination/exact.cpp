// The claims over the reals, decided by exact rationals; and what they look like in numbers.
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
  const std::uint64_t n = options.samples;
  const RationalDraws draws(options.seed, s.claim().id, 16);
  s.decide("exact_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto m = draws.positive(i, 0);
    return !are_what_they_say(draws.any(i, 1), draws.any(i, 2), m, primitives) ||
           !are_what_they_say(draws.any(i, 3), draws.any(i, 4), Rational(-m), primitives);
  });
  const auto widths = axis("d_model", points(options.widths, properties::domain::common_widths));
  properties::domain::for_each_format([&]<class Real>() {
    s.sweep("draws: e uniform with standard deviation d^-1/2, p uniform on ±1",
            {{"format", FormatTraits<Real>::name}}, widths, [&](std::uint64_t d) {
              return Values{{"relative_rounding_difference",
                             relative_rounding<Real>(d, 64 * n, stream_at(d, s, options))}};
            });
  });
}

void only_the_ratio_sets_direction(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const RationalDraws draws(options.seed, s.claim().id, 16);
  s.decide("minor_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    return !minors_follow_the_ratio<Rational>(
        {draws.any(i, 0), draws.any(i, 1)}, {draws.any(i, 2), draws.any(i, 3)},
        draws.channels(i, 4, 2), draws.channels(i, 6, 2), primitives);
  });
  s.decide("cosine_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    return !cosines_agree(draws.channels(i, 0, 3), draws.channels(i, 3, 3), draws.channels(i, 6, 3),
                          draws.positive(i, 9), primitives);
  });
  s.decide("neighbours_moved_together", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    return !neighbours_agree<Rational>(
        {draws.any(i, 0), draws.any(i, 1)}, {draws.any(i, 2), draws.any(i, 3)},
        {draws.any(i, 4), draws.any(i, 5)}, draws.positive(i, 6), primitives);
  });
  s.decide("neighbours_moved_alone", some_of(Part::statement, n), exact, [&](std::uint64_t i) {
    const Rational x = draws.any(i, 0), near = draws.any(i, 1), far = draws.any(i, 2);
    return is_nearer(x, near, far) != is_nearer(Rational(draws.positive(i, 3) * x), near, far);
  });

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
  const std::uint64_t n = options.samples;
  const RationalDraws draws(options.seed, s.claim().id, 16);
  s.decide("gap_disagreements", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    return !orders_differ_as_stated(draws.any(i, 0), draws.any(i, 1), draws.positive(i, 2),
                                    primitives);
  });
  const auto agreeing = over<Tally>(n, [&](std::uint64_t i) -> std::optional<bool> {
    const auto e = draws.any(i, 0), p = draws.any(i, 1), m = draws.positive(i, 2);
    if (p == 0 || m == 1) return std::nullopt;  // where the statement says that they agree
    return scaled_after_and_before(e, p, m, primitives).agree();
  });
  s.measure("orders_that_agree", {}, agreeing, exact, all_of(Part::belief, agreeing.cases()));
  const auto [after, before] = scaled_after_and_before<double>(0, 1, 2, primitives);
  s.measure("by_hand", {{"scaled", "after"}}, after);
  s.measure("by_hand", {{"scaled", "before"}}, before);

  struct Order {
    const char* name;
    double (*multiplier)(std::uint64_t d);
  };
  const std::vector<Order> orders{{"before", root_multiplier<double>},
                                  {"after", [](std::uint64_t) { return 1.0; }}};
  s.sweep("closed form", axis("d_model", points(options.widths, properties::domain::common_widths)),
          axis("scaled", orders, &Order::name), [](std::uint64_t d, const Order& order) {
            const double sigma = 1.0 / std::sqrt(static_cast<double>(d));
            const double position = std::numbers::sqrt2 / 2.0;
            return Values{{"token_to_position", order.multiplier(d) * sigma / position}};
          });
  s.measure("balance", {}, 1.0);
}

}  // namespace embedscale::combination_analysis
