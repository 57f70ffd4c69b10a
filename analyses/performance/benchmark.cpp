// Times of the same work in several ways: embedscale::fast, the readable reference, C++'s library,
// Eigen, and what memory alone allows. Names are work/way, sizes those of works.json;
// ./dev reports performance runs it round after round beside frameworks.py.
//
//   fast_benchmark WORKS.json THREADS [AVX2] --benchmark_…
#include <embedscale/attention.hpp>
#include <embedscale/fast/fast.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/position_table.hpp>
#include <embedscale/random.hpp>

#include <benchmark/benchmark.h>
#include <hwy/targets.h>
#include <tbb/global_control.h>
#include <Eigen/Core>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace embedscale;
using In = std::span<const float>;
using Out = std::span<float>;
using Matrix = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

struct Sizes {
  std::size_t rows, width, keys, vocabulary, draws, checked_draws, tokens, block_width, heads;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Sizes, rows, width, keys, vocabulary, draws, checked_draws,
                                   tokens, block_width, heads)
Sizes sizes;

std::string by(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " × " + std::to_string(columns);
}

/// Numbers from L1 to memory, the largest of which are rows × width of all works and more.
constexpr std::size_t least = 1 << 12, most = 1 << 24;

/// Rows of draws, and room for as many results, from the beginning of a cache's line on.
struct Arrays {
  std::vector<float, Eigen::aligned_allocator<float>> x, y, out;
  std::vector<std::size_t> tokens;
  EmbeddingTable<float> table;

  Arrays()
      : x(most),
        y(most),
        out(most),
        table(sizes.vocabulary, sizes.width,
              std::vector<float>(sizes.vocabulary * sizes.width, 0.5f)) {
    fast::fill(Normal{1}, {1, "benchmark"}, x);
    y = x;
    const Stream stream(1, "benchmark");
    for (std::size_t i = 0; i < sizes.rows; ++i)
      tokens.push_back(stream.below(sizes.vocabulary, i));
  }
  In some(std::size_t n) const { return In(x).first(n); }
  Out room(std::size_t n) { return Out(out).first(n); }
};
Arrays& arrays() {
  static Arrays all;
  return all;
}

void measured(const std::string& name, const std::function<void()>& work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work](benchmark::State& state) {
                                 for (auto _ : state) {
                                   work();
                                   benchmark::ClobberMemory();
                                 }
                               })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}
void written(const std::string& name, std::size_t numbers) {
  measured(name, [=] { std::memset(arrays().out.data(), 1, 4 * numbers); });
}
void copied(const std::string& name, std::size_t numbers) {
  measured(name, [=] { std::memcpy(arrays().out.data(), arrays().x.data(), 4 * numbers); });
}

/// of(row of x, row of out) for each row of n numbers, `all` in total.
template <class Of>
auto each_row(std::size_t n, std::size_t all, Of of) {
  return [n, all, of] {
    auto& a = arrays();
    for (std::size_t i = 0; i + n <= all; i += n)
      of(In(a.x).subspan(i, n), Out(a.out).subspan(i, n));
  };
}

/// Rows of n numbers, all at once.
auto fast_softmax(std::size_t n, std::size_t all, bool with_entropy = false) {
  return [=, entropy = std::vector<float>(with_entropy ? all / n : 0)]() mutable {
    auto& a = arrays();
    std::copy_n(a.x.begin(), all, a.out.begin());
    fast::softmax(a.room(all), n, entropy);
  };
}
auto fast_norm(void (*norm)(In, std::size_t, float, Out), std::size_t d, std::size_t all) {
  return [=] { norm(arrays().some(all), d, 1e-5f, arrays().room(all)); };
}

void positions() {
  const auto [rows, width] = std::pair(sizes.rows, sizes.width);
  const auto name = "position table " + by(rows, width);
  const auto turns = frequencies_in_turns(width, FrequencyRule::paper, 10000);
  constexpr auto layout = SinusoidalLayout::interleaved;
  measured(name + "/fast",
           [=] { fast::position_table(0, turns, layout, arrays().room(rows * width)); });
  measured(name + "/reference", [=] {
    for (std::size_t p = 0; p < rows; ++p)
      encode_position_once_rounded<float>(static_cast<std::int64_t>(p), turns, layout,
                                          Out(arrays().out).subspan(p * width, width));
  });
  measured(name + "/C++ library", [=] {
    for (std::size_t p = 0; p < rows; ++p)
      for (std::size_t i = 0; i < width / 2; ++i) {
        const double angle = double(p) * std::pow(10000.0, -2.0 * double(i) / double(width));
        arrays().out[p * width + 2 * i] = static_cast<float>(std::sin(angle));
        arrays().out[p * width + 2 * i + 1] = static_cast<float>(std::cos(angle));
      }
  });
  written(name + "/limit", rows * width);
}

