// Times of the same work in several ways, one thread: embedscale::fast, the readable reference, the
// C library, Eigen, and what memory alone allows. Names are work/way; ./dev reports performance
// runs it round after round beside frameworks.py.
#include <embedscale/attention.hpp>
#include <embedscale/fast/fast.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/position_table.hpp>
#include <embedscale/random.hpp>

#include <benchmark/benchmark.h>
#include <Eigen/Core>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace embedscale;
using In = std::span<const float>;
using Out = std::span<float>;
using Matrix = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr std::size_t rows = 4096, width = 1024, keys = 512, vocabulary = 32000;

/// Rows of draws, and room for as many results.
struct Arrays {
  std::vector<float> x, y, out;
  std::vector<std::size_t> tokens;
  EmbeddingTable<float> table;

  Arrays()
      : x(rows * width),
        y(x.size()),
        out(x.size()),
        table(vocabulary, width, std::vector<float>(vocabulary * width, 0.5f)) {
    const Stream stream(1, "benchmark");
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(stream.normal(i));
    y = x;
    for (std::size_t i = 0; i < rows; ++i) tokens.push_back(stream.below(vocabulary, i));
  }
};
Arrays& arrays() {
  static Arrays all;
  return all;
}

void measured(const std::string& name, const std::function<void()>& work) {
  benchmark::RegisterBenchmark(name.c_str(), [work](benchmark::State& state) {
    for (auto _ : state) {
      work();
      benchmark::ClobberMemory();
    }
  })->Unit(benchmark::kMicrosecond);
}

/// of(row of x, row of out) for each row of so many numbers, `all` in total.
template <class Of>
auto each_row(std::size_t n, std::size_t all, Of of) {
  return [n, all, of] {
    auto& a = arrays();
    for (std::size_t i = 0; i + n <= all; i += n)
      of(In(a.x).subspan(i, n), Out(a.out).subspan(i, n));
  };
}

/// Rows of so many numbers, all at once.
auto fast_softmax(std::size_t n, std::size_t all) {
  return [n, all] {
    auto& a = arrays();
    std::copy_n(a.x.begin(), all, a.out.begin());
    fast::softmax(Out(a.out).first(all), n);
  };
}
auto fast_norm(void (*norm)(In, std::size_t, float, Out), std::size_t d, std::size_t all) {
  return
      [norm, d, all] { norm(In(arrays().x).first(all), d, 1e-5f, Out(arrays().out).first(all)); };
}

void positions() {
  static const auto turns = frequencies_in_turns(width, FrequencyRule::paper, 10000);
  constexpr auto layout = SinusoidalLayout::interleaved;
  measured("position table/fast", [] { fast::position_table(0, turns, layout, arrays().out); });
  measured("position table/reference", [] {
    for (std::size_t p = 0; p < rows; ++p)
      encode_position_once_rounded<float>(static_cast<std::int64_t>(p), turns, layout,
                                          Out(arrays().out).subspan(p * width, width));
  });
  measured("position table/C library", [] {
    for (std::size_t p = 0; p < rows; ++p)
      for (std::size_t i = 0; i < width / 2; ++i) {
        const double angle = static_cast<double>(p) * std::pow(10000.0, -2.0 * double(i) / width);
        arrays().out[p * width + 2 * i] = static_cast<float>(std::sin(angle));
        arrays().out[p * width + 2 * i + 1] = static_cast<float>(std::cos(angle));
      }
  });
  measured("position table/limit", [] { std::memset(arrays().out.data(), 1, 4 * rows * width); });
}

void look_ups() {
  measured("look-up/fast", [] {
    auto& a = arrays();
    fast::look_up_and_add(a.table, a.tokens, 32, a.y, a.out);
  });
  measured("look-up/reference", [] {
    auto& a = arrays();
    for (std::size_t i = 0; i < rows; ++i) {
      const auto out = Out(a.out).subspan(i * width, width);
      a.table.look_up(a.tokens[i], 32, out);
      for (std::size_t j = 0; j < width; ++j) out[j] = out[j] + a.y[i * width + j];
    }
  });
  measured("look-up/limit", [] {
    auto& a = arrays();
    for (std::size_t i = 0; i < a.x.size(); ++i) a.out[i] = 32 * a.x[i] + a.y[i];
  });
}

void rows_of_numbers() {
  constexpr std::size_t all = rows * width;
  measured("softmax/fast", fast_softmax(keys, all));
  measured("softmax/reference", each_row(keys, all, [](In x, Out out) {
             std::ranges::copy(x, out.begin());
             softmax(out);
           }));
  measured("softmax/Eigen", [] {
    const Matrix x(arrays().x.data(), rows * width / keys, keys);
    Matrix out(arrays().out.data(), rows * width / keys, keys);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      out.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
      out.row(i) /= out.row(i).sum();
    }
  });
  measured("LayerNorm/fast", fast_norm(fast::layer_norm, width, all));
  measured("LayerNorm/reference", each_row(width, all, [](In x, Out out) {
             layer_norm<float>(x, 1e-5f, EpsilonPlacement::variance, out);
           }));
  measured("LayerNorm/Eigen", [] {
    const Matrix x(arrays().x.data(), rows, width);
    Matrix out(arrays().out.data(), rows, width);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      out.row(i) = x.row(i) - x.row(i).mean();
      out.row(i) /= std::sqrt(out.row(i).square().mean() + 1e-5f);
    }
  });
  measured("RMSNorm/fast", fast_norm(fast::rms_norm, width, all));
  measured("RMSNorm/reference", each_row(width, all, [](In x, Out out) {
             rms_norm<float>(x, 1e-5f, EpsilonPlacement::variance, out);
           }));
  for (const char* name : {"softmax/limit", "LayerNorm/limit", "RMSNorm/limit"})
    measured(name, [] { std::memcpy(arrays().out.data(), arrays().x.data(), 4 * rows * width); });
  measured("logits/fast", [] {
    auto& a = arrays();
    fast::logits(In(a.y).first(width), a.x, 0.1f, Out(a.out).first(rows));
  });
  measured("logits/reference", [] {
    auto& a = arrays();
    logits<float>(In(a.y).first(width), a.x, 0.1f, Out(a.out).first(rows));
  });
  measured("logits/Eigen", [] {
    const Matrix x(arrays().x.data(), rows, width), q(arrays().y.data(), width, 1);
    Matrix(arrays().out.data(), rows, 1).matrix().noalias() = 0.1f * (x.matrix() * q.matrix());
  });
}

/// As many numbers at each width.
void growth() {
  for (std::size_t d = 64; d <= 16384; d *= 4) {
    const auto at = "/" + std::to_string(d);
    measured("growth of softmax" + at, fast_softmax(d, 1 << 20));
    measured("growth of LayerNorm" + at, fast_norm(fast::layer_norm, d, 1 << 20));
    const auto turns = frequencies_in_turns(d, FrequencyRule::paper, 10000);
    measured("growth of position table" + at, [turns] {
      fast::position_table(0, turns, SinusoidalLayout::halves, Out(arrays().out).first(1 << 20));
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  arrays();  // drawn before anything is timed
  positions(), look_ups(), rows_of_numbers(), growth();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
