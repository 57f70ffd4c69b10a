#include "values.hpp"

#include <algorithm>

namespace embedscale::properties::primitives {
namespace {

using Numbers = std::vector<AnyOrder>;

Numbers numbers(Evaluation& of, const Row& x) {
  Numbers all;
  for (const Wide& value : x) all.emplace_back(of, value);
  return all;
}

AnyOrder reciprocal(const AnyOrder& x) { return AnyOrder(x.evaluation(), Wide(1)) / x; }

/// Σ x_j·y_j, and what else is in the sum, wherever in it.
AnyOrder inner_product(Evaluation& of, std::span<const AnyOrder> x, std::span<const AnyOrder> y,
                       Numbers terms = {}) {
  for (std::size_t j = 0; j < x.size(); ++j) terms.push_back(x[j] * y[j]);
  return sum_of(of, terms);
}

AnyOrder mean(Evaluation& of, const Numbers& x) {
  return sum_of(of, x) * reciprocal(AnyOrder::whole(of, x.size()));
}

void centre(Evaluation& of, Numbers& x) {
  const AnyOrder by = mean(of, x);
  for (auto& value : x) value = value - by;
}

/// What is divided over √(mean square + ε), or over √(mean square) + ε.
Values standardised(Evaluation& of, const Numbers& divided, const Wide& epsilon,
                    EpsilonPlacement placement) {
  Numbers squares;
  for (const auto& x : divided) squares.push_back(x * x);
  const AnyOrder mean_square = mean(of, squares), more(of, epsilon);
  const AnyOrder factor =
      reciprocal(placement == EpsilonPlacement::variance ? sqrt(mean_square + more)
                                                         : sqrt(mean_square) + more);
  Numbers out;
  for (const auto& x : divided) out.push_back(x * factor);
  return {of, out};
}

}  // namespace

Values::Values(const Evaluation& of, const std::vector<AnyOrder>& right)
    : bounded_(of.reached <= of.in.largest) {
  for (const auto& number : right) {
    exact_.push_back(number.exact());
    allowed_.push_back(number.error());
    bounded_ = bounded_ && std::isfinite(number.error());
  }
}

double Values::share_of(const Row& computed) const {
  if (computed.size() != exact_.size()) return HUGE_VAL;
  double worst = 0;
  for (std::size_t j = 0; j < exact_.size(); ++j) {
    const auto off = static_cast<long double>(abs(computed[j] - exact_[j]));
    const auto share = off == 0 ? 0.0 : static_cast<double>(off / allowed_[j]);
    worst = std::isnan(share) ? HUGE_VAL : std::max(worst, share);
  }
  return worst;
}

Values scaled_products(const Rounding& in, const Row& x, const Row& rows, const Row& biases,
                       const Wide& scale) {
  Evaluation of{in};
  const auto right = numbers(of, x), matrix = numbers(of, rows), bias = numbers(of, biases);
  const AnyOrder by(of, scale);
  Numbers out;
  const std::size_t d = x.size();
  for (std::size_t i = 0; (i + 1) * d <= matrix.size(); ++i) {
    const auto row = std::span(matrix).subspan(i * d, d);
    out.push_back(by * inner_product(of, row, right, bias.empty() ? Numbers{} : Numbers{bias[i]}));
  }
  return {of, out};
}

Values weighted_sum(const Rounding& in, const Row& a, const Row& rows) {
  const std::size_t width = rows.size() / a.size();
  Row transposed;
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t i = 0; i < a.size(); ++i) transposed.push_back(rows[i * width + j]);
  return scaled_products(in, a, transposed, {}, Wide(1));
}

Values multiplied_up(const Rounding& in, const Wide& e, const Wide& p, const Wide& m) {
  Evaluation of{in};
  return {of, {AnyOrder(of, m) * AnyOrder(of, e) + AnyOrder(of, p)}};
}

Values divided_down(const Rounding& in, const Wide& e, const Wide& p, const Wide& m) {
  Evaluation of{in};
  return {of, {AnyOrder(of, e) + AnyOrder(of, p) * reciprocal(AnyOrder(of, m))}};
}

