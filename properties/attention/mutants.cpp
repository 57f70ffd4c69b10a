// Wrong ways from the parts of an input to the weights of an attention and back through its
// softmax, and wrong distributions of a projection; of each kind the largest defect and the
// smallest that is seen. Where a thread is named, somebody's program had exactly this defect.
#include <cmath>
#include <numbers>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;
using expected::ProjectionLaw;

namespace {

/// What a mutant replaces.
namespace operation {
constexpr auto input = EMBEDSCALE_OPERATION(input);
constexpr auto project = EMBEDSCALE_OPERATION(project);
constexpr auto absorbed = EMBEDSCALE_OPERATION(absorbed);
constexpr auto dot = EMBEDSCALE_OPERATION(dot);
constexpr auto logit = EMBEDSCALE_OPERATION(logit);
constexpr auto mix = EMBEDSCALE_OPERATION(mix);
constexpr auto gradient = EMBEDSCALE_OPERATION(gradient);
constexpr auto multiplier = EMBEDSCALE_OPERATION(multiplier);
constexpr auto scale = EMBEDSCALE_OPERATION(scale);
constexpr auto softmax = EMBEDSCALE_OPERATION(softmax);
constexpr auto entropy = EMBEDSCALE_OPERATION(entropy);
constexpr auto projection = EMBEDSCALE_OPERATION(projection_law);
constexpr auto law_variance = EMBEDSCALE_OPERATION(variance);
}  // namespace operation
using namespace operation;

template <class Real>
using Out = std::span<Real>;

/// The scale of(d_model, d_k), in double.
template <class Of>
constexpr auto scales_by(Of) {
  return replaces(operation::scale, [](auto, std::size_t d_model, std::size_t d_k) {
    return Of{}(static_cast<double>(d_model), static_cast<double>(d_k));
  });
}

/// The softmax of of(z) for each logit z.
template <class Of>
constexpr auto softmaxes_of(Of) {
  return replaces(operation::softmax, []<class Real>(auto was, Out<Real> z) {
    for (Real& value : z) value = Of{}(value);
    was(z);
  });
}

/// exp(z)/(left + Σ exp(z)), the largest logit left in.
template <AnalyticScalar Real>
void softmax_without_maximum(Out<Real> z, double left) {
  using std::exp;
  Real sum = static_cast<Real>(left);
  for (Real& value : z) sum = sum + (value = exp(value));
  for (Real& value : z) value = value / sum;
}

/// All but the last, where there are more than one.
template <class Real>
Numbers<Real> but_the_last(Numbers<Real> x) {
  return x.first(x.size() > 1 ? x.size() - 1 : 1);
}

template <class Real>
Real size_of(const Real& x) {
  return x < Real(0) ? Real(-x) : x;
}

/// One part in 2^30 too much of the first channel in the product z of q and k.
template <class Real>
void lean(Real& z, Numbers<Real> q, Numbers<Real> k) {
  z = z + q[0] * k[0] / Real(1 << 30);
}

/// ⟨q, k⟩ summed in a narrower format.
template <class Narrow>
constexpr auto sums_logits_in() {
  return replaces(logit, []<class Real>(auto, Numbers<Real> q, Numbers<Real> k, const Real& by) {
    Narrow sum(0.0);
    for (std::size_t i = 0; i < q.size(); ++i)
      sum = sum + Narrow(static_cast<double>(q[i])) * Narrow(static_cast<double>(k[i]));
    return by * static_cast<Real>(static_cast<double>(sum));
  });
}

/// Weights rounded to a narrower format before they are used.
template <class Narrow>
constexpr auto keeps_weights_in() {
  return changes(softmax, []<class Real>(Out<Real> z) {
    for (Real& value : z) value = kept_in<Narrow>(value);
  });
}

/// of(y, b) of each channel y that the projection has, and its bias.
template <class Of>
constexpr auto projections_become(Of) {
  return changes(project, [](auto, auto b, auto, auto out) {
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = Of{}(out[a], b[a]);
  });
}

/// Projections kept in another format.
template <class Kept>
constexpr auto projects_in() {
  return projections_become([](const auto& y, const auto&) { return kept_in<Kept>(y); });
}

/// Tokens too large by one part in 2^`digits`.
template <int digits>
constexpr auto enters_tokens_high() {
  return replaces(operation::input,
                  [](auto was, auto e, auto p, auto m) { return was(high<digits>(e), p, m); });
}

/// Σ a·b by halves.
template <class Real>
Real by_halves(Numbers<Real> a, Numbers<Real> b) {
  if (a.size() < 2) return library<Real>.dot(a, b);
  const std::size_t half = a.size() / 2;
  return by_halves(a.first(half), b.first(half)) + by_halves(a.subspan(half), b.subspan(half));
}

}  // namespace

