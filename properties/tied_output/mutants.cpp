// Wrong programs around a shared table, from the largest defect to the smallest: look-ups, inputs
// and logits; expectations; counts. In exact arithmetic no defect is too small to be seen.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "../testing/changes.hpp"
#include "loss.hpp"
#include "trials.hpp"

namespace embedscale::properties::tied_output {

using namespace testing;
using expected::Expectation, expected::TiedToken;

namespace {

constexpr auto input = [](auto& of) -> decltype((of.input)) { return of.input; };
constexpr auto output = [](auto& of) -> decltype((of.logits)) { return of.logits; };
constexpr auto norm = [](auto& of) -> decltype((of.normalise)) { return of.normalise; };
constexpr auto loss = [](auto& of) -> decltype((of.loss)) { return of.loss; };
constexpr auto own = [](auto& of) -> decltype((of.own_logit)) { return of.own_logit; };
constexpr auto census = [](auto& of) -> decltype((of.census)) { return of.census; };

/// Looked up times change(m).
template <class... Reals, class Change>
constexpr auto looks_up_times(Change) {
  return replacing<Reals...>([]<class Real>(Operations<Real>& to) {
    to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                    std::span<Real> out) {
      library<Real>.look_up(table, token, Real(Change{}(m)), out);
    };
  });
}

/// Logits times change(c).
template <class Change>
constexpr auto multiplies_logits_by(Change) {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.logits = [](const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                   std::span<Real> out) { library<Real>.logits(table, h, Real(Change{}(c)), out); };
  });
}

/// A change of the norm, whose roots are none over the rationals.
constexpr auto norms(auto change) { return in<double, float>(change); }

/// Programs whose multiplier passes, by what they offer.
Census count(std::span<const Program> programs, bool (*passes)(const Program& program)) {
  Census counts{};
  for (const auto& p : programs)
    if (passes(p)) ++counts[static_cast<std::size_t>(p.sharing)];
  return counts;
}

}  // namespace

