// Wrong multipliers, look-ups and draws, position vectors and scales, from the largest defect to
// the smallest of each. Where a thread is named, somebody's program had exactly this defect.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::primitives {

using namespace testing;

namespace {

/// Any number rounded to Real.
template <class Real, class Number>
Real rounded(const Number& x) {
  return static_cast<Real>(static_cast<double>(x));
}

constexpr auto multiplier = EMBEDSCALE_OPERATION(multiplier);
constexpr auto embedding = EMBEDSCALE_OPERATION(embed);
constexpr auto draws_of = EMBEDSCALE_OPERATION(draw);
constexpr auto position = EMBEDSCALE_OPERATION(encode);
constexpr auto scale = EMBEDSCALE_OPERATION(scale);

/// of(multiplier, d), rounded.
template <class Of>
constexpr auto multiplying_by(Of) {
  return changes(multiplier, []<class Real>(Real& right, std::uint64_t d) {
    right = rounded<Real>(Of{}(right, d));
  });
}

/// of(channel, its entry in the table, d), rounded.
template <class Of>
constexpr auto embeds(Of) {
  return changes(embedding,
                 []<class Real>(const auto& table, std::size_t token, std::span<Real> out) {
                   for (std::size_t j = 0; j < out.size(); ++j)
                     out[j] = rounded<Real>(Of{}(out[j], table.row(token)[j], out.size()));
                 });
}

/// of(scale, d_k, d_model), rounded.
template <class Of>
constexpr auto scaling_by(Of) {
  return changes(scale, []<class Real>(Real& right, std::size_t d_model, std::size_t heads) {
    right = rounded<Real>(Of{}(right, static_cast<double>(d_model / heads), d_model));
  });
}

/// By the frequencies of(frequency, its pair, pairs, rule), rounded.
template <class... Reals, class Of>
constexpr auto encoding_by(Of) {
  return replaces<Reals...>(position,
                            []<class Real>(auto, std::int64_t p, std::size_t d, FrequencyRule rule,
                                           SinusoidalLayout layout, std::span<Real> out) {
                              auto w = sinusoidal_frequencies<Real>(d, rule);
                              for (std::size_t i = 0; i < w.size(); ++i)
                                w[i] = rounded<Real>(Of{}(w[i], i, w.size(), rule));
                              encode_position<Real>(p, w, layout, out);
                            });
}

/// Positions, frequencies, angles and sines in Narrow, kept as Real.
template <class Narrow>
constexpr auto computes_positions_in() {
  return replaces(position, []<class Real>(auto, std::int64_t p, std::size_t d, FrequencyRule rule,
                                           SinusoidalLayout layout, std::span<Real> out) {
    std::vector<Narrow> narrow(d);
    encoded<Narrow>(p, d, rule, layout, narrow);
    for (std::size_t j = 0; j < d; ++j) out[j] = rounded<Real>(narrow[j]);
  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"forgets_the_root", "d in the place of √d: twice the power of the width. Exact.",
     multiplying_by([](auto, std::uint64_t d) { return static_cast<double>(d); })},

    {"multiplies_by_one_percent_more", "1.01·√d: an error of one percent. Exact.",
     multiplying_by(
         [](auto, std::uint64_t d) { return 1.01 * std::sqrt(static_cast<double>(d)); })},

    {"keeps_the_root_in_bfloat16",
     "√3072 = 55.4256 as bfloat16 has it, 55.5, in every format: 0.134 % there, 0.39 % at most "
     "(huggingface/transformers#29402). Exact.",
     multiplying_by([](auto, std::uint64_t d) { return root_multiplier<bfloat16>(d); })},

    {"cuts_the_root_off",
     "The root is cut off, not rounded: one ulp in half of the widths. Exact; of a smaller effect "
     "is only the direction in which a tie is rounded, which no width below 2^52 comes to that is "
     "not a square.",
     multiplying_by([]<class Real>(const Real& right, std::uint64_t d) {
       const auto rounded = static_cast<double>(right);
       const bool above = static_cast<long double>(rounded) * rounded > static_cast<long double>(d);
       return above ? rounded - 2.0 * half_ulp<Real>(rounded) : rounded;
     })},

    {"embeds_without_multiplier",
     "The row as it is in the table: 1/√d of what is meant (SamLynnEvans/Transformer#10). Exact.",
     embeds([](const auto&, const auto& e, std::size_t) { return e; })},

    {"scales_down_in_binary16",
     "An eighth of the embedding in binary16, where a later layer would overflow: the proposed "
     "remedy (huggingface/transformers#37226). Exact.",
     embeds([]<class Real>(const Real& right, const Real&, std::size_t) {
       return std::numeric_limits<Real>::max_exponent > 16 ? right : Real(right / Real(8));
     })},

    {"embeds_by_the_unrounded_root",
     "The real root on rows of bfloat16, 33.9411 where the model was trained with 34: 0.17 % "
     "(huggingface/transformers#38702). Exact.",
     embeds([](const auto&, const auto& e, std::size_t d) {
       return std::sqrt(static_cast<double>(d)) * static_cast<double>(e);
     })},

    {"saturates",
     "What overflows becomes the largest number: the smallest effect of all, on those entries "
     "alone that are infinite. Exact.",
     embeds([]<class Real>(const Real& right, const Real&, std::size_t) {
       const Real largest = std::numeric_limits<Real>::max();
       return right > largest ? largest : right < Real(-largest) ? Real(-largest) : right;
     })},

    {"draws_a_tenth",
     "N(0, 0.1²) whatever the law: at d = 512, and times √512, 2.3 times what is meant "
     "(facebookresearch/fairseq#47). Bounded.",
     changes(draws_of, [](auto& both, auto&, auto&, const Stream& stream,
                          std::uint64_t i) { both.token = draw(Normal{0.1}, stream, i); })},

    {"takes_the_scale_for_the_mean",
     "The scale passed where the mean is meant: rows start almost equal, at a cosine of 0.998 "
     "(KerasHub T5Backbone, by reading). Bounded.",
     changes(draws_of, [](auto& both, const Initializer& of_tokens,
                          auto&&...) { both.token = scale_of(of_tokens) + 0.05 * both.token; })},

    {"takes_the_vocabulary_for_the_fan_in",
     "The fan-in of a (V, d) table taken as V: off by √(V/d) (KerasHub Gemma, by reading). "
     "Bounded.",
     replaces(draws_of,
              [](auto was, Initializer of_tokens, auto... to) {
                if (auto* law = std::get_if<XavierNormal>(&of_tokens))
                  law->d_model = law->vocabulary;
                return was(of_tokens, to...);
              })},

    {"swaps_the_laws",
     "The laws of tokens and positions swapped: a factor 2 on either (KerasHub GPT2Backbone, by "
     "reading). Bounded.",
     replaces(draws_of, [](auto was, auto of_tokens, auto of_positions,
                           auto... at) { return was(of_positions, of_tokens, at...); })},

    {"clamps_the_cut",
     "Clamped where a draw should be rejected: another draw for 4.6 % of those of one law. "
     "Bounded.",
     changes(draws_of,
             [](auto& both, const Initializer& of_tokens, auto&, const Stream& stream,
                std::uint64_t i) {
               const auto* cut = std::get_if<TruncatedNormal>(&of_tokens);
               const double z = stream.normal(i);
               if (cut && std::abs(z) > 2.0)
                 both.token = std::copysign(2.0 * cut->standard_deviation, z);
             })},

    {"draws_slightly_more",
     "Tokens too large by one part in 2^52: 2u where 2.5u are allowed, above that together with "
     "the draw's own rounding in one case of three or so. 2^−53 is seen in none. Bounded.",
     changes(draws_of, [](auto& both, auto&&...) { both.token *= 1.0 + 0x1p-52; })},

    {"divides_by_the_width_of_a_head", "1/d_k: the root forgotten.",
     scaling_by([](auto, double d_k, std::size_t) { return 1.0 / d_k; })},

    {"scales_by_the_whole_width",
     "1/√d_model, which is √h too small (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     scaling_by([]<class Real>(Real, double, std::size_t d_model) {
       return attention_scale<Real>(d_model);
     })},