const Mutants<Primitives> mutants{
    {"adds_absolute_products", "Sizes where products were meant: the mean is no longer 0.",
     replaces(dot,
              []<class Real>(auto, Numbers<Real> q, Numbers<Real> k) {
                Real sum(0);
                for (std::size_t i = 0; i < q.size(); ++i) sum = sum + size_of(Real(q[i] * k[i]));
                return sum;
              })},
    {"averages_the_products",
     "The mean of the products in the place of their sum: a variance of 1/d_k.",
     changes(dot,
             []<class Real>(Real& z, auto q, auto) { z = z / Real(static_cast<int>(q.size())); })},
    {"forgets_the_last_channel", "The last channel does not enter where there is more than one.",
     [](Primitives& to) {
       ChangeOf<Primitives> of_dot = replaces(
           dot, [](auto was, auto q, auto k) { return was(but_the_last(q), but_the_last(k)); });
       ChangeOf<Primitives> of_logit = replaces(logit, [](auto was, auto q, auto k, auto by) {
         return was(but_the_last(q), but_the_last(k), by);
       });
       of_dot(to), of_logit(to);
     }},
    {"leans_on_the_first_channel",
     "The first channel counts one part in 2^30 too much, where double has its square exactly.",
     changes(dot, [](auto& z, auto q, auto k) { lean(z, q, k); })},
    {"errs_at_one_entry", "Wrong for one of eleven values of the first entry, by one part in 2^30.",
     changes(dot,
             []<class Real>(Real& z, auto q, auto k) {
               if (q[0] * Real(3) == Real(4)) lean(z, q, k);
             })},
    {"forgets_the_root", "1/d_k: the root forgotten.",
     scales_by([](double, double d_k) { return 1 / d_k; })},
    {"scales_by_the_whole_width",
     "1/√d_model, which is √h too small (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     scales_by([](double d_model, double) { return 1 / std::sqrt(d_model); })},
    {"scales_logits_by_one_percent_more", "1.01/√d_k: an error of one percent.",
     scales_by([](double, double d_k) { return 1.01 / std::sqrt(d_k); })},
    {"scales_slightly_more",
     "Too large by one part in 2^52: in binary64 alone, one ulp at most. 2^−53 is no defect: it "
     "rounds to what was right, or to within the bound.",
     changes<double>(scale, [](double& scale, auto&&...) { scale = high<52>(scale); })},
    {"scales_four_units_more",
     "Four units of roundoff more. Two are within the bound in most cases: one rounding each of "
     "scale and product are allowed for, and may be used up already.",
     changes<double, float, binary16, bfloat16>(
         scale,
         []<class Real>(Real& scale, auto&&...) {
           scale =
               static_cast<Real>(static_cast<double>(scale) * (1.0 + 4.0 * unit_roundoff<Real>));
         })},
    {"caps_the_logits", "Soft capping, z/(1 + |z|/50): a constant in all logits no longer cancels.",
     changes(logit,
             []<class Real>(Real& z, auto&&...) { z = z / (Real(1) + size_of(z) / Real(50)); })},
    {"bends_at_zero", "Products below zero are off by one part in 2^30.",
     changes(logit,
             []<class Real>(Real& z, auto&&...) {
               if (z < Real(0)) z = z + z / Real(1 << 30);
             })},
    {"sums_logits_in_binary16",
     "The product summed in binary16 (wenet#891, stanford-crfm/mistral#67).",
     sums_logits_in<binary16>()},
    {"sums_logits_in_21_digits",
     "Summed in 21 digits, three less than binary32: the smallest that is seen in every run.",
     sums_logits_in<Format<8, 20>>()},
    {"adds_one_to_the_sum",
     "One unit more in the sum ('softmax off by one'): a head may attend to nothing, and a "
     "constant in all logits no longer cancels.",
     replaces(softmax, [](auto, auto z) { softmax_without_maximum(z, 1); })},
    {"guards_the_sum", "The same with a part in 2^40, as against a division by 0.",
     replaces(softmax, [](auto, auto z) { softmax_without_maximum(z, 0x1p-40); })},
    {"exponentiates_directly",
     "The largest logit is not taken out: exp overflows, in binary16 from 11.1 on.",
     replaces(softmax, [](auto, auto z) { softmax_without_maximum(z, 0); })},
    {"wraps_large_logits", "Logits beyond 8 start again at −8.",
     softmaxes_of([]<class Real>(const Real& z) {
       return static_cast<Real>(std::remainder(static_cast<double>(z), 16.0));
     })},
    {"keeps_weights_in_bfloat16", "Weights rounded to bfloat16 before they are used.",
     keeps_weights_in<bfloat16>()},
    {"keeps_weights_in_binary32", "The same in binary32.", keeps_weights_in<float>()},
    {"measures_in_bits", "In bits, where nats were meant.",
     changes(entropy, []<class Real>(Real& nats, auto) { nats = nats / Real(std::numbers::ln2); })},
    {"forgets_the_sign", "Σ w ln w without its sign.",
     replaces(entropy, [](auto was, auto weights) { return -was(weights); })},
    {"drops_small_terms", "Weights below 2^−30 do not count.",
     replaces(entropy,
              []<class Real>(auto was, Numbers<Real> weights) {
                std::vector<Real> large(weights.begin(), weights.end());
                std::erase_if(large, [](const Real& w) { return w < Real(0x1p-30); });
                return was(large);
              })},
    {"forgets_the_mean",
     "diag(a) for the Jacobian: the sum in the denominator taken as a constant.",
     replaces(gradient,
              [](auto, auto weights, auto upstream, auto out) {
                for (std::size_t j = 0; j < out.size(); ++j) out[j] = weights[j] * upstream[j];
              })},
    {"leaks_straight_through",
     "A part in 2^20 of the gradient goes straight through, so that it never vanishes.",
     changes(gradient,
             []<class Real>(auto, auto upstream, Out<Real> out) {
               for (std::size_t j = 0; j < out.size(); ++j)
                 out[j] = out[j] + upstream[j] / Real(1 << 20);
             })},
    {"grows_slightly", "Too large by one part in 2^60.",
     changes(gradient,
             []<class Real>(auto, auto, Out<Real> out) {
               for (Real& x : out) x = x + x / Real(1 << 30) / Real(1 << 30);
             })},
    // At the input, in projections and against a factor.
    {"adds_tokens_unscaled", "The multiplier is missing (SamLynnEvans/Transformer#10).",
     replaces(operation::input, [](auto, auto e, auto p, auto) { return e + p; })},
    {"multiplies_tokens_and_positions", "The multiplier is applied to the sum.",
     replaces(operation::input, [](auto, auto e, auto p, auto m) { return m * (e + p); })},
    {"adds_the_position_twice", "Positions are added in the embedding and again in the block.",
     replaces(operation::input, [](auto, auto e, auto p, auto m) { return m * e + p + p; })},
    {"multiplies_tokens_by_the_width", "d where √d was meant.",
     replaces(multiplier, [](auto, std::size_t d_model) { return static_cast<double>(d_model); })},
    {"scales_logits_by_the_model_width",
     "1/√d_model in the place of 1/√d_k (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     scales_by([](double d_model, double) { return 1 / std::sqrt(d_model); })},
    {"lifts_every_logit", "A logit is a little larger than it should be, whatever the input.",
     changes(logit, []<class Real>(Real& z, auto&&...) { z = z + Real(1) / Real(1 << 20); })},
    {"looks_at_the_query", "A query sees something of itself in every key.",
     replaces(logit,
              []<class Real>(auto was, auto q, auto k, const Real& scale) {
                return was(q, k, scale) + was(q, q, scale) / Real(1 << 10);
              })},
    {"normalises_before_projecting",
     "A norm stands before the projection: only the direction is left (x over its first channel).",
     replaces(project,
              []<class Real>(auto was, auto w, auto b, Numbers<Real> x, auto out) {
                std::vector<Real> y(x.begin(), x.end());
                if (!(x[0] == Real(0)))
                  for (Real& value : y) value = value / x[0];
                was(w, b, y, out);
              })},
    {"forgets_the_biases", "Biases are left out.",
     projections_become([](const auto& y, const auto& b) { return y - b; })},
    {"adds_a_small_bias", "A bias that nobody declared, one part in 2^20.",
     projections_become(
         []<class Real>(const Real& y, const Real&) { return y + Real(1) / Real(1 << 20); })},
    {"bends_the_projection", "A cube of one part in 2^30 is left in.",
     projections_become(
         []<class Real>(const Real& y, const Real&) { return y + y * y * y / Real(1 << 30); })},
    {"sharpens_the_softmax", "Temperature ½ where 1 was meant.",
     softmaxes_of([](const auto& z) { return z + z; })},
    {"absorbs_the_wrong_way", "Multiplied where division was meant (pytorch/tutorials#2849).",
     replaces(absorbed, [](auto, auto w, auto c) { return w * c; })},
    {"absorbs_slightly_more", "Too small by one part in 2^40.",
     replaces(absorbed,
              []<class Real>(auto, const Real& w, const Real& c) {
                return w / c - w / c / Real(1 << 20) / Real(1 << 20);
              })},
    {"absorbs_large_factors_alone", "Only factors above 1 are undone.",
     replaces(absorbed, []<class Real>(auto, const Real& w,
                                       const Real& c) { return Real(1) < c ? Real(w / c) : w; })},
    {"normalises_the_output",
     "The mixture is divided by its first channel: the values lose the factor.",
     changes(mix,
             []<class Real>(auto, auto, Out<Real> out) {
               const Real first = out[0];
               if (!(first == Real(0)))
                 for (Real& value : out) value = value / first;
             })},
    {"loses_lonely_positions", "Positions with no token in their channel are lost.",
     replaces(operation::input,
              []<class Real>(auto was, const Real& e, auto p, auto m) {
                return e == Real(0) ? e : was(e, p, m);
              })},
    {"forgets_that_three_are_packed", "Three packed matrices count as three apart.",
     replaces(projection,
              [](auto was, ProjectionLaw law, const auto& shape, double sigma) {
                return was(law == ProjectionLaw::packed_xavier ? ProjectionLaw::xavier : law, shape,
                           sigma);
              })},
    {"counts_one_head", "Rows of one head where those of all are one matrix.",
     replaces(projection,
              [](auto was, auto law, const auto& shape, double sigma) {
                return was(law, {shape.d_model, shape.d_k, 1}, sigma);
              })},
    {"takes_root_five_for_a_gain",
     "nn.Linear's a = √5 taken for its gain, which is √(2/(1 + a²)): 5/d for 1/(3d) "
     "(pytorch/pytorch#15314).",
     replaces(projection,
              [](auto was, ProjectionLaw law, const auto& shape, double sigma) {
                if (law != ProjectionLaw::nn_linear) return was(law, shape, sigma);
                return Initializer(Uniform{std::sqrt(15 / static_cast<double>(shape.d_model))});
              })},
    {"projects_without_the_last_channel", "The last channel of the input is not read.",
     replaces(project,
              []<class Real>(auto was, auto w, auto b, Numbers<Real> x, auto out) {
                std::vector<Real> y(x.begin(), x.end());
                y.back() = Real(0);
                was(w, b, y, out);
              })},
    {"guards_the_root_by_46_digits",
     "2^−46 under the root of d_k: seen in one case of 20, at the smallest d_k; 2^−47 in none.",
     scales_by([](double, double d_k) { return 1 / std::sqrt(d_k + 0x1p-46); })},
    {"projects_in_bfloat16", "Projections kept in bfloat16, eight digits.",
     projects_in<bfloat16>()},
    {"projects_in_20_digits",
     "In 20 digits, where binary32 has 24: beyond the bound in one case of 100; 22 in one of 8000.",
     projects_in<Format<8, 19>>()},
    {"sharpens_by_22_digits",
     "A temperature below 1 by a part in 2^22: seen wherever two keys have nearly one logit, where "
     "the bound is attained; 2^−26 in no case.",
     softmaxes_of([](const auto& z) { return high<22>(z); })},
    {"sharpens_by_36_digits", "By a part in 2^36.",
     softmaxes_of([](const auto& z) { return high<36>(z); })},
    {"enters_tokens_high_by_48_digits",
     "Tokens too large by 2^−48: seen in shares in one case of 50, where d is small; 2^−49 in "
     "none.",
     enters_tokens_high<48>()},
    {"enters_tokens_high_by_41_digits",
     "At the line of T/P: cases approach it to 2^−40, worth 2^−41 of a token. 2^−42 is seen in "
     "none.",
     enters_tokens_high<41>()},
    {"projects_high_by_47_digits",
     "Variances too large by a part in 2^47: seen within a few cases, 2^−48 in none.",
     changes(law_variance, [](double& x, auto&&) { x = high<47>(x); })},
    // In one format alone, so that nothing that relates two of them need see it.
    // Other orders of a sum, which are as right.
    {"sums_from_the_right", "The last product comes first.",
     replaces(dot,
              []<class Real>(auto was, Numbers<Real> q, Numbers<Real> k) {
                const std::vector<Real> a(q.rbegin(), q.rend()), b(k.rbegin(), k.rend());
                return was(a, b);
              })},
    {"sums_by_halves", "Each half by itself, as a vector unit sums.",
     replaces(dot, []<class Real>(auto, Numbers<Real> q,
                                  Numbers<Real> k) { return by_halves<Real>(q, k); })},
    {"scales_before_the_sum", "The query is scaled, not the sum: a rounding for each channel.",
     replaces(logit,
              []<class Real>(auto was, Numbers<Real> q, auto k, const Real& scale) {
                std::vector<Real> scaled(q.begin(), q.end());
                for (Real& x : scaled) x = scale * x;
                return was(scaled, k, Real(1));
              })},
};

}  // namespace embedscale::properties::attention
