// What each primitive of an attention has to give, and the order of the library's sums.
#include "../domain/formats.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;
using primitives::rounding_of, primitives::wide, primitives::Wide;

namespace {

/// In each of the formats, by its name.
constexpr auto in_a_format(auto body) {
  return of_one_format<Wide, double, float, binary16, bfloat16>(body);
}

/// Deviations of a draw from N(0, 1) around a centre that exp cannot take, or around 0; some are
/// masked.
template <class Real>
std::vector<Real> drawn_logits(std::size_t n) {
  const Stream stream(named("logits", draws()), "logits");
  const double spread = std::ldexp(1.0, named("log2 deviation", in_range(-3, 6)));
  const auto around = one_of("around", {"0", "above", "below"});
  const double size = std::ldexp(1.0, named("log2 centre", in_range(4, 15)));
  const double centre = around == 0 ? 0 : around == 1 ? size : -size;
  const bool masked = one_of("masked", {"none", "some"}) == 1;
  covers("beyond the range of exp", around == 1 && size > 1000, 0.05);
  covers("masked", masked, 0.2);
  std::vector<Real> z;
  for (std::uint64_t j = 0; j < n; ++j)
    z.push_back(masked && j > 0 && stream.bits(j) % 4 == 0
                    ? Real(-std::numeric_limits<Real>::infinity())
                    : static_cast<Real>(centre + spread * stream.normal(j)));
  return z;
}

/// Shares of a whole, rounded to the format: of 2^(−k·j/n) for a drawn k, or one of them all.
template <class Real>
std::vector<Real> drawn_weights(std::size_t n) {
  const Stream stream(named("weights", draws()), "weights");
  const double fall = named("halvings", in_range(0, 24));
  std::vector<double> parts;
  double sum = 0;
  for (std::uint64_t j = 0; j < n; ++j) {
    parts.push_back(std::exp2(-fall * static_cast<double>(j) / static_cast<double>(n)) *
                    stream.uniform(j));
    sum += parts.back();
  }
  std::vector<Real> weights;
  for (const double part : parts) weights.push_back(static_cast<Real>(part / sum));
  return weights;
}

/// Σ fl(a_j·b_j), from left to right.
template <class Real>
Real from_the_left(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum(0);
  for (std::size_t j = 0; j < a.size(); ++j) {
    const Real product = a[j] * b[j];
    sum = sum + product;
  }
  return sum;
}

/// |scale·√d_k − 1| as a share of its bound: root and quotient in double, 2.01u′ with the terms in
/// u′², then one rounding to Real.
template <AnalyticScalar Real>
double scale_share_of_bound(std::size_t d_k, std::size_t heads,
                            const PrimitivesIn<Real>& primitives) {
  const auto scale = static_cast<double>(primitives.scale(d_k * heads, d_k));
  const long double product = scale * std::sqrt(static_cast<long double>(d_k));
  const double in_double = 2.01 * unit_roundoff<double>;
  return static_cast<double>(std::abs(product - 1.0L)) /
         (in_double + unit_roundoff<Real> * (1.0 + in_double));
}

}  // namespace

