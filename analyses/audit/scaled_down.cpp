// What would change if the multiplier moved from the tokens to the positions.
#include "audit/parts.hpp"

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

Known<double> rounding_error(const Configuration& c, const Quantity& exact,
                             const Quantity& factor) {
  if (c.token.format == NumberFormat::binary64)
    return Missing{"is not known: formulas are computed in binary64 themselves"};
  if (exact.value == 0.0) return Missing{"does not apply: token.multiplier is 0"};
  return from([](double rounded, double given) { return (rounded - given) / given; }, factor,
              exact);
}

// Whether |x| = 2^k for an integer k.
bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

Verdict rounds_identically(const Quantity& exact, NumberFormat format) {
  const std::string path = fmt::format("scaled_down.rounds_identically.{}", name_of(format));
  if (!exact.value) return {path, std::nullopt, exact.missing};
  const double rounded = rounded_to(format, *exact.value);
  if (std::isfinite(rounded) && rounded != 0.0) return {path, is_power_of_two(rounded)};
  return {path, std::nullopt,
          fmt::format("token.multiplier = {} is {} in {}", *exact.value, rounded, name_of(format))};
}

// What the first norm divides by, squared: q, or v for LayerNorm. Behind a projection the mean over
// channels has 1/d of the energy.
Known<double> divided_square(const Configuration& c, const Parts& p,
                             const Known<expected::Input>& input,
                             const Known<expected::InputMoments>& stream) {
  if (!c.token.projects_sum() || c.embedding_norm)
    return from(
        [&](const expected::Input& sum, const expected::Norm& norm) {
          return centres(norm) ? expected::centred_mean_square(sum) : expected::mean_square(sum);
        },
        input, p.first_norm);
  const bool centred = p.first_norm.value && centres(*p.first_norm.value);
  return from(
      [&](const expected::InputMoments& moments, const expected::Norm&, double d_model) {
        return centred ? moments.all * (1 - 1 / d_model) : moments.all;
      },
      stream, p.first_norm, centred ? p.d_model : Known<double>(1.0));
}

// 1 − RMS behind the first norm.
Known<double> shrinkage(double mean_square, const expected::Norm& norm) {
  if (!std::isfinite(mean_square)) return Missing{"leaves the range of binary64"};
  if (mean_square == 0 && norm.epsilon == 0) return Missing{zero_by_zero};
  return expected::epsilon_shrinkage(mean_square, norm);
}

Known<double> moved_logit_std(const Parts& p, const FirstLayer& first,
                              const Known<double>& divisor) {
  const auto &on_sum = p.norms_on_sum.value, &ahead = p.norms_ahead_of_attention.value;
  if (on_sum && ahead && !(on_sum->empty() && ahead->empty()))
    return Missing{
        "does not apply: a norm before the first attention takes the factor away up to its "
        "epsilon"};
  return from([](double deviation, double m) { return deviation / (m * m); }, first.logit_std,
              divisor);
}

}  // namespace

ScaledDown scaled_down(const Configuration& c, const Parts& p, const InputScales& scales,
                       const Known<expected::Input>& input,
                       const Known<expected::InputMoments>& stream, const FirstLayer& first) {
  ScaledDown down;
  down.factor = p.factor;
  down.exact_factor = p.multiplier;
  down.rounding_error = rounding_error(c, down.exact_factor, down.factor);
  Known<double> divisor = p.factor;
  if (down.factor.value == 0.0)
    divisor = Missing{"does not apply: positions cannot be divided by 0"};
  down.input_rms =
      from([](double rms, double m) { return rms / std::abs(m); }, scales.input_rms, divisor);
  Quantity square;
  square = from([](double of_sum, double) { return of_sum; }, divided_square(c, p, input, stream),
                divisor);
  down.epsilon_shrinkage_up = from(shrinkage, square, p.first_norm);
  down.epsilon_shrinkage_down = from(
      [](double q, double m, const expected::Norm& norm) { return shrinkage(q / (m * m), norm); },
      square, divisor, p.first_norm);
  // For the sum divided by m, over that for the sum.
  down.epsilon_deviation = from(
      [](double m, double q, const expected::Norm& norm) -> Known<double> {
        if (q == 0) return Missing{"divides by the RMS behind the first norm, which is 0"};
        return expected::epsilon_deviation(q, norm, std::abs(m));
      },
      divisor, square, p.first_norm);
  // Whether the first norm that sees the sum sees nothing else: it is ahead of the attention.
  const bool alone = c.embedding_norm || c.block.where != BlockNorm::post;
  for (Quantity* one :
       {&down.epsilon_shrinkage_up, &down.epsilon_shrinkage_down, &down.epsilon_deviation})
    one->method = alone ? Method::closed_form : Method::without_branches;
  down.logit_std = moved_logit_std(p, first, divisor);
  down.rounds_identically = {rounds_identically(down.exact_factor, NumberFormat::binary32)};
  if (c.token.format != NumberFormat::binary32)
    down.rounds_identically.push_back(rounds_identically(down.exact_factor, c.token.format));
  return down;
}

}  // namespace embedscale::audit