const Mutants<Primitives> mutants{
    {"looks_up_bare_rows", "No multiplier on the way in (SamLynnEvans/Transformer#10).",
     looks_up_times([](const auto&) { return 1; })},

    {"looks_up_times_m_twice",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     looks_up_times([](const auto& m) { return m * m; })},

    {"looks_up_divided_rows", "Divides where it should multiply (pytorch/tutorials#2849).",
     looks_up_times([]<class Real>(const Real& m) { return Real(1) / m; })},

    {"looks_up_by_bfloat16", "The multiplier rounded to bfloat16 (huggingface/transformers#29402).",
     looks_up_times<double, float>([](const auto& m) { return through<bfloat16>(m); })},

    {"looks_up_a_trifle_high", "One part in 2^40 too large.",
     looks_up_times([](const auto& m) { return larger<40>(m); })},

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
     instead(output,
             []<class Real>(const EmbeddingTable<Real>& table, std::span<const Real> h,
                            const Real& c, std::span<Real> out) {
               std::vector<Real> cut(h.begin(), h.end());
               if (cut.size() > 1) cut.back() = Real(0);
               library<Real>.logits(table, cut, c, out);
             })},

    {"begins_with_a_bias", "A bias that begins at a millionth and not at 0.",
     changed(output,
             []<class Real>(const auto&, auto, const Real&, std::span<Real> out) {
               for (Real& z : out) z = z + static_cast<Real>(0x1p-20);
             })},

    {"multiplies_token_and_position", "The positions are multiplied along with the tokens.",
     instead(input,
             []<class Real>(const Real& e, const Real& p, const Real& m) -> Real {
               return m * (e + p);
             })},

    {"scales_positions_down_too",
     "The positions are divided by the factor that the tokens have (nicklashansen/dreamer4#4).",
     of_changed(input, [](auto&, auto& p, auto& m) { p = p / m; })},

    {"adds_a_trifle_less", "One part in 2^40 of the position is lost.",
     of_changed(input,
                []<class Real>(Real&, Real& p, Real&) { p = p - p * static_cast<Real>(0x1p-40); })},

    {"does_not_centre", "A LayerNorm without its mean, which is an RMSNorm.",
     norms(of_changed(norm, [](auto, Norm& kind, auto) { kind = Norm::rms_norm; }))},

    {"leaves_the_state_as_it_is", "No final norm at all.",
     norms(instead(norm, [](auto x, Norm, auto out) { std::ranges::copy(x, out.begin()); }))},

    {"divides_by_d_less_1", "The mean square by d − 1, as a sample's deviation is taken.",
     norms(changed(norm,
                   []<class Real>(std::span<const Real> x, Norm, std::span<Real> out) {
                     const auto n = static_cast<double>(x.size());
                     for (Real& y : out) y = y * static_cast<Real>(std::sqrt((n - 1) / n));
                   }))},

    {"guards_the_norm", "ε = 10^−3 where none was meant.",
     norms(instead(norm,
                   []<class Real>(std::span<const Real> x, Norm kind, std::span<Real> out) {
                     normalise<Real>(x, kind, out, Real(0.001));
                   }))},

    {"takes_d_for_its_root", "Logits of deviation σ·d.",
     of_changed(loss, [](double& sigma, std::uint64_t d, double,
                         std::uint64_t) { sigma *= std::sqrt(static_cast<double>(d)); })},

    {"counts_in_bits", "In bits instead of nats.",
     changed(loss, [](Expectation& nats, auto...) { nats.value /= std::numbers::ln2; })},

    {"guesses_uniformly", "ln V, as if all logits were alike.",
     instead(loss,
             [](double, std::uint64_t, double, std::uint64_t V) -> Expectation {
               return {std::log(static_cast<double>(V)), 0};
             })},

    {"takes_the_annealed_mean",
     "ln V + s²/2 at every s: right to s²/(2V) below the change of regime, and to nothing beyond "
     "it.",
     instead(loss,
             [](double sigma, std::uint64_t d, double c, std::uint64_t V) -> Expectation {
               return {annealed(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)), V), 0};
             })},

    {"leaves_a_word_out", "A word too few.",
     of_changed(loss, [](double, std::uint64_t, double, std::uint64_t& V) { --V; })},

    {"loses_the_twelfth_digit", "One part in 10^12 too much.",
     changed(loss, [](Expectation& found, auto...) { found.value *= 1 + 1e-12; })},

    {"forgets_the_positions", "The positions left out of the state's length.",
     of_changed(own, [](TiedToken&, double& p_square) { p_square = 0; })},

    {"forgets_the_final_norm", "The state not divided by its RMS.",
     instead(own,
             [](const TiedToken& t, double) -> Expectation {
               return {t.output_multiplier * t.multiplier * static_cast<double>(t.width) *
                           t.deviation * t.deviation,
                       0};
             })},

    {"ignores_the_sign", "A negative multiplier taken for its size.",
     of_changed(own, [](TiedToken& of, double) { of.multiplier = std::abs(of.multiplier); })},

    {"stops_at_leading_order", "Leading order in 1/d, taken for the expectation.",
     instead(own,
             [](const TiedToken& token, double p_square) -> Expectation {
               const double t = token.multiplier * token.deviation;
               const double d = static_cast<double>(token.width);
               const double centring = token.final_norm == Norm::layer_norm ? 1 - 1 / d : 1;
               const double state_square = t * t * centring + p_square / d;
               return {expected::own_logit_to_leading_order(token, state_square), 0};
             })},

    {"keeps_the_dimension", "A LayerNorm taken for an RMSNorm: one dimension too many.",
     of_changed(own, [](TiedToken& of, double) { of.final_norm = Norm::rms_norm; })},

    {"is_high_by_a_trillionth", "One part in 10^12 too much.",
     changed(own, [](Expectation& found, auto...) { found.value *= 1 + 1e-12; })},

    {"counts_the_unscaled", "Every program, whatever it multiplies by.",
     instead(census,
             [](std::span<const Program> programs) {
               return count(programs, [](const Program&) { return true; });
             })},

    {"takes_the_unknown_for_never",
     "Options of unknown default taken for programs that never share.",
     changed(census,
             [](Census& counts, auto) {
               counts[4] += counts[3];
               counts[3] = 0;
             })},

    {"counts_each_class_once", "Classes, not programs: each at most once.",
     changed(census,
             [](Census& counts, auto) {
               for (auto& n : counts) n = std::min<std::uint64_t>(n, 1);
             })},

    {"counts_rounded_roots", "A rounded root taken for √d.",
     instead(census,
             [](std::span<const Program> programs) {
               return count(programs, [](const Program& p) {
                 const double root = std::sqrt(static_cast<double>(p.width));
                 return std::abs(p.multiplier / root - 1) < 1e-9;
               });
             })},
};

}  // namespace embedscale::properties::tied_output
