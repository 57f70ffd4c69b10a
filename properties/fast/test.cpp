// The fast primitives in the place of the library's, by each set of instructions that the processor
// has: the same properties hold, the bits are the same, and nothing beside a row is touched.
#include <embedscale/attention.hpp>
#include <embedscale/fast/fast.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/position_table.hpp>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "../attention/claims.hpp"
#include "../attention/trials.hpp"
#include "../normalization/claims.hpp"
#include "../normalization/trials.hpp"
#include "../testing/seed.hpp"

namespace embedscale::properties::fast_test {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

/// Calls visit() with each set of instructions in turn.
void by_each_target(const std::function<void()>& visit) {
  auto targets = hwy::SupportedAndGeneratedTargets();
  targets.push_back(HWY_SCALAR);  // that of a processor without AVX2
  for (const auto target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    visit();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// What run(x) makes of the numbers, which is the same bits with each set of instructions.
template <class Run>
void run_by_each_target(std::span<float> x, const Run& run) {
  const std::vector<float> given(x.begin(), x.end());
  std::vector<float> first;
  by_each_target([&] {
    std::ranges::copy(given, x.begin());
    run(x);
    if (first.empty()) first.assign(x.begin(), x.end());
    if (std::memcmp(first.data(), x.data(), x.size_bytes()) != 0)
      throw std::logic_error("other bits by other instructions");
  });
}

class fast_primitives : public ::testing::Test {
 protected:
  /// One format of five is theirs.
  void SetUp() override { ::setenv("EMBEDSCALE_CASES", "2000", 1); }
  void TearDown() override { ::unsetenv("EMBEDSCALE_CASES"); }
};

TEST_F(fast_primitives, norms_are_those_of_any_order) {
  normalization::Primitives own;
  const auto with = [](auto of, auto library) {
    return [of, library](In x, const float& epsilon, EpsilonPlacement place, Out out) {
      if (place != EpsilonPlacement::variance) return library(x, epsilon, place, out);
      run_by_each_target(out, [&](Out to) { of(x, x.size(), epsilon, to); });
    };
  };
  own.of<float>().layer_norm = with(fast::layer_norm, layer_norm<float>);
  own.of<float>().rms_norm = with(fast::rms_norm, rms_norm<float>);
  testing::expect_holds(own, normalization::properties,
                        normalization::layer_norm_is_the_standardised_row);
  testing::expect_holds(own, normalization::properties,
                        normalization::rms_norm_is_the_row_over_its_root_mean_square);
}

TEST_F(fast_primitives, weights_and_logits_are_those_of_any_order) {
  attention::Primitives own;
  own.of<float>().softmax = [](Out z) {
    run_by_each_target(z, [](Out to) { fast::softmax(to, to.size()); });
  };
  own.of<float>().logit = [](In q, In k, const float& scale) {
    float z = 0;
    run_by_each_target(Out(&z, 1), [&](Out to) { fast::logits(q, k, scale, to); });
    return z;
  };
  testing::expect_holds(own, attention::value_properties,
                        attention::weights_are_shares_of_exponentials);
  testing::expect_holds(own, attention::value_properties, attention::products_are_summed);
}

/// `n` draws in a row between NaNs, and room for as many results between 7s.
struct Guarded {
  std::vector<float> x, out;
  std::size_t n;

  explicit Guarded(std::size_t n, const char* name) : x(n + 32, NAN), out(n + 32, 7.0f), n(n) {
    const auto stream = testing::stream_of(name);
    for (std::size_t i = 0; i < n; ++i) x[16 + i] = static_cast<float>(stream.normal(i));
  }
  In row() const { return In(x).subspan(16, n); }
  Out room() { return Out(out).subspan(16, n); }
};

TEST_F(fast_primitives, give_the_same_bits_by_each_target_and_touch_nothing_else) {
  using Run = std::function<void(In x, Out out)>;
  const std::map<std::string, Run> all{
      {"layer_norm", [](In x, Out out) { fast::layer_norm(x, x.size(), 1e-5f, out); }},
      {"rms_norm", [](In x, Out out) { fast::rms_norm(x, x.size(), 1e-5f, out); }},
      {"softmax",
       [](In x, Out out) { std::ranges::copy(x, out.begin()), fast::softmax(out, x.size()); }},
      {"logits", [](In x, Out out) { fast::logits(x.first(1), x, 0.5f, out); }},
      {"logits of rows",
       [](In x, Out out) {  // each as if it were alone
         const auto n = x.size() % 7 == 0 ? x.size() / 7 : x.size();
         fast::logits(x.first(n), x, 0.5f, out.first(x.size() / n));
         for (std::size_t i = 0; i < x.size() / n; ++i) {
           float alone = 0;
           fast::logits(x.first(n), x.subspan(i * n, n), 0.5f, Out(&alone, 1));
           EXPECT_EQ(out[i], alone);
         }
         std::ranges::fill(out.subspan(x.size() / n), 0.0f);
       }},
      {"a logit", [](In x, Out out) { fast::logits(x, x, 0.5f, out.first(1)); }},
      {"rows",
       [](In x, Out out) {  // one after the other
         const auto n = x.size() % 3 == 0 ? x.size() / 3 : x.size();
         fast::layer_norm(x, n, 1e-5f, out);
         for (std::size_t i = 0; i < x.size(); i += n) {
           std::vector<float> alone(n);
           fast::layer_norm(x.subspan(i, n), n, 1e-5f, alone);
           EXPECT_TRUE(std::ranges::equal(alone, out.subspan(i, n)));
         }
       }},
      {"look_up_and_add", [](In x, Out out) {
         const EmbeddingTable<float> table(1, x.size(), {x.begin(), x.end()});
         std::vector<float> positions(x.rbegin(), x.rend());
         fast::look_up_and_add(table, std::array<std::size_t, 1>{0}, 3.3f, positions, out);
         for (std::size_t j = 0; j < x.size(); ++j) EXPECT_EQ(out[j], 3.3f * x[j] + positions[j]);
       }}};
  for (const auto& [name, run] : all)
    for (std::size_t n = 1; n < 70; ++n) {
      std::vector<float> first;
      by_each_target([&, &name = name, &run = run] {
        Guarded at(n, "guarded");
        run(at.row(), at.room());
        for (std::size_t i = 0; i < 16; ++i)
          EXPECT_TRUE(at.out[i] == 7.0f && at.out[16 + n + i] == 7.0f) << name << " " << n;
        for (std::size_t i = 0; i < n; ++i) EXPECT_FALSE(std::isnan(at.room()[i])) << name << n;
        if (first.empty()) first = at.out;
        EXPECT_EQ(at.out, first) << name << " " << n;
      });
    }
}

TEST_F(fast_primitives, positions_are_rounded_once) {
  for (const std::size_t d : {4u, 6u, 30u, 62u, 64u, 512u, 1024u})
    for (const auto rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
      for (const auto layout : {SinusoidalLayout::interleaved, SinusoidalLayout::halves}) {
        const auto turns = frequencies_in_turns(d, rule, 10000);
        // So many that rows are rotated as often as they ever are, and far from the start, too.
        for (const std::int64_t first : {0, 130000}) {
          constexpr std::size_t rows = 600;
          std::vector<float> right(rows * d);
          for (std::size_t k = 0; k < rows; ++k)
            encode_position_once_rounded<float>(first + static_cast<std::int64_t>(k), turns, layout,
                                                Out(right).subspan(k * d, d));
          by_each_target([&] {
            std::vector<float> out(rows * d + 1, 7.0f);
            fast::position_table(first, turns, layout, Out(out).first(rows * d));
            EXPECT_EQ(out.back(), 7.0f);
            out.pop_back();
            EXPECT_TRUE(out == right) << d << " from " << first;
          });
        }
      }
}

/// So many entries that some lie nearer to the middle of two numbers than rotations leave them.
TEST_F(fast_primitives, positions_are_rounded_once_all_of_them) {
  const std::size_t d = 64, rows = 1 << 17;
  const auto turns = frequencies_in_turns(d, FrequencyRule::paper, 10000);
  const auto right = position_table<float>(d, rows);
  by_each_target([&] {
    std::vector<float> out(rows * d);
    fast::position_table(0, turns, SinusoidalLayout::interleaved, out);
    EXPECT_TRUE(out == right);
  });
}

TEST_F(fast_primitives, refuse_what_the_library_refuses) {
  std::vector<float> x(8, -std::numeric_limits<float>::infinity()), out(7);
  EXPECT_THROW(fast::softmax(x, 8), std::invalid_argument);
  EXPECT_THROW(fast::softmax(x, 3), std::invalid_argument);
  EXPECT_THROW(fast::softmax({}, 0), std::invalid_argument);
  EXPECT_THROW(fast::layer_norm(x, 8, 0, out), std::invalid_argument);
  EXPECT_THROW(fast::layer_norm(x, 3, 0, x), std::invalid_argument);
  EXPECT_THROW(fast::rms_norm(x, 8, 0, out), std::invalid_argument);
  EXPECT_THROW(fast::logits(x, x, 1, out), std::invalid_argument);
  EXPECT_THROW(fast::position_table(0, frequencies_in_turns(4, FrequencyRule::paper, 10000),
                                    SinusoidalLayout::halves, out),
               std::invalid_argument);
  const EmbeddingTable<float> table(2, 4, std::vector<float>(8));
  EXPECT_THROW(fast::look_up_and_add(table, std::array<std::size_t, 1>{2}, 1, Out(x).first(4),
                                     Out(out).first(4)),
               std::exception);
  by_each_target([] {
    for (const float odd : {NAN, HUGE_VALF}) {
      std::vector<float> z{0.0f, odd, 1.0f};
      fast::softmax(z, 3);
      for (const float weight : z) EXPECT_TRUE(std::isnan(weight)) << odd;
    }
  });
}

}  // namespace
}  // namespace embedscale::properties::fast_test
