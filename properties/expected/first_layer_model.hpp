#pragma once
// Small models of the first attention, from the library's own primitives: tables, look-up, norms,
// weights, logits. What is random there has a size and a sign, which a function counts out.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/first_layer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace embedscale::properties::first_layer {

using expected::centres, expected::input_moments, expected::logit_std;
using expected::Input, expected::InputMoments, expected::Norm;
using expected::LearnedTable, expected::NoTable, expected::SinusoidalTable;
constexpr double sigma_q = 0.3, sigma_k = 0.07;  // of the entries of W_Q and W_K

struct Sinusoids {
  FrequencyRule rule;
  std::int64_t first;
  double multiplier;
};
struct Model {
  const char* name;
  std::int64_t length;
  double token, common, learned;  // mean squares in the channels that they are in
  std::vector<Sinusoids> table;   // none or one
  std::vector<Norm> norms;
  double token_share = 1;  // of the channels; if below 1, positions have the rest: concatenation

  std::size_t token_channels(std::size_t d) const {
    return static_cast<std::size_t>(token_share * static_cast<double>(d));
  }
  std::size_t position_begin(std::size_t d) const { return token_channels(d) % d; }
  double position_share() const { return token_share < 1 ? 1 - token_share : 1; }
  Input input(std::size_t d) const {
    Input in{d, token * token_share, common, NoTable{length}};
    if (learned > 0) in.position = LearnedTable{learned * position_share(), length};
    for (const auto& [rule, first, m] : table)
      in.position = SinusoidalTable{sinusoidal_frequencies<double>(d - position_begin(d), rule),
                                    first, length, m};
    return in;
  }
};

inline void normalize(std::span<const Norm> norms, std::span<double> x) {
  for (const Norm& n : norms) {
    if (n.kind == Norm::Kind::layer_norm) layer_norm<double>(x, n.epsilon, n.placement, x);
    if (n.kind == Norm::Kind::rms_norm) rms_norm<double>(x, n.epsilon, n.placement, x);
  }
}
inline double square(std::span<const double> x) { return dot<double>(x, x); }
inline void centre(std::span<double> x) {
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  for (double& value : x) value -= mean;
}
inline std::vector<double> row(std::size_t d, std::span<const double> values, std::size_t begin) {
  std::vector<double> x(d);
  std::ranges::copy(values, x.begin() + static_cast<std::ptrdiff_t>(begin));
  return x;
}
inline std::vector<std::vector<double>> sinusoids(const Model& model, std::size_t d) {
  std::vector<std::vector<double>> rows;
  for (const auto& [rule, first, m] : model.table) {
    const std::size_t begin = model.position_begin(d);
    const auto w = sinusoidal_frequencies<double>(d - begin, rule);
    std::vector<double> p(d - begin);
    for (std::int64_t l = first; l < first + model.length; ++l) {
      encode_position<double>(l, w, SinusoidalLayout::interleaved, p);
      for (double& value : p) value *= m;
      rows.push_back(row(d, p, begin));
    }
  }
  return rows;
}

inline double square_of_mean(const std::vector<std::vector<double>>& rows) {
  std::vector<double> mean(rows[0].size());
  for (const auto& x : rows)
    for (std::size_t j = 0; j < x.size(); ++j) mean[j] += x[j] / static_cast<double>(rows.size());
  return square(mean);
}

// Of one model: z² over keys j ≠ i, its squared deviation over all keys, A, D, and A's two parts. A
// norm is a factor on what may have lost its mean, so that the parts go through it one by one.
using Six = std::array<double, 6>;
constexpr std::array names{"z²", "deviation", "A", "D", "token", "position"};

