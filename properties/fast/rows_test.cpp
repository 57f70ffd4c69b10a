// The fast primitives in the place of the library's, by each set of instructions that the processor
// has: the same properties hold, the bits are the same, and nothing beside a row is touched.
#include <embedscale/attention.hpp>
#include <embedscale/fast/fast.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/position_table.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

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
#include "../block/sample.hpp"
#include "../normalization/claims.hpp"
#include "../normalization/trials.hpp"
#include "../testing/seed.hpp"
#include "by_each_target.hpp"

namespace embedscale::properties::fast_test {
namespace {

using In = std::span<const float>;
using Out = std::span<float>;

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
  own.of<float>().project = [](In w, In b, In x, Out out) {
    run_by_each_target(out, [&](Out to) { fast::linear({w, b}, x.size(), x, to); });
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
      {"softmax and entropies",
       [](In x, Out out) {
         const auto n = x.size() % 5 == 0 ? x.size() / 5 : x.size();
         std::vector<float> z(x.begin(), x.end());
         fast::softmax(z, n, out.first(x.size() / n));
         std::ranges::copy(z.begin() + static_cast<std::ptrdiff_t>(x.size() / n), z.end(),
                           out.begin() + static_cast<std::ptrdiff_t>(x.size() / n));
       }},
      {"linear",
       [](In x, Out out) {  // rows of x and of weights as if each were alone
         const std::size_t rows = x.size() % 9 == 0 ? 3 : 1, n = x.size() / rows;
         fast::linear({x, x.first(rows)}, n, x, out.first(rows * rows));
         for (std::size_t i = 0; i < rows; ++i)
           for (std::size_t k = 0; k < rows; ++k) {
             float alone = 0;
             fast::logits(x.subspan(i * n, n), x.subspan(k * n, n), 1, Out(&alone, 1));
             EXPECT_EQ(out[i * rows + k], alone + x[k]);
           }
         std::ranges::fill(out.subspan(rows * rows), 0.0f);
       }},
      {"draws",
       [](In, Out out) {  // not from the first one of a group on
         fast::fill(TruncatedNormal{2}, {1, "guarded"}, out, 40);
       }},
      {"moments",
       [](In x, Out out) {
         const auto [count, mean, variance, fourth] = fast::moments(x);
         std::ranges::fill(out, static_cast<float>(mean + variance + fourth));
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
          constexpr std::size_t rows = 603;
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

// Of the logits, or of the weights as they are. With k additions one behind the other, exponentials
// of two units and a logarithm of 2.5: S = Σ eᶻ is off by k + 4 roundings, T = Σ z·eᶻ and T/S by as
// many more, ln S by those of S and 5 of its own.
TEST_F(fast_primitives, entropies_and_traces_are_those_of_the_weights) {
  const auto stream = testing::stream_of("entropies");
  for (const std::size_t n : {1u, 2u, 7u, 31u, 32u, 33u, 100u, 512u})
    for (const double size : {0.0, 0.1, 1.0, 8.0, 60.0, 1e4}) {
      std::vector<float> z(n), entropy(1), trace(1);
      for (std::size_t i = 0; i < n; ++i) z[i] = static_cast<float>(size * stream.normal(i, n));
      if (n == 7) z[3] = -HUGE_VALF;
      const double most = *std::ranges::max_element(z);
      double sum = 0, products = 0;
      for (const double one : z) {
        sum += std::exp(one - most);
        if (one > most - 700) products += (one - most) * std::exp(one - most);
      }
      const double k = static_cast<double>(n / 32 + 6), parts = -products / sum;
      const double exact = std::log(sum) + parts;
      by_each_target([&] {
        auto weights = z;
        fast::softmax(weights, n, entropy, trace);
        double of_weights = 0;  // 1 − w is exact from 1/2 on, rounded once below
        for (const double w : weights) of_weights += w * (1 - w);
        EXPECT_NEAR(trace[0], of_weights, 1.01 * 0x1p-24 * (k + 1) * of_weights);
        EXPECT_NEAR(entropy[0], exact,
                    1.01 * 0x1p-24 * ((k + 4) + 5 * std::log(sum) + (2 * k + 10) * parts + exact))
            << n << " of size " << size;
      });
    }
}

/// A block's attention by the formula, from the parts that the properties are about.
std::vector<float> attention_of(const BlockShape& shape, const BlockWeights<float>& w, In x) {
  const std::size_t d = shape.d_model, d_k = d / shape.heads, n = x.size() / d;
  std::vector<float> q(x.size()), k(x.size()), v(x.size()), means(x.size()), out(x.size());
  fast::linear({w.query, w.query_bias}, d, x, q), fast::linear({w.key, w.key_bias}, d, x, k);
  fast::linear({w.value, w.value_bias}, d, x, v);
  for (std::size_t head = 0; head < d; head += d_k)
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<float> z(n);
      for (std::size_t j = 0; j < n; ++j)
        fast::logits(In(q).subspan(i * d + head, d_k), In(k).subspan(j * d + head, d_k),
                     attention_scale<float>(d_k), Out(z).subspan(j, 1));
      fast::softmax(z, n);
      for (std::size_t c = head; c < head + d_k; ++c) {
        std::vector<float> values;
        for (std::size_t j = 0; j < n; ++j) values.push_back(v[j * d + c]);
        fast::logits(z, values, 1, Out(means).subspan(i * d + c, 1));
      }
    }
  fast::linear({w.output, w.output_bias}, d, means, out);
  return out;
}

TEST_F(fast_primitives, a_block_is_what_its_parts_give) {
  using block::Biases;
  for (const auto norms : {NormPlacement::pre, NormPlacement::post})
    for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm})
      for (const auto biases : {Biases::none, Biases::all}) {
        const auto doubles = block::block_of(
            {{12, 3, 20}, 5, norms, kind, EpsilonPlacement::variance, 0.01, biases, 4});
        EncoderBlock<float> own{
            doubles.shape, norms, {kind, 0.01f, EpsilonPlacement::variance}, {}};
        const auto narrow = [](const std::vector<double>& all) {
          return std::vector<float>(all.begin(), all.end());
        };
        const auto& w = doubles.weights;
        own.weights = {narrow(w.query),       narrow(w.key),        narrow(w.value),
                       narrow(w.output),      narrow(w.inner),      narrow(w.outer),
                       narrow(w.query_bias),  narrow(w.key_bias),   narrow(w.value_bias),
                       narrow(w.output_bias), narrow(w.inner_bias), narrow(w.outer_bias)};
        const auto norm = [&](std::vector<float>& rows) {
          (kind == NormKind::layer_norm ? fast::layer_norm : fast::rms_norm)(rows, 12, 0.01f, rows);
        };
        const auto x = narrow(block::Normals(1, "x")(5 * 12));
        auto y = x;
        for (const bool attends : {true, false}) {
          auto branch = y;
          if (norms == NormPlacement::pre) norm(branch);
          if (attends) {
            branch = attention_of(own.shape, own.weights, branch);
          } else {
            std::vector<float> hidden(5 * 20);
            fast::linear({own.weights.inner, own.weights.inner_bias}, 12, branch, hidden);
            for (float& one : hidden) one = one > 0 ? one : 0;
            fast::linear({own.weights.outer, own.weights.outer_bias}, 20, hidden, branch);
          }
          for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] + branch[i];
          if (norms == NormPlacement::post) norm(y);
        }
        std::vector<float> out(x.size());
        by_each_target([&] {
          fast::apply(own, x, out);
          EXPECT_EQ(out, y);
        });
        auto refused = own;
        refused.norm.placement = EpsilonPlacement::standard_deviation;
        EXPECT_THROW(fast::apply(refused, x, out), std::invalid_argument);
        EXPECT_THROW(fast::apply(own, x, Out(out).first(12)), std::invalid_argument);
      }
}

/// What run() makes with one thread, which it makes with any number.
template <class Run>
void expect_same_with_any_threads(const Run& run) {
  const auto with = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return run();
  };
  const auto one = with(1);
  for (const std::size_t threads : {2, 3}) EXPECT_TRUE(with(threads) == one) << threads;
}

