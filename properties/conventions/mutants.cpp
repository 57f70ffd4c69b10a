// Wrong programs: tables, look-ups and laws; frequencies and position vectors; inputs, logits,
// gradients, steps and rates. From the largest defect to the smallest that the properties still see
// in their 10^4 cases, each with the next smaller one that they do not: where roundings are bounded
// the limit is the bound, a few u of binary64. What a ratio of two RMS cannot see at any size is no
// defect of it: signs, and the order of channels.
#include <embedscale/format.hpp>

#include <algorithm>
#include <vector>

#include "replacements.hpp"
#include "trials.hpp"

namespace embedscale::properties::conventions {

using namespace testing;

namespace {

constexpr auto spacing = EMBEDSCALE_OPERATION(frequencies);
constexpr auto logit = EMBEDSCALE_OPERATION(logit);
constexpr auto slope = EMBEDSCALE_OPERATION(gradient);
constexpr auto rate = EMBEDSCALE_OPERATION(gradient_rate);
constexpr auto rate_by_sign = EMBEDSCALE_OPERATION(sign_rate);
constexpr auto step = EMBEDSCALE_OPERATION(gradient_step);
constexpr auto step_by_sign = EMBEDSCALE_OPERATION(sign_step);
constexpr auto final_norm = EMBEDSCALE_OPERATION(rms_norm);
constexpr auto shares = EMBEDSCALE_OPERATION(softmax);
constexpr auto test = EMBEDSCALE_OPERATION(is_close);

/// The library's variance of change(cut) in the place of a law that is cut.
template <class Change>
constexpr auto varies_the_cut(Change) {
  return replaces(law_variance, [](auto was, const Initializer& law) {
    const auto* cut = std::get_if<TruncatedNormal>(&law);
    return was(cut ? Change{}(*cut) : law);
  });
}

/// Tokens high by one part in 2^`digits`.
template <int digits>
constexpr auto looks_up_high() {
  return in_floats(changes_tokens([](const auto& t) { return high<digits>(t); }));
}

}  // namespace

const Mutants<Primitives> mutants{
    {"divides_the_table", "Divides where it should multiply (pytorch/tutorials#2849).",
     divides_by_the_multiplier},

    {"multiplies_twice",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     squares_the_multiplier},

    {"leaves_the_table_alone",
     "No multiplier on a table of deviation d^−½ (VHellendoorn/ICLR20-Great#10, "
     "marin-community/levanter#978).",
     has_no_multiplier},

    {"normalises_the_token",
     "The belief as a program: each token is brought to the positions' RMS, whatever its "
     "table.",
     normalises_tokens<2>()},

    {"encodes_sines_twice",
     "Sines in the place of cosines: slices that overlap "
     "(BrianPulfer/PapersReimplementations#9).",
     encodes_sines_twice},

    {"forgets_the_last_channel",
     "A vectorised loop that leaves the last channel as it is in the table.",
     leaves_the_last_channel},

    {"keeps_positions_in_binary16", "A sinusoidal table kept in binary16 (vllm#54569).",
     changes_positions([](const auto& x, std::size_t) { return kept_in<binary16>(x); })},

    {"takes_the_half_range_for_sigma",
     "The half range of a uniform distribution taken for its deviation.",
     takes_half_ranges_for_deviations},

    {"takes_the_fan_from_the_wrong_axis",
     "Fan-in of a (V, d) table taken as V, and fan-out with it (KerasHub Gemma, by reading).",
     takes_vocabularies_for_fans},

    {"forgets_the_cut", "A truncated normal taken for a normal: √variance = σ instead of 0.8796 σ.",
     varies_the_cut([](const auto& cut) { return Normal{cut.standard_deviation}; })},

    {"has_the_papers_frequencies_alone",
     "The paper's frequencies where tensor2tensor's were trained (converters of Marian's "
     "models).",
     replaces(spacing, [](auto was, auto d, auto,
                          auto base) { return was(d, FrequencyRule::paper, base); })},

    {"halves_the_exponent",
     "i/d for 2i/d, in both rules: they agree as they should, half as far down.",
     replaces(spacing, [](auto was, auto d, auto rule,
                          auto base) { return was(d, rule, std::sqrt(base)); })},

    {"varies_by_49_digits",
     "The four default distributions, whose parameters are rounded, too: 2^−50 is not seen.",
     varies_high<49>()},

    {"varies_the_cut_by_46_digits",
     "The same of the cut distribution alone, in a quotient of deviations: 2^−47 is too small for "
     "it.",
     varies_high<46, TruncatedNormal>()},

    {"starts_one_ulp_high", "The first frequency one ulp above 1.",
     changes(spacing, []<class Real>(std::vector<Real>& w,
                                     auto&&...) { w[0] = static_cast<Real>(1.0 + 0x1p-52); })},

    {"turns_too_far",
     "Angles off by one part in 2^48. 2^−50 is seen in one case of 1500, 2^−51 in none; a "
     "constant on every sine at no size, as it cancels in the difference of two vectors.",
     replaces(encoding,
              []<class Real>(auto was, auto p, std::span<const Real> w, auto layout, auto out) {
                std::vector<Real> further;
                for (const Real& value : w) further.push_back(high<48>(value));
                was(p, further, layout, out);
              })},

    {"errs_at_one_logit_factor",
     "The logit at one factor alone, one case in 360, by one part in 2^40.",
     changes(logit,
             [](Rational& z, auto&&, auto&&, const Rational& factor) {
               z = off_at_one_factor(z, Rational(1 / factor));
             })},

    {"errs_at_one_rate_factor",
     "Both rates at one factor alone, one case in 360, by one part in 2^40.",
     [](Primitives& to) {
       to.gradient_rate = [](const Rational& rate, const Rational& m) {
         return Primitives{}.gradient_rate(off_at_one_factor(rate, m), m);
       };
       to.sign_rate = [](const Rational& rate, const Rational& m) {
         return Primitives{}.sign_rate(off_at_one_factor(rate, m), m);
       };
     }},

    {"forgets_the_logit_factor",
     "The table is folded and the logits go without 1/m (mattn/tensai#248).",
     replaces(logit, [](auto was, auto&& row, auto&& h, auto&&) { return was(row, h, 1); })},

    {"multiplies_the_logit",
     "√d times the logits where it should divide them "
     "(gordicaleksa/pytorch-original-transformer#7).",
     replaces(logit, [](auto was, auto&& row, auto&& h,
                        auto&& factor) { return was(row, h, 1 / factor); })},

    {"copies_the_table_for_the_output",
     "Weights copied where they should be shared: after a first step they differ, by a "
     "millionth.",
     replaces(logit,
              [](auto was, auto row, auto&& h, auto&& factor) {
                for (auto& e : row) e = e + Rational(1) / (1 << 20);
                return was(row, h, factor);
              })},

    {"multiplies_the_sum", "The positions are multiplied along with the tokens.", scales_the_sum},

    {"adds_a_bias_to_the_product", "A bias inside the factor, a millionth.",
     changes(logit, [](auto& z, auto&&, auto&&, auto&& factor) { z = z + factor / (1 << 20); })},

    {"forgets_the_multiplier_backwards", "The gradient passes the multiplier as if it were 1.",
     replaces(slope,
              [](auto was, auto of_input, auto of_logit, auto h, Spelling by) {
                by.in = 1;
                return was(of_input, of_logit, h, by);
              })},

    {"detaches_the_output", "The output's share of a shared table's gradient is lost.",
     replaces(slope, [](auto was, auto of_input, auto, auto h,
                        const Spelling& by) { return was(of_input, 0, h, by); })},

    {"divides_the_rate_once", "The gradient's rate is divided by m where it should be by m².",
     replaces(rate, [](auto, auto by, auto m) { return by / m; })},

    {"divides_the_rate_twice",
     "The rate of a step by signs is divided by m² as that of the gradient.",
     [](Primitives& to) { to.sign_rate = to.gradient_rate; }},

    {"follows_the_sign_of_m",
     "The rate follows m with its sign, and turns round where m is below 0.",
     replaces(rate_by_sign, [](auto, auto by, auto m) { return by / m; })},

    {"decays_the_weights", "Weight decay with the gradient's rate, a millionth.",
     replaces(step, [](auto was, auto e, auto gradient,
                       auto by) { return was(e, gradient + e / (1 << 20), by); })},

    {"guards_the_quotient", "Adam's ε, a millionth, in the place of 0.",
     replaces(step_by_sign,
              [](auto, auto e, auto gradient, auto by) {
                return e - by * gradient / (abs(gradient) + Rational(1) / (1 << 20));
              })},

    {"looks_up_high_by_48_digits",
     "Tokens high by a part in 2^48; 2^−49 is seen in one case of 100, 2^−50 in none.",
     looks_up_high<48>()},

    {"looks_up_high_by_39_digits",
     "Balance ends at a line that cases approach to 2^−40: 2^−40 is seen in one of 500, 2^−41 "
     "never.",
     looks_up_high<39>()},

    {"leaves_out_the_final_norm", "The stream as it is in the place of its norm.",
     replaces(final_norm,
              [](auto, auto x, auto&&, auto, auto out) { std::ranges::copy(x, out.begin()); })},

    {"guards_the_final_norm", "ε = 10^−6 in the place of 0.",
     replaces(final_norm,
              []<class Real>(auto was, std::span<const Real> x, auto&&, auto place, auto out) {
                was(x, static_cast<Real>(1e-6), place, out);
              })},

    {"shares_high_by_20_digits", "Probabilities high by a part in 2^20.",
     changes(shares,
             [](auto z) {
               for (auto& p : z) p = high<20>(p);
             })},

    {"grows_the_tolerance_with_size",
     "A tolerance times the number of entries: what is wrong passes from some size on.",
     replaces(test,
              [](auto was, auto actual, auto desired, Tolerance allowed) {
                allowed.absolute *= static_cast<double>(actual.size());
                allowed.relative *= static_cast<double>(actual.size());
                return was(actual, desired, allowed);
              })},

    {"tests_the_first_entry", "One entry compared in the place of all.",
     replaces(test,
              [](auto was, auto actual, auto desired, const Tolerance& allowed) {
                return was(actual.first(1), desired.first(1), allowed);
              })},

    {"forgets_the_relative_tolerance", "An absolute tolerance alone.",
     replaces(test,
              [](auto was, auto actual, auto desired, const Tolerance& allowed) {
                return was(actual, desired, {0, allowed.absolute});
              })},

    {"ends_high_by_49_digits",
     "The last frequency high by a part in 2^49; 2^−50 is seen in one case of 300, 2^−51 in "
     "none.",
     changes(spacing, [](auto& w, auto&&...) { w.back() = high<49>(w.back()); })},
};

}  // namespace embedscale::properties::conventions
