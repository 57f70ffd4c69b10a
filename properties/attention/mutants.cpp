// Wrong products, scales, softmaxes, entropies and gradients, from the largest defect of each to
// the smallest that is seen. Where a thread is named, somebody's program had exactly this defect.
#include <cmath>
#include <numbers>

#include "trials.hpp"

namespace embedscale::properties::attention {

using namespace testing;

namespace {

template <class Real>
using Numbers = std::span<const Real>;

/// A replacement in the floats: what is about roots, exponentials or rounding is none over the
/// rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<exact::Decimal50, double, float, binary16, bfloat16>(change);
}
/// In those whose roundings are declared.
template <class Change>
constexpr auto in_formats(Change change) {
  return replacing<double, float, binary16, bfloat16>(change);
}

/// The product without the last channel, where there is more than one.
template <Scalar Real>
Real dot_but_the_last(Numbers<Real> q, Numbers<Real> k) {
  const std::size_t n = q.size() > 1 ? q.size() - 1 : 1;
  return library<Real>.dot(q.first(n), k.first(n));
}

/// The product with one part in 2^30 too much of its first channel.
template <Scalar Real>
Real leaning_dot(Numbers<Real> q, Numbers<Real> k) {
  const Real product = q[0] * k[0];
  return library<Real>.dot(q, k) + product / Real(1 << 30);
}

/// ⟨q, k⟩ summed in a narrower format.
template <class Narrow, Scalar Real>
Real logit_summed_in(Numbers<Real> q, Numbers<Real> k, const Real& scale) {
  Narrow sum(0.0);
  for (std::size_t i = 0; i < q.size(); ++i)
    sum = sum + Narrow(static_cast<double>(q[i])) * Narrow(static_cast<double>(k[i]));
  return scale * static_cast<Real>(static_cast<double>(sum));
}

/// exp(z)/(left + Σ exp(z)), the largest logit left in.
template <AnalyticScalar Real>
void softmax_without_maximum(std::span<Real> z, Real left) {
  using std::exp;
  Real sum = left;
  for (Real& value : z) sum = sum + (value = exp(value));
  for (Real& value : z) value = value / sum;
}

/// The softmax of logits times a factor.
template <AnalyticScalar Real>
void softmax_times(std::span<Real> z, double factor) {
  for (Real& value : z) value = value * static_cast<Real>(factor);
  library<Real>.softmax(z);
}

/// Weights rounded to a narrower format before they are used.
template <class Narrow, AnalyticScalar Real>
void softmax_kept_in(std::span<Real> z) {
  library<Real>.softmax(z);
  for (Real& value : z)
    value = static_cast<Real>(static_cast<double>(Narrow(static_cast<double>(value))));
}

}  // namespace