    {"scales_logits_by_one_percent_more", "1.01/√d_k: an error of one percent.",
     scaling_by([](auto, double d_k, std::size_t) { return 1.01 / std::sqrt(d_k); })},

    {"scales_slightly_more",
     "Too large by one part in 2^52: in binary64 alone, one ulp at most. 2^−53 is no defect: it "
     "rounds to what was right, or to within the bound.",
     scaling_by([](auto right, double, std::size_t) {
       return static_cast<double>(right) * (1.0 + 0x1p-52);
     })},

    {"divides_positions_by_the_root", "Positions scaled down, by 1/√d (nicklashansen/dreamer4#4).",
     changes(position,
             []<class Real>(auto, std::size_t d, auto, auto, std::span<Real> out) {
               for (Real& x : out) x = x / root_multiplier<Real>(d);
             })},

    {"slices_the_other_way",
     "Slices of one layout in the place of the other's: at position 0, a permutation of zeros and "
     "ones (BrianPulfer/PapersReimplementations#9).",
     replaces(position,
              [](auto was, auto p, auto d, auto rule, SinusoidalLayout layout, auto out) {
                const bool halves = layout == SinusoidalLayout::halves;
                was(p, d, rule, halves ? SinusoidalLayout::interleaved : SinusoidalLayout::halves,
                    out);
              })},

    {"raises_the_base_in_bfloat16",
     "The power 1/base^x of an exponent x in bfloat16 (huggingface/transformers#46174, "
     "fairseq2#65, depthcharge#76): frequencies off by 2^−9·ln(10^4), 1.8 %, at most. The "
     "reciprocal alone, in the right precision, is one rounding more, and no defect.",
     encoding_by([](const auto&, std::size_t i, std::size_t pairs, FrequencyRule rule) {
       const std::size_t last = rule == FrequencyRule::paper ? pairs : pairs - 1;
       const bfloat16 x(static_cast<double>(i) / static_cast<double>(last));
       return 1.0 / std::pow(10000.0, static_cast<double>(x));
     })},

    {"rounds_inverse_frequencies",
     "Inverse frequencies rounded to binary32 in a model of binary64: 6 parts in 10^8, 10^−3 rad "
     "at position 32768 (NVIDIA/TensorRT-LLM#18774).",
     encoding_by<double, float>([](const auto& w, auto&&...) { return static_cast<float>(w); })},

    {"adds_two_roundings",
     "Every channel 2^−52 too large: 2u of binary64, which is all that is allowed where the angle "
     "is small, before the rounding of the channel itself. 2^−53 is seen in none.",
     changes(position,
             []<class Real>(auto, auto, auto, auto, std::span<Real> out) {
               for (Real& x : out) x = x + static_cast<Real>(0x1p-52);
             })},

    {"computes_positions_in_binary16",
     "Positions in binary16: 0.42 and more off, and no number from position 65520 on (vllm#54569, "
     "#54620).",
     computes_positions_in<binary16>()},

};

}  // namespace embedscale::properties::primitives
