#pragma once
// Small models of the first attention, from the library's own primitives: tables, look-up, norms,
// weights, logits. Randomness comes from a function draw(law), which may count out all signs.
#include <embedscale/attention.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/first_layer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace embedscale::properties::first_layer {

using expected::centres, expected::input_moments, expected::logit_std;
using expected::Input, expected::InputMoments, expected::Norm;
using expected::LearnedTable, expected::NoTable, expected::SinusoidalTable;
constexpr double sigma_q = 0.3, sigma_k = 0.07;  // of the entries of W_Q and W_K

enum class Law { sign, uniform, normal };  // of variance 1
inline double kurtosis(Law law) { return law == Law::sign ? 1 : law == Law::uniform ? 1.8 : 3; }

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
  Law token_law = Law::uniform, common_law = Law::uniform;
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
enum class Weights { drawn, averaged };

template <class Draw>  // draw(law) is the next of independent numbers
Six run(const Model& model, std::size_t d, std::size_t d_k, Weights weights,
        const std::vector<std::vector<double>>& table, Draw& draw) {
  const auto L = static_cast<std::size_t>(model.length);
  const std::size_t d_t = model.token_channels(d), begin = model.position_begin(d);
  const double n = static_cast<double>(L), m = std::sqrt(static_cast<double>(d));
  std::vector<double> values(L * d_t), common(d), e(d_t), learned(d - begin), sum(d);
  for (double& value : values) value = std::sqrt(model.token) / m * draw(model.token_law);
  const EmbeddingTable<double> tokens(L, d_t, std::move(values));
  if (model.common > 0)
    for (double& value : common) value = std::sqrt(model.common) * draw(model.common_law);
  Six six{};
  double fourth = 0;  // mean of ‖x‖⁴/d²
  std::vector<std::vector<double>> x;
  for (std::size_t l = 0; l < L; ++l) {
    tokens.look_up(l, m, e);
    if (model.learned > 0)
      for (double& value : learned) value = std::sqrt(model.learned) * draw(Law::sign);
    auto t = row(d, e, 0), p = table.empty() ? row(d, learned, begin) : table[l];
    for (std::size_t j = 0; j < d; ++j) sum[j] = t[j] + common[j] + p[j];
    x.push_back(sum);
    normalize(model.norms, x[l]);
    if (centres(model.norms)) centre(sum), centre(t), centre(p);
    const double size = square(x[l]) / static_cast<double>(d), of_sum = size / square(sum);
    fourth += size * size / n;
    six[2] += size / n;
    six[4] += of_sum * square(t) / n;
    six[5] += of_sum * square(p) / n;
  }
  six[3] = six[2] - square_of_mean(x) / static_cast<double>(d);
  if (weights == Weights::averaged) {  // E z² = scale²·d_k·σ_q²·σ_k²·‖x_i‖²·‖x_j‖² for each x
    const double factor = std::pow(sigma_q * sigma_k * static_cast<double>(d), 2);
    six[0] = factor * (six[2] * six[2] * n - fourth) / (n - 1);
    six[1] = factor * six[2] * six[3];
    return six;
  }
  std::vector<double> w_q(d_k * d), w_k(d_k * d), q(L * d_k), k(L * d_k), z(L);
  for (double& w : w_q) w = sigma_q * draw(Law::uniform);
  for (double& w : w_k) w = sigma_k * draw(Law::uniform);
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

// What expected/first_layer.hpp states of a model, and how far from it the model's exact moments
// may lie. Without norms A, D and the parts are exact, and what a logit's square adds is a sum of
// fourth moments, known too. Norms leave out O(1/d), to leading order in it:
//
// x_l of mean square s_l (of mean v and variance δ²v²; about its mean, behind LayerNorm) comes out
// of norms with f(s) = s·G(s)². Let e = d ln f/d ln s, in [0, 1]: then d ln G/d ln s = −(1 − e)/2.
//   A: f is concave, and ½(e(e − 1) + de/d ln s)δ² lies between −e(1 − e)δ² and 0.
//   D = (1 − 1/L)·A − X, where X is the mean over l, m of G_l·G_m·⟨c_l, c_m⟩/d, l ≠ m, of the parts
//     c that are not drawn afresh. Fluctuation of s and its correlation with ⟨fresh, c⟩ and ‖s‖²
//     move X by at most (1 − e)·(2β + δ² + δ_s²·|s|²/v) of it, where β = fresh/(v·d).
//   Token: E G²‖t‖² is moved by at most (1 − e)·(δ² + δ_t²·|t|²/v). The position's ‖p‖ is constant.
//   z²: E f_i·f_j adds e² times the correlation of s_i and s_j, and f differs among positions.
//   Deviation: mean f_l, off by e·√(δ²/L + correlation), is correlated with the ‖x_l − x_m‖², which
//     are off by at most √(2/d) for kurtosis <= 3.

// Mean square behind norms of an input of mean square q, and v about its mean: of two channels.
inline double after(std::span<const Norm> norms, double q, double v) {
  std::array x{std::sqrt(std::max(q - v, 0.0)) + std::sqrt(v),
               std::sqrt(std::max(q - v, 0.0)) - std::sqrt(v)};
  normalize(norms, x);
  if (centres(norms)) centre(x);
  return square(x) / 2;
}
inline double elasticity(std::span<const Norm> norms, double q, double v) {
  return std::log(after(norms, 1.001 * q, 1.001 * v) / after(norms, q, v)) / std::log(1.001);
}

/// Mean squares per channel of a model's token, common part and positions, how far they vary, and
/// what its positions have in common.
struct Parts {
  Parts(const Model& model, std::size_t width)
      : sines(sinusoids(model, width)),
        d(static_cast<double>(width)),
        L(static_cast<double>(model.length)),
        t(model.token * model.token_share),
        s(model.common),
        learned(model.learned * model.position_share()),
        p(sines.empty() ? learned : square(sines[0]) / d),
        q(t + s + p),
        share(sines.empty() ? 1 / L : square_of_mean(sines) / (p * d)),
        delta_t((kurtosis(model.token_law) - 1) / model.token_share / d),
        delta_s((kurtosis(model.common_law) - 1) / d),
        overlap(model.token_share < 1 ? 0 : 1) {}

  std::vector<std::vector<double>> sines;
  double d, L, t, s, learned, p, q, share, delta_t, delta_s, overlap;
};

/// v at the positions, and the means over them of f(s) and its square.
struct OverPositions {
  double least, most, A = 0, A2 = 0;
};
inline OverPositions over_positions(const Model& model, const Parts& of, double random) {
  const double v = centres(model.norms) ? random * (1 - 1 / of.d) : of.q;
  if (!centres(model.norms) || of.sines.empty()) {
    const double A = after(model.norms, of.q, v);
    return {v, v, A, A * A};
  }
  OverPositions over{.least = of.q, .most = 0};
  for (auto x : of.sines) {
    centre(x);
    const double at = v + square(x) / of.d, f = after(model.norms, of.q, at);
    over.least = std::min(over.least, at), over.most = std::max(over.most, at);
    over.A += f / of.L, over.A2 += f * f / of.L;
  }
  return over;
}

/// How far from each stated value the exact moment may lie behind norms, as a share of it.
inline Six relative_allowance(const Model& model, const Parts& of, const InputMoments& m) {
  const auto& [sines, d, L, t, s, learned, p, q, share, delta_t, delta_s, overlap] = of;
  const double random = t + s + learned;
  const auto [least, most, A, A2] = over_positions(model, of, random);
  EXPECT_NEAR(A, m.all, 1e-12 * A) << model.name;
  const double e = elasticity(model.norms, q, least), rest = 1 - elasticity(model.norms, q, most);
  const double of_mean = centres(model.norms) ? std::sqrt(2.0) / d * random / least : 0;
  double delta = delta_t * t * t + delta_s * s * s + 4 / d * (t * s + t * p * overlap + s * p);
  delta = std::pow(std::sqrt(delta) / least + of_mean, 2);
  delta *= 1 + 3 * delta;  // the next order, for normal entries
  const double correlation = (delta_s * s * s + 4 / d * s * p) / (least * least);
  const double of_A = e * rest * delta;
  const double fixed = (s + (p - learned) * (share + 1 / L)) * after(model.norms, q, least) / least;
  const double beta = (t / model.token_share + learned / model.position_share()) / (least * d);
  const double of_D = (1 - 1 / L) * of_A * m.all / m.over_keys +
                      rest * (2 * beta + delta + s / least * delta_s) * fixed / m.over_keys;
  return {2 * of_A + e * e * correlation + (A2 / (A * A) - 1) / (L - 1),
          of_A + of_D + e * std::sqrt((delta / L + correlation) * 2 / d),
          of_A,
          of_D,
          rest * (t / least * delta_t + delta),
          rest * delta};
}

struct Stated {
  Six value, allowance;
};
inline Stated stated(const Model& model, std::size_t width, std::size_t d_k) {
  const Input input = model.input(width);
  const InputMoments m = input_moments(input, model.norms);
  const double scale = attention_scale<double>(d_k);
  const auto squared_logit = [&](double a, double b) {
    return std::pow(logit_std(scale, static_cast<double>(d_k), sigma_q, sigma_k, width, a, b), 2);
  };
  Six value{squared_logit(m.all, m.all),
            squared_logit(m.all, m.over_keys),
            m.all,
            m.over_keys,
            m.token,
            m.position};
  const Parts of(model, width);
  if (model.norms.empty()) {
    const auto& [sines, d, L, t, s, learned, p, q, share, delta_t, delta_s, overlap] = of;
    // Covariances of s_i and s_j, i ≠ j, and of mean_l s_l with mean_l ‖x_l − mean x‖²/d.
    const double between = delta_s * s * s + 4 / d * s * p * (L * share - 1) / (L - 1);
    const double within =
        delta_t * t * t * (1 - 1 / L) / L + overlap * 4 / d * t * p * (1 - share) / L;
    value[0] *= 1 + between / (q * q);
    value[1] *= 1 + within / (q * m.over_keys);
    return {value, {}};
  }
  Six allowance = relative_allowance(model, of, m);
  for (std::size_t i = 0; i < 6; ++i) allowance[i] *= value[i];
  return {value, allowance};
}

}  // namespace embedscale::properties::first_layer
