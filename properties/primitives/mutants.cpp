// Wrong multipliers, look-ups and draws, position vectors, scales and products, from the largest
// defect to the smallest of each. Where a thread is named, somebody's program had exactly this
// defect.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "../evidence/rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::primitives {

using namespace testing;

namespace {

/// ⟨q, k⟩ summed in Sum, the factor applied to the rounded sum.
template <class Sum>
constexpr auto sums_products_in() {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
      Sum sum(0.0);
      for (std::size_t i = 0; i < q.size(); ++i)
        sum = sum + Sum(static_cast<double>(q[i])) * Sum(static_cast<double>(k[i]));
      return scale * static_cast<Real>(static_cast<double>(sum));
    };
  });
}

/// Positions, frequencies, angles and sines in Narrow, kept as Real.
template <class Narrow>
constexpr auto computes_positions_in() {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                   std::span<Real> out) {
      const auto w = sinusoidal_frequencies<Narrow>(d, rule);
      std::vector<Narrow> narrow(d);
      encode_position<Narrow>(p, w, layout, narrow);
      for (std::size_t j = 0; j < d; ++j)
        out[j] = static_cast<Real>(static_cast<double>(narrow[j]));
    };
  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"forgets_the_root", "d in the place of √d: twice the power of the width. Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiplier = [](std::uint64_t d) -> Real {
         return static_cast<Real>(static_cast<double>(d));
       };
     })},

    {"keeps_the_root_in_bfloat16",
     "√3072 = 55.4256 as bfloat16 has it, 55.5, in every format: 0.134 % there, 0.39 % at most "
     "(huggingface/transformers#29402). Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiplier = [](std::uint64_t d) -> Real {
         return static_cast<Real>(static_cast<double>(root_multiplier<bfloat16>(d)));
       };
     })},

    {"keeps_the_root_in_binary32",
     "A root in binary32 serves binary64, too: 6 parts in 10^8 at most. Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiplier = [](std::uint64_t d) -> Real {
         return static_cast<Real>(static_cast<double>(root_multiplier<float>(d)));
       };
     })},

    {"cuts_the_root_off",
     "The root is cut off, not rounded: one ulp in half of the widths. Exact; of a smaller effect "
     "is only the direction in which a tie is rounded, which no width below 2^52 comes to that is "
     "not a square.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.multiplier = [](std::uint64_t d) -> Real {
         const auto rounded = static_cast<double>(root_multiplier<Real>(d));
         const bool above =
             static_cast<long double>(rounded) * rounded > static_cast<long double>(d);
         return static_cast<Real>(above ? rounded - 2.0 * half_ulp<Real>(rounded) : rounded);
       };
     })},

    {"embeds_without_multiplier",
     "The row as it is in the table: 1/√d of what is meant (SamLynnEvans/Transformer#10). Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.embed = [](const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
         table.look_up(token, Real(1), out);
       };
     })},

    {"scales_down_in_binary16",
     "An eighth of the embedding in binary16, where a later layer would overflow: the proposed "
     "remedy (huggingface/transformers#37226). Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.embed = [](const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
         library<Real>.embed(table, token, out);
         if (std::numeric_limits<Real>::max_exponent > 16) return;
         for (Real& x : out) x = x / Real(8);
       };
     })},

    {"embeds_by_the_unrounded_root",
     "The real root on rows of bfloat16, 33.9411 where the model was trained with 34: 0.17 % "
     "(huggingface/transformers#38702). Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.embed = [](const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
         const double m = std::sqrt(static_cast<double>(table.width()));
         for (std::size_t j = 0; j < out.size(); ++j)
           out[j] = static_cast<Real>(m * static_cast<double>(table.row(token)[j]));
       };
     })},

    {"saturates",
     "What overflows becomes the largest number: the smallest effect of all, on those entries "
     "alone that are infinite. Exact.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.embed = [](const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
         library<Real>.embed(table, token, out);
         const Real largest = std::numeric_limits<Real>::max();
         for (Real& x : out) x = x > largest ? largest : x < Real(-largest) ? Real(-largest) : x;
       };
     })},

    {"draws_a_tenth",
     "N(0, 0.1²) whatever the law: at d = 512, and times √512, 2.3 times what is meant "
     "(facebookresearch/fairseq#47). Bounded.",
     [](Primitives& to) {
       to.draw = [](const Initializer&, const Initializer& of_positions, const Stream& stream,
                    std::uint64_t index) -> TokenAndPosition {
         return drawn(Normal{0.1}, of_positions, stream, index);
       };
     }},

    {"takes_the_scale_for_the_mean",
     "The scale passed where the mean is meant: rows start almost equal, at a cosine of 0.998 "
     "(KerasHub T5Backbone, by reading). Bounded.",
     [](Primitives& to) {
       to.draw = [](const Initializer& of_tokens, const Initializer& of_positions,
                    const Stream& stream, std::uint64_t index) -> TokenAndPosition {
         const auto [token, position] = drawn(of_tokens, of_positions, stream, index);
         return {scale_of(of_tokens) + 0.05 * token, position};
       };
     }},

    {"takes_the_vocabulary_for_the_fan_in",
     "The fan-in of a (V, d) table taken as V: off by √(V/d) (KerasHub Gemma, by reading). "
     "Bounded.",
     [](Primitives& to) {
       to.draw = [](const Initializer& of_tokens, const Initializer& of_positions,
                    const Stream& stream, std::uint64_t index) -> TokenAndPosition {
         const auto* law = std::get_if<XavierNormal>(&of_tokens);
         const Initializer wrong =
             law ? Initializer(XavierNormal{law->vocabulary, law->vocabulary}) : of_tokens;
         return drawn(wrong, of_positions, stream, index);
       };
     }},

    {"swaps_the_laws",
     "The laws of tokens and positions swapped: a factor 2 on either (KerasHub GPT2Backbone, by "
     "reading). Bounded.",
     [](Primitives& to) {
       to.draw = [](const Initializer& of_tokens, const Initializer& of_positions,
                    const Stream& stream, std::uint64_t index) -> TokenAndPosition {
         return drawn(of_positions, of_tokens, stream, index);
       };
     }},

    {"clamps_the_cut",
     "Clamped where a draw should be rejected: another draw for 4.6 % of those of one law. "
     "Bounded.",
     [](Primitives& to) {
       to.draw = [](const Initializer& of_tokens, const Initializer& of_positions,
                    const Stream& stream, std::uint64_t index) -> TokenAndPosition {
         auto both = drawn(of_tokens, of_positions, stream, index);
         const auto* cut = std::get_if<TruncatedNormal>(&of_tokens);
         const double z = stream.normal(index);
         if (cut && std::abs(z) > 2.0) both.token = std::copysign(2.0 * cut->standard_deviation, z);
         return both;
       };
     }},

    {"draws_slightly_more",
     "Tokens too large by one part in 2^52: 2u where 2.5u are allowed, above that together with "
     "the draw's own rounding in one case of three or so. 2^−53 is seen in none. Bounded.",
     [](Primitives& to) {
       to.draw = [](const Initializer& of_tokens, const Initializer& of_positions,
                    const Stream& stream, std::uint64_t index) -> TokenAndPosition {
         auto both = drawn(of_tokens, of_positions, stream, index);
         both.token *= 1.0 + 0x1p-52;
         return both;
       };
     }},

    {"divides_by_the_width_of_a_head", "1/d_k: the root forgotten.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_model, std::size_t heads) -> Real {
         return static_cast<Real>(static_cast<double>(heads) / static_cast<double>(d_model));
       };
     })},

    {"scales_by_the_whole_width",
     "1/√d_model, which is √h too small (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_model, std::size_t) -> Real {
         return attention_scale<Real>(d_model);
       };
     })},

    {"scales_logits_by_one_percent_more", "1.01/√d_k: an error of one percent.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_model, std::size_t heads) -> Real {
         return static_cast<Real>(1.01 / std::sqrt(static_cast<double>(d_model / heads)));
       };
     })},

    {"guards_the_root",
     "10^−13 under the root against a division by 0: at d_k = 1 half of that, 450u of binary64. "
     "10^−15 is seen in one case of 500, at the smallest d_k, 10^−16 in none.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_model, std::size_t heads) -> Real {
         const auto d_k = static_cast<double>(d_model / heads);
         return static_cast<Real>(1.0 / std::sqrt(d_k + 1e-13));
       };
     })},

    {"scales_slightly_more",
     "Too large by one part in 2^52: in binary64 alone, one ulp at most. 2^−53 is no defect: it "
     "rounds to what was right, or to within the bound.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.scale = [](std::size_t d_model, std::size_t heads) -> Real {
         const Real scale = library<Real>.scale(d_model, heads);
         return static_cast<Real>(static_cast<double>(scale) * (1.0 + 0x1p-52));
       };
     })},

    {"forgets_the_scale_of_logits", "The product is not scaled.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real&) -> Real {
         return library<Real>.logit(q, k, Real(1));
       };
     })},

    {"forgets_the_last_product", "The last channel does not enter where there is more than one.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
         const std::size_t n = q.size() > 1 ? q.size() - 1 : 1;
         return library<Real>.logit(q.first(n), k.first(n), scale);
       };
     })},

    {"scales_the_logit_slightly_more",
     "Too large by one part in 2^23, seen at the smallest d_k alone: two roundings are allowed at "
     "1, and 65 at 64. 2^−24 is seen in one case of some hundred, 2^−25 in none.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](std::span<const Real> q, std::span<const Real> k, const Real& scale) -> Real {
         const Real z = library<Real>.logit(q, k, scale);
         return z + z * static_cast<Real>(0x1p-23);
       };
     })},

    {"divides_positions_by_the_root", "Positions scaled down, by 1/√d (nicklashansen/dreamer4#4).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, d, rule, layout, out);
         for (Real& x : out) x = x / root_multiplier<Real>(d);
       };
     })},

    {"slices_the_other_way",
     "Slices of one layout in the place of the other's: at position 0, a permutation of zeros and "
     "ones (BrianPulfer/PapersReimplementations#9).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                      std::span<Real> out) {
         const bool halves = layout == SinusoidalLayout::halves;
         library<Real>.encode(
             p, d, rule, halves ? SinusoidalLayout::interleaved : SinusoidalLayout::halves, out);
       };
     })},

    {"exchanges_the_last_pair", "Sine and cosine exchanged in the last pair alone.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, d, rule, layout, out);
         std::swap(out[layout == SinusoidalLayout::halves ? d / 2 - 1 : d - 2], out[d - 1]);
       };
     })},

    {"raises_the_base_in_bfloat16",
     "The power 1/base^x of an exponent x in bfloat16 (huggingface/transformers#46174, "
     "fairseq2#65, depthcharge#76): frequencies off by 2^−9·ln(10^4), 1.8 %, at most. The "
     "reciprocal alone, in the right precision, is one rounding more, and no defect.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                      std::span<Real> out) {
         const std::size_t last = rule == FrequencyRule::paper ? d / 2 : d / 2 - 1;
         std::vector<Real> w;
         for (std::size_t i = 0; i < d / 2; ++i) {
           const bfloat16 x(static_cast<double>(i) / static_cast<double>(last));
           w.push_back(static_cast<Real>(1.0 / std::pow(10000.0, static_cast<double>(x))));
         }
         encode_position<Real>(p, w, layout, out);
       };
     })},

    {"rounds_inverse_frequencies",
     "Inverse frequencies rounded to binary32 in a model of binary64: 6 parts in 10^8, 10^−3 rad "
     "at position 32768 (NVIDIA/TensorRT-LLM#18774).",
     replacing<double, float>([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                      std::span<Real> out) {
         auto w = sinusoidal_frequencies<Real>(d, rule);
         for (Real& value : w) value = static_cast<Real>(static_cast<float>(value));
         encode_position<Real>(p, w, layout, out);
       };
     })},

    {"adds_two_roundings",
     "Every channel 2^−52 too large: 2u of binary64, which is all that is allowed where the angle "
     "is small, before the rounding of the channel itself. 2^−53 is seen in none.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, d, rule, layout, out);
         for (Real& x : out) x = x + static_cast<Real>(0x1p-52);
       };
     })},

    {"sums_products_in_binary16",
     "⟨q, k⟩ in binary16, where it is infinite above 65504 before the division (wenet#891, "
     "stanford-crfm/mistral#67), and off by parts in 2^11 below.",
     sums_products_in<binary16>()},
    {"sums_products_in_bfloat16", "⟨q, k⟩ in bfloat16, which has the range and 8 digits.",
     sums_products_in<bfloat16>()},
    {"sums_products_in_23_digits",
     "In 23 digits, one less than binary32: the smallest of these, at 2 roundings of it against 1 "
     "of d_k + 1 allowed.",
     sums_products_in<Format<8, 22>>()},
    {"computes_positions_in_binary16",
     "Positions in binary16: 0.42 and more off, and no number from position 65520 on (vllm#54569, "
     "#54620).",
     computes_positions_in<binary16>()},
    {"computes_positions_in_binary32",
     "In binary32, where binary64 is meant: the smallest of these, 2^−24 at position 1.",
     computes_positions_in<float>()},
};

}  // namespace embedscale::properties::primitives
