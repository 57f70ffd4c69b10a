#include "first_layer.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "remembered.hpp"

namespace embedscale::expected {
namespace {
struct PositionMoments {
  double mean_square, constant_share, length;
};
PositionMoments moments_of(const NoTable& table, std::size_t) {
  return {0, 0, static_cast<double>(table.length)};
}
PositionMoments moments_of(const LearnedTable& table, std::size_t) {
  const auto length = static_cast<double>(table.length);
  return {table.mean_square, 1 / length, length};
}
PositionMoments moments_of(const SinusoidalTable& table, std::size_t width) {
  return {mean_square(table) * (2.0 * static_cast<double>(table.frequencies.size())) /
              static_cast<double>(width),
          constant_share(table), static_cast<double>(table.length)};
}
PositionMoments moments_of(const Input& input) {
  return std::visit([&](const auto& table) { return moments_of(table, input.width); },
                    input.position);
}

// Mean over channels of a sinusoidal position vector that fills some of `width` channels.
double channel_mean(std::span<const std::complex<double>> pairs, double width) {
  std::complex<double> even = 0, odd = 0;  // four sums at a time
  std::size_t i = 0;
  for (; i + 1 < pairs.size(); i += 2) even += pairs[i], odd += pairs[i + 1];
  if (i < pairs.size()) even += pairs[i];
  const auto sum = even + odd;
  return (sum.real() + sum.imag()) / width;
}

// Mean over positions of the square of the sum over channels, which each multiplier multiplies.
double square_of_channel_mean(SinusoidalTable table) {
  const double multiplier = std::exchange(table.multiplier, 1);
  thread_local Remembered<SinusoidalTable, double> remembered;
  return multiplier * multiplier * remembered.of(table, [&] {
    double squares = 0;
    for_each_position(table, [&](std::span<const std::complex<double>> pairs) {
      const double sum = channel_mean(pairs, 1);
      squares += sum * sum;
    });
    return squares / static_cast<double>(table.length);
  });
}
}  // namespace

bool centres(std::span<const Norm> norms) {
  return std::ranges::any_of(norms, [](const Norm& n) { return n.kind == Norm::Kind::layer_norm; });
}

double factor_of(std::span<const Norm> norms, double q, double v) {
  double factor = 1;
  bool centred = false;
  for (const Norm& norm : norms) {
    centred = centred || norm.kind == Norm::Kind::layer_norm;
    factor *= normalizing_factor((centred ? v : q) * factor * factor, norm);
  }
  return factor;
}

double mean_square(const Input& input) {
  return input.token_mean_square + input.common_mean_square + moments_of(input).mean_square;
}

double centred_mean_square(const Input& input) {
  const auto d = static_cast<double>(input.width);
  const auto* table = std::get_if<SinusoidalTable>(&input.position);
  if (!table) return mean_square(input) * (1 - 1 / d);
  const double random = input.token_mean_square + input.common_mean_square;
  return mean_square(input) - random / d - square_of_channel_mean(*table) / (d * d);
}

namespace {
// LayerNorm over sinusoids: ‖p_l‖ is the same at every position, but μ_l is not, so v_l and with
// it the norms' factor g_l differ. The mean key is mean_l g_l·(p_l − μ_l), and what is left of t
// and s.
InputMoments centred_sinusoids(const Input& input, std::span<const Norm> norms,
                               const SinusoidalTable& table) {
  const auto d = static_cast<double>(input.width), length = static_cast<double>(table.length);
  const double q = mean_square(input), p = moments_of(input).mean_square, centring = 1 - 1 / d;
  const double fresh = input.token_mean_square * centring;
  const double common = input.common_mean_square * centring;
  std::vector<std::complex<double>> mean(table.frequencies.size());
  double shift = 0, g_mean = 0, g2_mean = 0, spread_mean = 0;
  for_each_position(table, [&](std::span<const std::complex<double>> pairs) {
    const double mu = channel_mean(pairs, d), spread = p - mu * mu;
    const double g = factor_of(norms, q, fresh + common + spread);
    for (std::size_t i = 0; i < pairs.size(); ++i) mean[i] += g / length * pairs[i];
    shift += g / length * mu;
    g_mean += g / length;
    g2_mean += g * g / length;
    spread_mean += g * g / length * spread;
  });
  double constant = -shift * shift;
  for (const auto& pair : mean) constant += std::norm(pair) / d;
  const double all = (fresh + common) * g2_mean + spread_mean;
  return {.all = all,
          .over_keys = all - constant - fresh * g2_mean / length - common * g_mean * g_mean,
          .token = fresh * g2_mean,
          .position = spread_mean};
}
}  // namespace

InputMoments input_moments(const Input& input, std::span<const Norm> norms) {
  const auto* table = std::get_if<SinusoidalTable>(&input.position);
  if (table && centres(norms)) {
    thread_local Remembered<std::pair<Input, std::vector<Norm>>, InputMoments> remembered;
    return remembered.of({input, {norms.begin(), norms.end()}},
                         [&] { return centred_sinusoids(input, norms, *table); });
  }
  const auto p = moments_of(input);
  const double q = mean_square(input);
  const double centring = centres(norms) ? 1 - 1 / static_cast<double>(input.width) : 1.0;
  const double factor = factor_of(norms, q, q * centring), scale = factor * factor * centring;
  return {.all = scale * q,
          .over_keys = scale * ((1 - 1 / p.length) * input.token_mean_square +
                                (1 - p.constant_share) * p.mean_square),
          .token = scale * input.token_mean_square,
          .position = scale * p.mean_square};
}

double logit_std(double scale, double d_k, double sigma_q, double sigma_k, std::size_t d,
                 double query_mean_square, double key_mean_square) {
  return std::abs(scale) * std::sqrt(d_k) * sigma_q * sigma_k * static_cast<double>(d) *
         std::sqrt(query_mean_square) * std::sqrt(key_mean_square);
}

}  // namespace embedscale::expected