template <class Sign>  // sign() is the next of independent ones
Six run(const Model& model, std::size_t d, std::size_t d_k,
        const std::vector<std::vector<double>>& table, Sign& sign) {
  const auto L = static_cast<std::size_t>(model.length);
  const std::size_t d_t = model.token_channels(d), begin = model.position_begin(d);
  const double n = static_cast<double>(L), m = std::sqrt(static_cast<double>(d));
  std::vector<double> values(L * d_t), common(d), e(d_t), learned(d - begin), sum(d);
  for (double& value : values) value = std::sqrt(model.token) / m * sign();
  const EmbeddingTable<double> tokens(L, d_t, std::move(values));
  if (model.common > 0)
    for (double& value : common) value = std::sqrt(model.common) * sign();
  Six six{};
  std::vector<std::vector<double>> x;
  for (std::size_t l = 0; l < L; ++l) {
    tokens.look_up(l, m, e);
    if (model.learned > 0)
      for (double& value : learned) value = std::sqrt(model.learned) * sign();
    auto t = row(d, e, 0), p = table.empty() ? row(d, learned, begin) : table[l];
    for (std::size_t j = 0; j < d; ++j) sum[j] = t[j] + common[j] + p[j];
    x.push_back(sum);
    normalize(model.norms, x[l]);
    if (centres(model.norms)) centre(sum), centre(t), centre(p);
    const double size = square(x[l]) / static_cast<double>(d);
    const double of_sum = size > 0 ? size / square(sum) : 0;  // a mean alone may be all it has
    six[2] += size / n;
    six[4] += of_sum * square(t) / n;
    six[5] += of_sum * square(p) / n;
  }
  six[3] = six[2] - square_of_mean(x) / static_cast<double>(d);
  std::vector<double> w_q(d_k * d), w_k(d_k * d), q(L * d_k), k(L * d_k), z(L);
  for (double& w : w_q) w = sigma_q * sign();
  for (double& w : w_k) w = sigma_k * sign();
  for (std::size_t l = 0; l < L; ++l) {  // W·x_l: x_l's products with the rows of W
    logits<double>(x[l], w_q, 1.0, std::span(q).subspan(l * d_k, d_k));
    logits<double>(x[l], w_k, 1.0, std::span(k).subspan(l * d_k, d_k));
  }
  for (std::size_t i = 0; i < L; ++i) {
    logits<double>(std::span(q).subspan(i * d_k, d_k), k, attention_scale<double>(d_k), z);
    six[0] += (square(z) - z[i] * z[i]) / (n * (n - 1));
    centre(z);
    six[1] += square(z) / (n * n);
  }
  return six;
}

// What expected/first_layer.hpp states of a model, with what a logit's square adds where a part
// that is shared correlates the lengths of two inputs: fourth moments of signs. Behind norms that
// is not known but for inputs of one length.
inline Six stated(const Model& model, std::size_t width, std::size_t d_k) {
  const InputMoments m = input_moments(model.input(width), model.norms);
  const double d = static_cast<double>(width), L = static_cast<double>(model.length);
  const auto squared_logit = [&](double a, double b) {
    return std::pow(logit_std(attention_scale<double>(d_k), static_cast<double>(d_k), sigma_q,
                              sigma_k, width, a, b),
                    2);
  };
  const auto sines = sinusoids(model, width);
  const double t = model.token * model.token_share, s = model.common;
  const double p = sines.empty() ? model.learned * model.position_share() : square(sines[0]) / d;
  const double share = sines.empty() ? 1 / L : square_of_mean(sines) / (p * d);
  // Covariances of s_i and s_j, i ≠ j, and of mean_l s_l with mean_l ‖x_l − mean x‖²/d.
  const double between = 4 / d * s * p * (L * share - 1) / (L - 1);
  const double within = model.token_share < 1 ? 0 : 4 / d * t * p * (1 - share) / L;
  const double q = t + s + p;
  return {squared_logit(m.all, m.all) * (1 + between / (q * q)),
          squared_logit(m.all, m.over_keys) * (1 + within / (q * m.over_keys)),
          m.all,
          m.over_keys,
          m.token,
          m.position};
}

}  // namespace embedscale::properties::first_layer