void look_ups() {
  const auto [rows, width] = std::pair(sizes.rows, sizes.width);
  const auto name = "look-up " + std::to_string(rows) + " of " + by(sizes.vocabulary, width);
  measured(name + "/fast", [=] {
    auto& a = arrays();
    fast::look_up_and_add(a.table, a.tokens, 32, In(a.y).first(rows * width), a.room(rows * width));
  });
  measured(name + "/reference", [=] {
    auto& a = arrays();
    for (std::size_t i = 0; i < rows; ++i) {
      const auto out = Out(a.out).subspan(i * width, width);
      a.table.look_up(a.tokens[i], 32, out);
      for (std::size_t j = 0; j < width; ++j) out[j] = out[j] + a.y[i * width + j];
    }
  });
  measured(name + "/limit", [=] {
    auto& a = arrays();
    for (std::size_t i = 0; i < rows * width; ++i) a.out[i] = 32 * a.x[i] + a.y[i];
  });
}

void softmaxes() {
  const std::size_t all = sizes.rows * sizes.width, keys = sizes.keys;
  const auto shape = by(all / keys, keys);
  const std::string name = "softmax " + shape, with_entropy = "softmax with entropy " + shape;
  measured(name + "/fast", fast_softmax(keys, all));
  measured(with_entropy + "/fast", fast_softmax(keys, all, true));
  measured(name + "/reference", each_row(keys, all, [](In x, Out out) {
             std::ranges::copy(x, out.begin());
             softmax(out);
           }));
  measured(with_entropy + "/reference", each_row(keys, all, [](In x, Out out) {
             std::ranges::copy(x, out.begin());
             softmax(out);
             benchmark::DoNotOptimize(entropy<float>(out));
           }));
  measured(name + "/Eigen", [=] {
    const Matrix x(arrays().x.data(), Eigen::Index(all / keys), Eigen::Index(keys));
    Matrix out(arrays().out.data(), x.rows(), x.cols());
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      out.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
      out.row(i) /= out.row(i).sum();
    }
  });
  for (const auto& limit : {name, with_entropy}) copied(limit + "/limit", all);
}

void norms() {
  const auto [rows, width] = std::pair(sizes.rows, sizes.width);
  const std::size_t all = rows * width;
  const std::string layer = "LayerNorm " + by(rows, width), rms = "RMSNorm " + by(rows, width);
  measured(layer + "/fast", fast_norm(fast::layer_norm, width, all));
  measured(layer + "/reference", each_row(width, all, [](In x, Out out) {
             layer_norm<float>(x, 1e-5f, EpsilonPlacement::variance, out);
           }));
  measured(layer + "/Eigen", [=] {
    const Matrix x(arrays().x.data(), Eigen::Index(rows), Eigen::Index(width));
    Matrix out(arrays().out.data(), x.rows(), x.cols());
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      out.row(i) = x.row(i) - x.row(i).mean();
      out.row(i) /= std::sqrt(out.row(i).square().mean() + 1e-5f);
    }
  });
  measured(rms + "/fast", fast_norm(fast::rms_norm, width, all));
  measured(rms + "/reference", each_row(width, all, [](In x, Out out) {
             rms_norm<float>(x, 1e-5f, EpsilonPlacement::variance, out);
           }));
  for (const auto& limit : {layer, rms}) copied(limit + "/limit", all);
}

void products() {
  const auto [rows, width] = std::pair(sizes.rows, sizes.width);
  const std::string one = "logits of 1 query, keys " + by(rows, width),
                    many = "linear " + by(sizes.keys, width) + ", weights " + by(width, width);
  measured(one + "/fast", [=] {
    fast::logits(In(arrays().y).first(width), arrays().some(rows * width), 0.1f,
                 arrays().room(rows));
  });
  measured(one + "/reference", [=] {
    logits<float>(In(arrays().y).first(width), arrays().some(rows * width), 0.1f,
                  arrays().room(rows));
  });
  measured(one + "/Eigen", [=] {
    const Matrix x(arrays().x.data(), Eigen::Index(rows), Eigen::Index(width));
    const Matrix q(arrays().y.data(), Eigen::Index(width), 1);
    Matrix(arrays().out.data(), x.rows(), 1).matrix().noalias() = 0.1f * (x.matrix() * q.matrix());
  });
  measured(many + "/fast", [=] {
    fast::linear({arrays().some(width * width), {}}, width,
                 In(arrays().y).first(sizes.keys * width), arrays().room(sizes.keys * width));
  });
  measured(many + "/Eigen", [=] {
    const Matrix x(arrays().y.data(), Eigen::Index(sizes.keys), Eigen::Index(width));
    const Matrix w(arrays().x.data(), Eigen::Index(width), Eigen::Index(width));
    Matrix(arrays().out.data(), x.rows(), w.rows()).matrix().noalias() =
        x.matrix() * w.matrix().transpose();
  });
}

