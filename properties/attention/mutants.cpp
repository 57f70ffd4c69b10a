// Wrong products, scales, softmaxes, entropies and gradients, from the largest defect of each to
// the smallest that is seen. Where a thread is named, somebody's program had exactly this defect.
#include <cmath>
#include <numbers>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;
using namespace operation;

namespace {

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

    {"drops_what_is_left_of_blocks",
     "Blocks of 64 channels, as a vector unit takes them, and the rest beyond the last whole one "
     "dropped.",
     replaces(dot,
              [](auto was, auto q, auto k) {
                const std::size_t n = q.size() < 64 ? q.size() : q.size() / 64 * 64;
                return was(q.first(n), k.first(n));
              })},

    {"leans_on_the_first_channel",
     "The first channel counts one part in 2^30 too much, where double has its square exactly.",
     changes(dot, [](auto& z, auto q, auto k) { lean(z, q, k); })},

    {"errs_at_one_entry", "Wrong for one of eleven values of the first entry, by one part in 2^30.",
     changes(dot,
             []<class Real>(Real& z, auto q, auto k) {
               if (q[0] * Real(3) == Real(4)) lean(z, q, k);
             })},

    {"leaves_the_scale_out", "No scale at all.", scales_by([](double, double) { return 1.0; })},

    {"forgets_the_root", "1/d_k: the root forgotten.",
     scales_by([](double, double d_k) { return 1 / d_k; })},

    {"scales_by_all_heads",
     "1/√d_model with eight heads (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     scales_by([](double, double d_k) { return 1 / std::sqrt(8 * d_k); })},

    {"keeps_the_scale_in_bfloat16",
     "A scale kept in bfloat16: exact at powers of four, else up to 2^−9 off.",
     scales_by([](double, double d_k) { return kept_in<bfloat16>(1 / std::sqrt(d_k)); })},

    {"guards_the_scale",
     "10^−12 under the root against a division by 0: 10^−13 of the scale at d_k = 5, seen in "
     "binary64.",
     scales_by([](double, double d_k) { return 1 / std::sqrt(d_k + 1e-12); })},

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

    {"normalises_keys",
     "Keys are normalised first, as in cosine attention (by the sum of sizes, which rationals "
     "have).",
     replaces(logit,
              []<class Real>(auto was, auto q, auto k, const Real& by) {
                Real sum(1);
                for (const Real& x : k) sum = sum + size_of(x);
                return was(q, k, by) / sum;
              })},

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

    {"raises_two", "2^z in the place of e^z: a temperature of 1.44.",
     softmaxes_of([]<class Real>(const Real& z) { return z * Real(std::numbers::ln2); })},

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

    {"cools_slightly", "A temperature off by one part in 2^36.",
     softmaxes_of([]<class Real>(const Real& z) { return z * Real(1.0 + 0x1p-36); })},

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

    {"forgets_the_weight", "g − ⟨a, g⟩ without the weight before it.",
     replaces(gradient,
              []<class Real>(auto, Numbers<Real> weights, auto upstream, Out<Real> out) {
                const Real mean = embedscale::dot(weights, upstream);
                for (std::size_t j = 0; j < out.size(); ++j) out[j] = upstream[j] - mean;
              })},

    {"averages_plainly", "The plain mean of g where the weighted one was meant.",
     replaces(gradient,
              []<class Real>(auto, auto weights, auto upstream, Out<Real> out) {
                Real mean(0);
                for (const Real& g : upstream)
                  mean = mean + g / Real(static_cast<int>(upstream.size()));
                for (std::size_t j = 0; j < out.size(); ++j)
                  out[j] = weights[j] * (upstream[j] - mean);
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
};

}  // namespace embedscale::properties::attention
