// Wrong programs around a shared table, from the largest defect to the smallest: look-ups, inputs
// and logits; expectations. In exact arithmetic no defect is too small to be seen.
#include <embedscale/format.hpp>

#include <span>
#include <vector>

#include "../conventions/replacements.hpp"
#include "../testing/slightly_wrong.hpp"
#include "loss.hpp"
#include "trials.hpp"

namespace embedscale::properties::tied_output {

using namespace testing;
using conventions::input, conventions::look_up;
using expected::Expectation, expected::TiedToken;

namespace {

constexpr auto output = EMBEDSCALE_OPERATION(logits);
constexpr auto norm = EMBEDSCALE_OPERATION(normalise);
constexpr auto loss = EMBEDSCALE_OPERATION(loss);
constexpr auto own = EMBEDSCALE_OPERATION(own_logit);
constexpr auto block = EMBEDSCALE_OPERATION(block);

/// Logits times change(c).
template <class Change>
constexpr auto multiplies_logits_by(Change) {
  return replaces(output, []<class Real>(auto was, const auto& table, auto h, const Real& c,
                                         auto out) { was(table, h, Real(Change{}(c)), out); });
}

constexpr auto losses(auto of) { return replaces(loss, of); }
constexpr auto own_logits(auto of) { return replaces(own, of); }

/// One part in 10^12 too much.
constexpr auto a_trillionth_high = [](Expectation& found, auto&&...) { found.value *= 1 + 1e-12; };

}  // namespace

const Mutants<Primitives> mutants{
    {"looks_up_bare_rows", "No multiplier on the way in (SamLynnEvans/Transformer#10).",
     conventions::has_no_multiplier},

    {"looks_up_times_m_twice",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     conventions::squares_the_multiplier},

    {"looks_up_a_trifle_high", "One part in 2^40 too large.",
     conventions::multiplies_by([](const auto& m) { return high<40>(m); })},

    {"forgets_the_output_factor",
     "The factor goes with the rows to the output, too: logits of the multiplied table "
     "(mattn/tensai#248).",
     [](Primitives& to) {
       const ChangeOf<Primitives> forget = multiplies_logits_by([](const auto&) { return 1; });
       forget(to);
       to.loss = [](double sigma, std::uint64_t d, double, std::uint64_t V) {
         return expected_loss(sigma, d, 1.0, V);
       };
     }},

    {"divides_by_the_output_factor",
     "Multiplies the logits where it should divide them "
     "(gordicaleksa/pytorch-original-transformer#7).",
     multiplies_logits_by([]<class Real>(const Real& c) { return Real(1) / c; })},

    {"compares_all_but_one_channel",
     "A loop that leaves the last channel out of the product, where there are several.",
     replaces(output,
              []<class Real>(auto was, const auto& table, std::span<const Real> h, const Real& c,
                             auto out) {
                std::vector<Real> cut(h.begin(), h.end());
                if (cut.size() > 1) cut.back() = Real(0);
                was(table, cut, c, out);
              })},

    {"begins_with_a_bias", "A bias that begins at a millionth and not at 0.",
     changes(output,
             []<class Real>(auto&&, auto&&, auto&&, std::span<Real> out) {
               for (Real& z : out) z = z + static_cast<Real>(0x1p-20);
             })},

    {"multiplies_token_and_position", "The positions are multiplied along with the tokens.",
     conventions::scales_the_sum},

    {"scales_positions_down_too",
     "The positions are divided by the factor that the tokens have (nicklashansen/dreamer4#4).",
     replaces(input, [](auto was, auto e, auto p, auto m) { return was(e, p / m, m); })},

    {"adds_a_trifle_less", "One part in 2^40 of the position is lost.",
     replaces(input,
              []<class Real>(auto was, const Real& e, const Real& p, const Real& m) {
                return was(e, p - p * static_cast<Real>(0x1p-40), m);
              })},

    {"does_not_centre", "A LayerNorm without its mean, which is an RMSNorm.",
     replaces(norm, [](auto was, auto x, Norm, auto out) { was(x, Norm::rms_norm, out); })},

    {"leaves_the_state_as_it_is", "No final norm at all.",
     replaces(norm, [](auto, auto x, Norm, auto out) { std::ranges::copy(x, out.begin()); })},

    {"guards_the_norm", "ε = 10^−3 where none was meant.",
     replaces(norm,
              []<class Real>(auto, std::span<const Real> x, Norm kind, std::span<Real> out) {
                normalise<Real>(x, kind, out, Real(0.001));
              })},

    {"takes_d_for_its_root", "Logits of deviation σ·d.",
     losses([](auto was, double sigma, std::uint64_t d, double c, std::uint64_t V) {
       return was(sigma * std::sqrt(static_cast<double>(d)), d, c, V);
     })},

    {"guesses_uniformly", "ln V, as if all logits were alike.",
     losses([](auto, double, std::uint64_t, double, std::uint64_t V) {
       return Expectation{std::log(static_cast<double>(V)), 0};
     })},

    {"takes_the_annealed_mean",
     "ln V + s²/2 at every s: right to s²/(2V) below the change of regime, and to nothing beyond "
     "it.",
     losses([](auto, double sigma, std::uint64_t d, double c, std::uint64_t V) {
       return Expectation{annealed(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)), V), 0};
     })},

    {"leaves_a_word_out", "A word too few.",
     losses([](auto was, double sigma, std::uint64_t d, double c, std::uint64_t V) {
       return was(sigma, d, c, V - 1);
     })},

    {"loses_the_twelfth_digit", "One part in 10^12 too much.", changes(loss, a_trillionth_high)},

    {"forgets_the_final_norm", "The state not divided by its RMS.",
     own_logits([](auto, const TiedToken& t, double) {
       return Expectation{t.output_multiplier * t.multiplier * static_cast<double>(t.width) *
                              t.deviation * t.deviation,
                          0};
     })},

    {"ignores_the_sign", "A negative multiplier taken for its size.",
     own_logits([](auto was, TiedToken token, double p_square) {
       token.multiplier = std::abs(token.multiplier);
       return was(token, p_square);
     })},

    {"stops_at_leading_order", "Leading order in 1/d, taken for the expectation.",
     own_logits([](auto, const TiedToken& token, double p_square) {
       const double t = token.multiplier * token.deviation;
       const double d = static_cast<double>(token.width);
       const double centring = token.final_norm == Norm::layer_norm ? 1 - 1 / d : 1;
       const double state_square = t * t * centring + p_square / d;
       return Expectation{expected::own_logit_to_leading_order(token, state_square), 0};
     })},

    {"keeps_the_dimension", "A LayerNorm taken for an RMSNorm: one dimension too many.",
     own_logits([](auto was, TiedToken token, double p_square) {
       token.final_norm = Norm::rms_norm;
       return was(token, p_square);
     })},

    {"is_high_by_a_trillionth", "One part in 10^12 too much.", changes(own, a_trillionth_high)},

    {"starts_the_skip_behind_the_norm",
     "What passes the block by is the state behind its first norm, not before it.",
     replaces(block,
              [](auto was, const EncoderBlock<double>& one, auto x, auto out) {
                std::vector<double> normalised(x.size());
                normalize<double>(one.shape, one.norm, x, normalised);
                was(one, normalised, out);
              })},

    {"normalises_behind_the_sum", "The norms behind the sums, as post-norm blocks have them.",
     replaces(block,
              [](auto was, EncoderBlock<double> one, auto x, auto out) {
                one.norms = NormPlacement::post;
                was(one, x, out);
              })},

    {"shrinks_the_skip", "What passes the block by is a part in 2^40 too small.",
     changes(block,
             [](const EncoderBlock<double>&, auto x, std::span<double> out) {
               for (std::size_t i = 0; i < out.size(); ++i) out[i] -= 0x1p-40 * x[i];
             })},
};

}  // namespace embedscale::properties::tied_output
