// Wrong ways from the parts of an input to the weights of the first attention, to undo a factor,
// and wrong laws of a projection; from the largest defect to the smallest that is still seen.
#include <cmath>
#include <variant>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::attention::input {

using namespace testing;
using namespace operation;
using expected::ProjectionLaw;

namespace {

/// Something under the root against a division by 0: a part in 2^`digits`.
template <int digits>
constexpr auto guards_the_root() {
  return scales_by(
      [](double, double d_k) { return 1 / std::sqrt(d_k + std::ldexp(1.0, -digits)); });
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

/// Variances too large by one part in 2^`digits`.
template <int digits>
constexpr auto varies_high() {
  return changes(law_variance, [](double& variance, auto&&) { variance = high<digits>(variance); });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"adds_tokens_unscaled", "The multiplier is missing (SamLynnEvans/Transformer#10).",
     replaces(operation::input, [](auto, auto e, auto p, auto) { return e + p; })},

    {"multiplies_tokens_and_positions", "The multiplier is applied to the sum.",
     replaces(operation::input, [](auto, auto e, auto p, auto m) { return m * (e + p); })},

    {"leaves_the_position_out", "Positions never reach the first block.",
     replaces(operation::input, [](auto, auto e, auto, auto m) { return m * e; })},

    {"adds_the_position_twice", "Positions are added in the embedding and again in the block.",
     replaces(operation::input, [](auto, auto e, auto p, auto m) { return m * e + p + p; })},

    {"multiplies_the_input_by_bfloat16",
     "m rounded to eight digits: √3072 = 55.5 (huggingface/transformers#29402).",
     replaces(operation::input,
              [](auto was, auto e, auto p, auto m) { return was(e, p, kept_in<bfloat16>(m)); })},

    {"divides_tokens_by_the_root",
     "1/√d: divided where multiplication was meant (pytorch/tutorials#2849).",
     changes(multiplier, []<class Real>(Real& m, auto) { m = Real(1) / m; })},

    {"multiplies_tokens_by_the_width", "d where √d was meant.",
     replaces(multiplier, [](auto, std::size_t d_model) { return static_cast<double>(d_model); })},

    {"scales_logits_by_the_model_width",
     "1/√d_model in the place of 1/√d_k (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     scales_by([](double d_model, double) { return 1 / std::sqrt(d_model); })},

    {"scales_logits_by_d_k", "1/d_k: the root forgotten.",
     scales_by([](double, double d_k) { return 1 / d_k; })},

    {"drops_the_last_channel", "The last channel of q and k does not enter.",
     replaces(logit, [](auto was, auto q, auto k,
                        auto scale) { return was(but_the_last(q), but_the_last(k), scale); })},

    {"lifts_every_logit", "A logit is a little larger than it should be, whatever the input.",
     changes(logit, []<class Real>(Real& z, auto&&...) { z = z + Real(1) / Real(1 << 20); })},

    {"caps_the_logits", "Soft limits of logits, as some programs have them, made hard: at most 30.",
     changes(logit, []<class Real>(Real& z, auto&&...) { z = std::min(z, Real(30)); })},

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

    {"adds_the_biases_twice", "Biases are added in the layer and again behind it.",
     projections_become([](const auto& y, const auto& b) { return y + b; })},

    {"adds_a_small_bias", "A bias that nobody declared, one part in 2^20.",
     projections_become(
         []<class Real>(const Real& y, const Real&) { return y + Real(1) / Real(1 << 20); })},

    {"bends_the_projection", "A cube of one part in 2^30 is left in.",
     projections_become(
         []<class Real>(const Real& y, const Real&) { return y + y * y * y / Real(1 << 30); })},

    {"sharpens_the_softmax", "Temperature ½ where 1 was meant.",
     softmaxes_of([](const auto& z) { return z + z; })},

    {"absorbs_nothing", "The projections stay as they were.",
     replaces(absorbed, [](auto, auto w, auto) { return w; })},

    {"absorbs_the_wrong_way", "Multiplied where division was meant (pytorch/tutorials#2849).",
     replaces(absorbed, [](auto, auto w, auto c) { return w * c; })},

    {"absorbs_the_square", "Divided by c², all that the logits carry, in each of the two.",
     replaces(absorbed, [](auto, auto w, auto c) { return w / (c * c); })},

    {"absorbs_a_rounded_factor", "Divided by c as bfloat16 holds it.",
     replaces(absorbed, [](auto, auto w, auto c) { return w / kept_in<bfloat16>(c); })},

    {"absorbs_slightly_more", "Too small by one part in 2^40.",
     replaces(absorbed,
              []<class Real>(auto, const Real& w, const Real& c) {
                return w / c - w / c / Real(1 << 20) / Real(1 << 20);
              })},

    {"absorbs_large_factors_alone", "Only factors above 1 are undone.",
     replaces(absorbed, []<class Real>(auto, const Real& w,
                                       const Real& c) { return Real(1) < c ? Real(w / c) : w; })},

    {"lifts_the_output", "A small constant is added to the mixture of values.",
     changes(mix,
             []<class Real>(auto, auto, Out<Real> out) {
               for (Real& value : out) value = value + Real(1) / Real(1 << 20);
             })},

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

    {"reads_the_fan_in_alone", "A Xavier law by its fan-in alone: 1/d for 2/(fan_in + fan_out).",
     replaces(projection,
              [](auto was, ProjectionLaw law, const auto& shape, double sigma) {
                return was(law == ProjectionLaw::normal ? law : ProjectionLaw::normal_by_width,
                           shape, sigma);
              })},

    {"takes_root_five_for_a_gain",
     "nn.Linear's a = √5 taken for its gain, which is √(2/(1 + a²)): 5/d for 1/(3d) "
     "(pytorch/pytorch#15314).",
     replaces(projection,
              [](auto was, ProjectionLaw law, const auto& shape, double sigma) {
                if (law != ProjectionLaw::nn_linear) return was(law, shape, sigma);
                return Initializer(Uniform{std::sqrt(15 / static_cast<double>(shape.d_model))});
              })},

    {"takes_the_range_for_sigma", "The half range of a uniform law taken for its deviation.",
     changes(law_variance,
             [](double& variance, const Initializer& law) {
               if (const auto* uniform = std::get_if<XavierUniform>(&law))
                 variance = std::pow(Uniform(*uniform).half_range, 2);
             })},

    {"projects_without_the_last_channel", "The last channel of the input is not read.",
     replaces(project,
              []<class Real>(auto was, auto w, auto b, Numbers<Real> x, auto out) {
                std::vector<Real> y(x.begin(), x.end());
                y.back() = Real(0);
                was(w, b, y, out);
              })},

    {"guards_the_root_by_20_digits", "Something under the root of d_k: a part in 2^20.",
     guards_the_root<20>()},
    {"guards_the_root_by_46_digits",
     "A part in 2^46: seen in one case of 20, at the smallest d_k; 2^−47 in none.",
     guards_the_root<46>()},
    {"projects_in_bfloat16", "Projections kept in bfloat16, eight digits.",
     projects_in<bfloat16>()},
    {"projects_in_20_digits",
     "In 20 digits, where binary32 has 24: beyond the bound in one case of 100; 22 in one of 8000.",
     projects_in<Format<8, 19>>()},
    {"sharpens_by_22_digits",
     "A temperature below 1 by a part in 2^22: seen wherever two keys have nearly one logit, where "
     "the bound is attained; 2^−26 in no case.",
     softmaxes_of([](const auto& z) { return high<22>(z); })},
    {"enters_tokens_high_by_20_digits", "Tokens too large by a part in 2^20.",
     enters_tokens_high<20>()},
    {"enters_tokens_high_by_44_digits", "Tokens too large by a part in 2^44.",
     enters_tokens_high<44>()},
    {"enters_tokens_high_by_48_digits",
     "In the shares: seen in one case of 50, where d is small; 2^−49 in none.",
     enters_tokens_high<48>()},
    {"enters_tokens_high_by_41_digits",
     "At the line of T/P: cases approach it to 2^−40, worth 2^−41 of a token. 2^−42 is seen in "
     "none.",
     enters_tokens_high<41>()},
    {"projects_high_by_20_digits", "Variances of projections too large by a part in 2^20.",
     varies_high<20>()},
    {"projects_high_by_47_digits", "By a part in 2^47: seen within a few cases, 2^−48 in none.",
     varies_high<47>()},
};

}  // namespace embedscale::properties::attention::input