Values products(const Rounding& in, const Row& x, const Wide& by) {
  return scaled_products(in, {by}, x, {}, Wide(1));
}

Values quotient(const Rounding& in, const Wide& x, const Wide& by) {
  Evaluation of{in};
  return {of, {AnyOrder(of, x) / AnyOrder(of, by)}};
}

Values sum(const Rounding& in, const Wide& x, const Wide& y) {
  Evaluation of{in};
  return {of, {AnyOrder(of, x) + AnyOrder(of, y)}};
}

Values squared_cosine(const Rounding& in, const Row& x, const Row& y) {
  Evaluation of{in};
  const auto e = numbers(of, x), p = numbers(of, y);
  const AnyOrder inner = inner_product(of, e, p);
  return {of, {inner * inner / (inner_product(of, e, e) * inner_product(of, p, p))}};
}

Values root(const Rounding& in, std::size_t d) {
  Evaluation of{in};
  return {of, {sqrt(AnyOrder::whole(of, d))}};
}

Values reciprocal_root(const Rounding& in, std::size_t d) {
  Evaluation of{in};
  return {of, {reciprocal(sqrt(AnyOrder::whole(of, d)))}};
}

Values layer_norm(const Rounding& in, const Row& x, const Wide& epsilon,
                  EpsilonPlacement placement) {
  Evaluation of{in};
  auto divided = numbers(of, x);
  centre(of, divided);
  return standardised(of, divided, epsilon, placement);
}

Values rms_norm(const Rounding& in, const Row& x, const Wide& epsilon, EpsilonPlacement placement) {
  Evaluation of{in};
  return standardised(of, numbers(of, x), epsilon, placement);
}

Values softmax(const Rounding& in, const Row& z) {
  Evaluation of{in};
  const Wide largest = *std::ranges::max_element(z), masked = -Wide(HUGE_VAL);
  Numbers powers;
  for (const Wide& value : z)
    powers.push_back(value == masked ? AnyOrder(of, Wide(0))
                                     : exp(AnyOrder(of, value) - AnyOrder(of, largest)));
  const AnyOrder factor = reciprocal(sum_of(of, powers));
  for (auto& power : powers) power = power * factor;
  return {of, powers};
}

Values softmax_gradient(const Rounding& in, const Row& weights, const Row& upstream) {
  Evaluation of{in};
  const auto w = numbers(of, weights), g = numbers(of, upstream);
  const AnyOrder mean = inner_product(of, w, g);
  Numbers out;
  for (std::size_t j = 0; j < w.size(); ++j) out.push_back(w[j] * (g[j] - mean));
  return {of, out};
}

Values entropy(const Rounding& in, const Row& weights) {
  Evaluation of{in};
  Numbers terms;
  for (const Wide& w : weights)
    if (w != Wide(0)) terms.push_back(AnyOrder(of, w) * log(AnyOrder(of, w)));
  return {of, {-sum_of(of, terms)}};
}

