#pragma once
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
#include <gtest/gtest.h>

#include "first_layer_model.hpp"

namespace embedscale::properties::oracle {

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
  const double d = static_cast<double>(width), L = static_cast<double>(model.length);
  const double t = model.token * model.token_share, s = model.common;
  const auto sines = sinusoids(model, width);
  const double learned = model.learned * model.position_share();
  const double p = sines.empty() ? learned : square(sines[0]) / d, q = t + s + p;
  const double share = sines.empty() ? 1 / L : square_of_mean(sines) / (p * d);
  const double delta_t = (kurtosis(model.token_law) - 1) / model.token_share / d;
  const double delta_s = (kurtosis(model.common_law) - 1) / d;
  const double overlap = model.token_share < 1 ? 0 : 1;
  // Covariances of s_i and s_j, i ≠ j, and of mean_l s_l with mean_l ‖x_l − mean x‖²/d.
  const double between = delta_s * s * s + 4 / d * s * p * (L * share - 1) / (L - 1);
  const double within =
      delta_t * t * t * (1 - 1 / L) / L + overlap * 4 / d * t * p * (1 - share) / L;
  if (model.norms.empty()) {
    value[0] *= 1 + between / (q * q);
    value[1] *= 1 + within / (q * m.over_keys);
    return {value, {}};
  }
  const double random = t + s + learned, v = centres(model.norms) ? random * (1 - 1 / d) : q;
  double least = v, most = v, A = 0, A2 = 0;  // v at the positions, f and f² over them
  if (centres(model.norms) && !sines.empty()) {
    least = q, most = 0;
    for (auto x : sines) {
      centre(x);
      const double at = v + square(x) / d, f = after(model.norms, q, at);
      least = std::min(least, at), most = std::max(most, at);
      A += f / L, A2 += f * f / L;
    }
  } else {
    A = after(model.norms, q, v), A2 = A * A;
  }
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
  const Six relative{2 * of_A + e * e * correlation + (A2 / (A * A) - 1) / (L - 1),
                     of_A + of_D + e * std::sqrt((delta / L + correlation) * 2 / d),
                     of_A,
                     of_D,
                     rest * (t / least * delta_t + delta),
                     rest * delta};
  Six allowance{};
  for (std::size_t i = 0; i < 6; ++i) allowance[i] = relative[i] * value[i];
  return {value, allowance};
}

}  // namespace embedscale::properties::oracle
