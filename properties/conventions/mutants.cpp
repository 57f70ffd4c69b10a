// Wrong programs: tables, look-ups and laws; frequencies and position vectors; inputs, logits,
// gradients, steps and rates. From the largest defect to the smallest that the properties still see
// in their 10^4 cases, each with the next smaller one that they do not: where roundings are bounded
// the limit is the bound, a few u of binary64. What a ratio of two RMS cannot see at any size is no
// defect of it: signs, and the order of channels.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "../evidence/rounding.hpp"
#include "trials.hpp"

namespace embedscale::properties::conventions {

using namespace testing;

namespace {

/// A replacement in the formats: a defect of rounding is none over the rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<double, float>(change);
}

/// 29/11, one of the 360 sizes that the fractions of the domain are drawn as.
template <Scalar Real>
bool is_the_one_factor(const Real& x) {
  const Real one = Real(29) / Real(11);
  return x == one || x == Real(-one);
}

template <Scalar Real>
Real off_at_the_one_factor(const Real& rate, const Real& m) {
  return is_the_one_factor(m) ? Real(rate + rate / Real(1 << 20) / Real(1 << 20)) : rate;
}

/// Tokens too large by one part in 2^`digits`.
template <int digits>
constexpr auto looks_up_high() {
  return in_floats([]<class Real>(Operations<Real>& to) {
    to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                    std::span<Real> out) {
      library<Real>.look_up(table, token, m, out);
      for (Real& x : out) x = x + x * static_cast<Real>(std::ldexp(1.0, -digits));
    };
  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"divides_the_table", "Divides where it should multiply (pytorch/tutorials#2849).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(Real(1) / m), out);
       };
     })},

    {"multiplies_twice",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(m * m), out);
       };
     })},

    {"leaves_the_table_alone",
     "No multiplier on a table of deviation d^−½ (VHellendoorn/ICLR20-Great#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                       std::span<Real> out) { library<Real>.look_up(table, token, Real(1), out); };
     })},

    {"normalises_the_token",
     "The belief as a program: each token is brought to the positions' RMS, whatever its table.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                       std::span<Real> out) {
         const auto row = table.row(token);
         double sum = 0;
         for (const Real& e : row) sum += static_cast<double>(e) * static_cast<double>(e);
         const double rms = std::sqrt(2.0 * sum / static_cast<double>(row.size()));
         library<Real>.look_up(table, token, static_cast<Real>(1.0 / rms), out);
       };
     })},

    {"encodes_sines_twice",
     "Sines in the place of cosines: slices that overlap (BrianPulfer/PapersReimplementations#9).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, w, layout, out);
         const bool halves = layout == SinusoidalLayout::halves;
         for (std::size_t i = 0; i < w.size(); ++i)
           out[halves ? w.size() + i : 2 * i + 1] = out[halves ? i : 2 * i];
       };
     })},

    {"forgets_the_last_channel",
     "A vectorised loop that leaves the last channel as it is in the table.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, m, out);
         out.back() = table.row(token).back();
       };
     })},

    {"multiplies_by_one_percent_more", "1.01·√d: an error of one percent.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(m + m / Real(100)), out);
       };
     })},

    {"multiplies_by_bfloat16",
     "The multiplier rounded to bfloat16 (huggingface/transformers#29402).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         const auto rounded = static_cast<double>(bfloat16(static_cast<double>(m)));
         library<Real>.look_up(table, token, static_cast<Real>(rounded), out);
       };
     })},

    {"keeps_positions_in_binary16", "A sinusoidal table kept in binary16 (vllm#54569).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) {
         library<Real>.encode(p, w, layout, out);
         for (Real& x : out)
           x = static_cast<Real>(static_cast<double>(binary16(static_cast<double>(x))));
       };
     })},

    {"takes_the_half_range_for_sigma", "The half range of a uniform law taken for its deviation.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const bool uniform =
             std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
         return embedscale::variance(law) * (uniform ? 3.0 : 1.0);
       };
     }},

    {"takes_the_fan_from_the_wrong_axis",
     "Fan-in of a (V, d) table taken as V, and fan-out with it (KerasHub Gemma, by reading).",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         if (const auto* l = std::get_if<XavierUniform>(&law))
           return 1.0 / static_cast<double>(l->vocabulary);
         if (const auto* l = std::get_if<XavierNormal>(&law))
           return 1.0 / static_cast<double>(l->vocabulary);
         return embedscale::variance(law);
       };
     }},

    {"forgets_the_cut", "A truncated normal taken for a normal: √variance = σ instead of 0.8796 σ.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const auto* cut = std::get_if<TruncatedNormal>(&law);
         return cut ? cut->standard_deviation * cut->standard_deviation : embedscale::variance(law);
       };
     }},

    {"quotes_four_digits_of_the_cut",
     "The constant of the cut as it is quoted, 0.8796: four parts in 10^5.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const auto* cut = std::get_if<TruncatedNormal>(&law);
         if (!cut) return embedscale::variance(law);
         const double deviation = 0.8796 * cut->standard_deviation;
         return deviation * deviation;
       };
     }},

    {"multiplies_small_entries_alone", "An adaptive input: only entries below 1 are multiplied.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         const bool small = std::abs(static_cast<double>(table.row(token)[0])) < 1.0;
         library<Real>.look_up(table, token, small ? m : Real(1), out);
       };
     })},

    {"keeps_the_table_in_bfloat16", "A table kept in bfloat16.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         const auto row = table.row(token);
         for (std::size_t j = 0; j < row.size(); ++j)
           out[j] =
               m * static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(row[j]))));
       };
     })},

    {"has_the_papers_frequencies_alone",
     "The paper's frequencies where tensor2tensor's were trained (converters of Marian's models).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule, const Real& base) -> std::vector<Real> {
         return library<Real>.frequencies(d, FrequencyRule::paper, base);
       };
     })},

    {"halves_the_exponent",
     "i/d for 2i/d, in both rules: they agree as they should, half as far down.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         using std::sqrt;
         return library<Real>.frequencies(d, rule, Real(sqrt(base)));
       };
     })},

    {"counts_from_one", "i from 1 to d/2 instead of from 0.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         auto w = library<Real>.frequencies(d, rule, base);
         const Real step = w[1];
         for (Real& value : w) value = value * step;
         return w;
       };
     })},

    {"stops_one_short", "The last frequency is that of the channel before it.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         auto w = library<Real>.frequencies(d, rule, base);
         w.back() = w[w.size() - 2];
         return w;
       };
     })},

    {"keeps_frequencies_in_binary32",
     "Inverse frequencies kept in binary32 (NVIDIA/TensorRT-LLM#18774): 6 parts in 10^8 at most.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         auto w = library<Real>.frequencies(d, rule, base);
         for (Real& value : w) value = static_cast<Real>(static_cast<float>(value));
         return w;
       };
     })},

    {"encodes_the_next_position", "Positions that are counted from 1 where they were from 0.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) { library<Real>.encode(p + 1, w, layout, out); };
     })},

    {"keeps_angles_in_binary32",
     "Angles rounded to binary32, in a model that is otherwise in binary64.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) {
         std::vector<Real> turned;
         for (const Real& value : w)
           turned.push_back(static_cast<Real>(static_cast<float>(static_cast<Real>(p) * value)));
         library<Real>.encode(1, std::span<const Real>(turned), layout, out);
       };
     })},

    {"looks_up_the_last_channel_high",
     "The last channel alone, one part in 2^46: one in 2^48 is seen in one case of 200, where d is "
     "small, one in 2^49 in none.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, m, out);
         out.back() = out.back() + out.back() * static_cast<Real>(std::ldexp(1.0, -46));
       };
     })},

    {"varies_by_50_digits",
     "A variance off by one part in 2^50. For all laws 2^−51 is seen as well, as the most careless "
     "of them is; 2^−52 is not.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         return embedscale::variance(law) * (1.0 + std::ldexp(1.0, -50));
       };
     }},

    {"varies_by_49_digits",
     "The four default laws, whose parameters are rounded, too: 2^−50 is not seen.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         return embedscale::variance(law) * (1.0 + std::ldexp(1.0, -49));
       };
     }},

    {"varies_the_cut_by_46_digits",
     "The same of the cut law alone, in a quotient of deviations: 2^−47 is too small for it.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) -> double {
         const bool cut = std::holds_alternative<TruncatedNormal>(law);
         return embedscale::variance(law) * (cut ? 1.0 + std::ldexp(1.0, -46) : 1.0);
       };
     }},

    {"raises_a_larger_base",
     "base one part in 2^50 too large: one in 2^51 is seen in one case of 10^4, one in 2^52 in "
     "none.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         const Real larger = base + base * static_cast<Real>(std::ldexp(1.0, -50));
         return library<Real>.frequencies(d, rule, larger);
       };
     })},

    {"ends_above_the_paper",
     "tensor2tensor's last frequency a 64th too large, and no longer below the paper's at widths "
     "from some hundred on. A 1024th leaves it below: the rules differ by more than that.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         auto w = library<Real>.frequencies(d, rule, base);
         if (rule == FrequencyRule::tensor2tensor) w.back() = w.back() + w.back() / Real(64);
         return w;
       };
     })},

    {"starts_one_ulp_high", "The first frequency one ulp above 1.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule,
                           const Real& base) -> std::vector<Real> {
         auto w = library<Real>.frequencies(d, rule, base);
         w[0] = Real(1.0 + 0x1p-52);
         return w;
       };
     })},

    {"turns_too_far",
     "Angles off by one part in 2^48. 2^−50 is seen in one case of 1500, 2^−51 in none; a constant "
     "on every sine is not seen at any size, as it cancels in the difference of two vectors.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.encode = [](std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                      std::span<Real> out) {
         std::vector<Real> further(w.begin(), w.end());
         for (Real& x : further) x = x + x * static_cast<Real>(std::ldexp(1.0, -48));
         library<Real>.encode(p, std::span<const Real>(further), layout, out);
       };
     })},

    {"errs_at_one_logit_factor",
     "The logit at one factor alone, one case in 360, by one part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](const std::vector<Real>& row, const std::vector<Real>& h,
                     const Real& factor) -> Real {
         const Real z = library<Real>.logit(row, h, factor);
         return is_the_one_factor(Real(Real(1) / factor)) ? z + z / Real(1 << 20) / Real(1 << 20)
                                                          : z;
       };
     })},

    {"errs_at_one_rate_factor",
     "Both rates at one factor alone, one case in 360, by one part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient_rate = [](const Real& rate, const Real& m) -> Real {
         return library<Real>.gradient_rate(off_at_the_one_factor(rate, m), m);
       };
       to.sign_rate = [](const Real& rate, const Real& m) -> Real {
         return library<Real>.sign_rate(off_at_the_one_factor(rate, m), m);
       };
     })},

    {"forgets_the_logit_factor",
     "The table is folded and the logits go without 1/m (mattn/tensai#248).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](const std::vector<Real>& row, const std::vector<Real>& h,
                     const Real&) -> Real { return library<Real>.logit(row, h, Real(1)); };
     })},

    {"multiplies_the_logit",
     "√d times the logits where it should divide them "
     "(gordicaleksa/pytorch-original-transformer#7).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](const std::vector<Real>& row, const std::vector<Real>& h,
                     const Real& factor) -> Real {
         return library<Real>.logit(row, h, Real(Real(1) / factor));
       };
     })},

    {"multiplies_the_sum", "The positions are multiplied along with the tokens.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real { return m * (e + p); };
     })},

    {"adds_a_bias_to_the_product", "A bias inside the factor, a millionth.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logit = [](const std::vector<Real>& row, const std::vector<Real>& h,
                     const Real& factor) -> Real {
         return library<Real>.logit(row, h, factor) + factor / Real(1 << 20);
       };
     })},

    {"forgets_the_multiplier_backwards", "The gradient passes the multiplier as if it were 1.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](const Real& of_input, const Real& of_logit, const Real& h,
                        const Spelling<Real>& spelling) -> Real {
         return of_input + of_logit * spelling.out * h;
       };
     })},

    {"detaches_the_output", "The output's share of a shared table's gradient is lost.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient = [](const Real& of_input, const Real& of_logit, const Real&,
                        const Spelling<Real>& spelling) -> Real {
         return library<Real>.gradient(of_input, of_logit, Real(0), spelling);
       };
     })},

    {"divides_the_rate_once", "The gradient's rate is divided by m where it should be by m².",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient_rate = [](const Real& rate, const Real& m) -> Real { return rate / m; };
     })},

    {"divides_the_rate_twice",
     "The rate of a step by signs is divided by m² as that of the gradient.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sign_rate = [](const Real& rate, const Real& m) -> Real { return rate / (m * m); };
     })},

    {"follows_the_sign_of_m",
     "The rate follows m with its sign, and turns round where m is below 0.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sign_rate = [](const Real& rate, const Real& m) -> Real { return rate / m; };
     })},

    {"decays_the_weights", "Weight decay with the gradient's rate, a millionth.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.gradient_step = [](const Real& e, const Real& gradient, const Real& rate) -> Real {
         return library<Real>.gradient_step(e, Real(gradient + e / Real(1 << 20)), rate);
       };
     })},

    {"guards_the_quotient", "Adam's ε, a millionth, in the place of 0.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sign_step = [](const Real& e, const Real& gradient, const Real& rate) -> Real {
         const Real size = gradient < Real(0) ? Real(-gradient) : gradient;
         return e - rate * gradient / (size + Real(1) / Real(1 << 20));
       };
     })},

    {"looks_up_high_by_48_digits",
     "Tokens high by a part in 2^48; 2^−49 is seen in one case of 100, 2^−50 in none.",
     looks_up_high<48>()},

    {"looks_up_high_by_39_digits",
     "Balance ends at a line that cases approach to 2^−40: 2^−40 is seen in one of 500, 2^−41 "
     "never.",
     looks_up_high<39>()},

    {"looks_up_high_by_40_digits",
     "Two laws with one factor: 2^−41 is seen in one case of 1000, 2^−42 never.",
     looks_up_high<40>()},

    {"ends_high_by_49_digits",
     "The last frequency high by a part in 2^49; 2^−50 is seen in one case of 300, 2^−51 in none.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.frequencies = [](std::size_t d, FrequencyRule rule, const Real& base) {
         auto w = library<Real>.frequencies(d, rule, base);
         w.back() = w.back() + w.back() * static_cast<Real>(std::ldexp(1.0, -49));
         return w;
       };
     })},
};

}  // namespace embedscale::properties::conventions
