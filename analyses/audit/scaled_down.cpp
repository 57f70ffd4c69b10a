// What would change if the multiplier moved from the tokens to the positions.
#include "audit/parts.hpp"

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

Quantity rounding_error(const Configuration& c, const Quantity& exact, const Quantity& factor) {
  const std::string path = "scaled_down.rounding_error";
  if (c.token.format == NumberFormat::binary64)
    return missing(path, "is not known: formulas are computed in binary64 themselves");
  if (exact.value == 0.0) return missing(path, "does not apply: token.multiplier is 0");
  return computed(path, {&factor, &exact},
                  [&] { return (*factor.value - *exact.value) / *exact.value; });
}

Verdict rounds_identically(const Quantity& exact, NumberFormat format) {
  const std::string path = fmt::format("scaled_down.rounds_identically.{}", name_of(format));
  if (!exact.value) return {path, std::nullopt, exact.missing};
  const double rounded = rounded_to(format, *exact.value);
  if (std::isfinite(rounded) && rounded != 0.0) return {path, is_power_of_two(rounded)};
  return {path, std::nullopt,
          fmt::format("token.multiplier = {} is {} in {}", *exact.value, rounded, name_of(format))};
}

// Whether the first norm that sees the sum sees nothing else: it stands ahead of the attention.
bool seen_alone(const Configuration& c) {
  return c.embedding_norm || c.block.where != BlockNorm::post;
}

// The mean square that a norm divides by: q, or v for LayerNorm.
double divided_square(const expected::Input& input, const expected::Norm& norm) {
  return norm.kind == expected::Norm::Kind::layer_norm ? expected::centred_mean_square(input)
                                                       : expected::mean_square(input);
}

}  // namespace

ScaledDown scaled_down(const Configuration& c, const InputScales& scales, const FirstLayer& first,
                       const Quantity& factor) {
  const Quantity exact = told(c, "token.multiplier", c.token.multiplier);
  Quantity divisor = factor;
  if (factor.value == 0.0)
    divisor = missing("scaled_down.factor", "does not apply: positions cannot be divided by 0");
  const double m = divisor.value.value_or(1), m2 = m * m;

  const auto sum = input_of(c, scales);
  const auto norm = first_norm(c);
  std::string no_shrinkage = !sum.missing.empty() ? sum.missing : norm.missing;
  if (no_shrinkage.empty()) no_shrinkage = divisor.missing;
  const double square = no_shrinkage.empty() ? divided_square(*sum.value, *norm.value) : 0;
  const auto shrinkage = [&](std::string path, double mean_square) {
    if (!no_shrinkage.empty()) return missing(std::move(path), no_shrinkage);
    if (!std::isfinite(mean_square))
      return missing(std::move(path), "leaves the range of binary64");
    if (mean_square == 0 && norm.value->epsilon == 0) return missing(std::move(path), zero_by_zero);
    return quantity(std::move(path), expected::epsilon_shrinkage(mean_square, *norm.value),
                    seen_alone(c) ? Method::closed_form : Method::without_branches);
  };

  const auto norms = norms_before_attention(c);
  const bool normed = norms.value && !norms.value->empty();
  ScaledDown down{
      .factor = factor,
      .exact_factor = exact,
      .rounding_error = rounding_error(c, exact, factor),
      .input_rms = computed("scaled_down.input.rms", {&scales.input_rms, &divisor},
                            [&] { return *scales.input_rms.value / std::abs(m); }),
      .epsilon_shrinkage_up = shrinkage("scaled_down.epsilon_shrinkage_up", square),
      .epsilon_shrinkage_down = shrinkage("scaled_down.epsilon_shrinkage_down", square / m2),
      .logit_std = normed ? missing("scaled_down.logit_std",
                                    "does not apply: a norm before the first attention takes the "
                                    "factor away but for its epsilon")
                          : computed("scaled_down.logit_std", {&first.logit_std, &divisor},
                                     [&] { return *first.logit_std.value / m2; }),
      .rounds_identically = {rounds_identically(exact, NumberFormat::binary32)}};
  down.exact_factor.path = "scaled_down.exact_factor";
  if (c.token.format != NumberFormat::binary32)
    down.rounds_identically.push_back(rounds_identically(exact, c.token.format));
  return down;
}

}  // namespace embedscale::audit
