// Wrong programs around a shared table, from the largest defect to the smallest: look-ups, inputs
// and logits; expectations; counts. In exact arithmetic no defect is too small to be seen.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "loss.hpp"
#include "trials.hpp"

namespace embedscale::properties::tied_output {

using namespace testing;

namespace {

/// A replacement in the formats: a defect of rounding or of roots is none over the rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<double, float>(change);
}

}  // namespace

const Mutants<Primitives> mutants{
    {"looks_up_bare_rows", "No multiplier on the way in (SamLynnEvans/Transformer#10).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                       std::span<Real> out) { library<Real>.look_up(table, token, Real(1), out); };
     })},

    {"looks_up_times_m_twice",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(m * m), out);
       };
     })},

    {"looks_up_divided_rows", "Divides where it should multiply (pytorch/tutorials#2849).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(Real(1) / m), out);
       };
     })},

    {"looks_up_by_bfloat16", "The multiplier rounded to bfloat16 (huggingface/transformers#29402).",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         const auto rounded = static_cast<double>(bfloat16(static_cast<double>(m)));
         library<Real>.look_up(table, token, static_cast<Real>(rounded), out);
       };
     })},

    {"looks_up_a_trifle_high", "One part in 2^40 too large.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.look_up = [](const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                       std::span<Real> out) {
         library<Real>.look_up(table, token, Real(m + m / (Real(1 << 20) * Real(1 << 20))), out);
       };
     })},

    {"forgets_the_output_factor",
     "The factor goes with the rows to the output, too: logits of the multiplied table "
     "(mattn/tensai#248).",
     [](Primitives& to) {
       to.change([]<class Real>(Operations<Real>& of) {
         of.logits = [](const EmbeddingTable<Real>& table, std::span<const Real> h, const Real&,
                        std::span<Real> out) { library<Real>.logits(table, h, Real(1), out); };
       });
       to.loss = [](double sigma, std::uint64_t d, double, std::uint64_t V) {
         return expected_loss(sigma, d, 1.0, V);
       };
     }},

    {"divides_by_the_output_factor",
     "Multiplies the logits where it should divide them "
     "(gordicaleksa/pytorch-original-transformer#7).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logits = [](const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                      std::span<Real> out) {
         library<Real>.logits(table, h, Real(Real(1) / c), out);
       };
     })},

    {"compares_all_but_one_channel",
     "A loop that leaves the last channel out of the product, where there are several.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logits = [](const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                      std::span<Real> out) {
         std::vector<Real> cut(h.begin(), h.end());
         if (cut.size() > 1) cut.back() = Real(0);
         library<Real>.logits(table, std::span<const Real>(cut), c, out);
       };
     })},

    {"begins_with_a_bias", "A bias that begins at a millionth and not at 0.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.logits = [](const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                      std::span<Real> out) {
         library<Real>.logits(table, h, c, out);
         for (Real& z : out) z = z + Real(1) / Real(1 << 20);
       };
     })},

    {"multiplies_token_and_position", "The positions are multiplied along with the tokens.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real { return m * (e + p); };
     })},

    {"scales_positions_down_too",
     "The positions are divided by the factor that the tokens have (nicklashansen/dreamer4#4).",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real { return m * e + p / m; };
     })},

    {"adds_a_trifle_less", "One part in 2^40 of the position is lost.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.input = [](const Real& e, const Real& p, const Real& m) -> Real {
         return m * e + (p - p / (Real(1 << 20) * Real(1 << 20)));
       };
     })},

    {"does_not_centre", "A LayerNorm without its mean, which is an RMSNorm.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.normalise = [](std::span<const Real> x, Norm, std::span<Real> out) {
         library<Real>.normalise(x, Norm::rms_norm, out);
       };
     })},

    {"leaves_the_state_as_it_is", "No final norm at all.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.normalise = [](std::span<const Real> x, Norm, std::span<Real> out) {
         for (std::size_t j = 0; j < x.size(); ++j) out[j] = x[j];
       };
     })},

    {"divides_by_d_less_1", "The mean square by d − 1, as a sample's deviation is taken.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.normalise = [](std::span<const Real> x, Norm kind, std::span<Real> out) {
         library<Real>.normalise(x, kind, out);
         const auto n = static_cast<double>(x.size());
         for (Real& y : out) y = y * static_cast<Real>(std::sqrt((n - 1) / n));
       };
     })},

    {"guards_the_norm", "ε = 10^−3 where none was meant.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.normalise = [](std::span<const Real> x, Norm kind, std::span<Real> out) {
         if (kind == Norm::layer_norm)
           layer_norm<Real>(x, Real(0.001), EpsilonPlacement::variance, out);
         else
           rms_norm<Real>(x, Real(0.001), EpsilonPlacement::variance, out);
       };
     })},

    {"takes_d_for_its_root", "Logits of deviation σ·d.",
     [](Primitives& to) {
       to.loss = [](double sigma, std::uint64_t d, double c,
                    std::uint64_t V) -> expected::Expectation {
         return expected_loss(sigma * std::sqrt(static_cast<double>(d)), d, c, V);
       };
     }},

    {"counts_in_bits", "In bits instead of nats.",
     [](Primitives& to) {
       to.loss = [](double sigma, std::uint64_t d, double c,
                    std::uint64_t V) -> expected::Expectation {
         const auto [value, error] = expected_loss(sigma, d, c, V);
         return {value / std::numbers::ln2, error};
       };
     }},

    {"guesses_uniformly", "ln V, as if all logits were alike.",
     [](Primitives& to) {
       to.loss = [](double, std::uint64_t, double, std::uint64_t V) -> expected::Expectation {
         return {std::log(static_cast<double>(V)), 0};
       };
     }},

    {"takes_the_annealed_mean",
     "ln V + s²/2 at every s: right to s²/(2V) below the change of regime, and to nothing beyond "
     "it.",
     [](Primitives& to) {
       to.loss = [](double sigma, std::uint64_t d, double c,
                    std::uint64_t V) -> expected::Expectation {
         return {annealed(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)), V), 0};
       };
     }},

    {"leaves_a_word_out", "A word too few.",
     [](Primitives& to) {
       to.loss = [](double sigma, std::uint64_t d, double c,
                    std::uint64_t V) -> expected::Expectation {
         return expected_loss(sigma, d, c, V - 1);
       };
     }},

    {"loses_the_twelfth_digit", "One part in 10^12 too much.",
     [](Primitives& to) {
       to.loss = [](double sigma, std::uint64_t d, double c,
                    std::uint64_t V) -> expected::Expectation {
         const auto [value, error] = expected_loss(sigma, d, c, V);
         return {value * (1 + 1e-12), error};
       };
     }},

    {"forgets_the_positions", "The positions left out of the state's length.",
     [](Primitives& to) {
       to.own_logit = [](const expected::TiedToken& token, double) -> expected::Expectation {
         return expected::own_logit(token, 0);
       };
     }},

    {"forgets_the_final_norm", "The state not divided by its RMS.",
     [](Primitives& to) {
       to.own_logit = [](const expected::TiedToken& t, double) -> expected::Expectation {
         return {t.output_multiplier * t.multiplier * static_cast<double>(t.width) * t.deviation *
                     t.deviation,
                 0};
       };
     }},

    {"ignores_the_sign", "A negative multiplier taken for its size.",
     [](Primitives& to) {
       to.own_logit = [](const expected::TiedToken& token,
                         double p_square) -> expected::Expectation {
         auto positive = token;
         positive.multiplier = std::abs(token.multiplier);
         return expected::own_logit(positive, p_square);
       };
     }},

    {"stops_at_leading_order", "Leading order in 1/d, taken for the expectation.",
     [](Primitives& to) {
       to.own_logit = [](const expected::TiedToken& token,
                         double p_square) -> expected::Expectation {
         const double t = token.multiplier * token.deviation, d = static_cast<double>(token.width);
         const double centring = token.final_norm == Norm::layer_norm ? 1 - 1 / d : 1;
         return {expected::own_logit_to_leading_order(token, t * t * centring + p_square / d), 0};
       };
     }},

    {"keeps_the_dimension", "A LayerNorm taken for an RMSNorm: one dimension too many.",
     [](Primitives& to) {
       to.own_logit = [](const expected::TiedToken& token,
                         double p_square) -> expected::Expectation {
         auto rms = token;
         rms.final_norm = Norm::rms_norm;
         return expected::own_logit(rms, p_square);
       };
     }},

    {"is_high_by_a_trillionth", "One part in 10^12 too much.",
     [](Primitives& to) {
       to.own_logit = [](const expected::TiedToken& token,
                         double p_square) -> expected::Expectation {
         const auto [value, error] = expected::own_logit(token, p_square);
         return {value * (1 + 1e-12), error};
       };
     }},

    {"counts_the_unscaled", "Every program, whatever it multiplies by.",
     [](Primitives& to) {
       to.census = [](std::span<const Program> programs) -> Census {
         Census counts{};
         for (const auto& p : programs) ++counts[static_cast<std::size_t>(p.sharing)];
         return counts;
       };
     }},

    {"takes_the_unknown_for_never",
     "Options of unknown default taken for programs that never share.",
     [](Primitives& to) {
       to.census = [](std::span<const Program> programs) -> Census {
         auto counts = census_of(programs);
         counts[4] += counts[3];
         counts[3] = 0;
         return counts;
       };
     }},

    {"counts_each_class_once", "Classes, not programs: each at most once.",
     [](Primitives& to) {
       to.census = [](std::span<const Program> programs) -> Census {
         auto counts = census_of(programs);
         for (auto& n : counts) n = std::min<std::uint64_t>(n, 1);
         return counts;
       };
     }},

    {"counts_rounded_roots", "A rounded root taken for √d.",
     [](Primitives& to) {
       to.census = [](std::span<const Program> programs) -> Census {
         Census counts{};
         for (const auto& p : programs) {
           const double root = std::sqrt(static_cast<double>(p.width));
           counts[static_cast<std::size_t>(p.sharing)] +=
               std::abs(p.multiplier / root - 1) < 1e-9 ? 1u : 0u;
         }
         return counts;
       };
     }},

};

}  // namespace embedscale::properties::tied_output
