// Two positions of one table, and one position in two layouts or by two rules of frequencies.
#include "properties/sinusoidal/two_positions.hpp"

#include "sinusoidal/sections.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using properties::conventions::frequency_rule_rms_difference;

/// The largest error of a shift in 50-digit arithmetic: the same on every machine, as it needs no C
/// library.
double error_in_50_digits(const Vector& at, std::int64_t delta) {
  using Wide = properties::exact::Decimal50;
  const auto errors = errors_of_the_shift<Wide, Wide>(at, delta, library<Wide>);
  return static_cast<double>(*std::ranges::max_element(errors));
}

/// How many decimal digits behind the point agree at least, of R_δ·p(k) and p(k + δ).
void digits_that_agree(Section& s) {
  Greatest worst;
  for (const std::size_t d : {4u, 16u})
    for (const auto rule : rules)
      for (const std::int64_t k : {1, 511, 131071})
        for (const std::int64_t delta : {1, 64, 1000})
          worst.evaluate(
              [&] { return error_in_50_digits({.d = d, .position = k, .rule = rule}, delta); });
  const double digits = worst.value() == 0 ? 50.0 : std::floor(-std::log10(worst.value()));
  s.measure("digits_that_agree", {{"arithmetic", "50 digits"}}, Value::of_all(digits, worst),
            "the fewest of two widths, both rules, three positions and shifts");
}

/// The largest error of a shift where angles are rounded to binary32 and all else is exact: that of
/// fl(kw) + fl(δw) against fl((k + δ)w), as an angle, over the frequencies.
Greatest error_by_angles(std::size_t d, std::int64_t k, std::int64_t delta) {
  Greatest worst;
  for (const double exact : sinusoidal_frequencies<double>(d, FrequencyRule::paper)) {
    const auto w = static_cast<float>(exact);
    const auto angle = [&](std::int64_t p) {
      return static_cast<double>(
          static_cast<float>(static_cast<double>(p) * static_cast<double>(w)));
    };
    worst.evaluate([&] {
      const double apart = std::abs(angle(k) + angle(delta) - angle(k + delta));
      return 2 * std::sin(apart / 2);  // the distance of two points of a circle
    });
  }
  return worst;
}

/// ⟨p(i), p(j)⟩ over d/2, in closed form.
Sum cosine(const Vector& at, std::int64_t other, Between between) {
  const auto frequencies = properties::conventions::stated_frequencies(at.d, at.rule);
  return over<Sum>(frequencies, [&](const auto& w) {
    return static_cast<double>(product_of_pair(w, at, other, between));
  });
}

/// With the exchange between them, neighbours' products over the first 512 positions.
void spread_of_neighbours(Section& s) {
  Sum all;
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::int64_t i = 0; i < 512; ++i) {
    const double product = all.evaluate(
        [&] { return cosine({.d = 512, .position = i}, i + 1, Between::exchange).mean(); });
    least = std::min(least, product), most = std::max(most, product);
  }
  s.measure("spread_at_one_offset", {{"d_model", 512}, {"offset", 1}, {"between", "exchange"}},
            Value::of_all(most - least, all),
            "closed form, largest less least product over d_model/2");
  s.measure("least_exchange", {}, Value::of_all(least, all));
  s.measure("most_exchange", {}, Value::of_all(most, all));
}

}  // namespace

void shift_is_linear(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto starts = positions(options, {0, 1, 10, 100, 1000, 10000, 131071});
  largest_share(s, "binary64", "by_the_rotation_of_the_shift");
  largest_share(s, "binary32", "by_the_rotation_of_the_shift");
  digits_that_agree(s);

  const std::vector<std::int64_t> few{1, 64, 1024};
  s.sweep("angles rounded to binary32, all else exact; the worst pair",
          axis("d_model", even_widths(options, {512})), axis("position", starts),
          axis("shift", few), [](std::size_t d, std::int64_t k, std::int64_t delta) {
            return Values{{"error_of_the_shift", error_by_angles(d, k, delta)}};
          });
  s.sweep("the same", axis("shift", few), axis("position", by_powers(4, 17)),
          [](std::int64_t delta, std::int64_t k) {
            return Values{{"error_curve", error_by_angles(512, k, delta)}};
          });
}

void product_depends_on_offset(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto offsets = positions(options, {0, 1, 2, 5, 10, 50, 100, 511, 2047, 16383});
  largest_share(s, "products", "is_a_sum_of_cosines");
  largest_share(s, "products with an exchange", "with_an_exchange_it_depends_on_the_sum");
  spread_of_neighbours(s);

  const auto at_offset = [](std::size_t d, std::int64_t offset) {
    return cosine({.d = d, .position = offset}, 0, Between::nothing);
  };
  s.sweep("closed form, over d_model/2; paper frequencies", axis("d_model", widths),
          axis("offset", offsets), [&](std::size_t d, std::int64_t offset) {
            return Values{{"offset_product", at_offset(d, offset).of_all()}};
          });
  s.sweep("the same", axis("d_model", widths), axis("offset", by_powers(4, 17)),
          [&](std::size_t d, std::int64_t offset) {
            return Values{{"product_curve", at_offset(d, offset).of_all()}};
          });
  s.measure("orthogonal", {}, 0.0);
}

void layouts_are_permutations(Section& s, const Options& options) {
  const auto widths = even_widths(options, {4, 16, 64, 512, 1024, 4096, 16384});
  const auto all = positions(options, {1, 10, 100, 511, 1023, 4095, 131071});
  s.measure_failures("layouts_that_differ", {{"formats", 2}}, "of_the_same_bits");
  s.measure_failures("rules_that_permute", {{"position", 1}}, "rules_are_none_of_each_other");
  largest_share(s, "difference of the rules", "rules_differ_as_in_closed_form");

  const auto apart = [](const char* quantity) {
    return [quantity](std::size_t d, std::int64_t p) {
      return Values{{quantity, frequency_rule_rms_difference(d, p)}};
    };
  };
  s.sweep("closed form, over channels", axis("d_model", widths), axis("position", all),
          apart("frequency_rule_rms_difference"));
  std::vector<std::size_t> on_a_scale;  // even widths to 2^14
  for (int k = 4; k <= 28; ++k)
    on_a_scale.push_back(2 * static_cast<std::size_t>(std::llround(std::exp2(k / 2.0 - 1))));
  s.sweep("closed form", axis("d_model", on_a_scale),
          axis("position", std::array{1, 10, 100, 511, 4095}), apart("difference_curve"));
  s.measure("rms_of_a_vector", {}, std::sqrt(0.5));
}

}  // namespace embedscale::sinusoidal_analysis
