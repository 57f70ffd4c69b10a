#include "values.hpp"

#include <algorithm>
#include <array>

namespace embedscale::properties::primitives {
namespace {

using Numbers = std::vector<AnyOrder>;

Numbers numbers(Evaluation& of, const Row& x) {
  Numbers all;
  all.reserve(x.size());
  for (const Wide& value : x) all.emplace_back(of, value);
  return all;
}

/// Of a root two roundings; of a function of its own two units in the last place, 4u.
AnyOrder reciprocal_of_root(const AnyOrder& x) { return reciprocal(sqrt(x)).rounded_again(2); }

AnyOrder inner_product(Evaluation& of, const Numbers& x, const Numbers& y) {
  SumInAnyOrder sum(of);
  for (std::size_t j = 0; j < x.size(); ++j) sum.add(x[j] * y[j]);
  return sum.value();
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
  const AnyOrder more(of, epsilon), count = AnyOrder::whole(of, divided.size());
  const AnyOrder mean_square = inner_product(of, divided, divided) * reciprocal(count);
  const AnyOrder factor = placement == EpsilonPlacement::variance
                              ? reciprocal_of_root(mean_square + more)
                              : reciprocal(sqrt(mean_square) + more);
  Numbers out;
  out.reserve(divided.size());
  for (const auto& x : divided) out.push_back(x * factor);
  return {of, out};
}

}  // namespace

Values::Values(const Evaluation& of, const std::vector<AnyOrder>& right)
    : bounded_(of.reached <= of.in.largest) {
  exact_.reserve(right.size()), allowed_.reserve(right.size());
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
  const auto right = numbers(of, x);
  const AnyOrder by(of, scale);
  const bool is_scaled = scale != Wide(1);
  Numbers out;
  const std::size_t d = x.size();
  // Each product is rounded and scaled: γ_(d+1) of a sum of these is (1 + u)²(1 + γ_(d−1)) − 1, and
  // so no less than the sum's γ_d and one u of its product with the scale. Of the three orders all
  // round alike but where the first product underflows, which the last factor, if the largest,
  // multiplies most; and the product of the larger two is the largest that any of them reaches.
  const auto scaled = [&](const AnyOrder& a, const AnyOrder& b) {
    if (!is_scaled) return a * b;
    std::array<const AnyOrder*, 3> by_size{&a, &b, &by};
    std::ranges::sort(by_size, {}, [](const AnyOrder* x) { return x->size(); });
    const auto& [least, amid, most] = by_size;
    of.reached = std::max(of.reached, amid->size() * most->size() * (1 + 2 * in.u) + in.least);
    return *most * (*least * *amid);
  };
  for (std::size_t i = 0; (i + 1) * d <= rows.size(); ++i) {
    SumInAnyOrder sum(of);
    if (!biases.empty()) sum.add(by * AnyOrder(of, biases[i]));
    for (std::size_t j = 0; j < d; ++j) sum.add(scaled(AnyOrder(of, rows[i * d + j]), right[j]));
    out.push_back(sum.value());
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

Values dropout(const Rounding& in, const Wide& x, double rate) {
  Evaluation of{in};
  const AnyOrder kept = AnyOrder(of, Wide(1)) - AnyOrder(of, Wide(rate)).rounded_again(1);
  return {of, {AnyOrder(of, x) * reciprocal(kept)}};
}

Values quotient(const Rounding& in, const Wide& x, const Wide& by) {
  Evaluation of{in};
  return {of, {AnyOrder(of, x) * reciprocal(AnyOrder(of, by))}};
}

Values sum(const Rounding& in, const Wide& x, const Wide& y) {
  Evaluation of{in};
  return {of, {AnyOrder(of, x) + AnyOrder(of, y)}};
}

Values squared_cosine(const Rounding& in, const Row& x, const Row& y) {
  Evaluation of{in};
  const auto e = numbers(of, x), p = numbers(of, y);
  const AnyOrder inner = inner_product(of, e, p);
  return {of, {inner * inner * reciprocal(inner_product(of, e, e) * inner_product(of, p, p))}};
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
  SumInAnyOrder sum(of);
  for (const Wide& w : weights)
    if (w != Wide(0)) sum.add(AnyOrder(of, w) * log(AnyOrder(of, w)));
  return {of, {-sum.value()}};
}

namespace {

/// ⟨x, g⟩; where x/D stands in the place of x, each product is rounded once more.
AnyOrder product_with_slopes(Evaluation& of, const Numbers& x, const Numbers& g) {
  SumInAnyOrder sum(of);
  for (std::size_t j = 0; j < x.size(); ++j) sum.add((x[j] * g[j]).rounded_again(1));
  return sum.value();
}

/// (g_j − mean − x_j·along)/D in whichever order, with `along` from `inner` = ⟨x, g⟩. A program may
/// take n times all of it (n·g is rounded) and multiply by 1/n at last (two roundings).
Values norm_gradient(Evaluation& of, const Numbers& x, const Numbers& g, const AnyOrder& mean,
                     const AnyOrder& inner, const Wide& epsilon) {
  const AnyOrder one_nth = reciprocal(AnyOrder::whole(of, x.size()));
  const AnyOrder factor =
      reciprocal_of_root(inner_product(of, x, x) * one_nth + AnyOrder(of, epsilon));
  const AnyOrder along = inner * one_nth * factor * factor;
  Numbers out;
  for (std::size_t j = 0; j < x.size(); ++j)
    out.push_back((sum_of(of, std::array{g[j].rounded_again(1), -mean, -(x[j] * along)}) * factor)
                      .rounded_again(2));
  return {of, out};
}

}  // namespace

Values rms_norm_gradient(const Rounding& in, const Row& x, const Row& upstream,
                         const Wide& epsilon) {
  Evaluation of{in};
  const auto all = numbers(of, x), g = numbers(of, upstream);
  return norm_gradient(of, all, g, AnyOrder(of, Wide(0)), product_with_slopes(of, all, g), epsilon);
}

Values layer_norm_gradient(const Rounding& in, const Row& x, const Row& upstream,
                           const Wide& epsilon) {
  Evaluation of{in};
  const auto g = numbers(of, upstream);
  auto centred = numbers(of, x), slopes = g;
  centre(of, centred);
  centre(of, slopes);
  const AnyOrder inner =
      farthest({product_with_slopes(of, centred, slopes), product_with_slopes(of, centred, g)});
  return norm_gradient(of, centred, g, mean(of, g), inner, epsilon);
}

namespace {

AnyOrder factor_of_clipping(Evaluation& of, const std::vector<Row>& gradients, const Row& weights,
                            const Wide& max_norm) {
  // (w·g)² is rounded three times, and N − 1 times in one sum of them all. The norm of k parts'
  // norms rounds a part's d terms d times, its root, that times w and the square of it 2 + 2 + 1
  // times, and k − 1 times in the sum: three more at most, as N >= d + k − 1.
  SumInAnyOrder squares(of);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const AnyOrder weight(of, weights[i]), square = weight * weight;
    for (const Wide& g : gradients[i]) {
      const AnyOrder number(of, g);
      squares.add((square * (number * number)).rounded_again(3));
    }
  }
  const AnyOrder factor = AnyOrder(of, max_norm) * reciprocal_of_root(squares.value());
  return min(AnyOrder(of, Wide(1)), factor);
}

}  // namespace

Values clipping_factor(const Rounding& in, const std::vector<Row>& gradients, const Row& weights,
                       const Wide& max_norm) {
  Evaluation of{in};
  return {of, {factor_of_clipping(of, gradients, weights, max_norm)}};
}

Values clipped(const Rounding& in, const std::vector<Row>& gradients, const Wide& max_norm) {
  Evaluation of{in};
  const auto factor = factor_of_clipping(of, gradients, Row(gradients.size(), Wide(1)), max_norm);
  Numbers all;
  for (const auto& gradient : gradients)
    for (const Wide& g : gradient) all.push_back(factor * AnyOrder(of, g));
  return {of, all};
}

namespace {

/// What is remembered of `state`, with a share 1 − β of x: see values.hpp.
AnyOrder averaged(const AnyOrder& beta, const AnyOrder& state, const AnyOrder& x) {
  const AnyOrder one(state.evaluation(), Wide(1)), share = one - beta;
  const AnyOrder moved = farthest({beta * state + share * x, state + share * (x - state)});
  if (share.exact() < beta.exact()) return moved;
  return farthest({moved, x - (one - share) * (x - state)});
}

/// The gradient with its penalty.
AnyOrder penalized(Evaluation& of, const Wide& t, const Wide& gradient, const Wide& penalty) {
  return AnyOrder(of, gradient) + AnyOrder(of, penalty) * AnyOrder(of, t);
}

/// α·â/(√b̂ + ε), 0 where that is 0/0, and the moments behind it. With reciprocals the change meets
/// 8 roundings behind the moments, as it stands here: 2 of â, 1 of √(b·(1/c)), half of 2, 1 of the
/// root, 1 of + ε, 2 of the quotient, 1 of α. Other groupings meet up to 10: PyTorch's
/// m/(√b/(√c·s) + ε/s), s = α·(1/c₁), has 1 of √b, 4 of √c·s, 2 of the quotient, 1 of + and 2 of
/// the last quotient; α·√c·(1/c₁)·m/(√b + ε·√c) has 9.
struct AdamStep {
  AnyOrder change;
  Numbers moments;
};
AdamStep adam_step(Evaluation& of, const AnyOrder& g, const Adam<Wide>& by,
                   const Moments<Wide>& state, int roundings_of_powers) {
  const auto number = [&](const Wide& x) { return AnyOrder(of, x); };
  const AnyOrder one = number(1), beta_1 = number(by.beta_1), beta_2 = number(by.beta_2);
  const AnyOrder first = averaged(beta_1, number(state.first), g);
  const AnyOrder second = averaged(beta_2, number(state.second), g * g);
  const AnyOrder power_1 = number(state.power_1).rounded_again(roundings_of_powers) * beta_1;
  const AnyOrder power_2 = number(state.power_2).rounded_again(roundings_of_powers) * beta_2;
  const AnyOrder divisor = sqrt(second * reciprocal(one - power_2)) + number(by.epsilon);
  const bool at_rest = divisor.exact() == Wide(0) && divisor.error() == 0;
  const AnyOrder change =
      at_rest ? number(0)
              : number(by.rate) * (first * reciprocal(one - power_1) * reciprocal(divisor));
  return {change.rounded_again(2), {first, second, power_1, power_2}};
}

Values after(Evaluation& of, const Wide& t, const AnyOrder& change, Numbers remembered) {
  remembered.insert(remembered.begin(), AnyOrder(of, t).rounded_again(2) - change);
  return {of, remembered};
}

}  // namespace

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
            const Moments<Wide>& state, int roundings_of_powers) {
  Evaluation of{in};
  const auto step =
      adam_step(of, penalized(of, t, gradient, by.penalty), by, state, roundings_of_powers);
  return after(of, t, step.change, step.moments);
}

Values adamw(const Rounding& in, const Wide& t, const Wide& gradient, const AdamW<Wide>& by,
             const Moments<Wide>& state, int roundings_of_powers) {
  Evaluation of{in};
  const auto step = adam_step(of, penalized(of, t, gradient, by.adam.penalty), by.adam, state,
                              roundings_of_powers);
  const AnyOrder decay = AnyOrder(of, by.decay) * AnyOrder(of, t);
  return after(of, t, AnyOrder(of, by.schedule) * (step.change + decay), step.moments);
}

}  // namespace embedscale::properties::primitives