TEST_F(fast_primitives, threads_change_nothing) {
  constexpr std::size_t n = 300'000;
  const fast::Stream stream(1, "threads");
  std::vector<float> x(n);
  fast::fill(Normal{1}, stream, x, 77);
  const auto of = [&](auto run) {
    expect_same_with_any_threads([&] {
      std::vector<float> out = x;
      run(Out(out));
      EXPECT_FALSE(out == x);
      return out;
    });
  };
  of([&](Out out) { fast::fill(Normal{1}, stream, out, 78); });
  of([&](Out out) { fast::softmax(out, 300); });
  of([&](Out out) { fast::layer_norm(out, 300, 1e-5f, out); });
  of([&](Out out) { fast::logits(In(x).first(100), x, 1, out.first(n / 100)); });
  of([&](Out out) {
    fast::linear({In(x).first(400 * 100), {}}, 100, In(x).first(50'000), out.first(200'000));
  });
  of([&](Out out) {
    fast::position_table(0, frequencies_in_turns(100, FrequencyRule::paper, 10000),
                         SinusoidalLayout::interleaved, out);
  });
  of([&](Out out) {
    const EmbeddingTable<float> table(3, 100, {x.begin(), x.begin() + 300});
    const std::vector<std::size_t> tokens(n / 100, 2);
    fast::look_up_and_add(table, tokens, 3, x, out);
  });
  const auto as_tuple = [](const fast::Moments& m) {
    return std::tuple(m.count, m.mean, m.variance, m.fourth);
  };
  expect_same_with_any_threads([&] { return as_tuple(fast::moments(x)); });
  expect_same_with_any_threads(
      [&] { return as_tuple(fast::moments_of_draws(Uniform{1}, stream, n)); });
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
  fast::logits({}, {}, 1, out);
  EXPECT_EQ(out, std::vector<float>(7)) << "the product of nothing";
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