const Mutants<Primitives> mutants{
    {"adds_absolute_products", "Sizes where products were meant: the mean is no longer 0.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dot = [](Numbers<Real> q, Numbers<Real> k) -> Real {
         Real sum(0);
         for (std::size_t i = 0; i < q.size(); ++i) {
           const Real product = q[i] * k[i];
           sum = sum + (product < Real(0) ? Real(-product) : product);
         }
         return sum;
       };
     })},

    {"averages_the_products",
     "The mean of the products in the place of their sum: a variance of 1/d_k.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dot = [](Numbers<Real> q, Numbers<Real> k) -> Real {
         return library<Real>.dot(q, k) / Real(static_cast<int>(q.size()));
       };
     })},

    {"forgets_the_last_channel", "The last channel does not enter where there is more than one.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dot = dot_but_the_last<Real>;
       to.logit = [](Numbers<Real> q, Numbers<Real> k, const Real& scale) -> Real {
         return scale * dot_but_the_last(q, k);
       };
     })},

    {"drops_what_is_left_of_blocks",
     "Blocks of 64 channels, as a vector unit takes them, and the rest beyond the last whole one "
     "dropped.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dot = [](Numbers<Real> q, Numbers<Real> k) -> Real {
         const std::size_t n = q.size() < 64 ? q.size() : q.size() / 64 * 64;
         return library<Real>.dot(q.first(n), k.first(n));
       };
     })},

    {"leans_on_the_first_channel",
     "The first channel counts one part in 2^30 too much, where double has its square exactly.",
     replacing([]<class Real>(Operations<Real>& to) { to.dot = leaning_dot<Real>; })},

    {"errs_at_one_entry", "Wrong for one of eleven values of the first entry, by one part in 2^30.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dot = [](Numbers<Real> q, Numbers<Real> k) -> Real {
         return q[0] * Real(3) == Real(4) ? leaning_dot(q, k) : library<Real>.dot(q, k);
       };
     })},

    {"leaves_the_scale_out", "No scale at all.", in_formats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t) -> Real { return Real(1); };
     })},

    {"forgets_the_root", "1/d_k: the root forgotten.",
     in_formats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_k) -> Real {
         return static_cast<Real>(1.0 / static_cast<double>(d_k));
       };
     })},

    {"scales_by_all_heads",
     "1/√d_model with eight heads (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     in_formats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_k) -> Real { return library<Real>.scale(8 * d_k); };
     })},

    {"keeps_the_scale_in_bfloat16",
     "A scale kept in bfloat16: exact at powers of four, else up to 2^−9 off.",
     in_formats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_k) -> Real {
         return static_cast<Real>(static_cast<double>(library<bfloat16>.scale(d_k)));
       };
     })},

    {"guards_the_scale",
     "10^−12 under the root against a division by 0: 10^−13 of the scale at d_k = 5, seen in "
     "binary64.",
     in_formats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_k) -> Real {
         return static_cast<Real>(1.0 / std::sqrt(static_cast<double>(d_k) + 1e-12));
       };
     })},

    {"scales_four_units_more",
     "Four units of roundoff more. Two are within the bound in most cases: one rounding each of "
     "scale and product are allowed for, and may be used up already.",
     in_formats([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_k) -> Real {
         const auto scale = static_cast<double>(library<Real>.scale(d_k));
         return static_cast<Real>(scale * (1.0 + 4.0 * unit_roundoff<Real>));
       };
     })},

    {"caps_the_logits", "Soft capping, z/(1 + |z|/50): a constant in all logits no longer cancels.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](Numbers<Real> q, Numbers<Real> k, const Real& scale) -> Real {
         const Real z = library<Real>.logit(q, k, scale), size = z < Real(0) ? Real(-z) : z;
         return z / (Real(1) + size / Real(50));
       };
     })},

    {"normalises_keys",
     "Keys are normalised first, as in cosine attention (by the sum of sizes, which rationals "
     "have).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](Numbers<Real> q, Numbers<Real> k, const Real& scale) -> Real {
         Real sum(1);
         for (const Real& x : k) sum = sum + (x < Real(0) ? Real(-x) : x);
         return library<Real>.logit(q, k, scale) / sum;
       };
     })},

    {"bends_at_zero", "Products below zero are off by one part in 2^30.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](Numbers<Real> q, Numbers<Real> k, const Real& scale) -> Real {
         const Real z = library<Real>.logit(q, k, scale);
         return z < Real(0) ? Real(z + z / Real(1 << 30)) : z;
       };
     })},

    {"sums_logits_in_binary16",
     "The product summed in binary16 (wenet#891, stanford-crfm/mistral#67).",
     in_formats(
         []<class Real>(Operations<Real>& to) { to.logit = logit_summed_in<binary16, Real>; })},

    {"sums_logits_in_21_digits",
     "Summed in 21 digits, three less than binary32: the smallest that is seen in every run.",
     in_formats([]<class Real>(Operations<Real>& to) {
       to.logit = logit_summed_in<Format<8, 20>, Real>;
     })},

    {"raises_two", "2^z in the place of e^z: a temperature of 1.44.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) { softmax_times(z, std::numbers::ln2); };
     })},

    {"adds_one_to_the_sum",
     "One unit more in the sum ('softmax off by one'): a head may attend to nothing, and a "
     "constant in all logits no longer cancels.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) { softmax_without_maximum(z, Real(1)); };
     })},

    {"guards_the_sum", "The same with a part in 2^40, as against a division by 0.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) {
         softmax_without_maximum(z, static_cast<Real>(0x1p-40));
       };
     })},

    {"exponentiates_directly",
     "The largest logit is not taken out: exp overflows, in binary16 from 11.1 on.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) { softmax_without_maximum(z, Real(0)); };
     })},

    {"wraps_large_logits", "Logits beyond 8 start again at −8.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) {
         for (Real& value : z)
           value = static_cast<Real>(std::remainder(static_cast<double>(value), 16.0));
         library<Real>.softmax(z);
       };
     })},

    {"keeps_weights_in_bfloat16", "Weights rounded to bfloat16 before they are used.",
     in_formats(
         []<class Real>(Operations<Real>& to) { to.softmax = softmax_kept_in<bfloat16, Real>; })},

    {"keeps_weights_in_binary32", "The same in binary32.",
     in_formats(
         []<class Real>(Operations<Real>& to) { to.softmax = softmax_kept_in<float, Real>; })},

    {"cools_slightly", "A temperature off by one part in 2^36.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.softmax = [](std::span<Real> z) { softmax_times(z, 1.0 + 0x1p-36); };
     })},

    {"measures_in_bits", "In bits, where nats were meant.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.entropy = [](Numbers<Real> weights) -> Real {
         return library<Real>.entropy(weights) / Real(std::numbers::ln2);
       };
     })},

    {"forgets_the_sign", "Σ w ln w without its sign.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.entropy = [](Numbers<Real> weights) -> Real { return -library<Real>.entropy(weights); };
     })},

    {"drops_small_terms", "Weights below 2^−30 do not count.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.entropy = [](Numbers<Real> weights) -> Real {
         std::vector<Real> large;
         for (const Real& w : weights)
           if (!(w < Real(0x1p-30))) large.push_back(w);
         return library<Real>.entropy(Numbers<Real>(large));
       };
     })},

    {"forgets_the_mean",
     "diag(a) for the Jacobian: the sum in the denominator taken as a constant.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](Numbers<Real> weights, Numbers<Real> upstream, std::span<Real> out) {
         for (std::size_t j = 0; j < out.size(); ++j) out[j] = weights[j] * upstream[j];
       };
     })},

    {"forgets_the_weight", "g − ⟨a, g⟩ without the weight before it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](Numbers<Real> weights, Numbers<Real> upstream, std::span<Real> out) {
         const Real mean = library<Real>.dot(weights, upstream);
         for (std::size_t j = 0; j < out.size(); ++j) out[j] = upstream[j] - mean;
       };
     })},

    {"averages_plainly", "The plain mean of g where the weighted one was meant.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](Numbers<Real> weights, Numbers<Real> upstream, std::span<Real> out) {
         Real mean(0);
         for (const Real& g : upstream) mean = mean + g / Real(static_cast<int>(upstream.size()));
         for (std::size_t j = 0; j < out.size(); ++j)
           out[j] = weights[j] * Real(upstream[j] - mean);
       };
     })},

    {"leaks_straight_through",
     "A part in 2^20 of the gradient goes straight through, so that it never vanishes.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](Numbers<Real> weights, Numbers<Real> upstream, std::span<Real> out) {
         library<Real>.gradient(weights, upstream, out);
         for (std::size_t j = 0; j < out.size(); ++j) out[j] = out[j] + upstream[j] / Real(1 << 20);
       };
     })},

    {"grows_slightly", "Too large by one part in 2^60.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](Numbers<Real> weights, Numbers<Real> upstream, std::span<Real> out) {
         library<Real>.gradient(weights, upstream, out);
         for (Real& x : out) x = x + x / Real(1 << 30) / Real(1 << 30);
       };
     })},

};

}  // namespace embedscale::properties::attention
