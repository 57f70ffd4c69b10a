// The initial loss of drawn models against the expectation; and what the claims about a shared
// table do not say of the library.
#include <embedscale/fast/fast.hpp>
#include <embedscale/format.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../evidence/bounded.hpp"
#include "../testing/statistical.hpp"
#include "primitives.hpp"

namespace embedscale::properties::tied_output {
namespace {

// Table, state, logits and loss of the library. With all V·d entries of the table standard normals
// times σ, ln Z − z_target is Lipschitz in them with σ·‖h‖·‖w − 1_target‖ <= √2·s. The state and
// the target are drawn apart from the table, as the statement has it; RMSNorm makes the state's RMS
// 1.
struct Start {
  double sigma;
  std::size_t d, vocabulary;
  double proxy() const { return sigma * std::sqrt(2.0 * static_cast<double>(d)); }
};
evidence::SubGaussianMean::Data losses(const Start& at, const Stream& stream,
                                       const expected::Expectation& stated) {
  const auto& [sigma, d, vocabulary] = at;
  const double proxy = at.proxy();
  const auto& primitives = library<double>;
  evidence::SubGaussianMean::Data data{.null = {-stated.error / proxy, stated.error / proxy}};
  const std::size_t entries = vocabulary * d;
  std::vector<float> drawn(entries + d);
  std::vector<double> h(d), z(vocabulary);
  for (std::uint64_t draw = 0; draw < 32'768; ++draw) {
    fast::fill(Normal{1}, {stream.bits(0), "models"}, drawn, draw * drawn.size());
    const auto state = drawn.begin() + static_cast<std::ptrdiff_t>(entries);
    primitives.normalise(std::vector<double>(state, drawn.end()), Norm::rms_norm, h);
    std::vector<double> table(drawn.begin(), state);
    for (double& entry : table) entry *= sigma;
    primitives.logits(EmbeddingTable<double>(vocabulary, d, std::move(table)), h, 1.0, z);
    double sum = 0;
    for (const double logit : z) sum += std::exp(logit);
    const double loss = std::log(sum) - z[stream.below(vocabulary, draw + 1)];
    data.add((loss - stated.value) / proxy);
  }
  return data;
}
TEST(tied_output, initial_loss_is_that_of_draws) {
  testing::Assertion<"tied_output.initial_loss_is_that_of_draws", evidence::SubGaussianMean> mean(
      3);
  for (const Start& at : {Start{0.25, 16, 40}, Start{1, 16, 60}, Start{1, 4, 100}}) {
    const std::string name = "sigma = " + std::to_string(at.sigma) +
                             ", d = " + std::to_string(at.d) +
                             ", V = " + std::to_string(at.vocabulary);
    mean.judge(losses(at, mean.stream(name), expected_loss(at.sigma, at.d, 1.0, at.vocabulary)),
               name);
  }
}
TEST(tied_output, another_initial_loss_is_seen) {
  testing::Rejection<"tied_output.initial_loss_is_that_of_draws", evidence::SubGaussianMean>
      mutants(4, 3);
  constexpr Start at{1, 16, 60};  // logits of deviation 4
  const double right = expected_loss(at.sigma, at.d, 1.0, at.vocabulary).value;
  const auto judge = [&](const expected::Expectation& wrong, const char* name) {
    mutants.judge(losses(at, mutants.stream(name), wrong),
                  std::abs(wrong.value - right) / at.proxy(), name);
  };
  judge({std::log(60.0), 1e-12}, "a uniform guess");
  judge({std::log(60.0) + 8, 1e-12}, "the annealed mean");
  judge(expected_loss(1, 256, 1.0, at.vocabulary), "d for its root");
  judge(expected_loss(1.2, at.d, 1.0, at.vocabulary), "20 percent on the table");
}

// 2^24 + 1 loses its 1 before the multiplier; scaling h first, as T5 does, keeps another value.
TEST(tied_output, multiplier_comes_after_the_sum) {
  const EmbeddingTable<float> table(1, 2, {0x1p24f, 1.0f});
  const std::vector<float> h{1.0f, 1.0f}, scaled{3.0f, 3.0f};
  std::vector<float> out(1);
  tied_logits<float>(table, h, 3.0f, out);
  EXPECT_EQ(out[0], 3.0f * 0x1p24f);
  tied_logits<float>(table, scaled, 1.0f, out);
  EXPECT_EQ(out[0], 3.0f * 0x1p24f + 4.0f);
}

}  // namespace
}  // namespace embedscale::properties::tied_output