const Table value_properties{
    {products_are_summed,
     "of_a_dot_product_and_a_logit",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto [q, k] = drawn_products<Real>(drawn_width<Real>(), 1);
       const Real scale = drawn_number<Real>(Stream(named("scale", draws()), "scale"), 0, 1);
       const auto in = rounding_of<Real>();
       judge("dot", primitives::scaled_products(in, wide(q), wide(k), {}, Wide(1)),
             [&, &q = q, &k = k] { return std::vector{of.dot(q, k)}; });
       judge("logit", primitives::scaled_products(in, wide(q), wide(k), {}, wide(scale)),
             [&, &q = q, &k = k] { return std::vector{of.logit(q, k, scale)}; });
     }),
     {"dot_is_0", "logit_is_0", "adds_absolute_products", "averages_the_products",
      "forgets_the_last_channel", "caps_the_logits"}},
    {products_are_summed,
     "of_a_projection_and_mixed_values",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto n = named("rows", in_range<std::size_t>(1, 4));
       const auto [x, rows] = drawn_products<Real>(drawn_width<Real>(1, 512), n);
       const auto b = drawn_row<Real>(Stream(named("biases", draws()), "biases"), n, 1);
       const auto in = rounding_of<Real>();
       std::vector<Real> out(n);
       judge("projection", primitives::scaled_products(in, wide(x), wide(rows), wide(b), Wide(1)),
             [&, &x = x, &rows = rows] {
               of.project(rows, b, x, out);
               return out;
             });
       judge("mixture", primitives::weighted_sum(in, wide(x), wide(rows)),
             [&, &x = x, &rows = rows] {
               of.mix(x, rows, out);
               return out;
             });
     }),
     {"project_is_0", "mix_is_0", "forgets_the_biases"}},
    {weights_are_shares_of_exponentials,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       auto z = drawn_logits<Real>(drawn_width<Real>(1, 256));
       judge("softmax", primitives::softmax(rounding_of<Real>(), wide(z)), [&] {
         of.softmax(z);
         return z;
       });
     }),
     {"softmax_is_0", "sharpens_the_softmax", "adds_one_to_the_sum", "exponentiates_directly",
      "wraps_large_logits", "keeps_weights_in_bfloat16", "sharpens_by_36_digits"}},
    {gradient_is_that_of_the_softmax,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto n = drawn_width<Real>(1, 512);
       const auto w = drawn_weights<Real>(n);
       const auto g = drawn_row<Real>(Stream(named("gradient", draws()), "gradient"), n,
                                      drawn_exponent<Real>(4));
       judge("gradient", primitives::softmax_gradient(rounding_of<Real>(), wide(w), wide(g)), [&] {
         std::vector<Real> out(n);
         of.gradient(w, g, out);
         return out;
       });
     }),
     {"gradient_is_0", "forgets_the_mean", "leaks_straight_through"}},
    {entropy_is_in_nats,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto w = drawn_weights<Real>(drawn_width<Real>(1, 128));
       covers("one weight", w.size() == 1, 0.02);
       judge_result("entropy", primitives::entropy, of.entropy, w);
     }),
     {"entropy_is_0", "measures_in_bits", "forgets_the_sign"}},
    {factors_are_roots,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto d = named("d", widths_by_size({1, 1 << 15}));
       judge("multiplier", primitives::root(rounding_of<Real>(), d),
             [&] { return std::vector{of.multiplier(d)}; });
       judge("scale", primitives::reciprocal_root(rounding_of<Real>(), d),
             [&] { return std::vector{of.scale(8 * d, d)}; });
     }),
     {"multiplies_tokens_by_the_width", "multiplier_is_0", "scale_is_0", "forgets_the_root",
      "scales_logits_by_the_model_width"}},
    {input_is_scaled_and_undone,
     "in_each_format",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto [e, p, m] = drawn_parts<Real>();
       judge_result("input", primitives::multiplied_up, of.input, e, p, m);
       judge_result("absorbed", primitives::quotient, of.absorbed, e, m);
     }),
     {"input_is_0", "absorbed_is_0", "adds_tokens_unscaled"}},
    {sums_run_from_left_to_right,
     "to_the_bit",
     in_a_format([]<class Real>(const Operations<Real>& of) {
       const auto [a, b] = drawn_products<Real>(drawn_width<Real>(), 1);
       const Real sum = from_the_left<Real>(a, b), scale = Real(3);
       std::vector<Real> mixed(1);
       of.mix(a, b, mixed);
       covers("two terms or more", a.size() > 1, 0.4);
       holds_exactly(of.dot(a, b) == sum);
       holds_exactly(mixed[0] == sum);
       holds_exactly(of.logit(a, b, scale) == scale * sum);
     }),
     {"sums_from_the_right", "sums_by_halves", "scales_before_the_sum"}},
    {primitives::scale_is_that_of_a_head,
     "in_each_format",
     [](const Primitives& subject) {
       const auto d_k = named("d_k", in_range<std::size_t>(1, 1025));
       const auto heads = named("heads", in_range<std::size_t>(1, 65));
       domain::for_each_format(
           [&]<class Real>() { holds(scale_share_of_bound<Real>(d_k, heads, subject)); });
     },
     {"forgets_the_root", "scales_by_the_whole_width", "scales_logits_by_one_percent_more",
      "scales_slightly_more"}},
};

}  // namespace embedscale::properties::attention
