// Wrong position vectors, from the largest defect to the smallest, by powers of two, that the
// properties still see in their 10^4 cases.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../testing/slightly_wrong.hpp"
#include "one_position.hpp"
#include "trials.hpp"

namespace embedscale::properties::sinusoidal {

using namespace testing;

namespace {

/// A position and its vector, to be changed.
template <class Real>
struct Vector {
  std::int64_t p;
  std::span<const Real> w;
  SinusoidalLayout layout;
  std::span<Real> out;

  Real& sine(std::size_t i) const { return out[channels_of(i, out.size(), layout)[0]]; }
  Real& cosine(std::size_t i) const { return out[channels_of(i, out.size(), layout)[1]]; }
};

constexpr auto encoding = EMBEDSCALE_OPERATION(encode);
constexpr auto spacing = EMBEDSCALE_OPERATION(frequencies);

/// What `change` makes of the library's vector, in each number type or in those that are named.
template <class... Reals, class Change>
constexpr auto vectors(Change) {
  return changes<Reals...>(encoding, []<class Real>(std::int64_t p, std::span<const Real> w,
                                                    SinusoidalLayout layout, std::span<Real> out) {
    Change{}(Vector<Real>{p, w, layout, out});
  });
}
/// The same of a defect of many digits.
constexpr auto fine_vectors(auto change) { return vectors<double, exact::Decimal50>(change); }
/// The same in each format.
constexpr auto vectors_of_formats(auto change) {
  return vectors<double, float, binary16, bfloat16>(change);
}

/// What `change` makes of the library's frequencies.
template <class... Reals, class Change>
constexpr auto frequencies(Change) {
  return changes<Reals...>(spacing, [](auto& w, auto&&...) { Change{}(w); });
}

template <int digits>
Mutant<Primitives> adds_to_the_last(std::string_view name) {
  return {name, "2^−digits more on the last channel.",
          fine_vectors([]<class Real>(const Vector<Real>& x) {
            x.out.back() = x.out.back() + static_cast<Real>(std::ldexp(1.0, -digits));
          })};
}

template <int digits>
Mutant<Primitives> turns_faster(std::string_view name) {
  return {name, "Frequencies too large by one part in 2^digits.",
          frequencies<double, exact::Decimal50>([](auto& w) {
            for (auto& x : w) x = high<digits>(x);
          })};
}

template <int digits>
Mutant<Primitives> turns_odd_positions(std::string_view name) {
  return {name,
          "Odd positions turned by one part in 2^digits more: no two shifts by one are one turn.",
          fine_vectors([]<class Real>(const Vector<Real>& x) {
            if (x.p % 2 == 0) return;
            std::vector<Real> further;
            for (const Real& w : x.w) further.push_back(high<digits>(w));
            library<Real>.encode(x.p, further, x.layout, x.out);
          })};
}

}  // namespace

const Mutants<Primitives> mutants{
    {"has_unit_rms", "Brought to RMS 1, the tokens' size, by √2.",
     vectors([]<class Real>(const Vector<Real>& x) {
       for (Real& entry : x.out) entry = entry * static_cast<Real>(std::numbers::sqrt2);
     })},

    {"pairs_two_frequencies",
     "Each cosine has a frequency of its own, near base^(−2j/d) at channel j (an early version of "
     "jadore801120/attention-is-all-you-need-pytorch).",
     vectors([]<class Real>(const Vector<Real>& x) {
       std::vector<Real> between(x.w.begin(), x.w.end()), others(x.out.size());
       for (std::size_t i = 0; i + 1 < x.w.size(); ++i)
         between[i] = (x.w[i] + x.w[i + 1]) / Real(2);
       between.back() = between.back() / Real(2);
       library<Real>.encode(x.p, between, x.layout, others);
       for (std::size_t i = 0; i < x.w.size(); ++i)
         x.cosine(i) = others[channels_of(i, x.out.size(), x.layout)[1]];
     })},

    {"centres_each_vector",
     "Each vector less its mean over coordinates: a norm's centring, done too early.",
     vectors([]<class Real>(const Vector<Real>& x) {
       Real sum(0);
       for (const Real& entry : x.out) sum = sum + entry;
       const Real mean = sum / Real(static_cast<int>(x.out.size()));
       for (Real& entry : x.out) entry = entry - mean;
     })},

    {"clips_positions", "No position behind the last one of a table of 64.",
     replaces(encoding, [](auto was, std::int64_t p,
                           auto... to) { was(std::min<std::int64_t>(p, 63), to...); })},

    {"spaces_by_a_smaller_base", "Base 1000 for 10000.",
     replaces(spacing, []<class Real>(auto was, std::size_t d, FrequencyRule rule,
                                      const Real& base) { return was(d, rule, base / Real(10)); })},

    {"repeats_the_first_half",
     "The second half of the pairs is a copy of the first: no more than d/2 directions.",
     frequencies([](auto& w) {
       for (std::size_t i = w.size() / 2; i < w.size(); ++i) w[i] = w[i - w.size() / 2];
     })},

    {"slices_halves_wrongly",
     "Sines alone in the halves layout, concatenated with themselves: slices that overlap "
     "(BrianPulfer/PapersReimplementations#9).",
     vectors([]<class Real>(const Vector<Real>& x) {
       if (x.layout == SinusoidalLayout::halves)
         for (std::size_t i = 0; i < x.w.size(); ++i) x.cosine(i) = x.sine(i);
     })},

    {"rounds_entries_to_binary16", "A table in binary16 (vllm#54569), kept in the wider format.",
     vectors([]<class Real>(const Vector<Real>& x) {
       for (Real& entry : x.out) entry = kept_in<binary16>(entry);
     })},

    {"knows_one_rule",
     "The paper's frequencies in either rule's place (converters of Marian's models, by reading).",
     replaces(spacing, [](auto was, std::size_t d, FrequencyRule,
                          const auto& base) { return was(d, FrequencyRule::paper, base); })},

    {"counts_positions_from_one",
     "Positions counted from 1: not seen where offsets alone count, or a mean's length.",
     replaces(encoding, [](auto was, std::int64_t p, auto... to) { was(p + 1, to...); })},

    {"is_one_ulp_too_large",
     "Every entry one ulp of its format away from 0: passes 1 where it was 1, at position 0.",
     vectors_of_formats([]<class Real>(const Vector<Real>& x) {
       for (Real& entry : x.out) entry = entry + entry * Real(2.0 * unit_roundoff<Real>);
     })},

    {"grows_by_50_digits", "Entries too large by one part in 2^50.",
     fine_vectors([](const auto& x) {
       for (auto& entry : x.out) entry = high<50>(entry);
     })},
    // A shift does not see 2^−52; over a table a constant share not 2^−48.
    adds_to_the_last<51>("adds_51_digits_to_the_last"),
    adds_to_the_last<46>("adds_46_digits_to_the_last"),
    // The difference of the two rules does not see 2^−51; over a table constant shares not 2^−48,
    // and where a table's end stops to be quiet 1.6 % are not seen by every seed.
    turns_faster<50>("turns_faster_by_50_digits"),
    turns_faster<46>("turns_faster_by_46_digits"),
    turns_faster<40>("turns_faster_by_40_digits"),
    turns_faster<4>("turns_faster_by_4_digits"),
    // Of 50 decimal digits: 2^−160 is not seen; the first channels' share of the variance: 2^−42.
    turns_odd_positions<52>("turns_odd_positions_by_52_digits"),
    turns_odd_positions<150>("turns_odd_positions_by_150_digits"),
    turns_odd_positions<40>("turns_odd_positions_by_40_digits"),

    {"halves_err_by_an_ulp",
     "The halves layout one ulp off in its last channel, at every 16th position.",
     vectors_of_formats([]<class Real>(const Vector<Real>& x) {
       if (x.layout == SinusoidalLayout::halves && x.p % 16 == 0)
         x.out.back() = x.out.back() - x.out.back() * Real(2.0 * unit_roundoff<Real>);
     })},

    // 2^−36 keeps them apart, as it is more than rounding.
    {"rules_meet_to_38_digits",
     "tensor2tensor's rule as the paper's with one frequency off, the last, by one part in 2^38.",
     replaces(spacing,
              [](auto was, std::size_t d, FrequencyRule rule, const auto& base) {
                auto w = was(d, FrequencyRule::paper, base);
                if (rule == FrequencyRule::tensor2tensor) w.back() = high<38>(w.back());
                return w;
              })},

    {"divides_positions_by_the_root", "Positions scaled down, by 1/√d (nicklashansen/dreamer4#4).",
     vectors_of_formats([]<class Real>(const Vector<Real>& x) {
       for (Real& entry : x.out) entry = entry / root_multiplier<Real>(x.out.size());
     })},

    {"slices_the_other_way",
     "Slices of one layout in the place of the other's: at position 0, a permutation of zeros and "
     "ones (BrianPulfer/PapersReimplementations#9).",
     replaces(encoding,
              [](auto was, auto p, auto w, SinusoidalLayout layout, auto out) {
                const bool halves = layout == SinusoidalLayout::halves;
                was(p, w, halves ? SinusoidalLayout::interleaved : SinusoidalLayout::halves, out);
              })},

    {"computes_positions_in_binary16",
     "Positions in binary16: 0.42 and more off, and no number from position 65520 on (vllm#54569, "
     "#54620).",
     vectors_of_formats([]<class Real>(const Vector<Real>& x) {
       std::vector<binary16> w, narrow(x.out.size());
       for (const Real& value : x.w) w.emplace_back(static_cast<double>(value));
       library<binary16>.encode(x.p, w, x.layout, narrow);
       for (std::size_t j = 0; j < narrow.size(); ++j)
         x.out[j] = static_cast<Real>(static_cast<double>(narrow[j]));
     })},

    {"raises_the_base_in_bfloat16",
     "The power 1/base^x of an exponent x in bfloat16 (huggingface/transformers#46174, "
     "fairseq2#65, depthcharge#76): frequencies off by 2^−9·ln(10^4), 1.8 %, at most. The "
     "reciprocal alone, in the right precision, is one rounding more, and no defect.",
     changes<double, float, binary16, bfloat16>(
         spacing,
         []<class Real>(std::vector<Real>& w, std::size_t d, FrequencyRule rule, auto&&) {
           const auto last = static_cast<double>(frequency_steps(d, rule));
           for (std::size_t i = 0; i < w.size(); ++i) {
             const bfloat16 x(static_cast<double>(i) / last);
             w[i] = static_cast<Real>(1.0 / std::pow(10000.0, static_cast<double>(x)));
           }
         })},

    {"rounds_inverse_frequencies",
     "Inverse frequencies rounded to binary32 in a model of binary64: 6 parts in 10^8, 10^−3 rad "
     "at position 32768 (NVIDIA/TensorRT-LLM#18774).",
     frequencies<double>([](auto& w) {
       for (double& x : w) x = kept_in<float>(x);
     })},

    {"adds_two_roundings",
     "Every channel 2^−52 too large: 2u of binary64, which is all that is allowed where the angle "
     "is small, before the rounding of the channel itself. 2^−53 is seen in none.",
     vectors_of_formats([]<class Real>(const Vector<Real>& x) {
       for (Real& entry : x.out) entry = entry + static_cast<Real>(0x1p-52);
     })},
};

}  // namespace embedscale::properties::sinusoidal