void blocks() {
  const std::size_t d = sizes.block_width, n = sizes.tokens;
  const auto weights = [](std::size_t size) {
    std::vector<float> all(size);
    fast::fill(Normal{0.05}, {1, "weights"}, all);
    return all;
  };
  EncoderBlock<float> block{{d, sizes.heads, 4 * d}, NormPlacement::pre, {}, {}};
  block.norm.epsilon = 1e-5f;
  for (auto* square :
       {&block.weights.query, &block.weights.key, &block.weights.value, &block.weights.output})
    *square = weights(d * d);
  block.weights.inner = block.weights.outer = weights(4 * d * d);
  const auto name = "block of " + std::to_string(n) + " tokens, d = " + std::to_string(d);
  measured(name + "/fast", [=] { fast::apply(block, arrays().some(n * d), arrays().room(n * d)); });
  measured(name + "/reference",
           [=] { apply<float>(block, arrays().some(n * d), arrays().room(n * d)); });
}

void draws() {
  const std::size_t n = sizes.draws;
  const auto fill = [=](const char* name, const Initializer& law) {
    measured(std::string(name) + " draws/fast", [=] {
      fast::fill(law, {1, "draws"}, arrays().room(n));
    });
    measured(std::string(name) + " draws/reference",
             [=] { embedscale::fill<float>(law, Stream(1, "draws"), arrays().room(n)); });
    written(std::string(name) + " draws/limit", n);
  };
  fill("normal", Normal{1}), fill("uniform", Uniform{1});
  fill("truncated normal", TruncatedNormal{1});
  const auto library = [=](const char* name, auto distribution) {
    measured(name, [=, engine = std::mt19937(1)]() mutable {
      for (float& x : arrays().room(n)) x = distribution(engine);
    });
  };
  library("normal draws/C++ library", std::normal_distribution<float>());
  library("uniform draws/C++ library", std::uniform_real_distribution<float>(-1, 1));
  measured("four moments/fast", [=] { benchmark::DoNotOptimize(fast::moments(arrays().some(n))); });
  measured("deviation to 0.1 %/fast", [] {
    benchmark::DoNotOptimize(
        fast::moments_of_draws(Normal{1}, {1, "deviation"}, sizes.checked_draws));
  });
}

/// As many numbers at each width, and position tables of as many rows.
void growth() {
  for (std::size_t d = 64; d <= 16384; d *= 4) {
    const auto at = "/" + std::to_string(d);
    const auto turns = frequencies_in_turns(d, FrequencyRule::paper, 10000);
    measured("growth of position table" + at, [=] {
      constexpr std::size_t rows = 512, all = rows * 16384;
      for (std::size_t done = 0; done < all; done += rows * d)
        fast::position_table(0, turns, SinusoidalLayout::interleaved, arrays().room(rows * d));
    });
    measured("growth of softmax" + at, fast_softmax(d, sizes.draws));
    measured("growth of LayerNorm" + at, fast_norm(fast::layer_norm, d, sizes.draws));
  }
}

/// From L1 to memory, beside a copy of as many numbers.
void caches() {
  for (std::size_t n = least; n <= most; n *= 16) {
    const auto at = "/" + std::to_string(n);
    const std::size_t d = std::min<std::size_t>(n, 1024);
    measured("size of softmax" + at, fast_softmax(d, n));
    measured("size of LayerNorm" + at, fast_norm(fast::layer_norm, d, n));
    measured("size of RMSNorm" + at, fast_norm(fast::rms_norm, d, n));
    measured("size of normal draws" + at, [=] {
      fast::fill(Normal{1}, {1, "draws"}, arrays().room(n));
    });
    copied("size of limit" + at, n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  nlohmann::json::parse(std::ifstream(argv[1])).at("sizes").get_to(sizes);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  std::stoul(argv[2]));
  if (argc > 3) hwy::DisableTargets(~std::int64_t{HWY_AVX2});
  arrays();  // drawn before anything is timed
  positions(), look_ups(), softmaxes(), norms(), products(), blocks(), draws(), growth(), caches();
  benchmark::RunSpecifiedBenchmarks();
}
