// The scale of tokens of a law that draws know best.
#include "configurations.hpp"

#include <embedscale/initializer.hpp>
#include "properties/evidence/bounded.hpp"
#include "properties/testing/statistical.hpp"

#include <numbers>

namespace embedscale::audit {
namespace {

// z² of a normal z cut at ±2 is in [0, 4].
TEST(token_rms, of_a_cut_normal_is_what_draws_give) {
  using properties::evidence::BoundedMean;
  properties::testing::Assertion<"audit.cut_normal", BoundedMean> mean;
  const Scales s = scales(4, "law = 'truncated_normal'\nstandard_deviation = 1", "kind = 'none'");
  const double expected = std::pow(*s.input.token_rms.value, 2) / 4;
  const Stream stream = mean.stream();
  BoundedMean::Data data{{expected, expected}};
  for (std::uint64_t i = 0; data.n < 1 << 20; ++i)
    if (const double z = stream.normal(i); std::abs(z) <= 2) data.add(z * z / 4);
  mean.judge(data);
}

// Audits that state another E z² than that of the cut are off by the difference, of 4. A clamped
// normal has 2Φ(−2) = erfc(√2) of its draws at 4, and the cut law's for the rest.
TEST(token_rms, of_a_normal_that_is_cut_wrongly_is_seen) {
  using properties::evidence::BoundedMean;
  properties::testing::Rejection<"audit.cut_normal", BoundedMean> mutants(4);
  const double v = variance(TruncatedNormal{1}), beyond = std::erfc(std::numbers::sqrt2);
  const double high = v * 1.02 * 1.02, third = 4.0 / 3;
  const auto stated = [](double square) { return BoundedMean::Data{{square / 4, square / 4}}; };
  BoundedMean::Data clamped = stated(v), faint = stated(high), nominal = stated(1),
                    uniform = stated(third);
  const Stream stream = mutants.stream();
  for (std::uint64_t i = 0; i < 1 << 20; ++i) {
    const double z = draw(TruncatedNormal{1}, stream, i);
    for (auto* data : {&faint, &nominal, &uniform}) data->add(z * z / 4);
    clamped.add(std::pow(std::clamp(stream.normal(i), -2.0, 2.0) / 2, 2));
  }
  mutants.judge(faint, (high - v) / 4, "sigma 2 percent high");
  mutants.judge(clamped, beyond * (4 - v) / 4, "clamped in the place of cut");
  mutants.judge(nominal, (1 - v) / 4, "nominal sigma taken for that of the cut law");
  mutants.judge(uniform, (third - v) / 4, "uniform on the interval of the cut");
}

}  // namespace
}  // namespace embedscale::audit