namespace {

Values norm_gradient(Evaluation& of, const Numbers& x, const Numbers& upstream,
                     const Wide& epsilon) {
  const auto n = AnyOrder::whole(of, x.size());
  const AnyOrder divisor = sqrt(inner_product(of, x, x) * reciprocal(n) + AnyOrder(of, epsilon));
  const AnyOrder factor = reciprocal(divisor);
  const AnyOrder along = inner_product(of, x, upstream) * reciprocal(n) * factor * factor;
  Numbers out;
  for (std::size_t j = 0; j < x.size(); ++j) out.push_back((upstream[j] - x[j] * along) * factor);
  return {of, out};
}

/// The gradient with its penalty.
AnyOrder penalized(Evaluation& of, const Wide& t, const Wide& gradient, const Wide& penalty) {
  return AnyOrder(of, gradient) + AnyOrder(of, penalty) * AnyOrder(of, t);
}

/// α·â/(√b̂ + ε), 0 where that is 0/0, and the moments behind it.
struct AdamStep {
  AnyOrder change;
  Numbers moments;
};
AdamStep adam_step(Evaluation& of, const AnyOrder& g, const Adam<Wide>& by,
                   const Moments<Wide>& state) {
  const auto number = [&](const Wide& x) { return AnyOrder(of, x); };
  const AnyOrder one = number(1), beta_1 = number(by.beta_1), beta_2 = number(by.beta_2);
  const AnyOrder first = beta_1 * number(state.first) + (one - beta_1) * g;
  const AnyOrder second = beta_2 * number(state.second) + (one - beta_2) * (g * g);
  const AnyOrder power_1 = number(state.power_1) * beta_1;
  const AnyOrder power_2 = number(state.power_2) * beta_2;
  const AnyOrder divisor = sqrt(second / (one - power_2)) + number(by.epsilon);
  const bool at_rest = divisor.exact() == Wide(0) && divisor.error() == 0;
  const AnyOrder change =
      at_rest ? number(0) : number(by.rate) * (first / (one - power_1) / divisor);
  return {change.rounded_again(4), {first, second, power_1, power_2}};
}

Values after(Evaluation& of, const Wide& t, const AnyOrder& change, Numbers remembered) {
  remembered.insert(remembered.begin(), AnyOrder(of, t).rounded_again(2) - change);
  return {of, remembered};
}

}  // namespace

Values rms_norm_gradient(const Rounding& in, const Row& x, const Row& upstream,
                         const Wide& epsilon) {
  Evaluation of{in};
  return norm_gradient(of, numbers(of, x), numbers(of, upstream), epsilon);
}

Values layer_norm_gradient(const Rounding& in, const Row& x, const Row& upstream,
                           const Wide& epsilon) {
  Evaluation of{in};
  auto centred = numbers(of, x), slopes = numbers(of, upstream);
  centre(of, centred);
  centre(of, slopes);
  return norm_gradient(of, centred, slopes, epsilon);
}

Values sgd(const Rounding& in, const Wide& t, const Wide& gradient, const Sgd<Wide>& by) {
  Evaluation of{in};
  return after(of, t, AnyOrder(of, by.rate) * penalized(of, t, gradient, by.penalty), {});
}

Values momentum(const Rounding& in, const Wide& t, const Wide& gradient, const Momentum<Wide>& by,
                const Velocity<Wide>& state) {
  Evaluation of{in};
  const AnyOrder v =
      AnyOrder(of, by.momentum) * AnyOrder(of, state.v) + penalized(of, t, gradient, by.penalty);
  return after(of, t, AnyOrder(of, by.rate) * v, {v});
}

Values adam(const Rounding& in, const Wide& t, const Wide& gradient, const Adam<Wide>& by,
            const Moments<Wide>& state) {
  Evaluation of{in};
  const auto step = adam_step(of, penalized(of, t, gradient, by.penalty), by, state);
  return after(of, t, step.change, step.moments);
}

Values adamw(const Rounding& in, const Wide& t, const Wide& gradient, const AdamW<Wide>& by,
             const Moments<Wide>& state) {
  Evaluation of{in};
  const auto step = adam_step(of, penalized(of, t, gradient, by.adam.penalty), by.adam, state);
  const AnyOrder decay = AnyOrder(of, by.decay) * AnyOrder(of, t);
  return after(of, t, AnyOrder(of, by.schedule) * (step.change + decay), step.moments);
}

Values clipping_factor(const Rounding& in, const std::vector<Row>& gradients, const Row& weights,
                       const Wide& max_norm) {
  Evaluation of{in};
  Numbers squares;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const auto g = numbers(of, gradients[i]);
    const AnyOrder weight(of, weights[i]);
    squares.push_back(weight * weight * inner_product(of, g, g));
  }
  const AnyOrder norm = sqrt(sum_of(of, squares)), most(of, max_norm), one(of, Wide(1));
  // Near the edge either branch is as far off as the quotient.
  if (norm.exact() + Wide(norm.error()) < max_norm) return {of, {one}};
  const AnyOrder factor = most / norm;
  return {of, {factor.exact() > Wide(1) ? one + (factor - factor) : factor}};
}

}  // namespace embedscale::properties::primitives
