// Wrong programs: what is done to a looked-up row, and which variance a law is given; products with
// a sparse input, and gradients of look-ups; multipliers and draws. From the largest defect to the
// smallest that the properties still see in their 10^4 cases.
#include <algorithm>
#include <limits>

#include "../conventions/replacements.hpp"
#include "trials.hpp"

namespace embedscale::properties::embedding {

using namespace testing;
using namespace conventions;

namespace {

constexpr auto root = EMBEDSCALE_OPERATION(root);
constexpr auto product = EMBEDSCALE_OPERATION(multiply);
constexpr auto way_back = EMBEDSCALE_OPERATION(add_look_up_gradient);
constexpr auto fourth = EMBEDSCALE_OPERATION(fourth_moment);
constexpr auto both_draws = EMBEDSCALE_OPERATION(draw_both);
constexpr auto tables = EMBEDSCALE_OPERATION(initialise);

/// of(d) in the place of √d, rounded to the format.
template <class Of>
constexpr auto takes_the_root(Of) {
  return replaces(root, [](auto, std::uint64_t d) { return Of{}(d); });
}

/// √d high by one part in 2^`digits`, before it is rounded to the format.
template <int digits>
constexpr auto takes_a_root_high() {
  return takes_the_root(
      [](std::uint64_t d) { return high<digits>(std::sqrt(static_cast<double>(d))); });
}

/// The library's product with what change(x) makes of x.
template <class Change>
constexpr auto changes_inputs(Change) {
  return replaces(product,
                  []<class Real>(auto was, const auto& table, std::span<const Real> x, auto out) {
                    std::vector<Real> changed(x.begin(), x.end());
                    Change{}(changed);
                    was(table, changed, out);
                  });
}

/// of(g) for each entry g of the library's gradient.
template <class Of>
constexpr auto changes_gradients(Of) {
  return changes(way_back, [](auto, auto, auto&&, auto, auto gradient) {
    for (auto& g : gradient) g = Of{}(g);
  });
}

/// Tables of the distribution that change(of) makes of the one that is asked for.
template <class Change>
constexpr auto initialises_another(Change) {
  return replaces(tables,
                  [](auto was, Initializer of, auto rows, auto columns, auto seed, auto out) {
                    Change{}(of, rows + columns);
                    was(of, rows, columns, seed, out);
                  });
}

/// The law, or the normal one that a cut one is named after.
Initializer uncut(const Initializer& law) {
  const auto* cut = std::get_if<TruncatedNormal>(&law);
  return cut ? Normal{cut->standard_deviation} : law;
}

}  // namespace

const Mutants<Primitives> mutants{
    {"looks_up_with_d",
     "√d in the table's module and once more around it (EleutherAI/gpt-neox#1087).",
     squares_the_multiplier},
    {"looks_up_bare", "No multiplier on a table of deviation d^−½ (VHellendoorn/ICLR20-Great#10).",
     has_no_multiplier},
    {"looks_up_around_1",
     "A mean passed where a deviation was meant: the rows lie around 1 (KerasHub T5Backbone, by "
     "reading). No variance sees it, the mean does.",
     changes_tokens([]<class Real>(const Real& t) { return t + Real(1); })},
    {"clips_the_row",
     "Rows longer than a limit are shortened, as torch.nn.Embedding's max_norm does; here its "
     "entries beyond 2 are cut.",
     changes_tokens([]<class Real>(const Real& t) { return std::min(t, Real(2)); })},
    {"brings_tokens_to_1",
     "The belief as a program: every token is brought to RMS 1, whatever its table.",
     normalises_tokens<1>()},
    {"looks_up_all_but_the_last",
     "A vectorised loop that leaves the last channel as it is in the table.",
     leaves_the_last_channel},
    {"takes_the_root_of_one_more", "√(d + 1): an off-by-one in the width.",
     takes_the_root([](std::uint64_t d) { return std::sqrt(static_cast<double>(d + 1)); })},
    {"takes_the_root_in_bfloat16",
     "The root rounded to bfloat16 whatever the format: √3072 = 55.4256 to 55.5, 0.134 %; 0.39 % "
     "at most (huggingface/transformers#29402).",
     takes_the_root(
         [](std::uint64_t d) { return kept_in<bfloat16>(std::sqrt(static_cast<double>(d))); })},
    {"positions_of_sines_alone",
     "Sines in the place of cosines (BrianPulfer/PapersReimplementations#9).", encodes_sines_twice},
    {"positions_scaled_down", "Positions divided by √d (nicklashansen/dreamer4#4).",
     changes_positions([]<class Real>(const Real& x, std::size_t d) {
       return x / static_cast<Real>(std::sqrt(static_cast<double>(d)));
     })},
    {"scales_positions_too", "The whole sum is scaled, the positions with it.", scales_the_sum},
    {"adds_bare_tokens", "The multiplier is missing in the sum (SamLynnEvans/Transformer#10).",
     replaces(input, [](auto, auto e, auto p, auto) { return e + p; })},
    {"adds_with_the_size_of_m",
     "The multiplier's size alone: a factor below 0 turns nothing round, and no energy sees it.",
     replaces(input,
              []<class Real>(auto was, auto e, auto p, const Real& m) {
                return was(e, p, m < Real(0) ? Real(-m) : m);
              })},
    {"takes_the_range_for_the_deviation",
     "The half range of a uniform distribution taken for its deviation.",
     takes_half_ranges_for_deviations},
    {"counts_the_vocabulary_alone",
     "The fan-in of a (V, d) table taken as V, and its fan-out forgotten (KerasHub Gemma, by "
     "reading).",
     takes_vocabularies_for_fans},
    {"takes_the_nominal_deviation",
     "The nominal deviation of a cut normal distribution taken for its own, as if 0.8796 were 1; "
     "and its fourth moment with it.",
     [](Primitives& to) {
       to.variance = [](const Initializer& law) { return embedscale::variance(uncut(law)); };
       to.fourth_moment = [](const Initializer& law) {
         return embedscale::fourth_moment(uncut(law));
       };
     }},
    {"gives_uniform_tables_more",
     "The variance of uniform distributions alone off by one part in 2^47: where they should meet "
     "another.",
     varies_high<47, Uniform>()},
    {"gives_a_fourth_moment_high",
     "The fourth moment of a cut normal distribution off by one part in 2^47.",
     changes(fourth,
             [](double& moment, const Initializer& law) {
               if (std::holds_alternative<TruncatedNormal>(law)) moment = high<47>(moment);
             })},
    {"looks_up_wrong_at_one_factor", "The same of a look-up.",
     changes(look_up,
             [](auto&&, auto, const auto& m, auto out) {
               for (auto& t : out) t = off_at_one_factor(t, m);
             })},
    {"adds_wrong_at_one_factor",
     "At the factor 29/11 of either sign, one case in 360, a part in 2^40 of the token too much.",
     changes(input, [](auto& x, auto&&, auto&&, const auto& m) { x = off_at_one_factor(x, m); })},
    {"multiplies_one_ulp_high",
     "One ulp more in the first channel of a product: wherever values are compared.",
     changes(product, [](auto&&, auto, auto out) { out[0] = high<7>(out[0]); })},
    {"gives_the_last_gradient_high",
     "The gradient of the last channel by a part in 2^40 too large.",
     changes(way_back, [](auto, auto, auto&&, auto,
                          auto gradient) { gradient.back() = high<40>(gradient.back()); })},
    {"sums_gradients_in_bfloat16", "Sums in bfloat16, whatever the format.",
     in_floats(changes_gradients([](const auto& g) { return kept_in<bfloat16>(g); }))},
    {"averages_over_the_vocabulary",
     "A layer that divides by the number of its inputs, as if they were all at work.",
     changes(product,
             []<class Real>(auto&&, auto x, std::span<Real> out) {
               for (Real& y : out) y = y / Real(static_cast<int>(x.size()));
             })},
    {"adds_every_row",
     "A row is added for every input, whether it is there or not: what a dense input would do.",
     changes_inputs([]<class Real>(std::vector<Real>& x) { x.assign(x.size(), Real(1)); })},
    {"leaves_the_first_token_out", "The first token is taken for padding, and its row for zeros.",
     changes_inputs([]<class Real>(std::vector<Real>& x) { x[0] = Real(0); })},
    {"smooths_the_input", "Label smoothing at the input: 2^−20 of the last token is always there.",
     changes_inputs([]<class Real>(std::vector<Real>& x) {
       x.back() = x.back() + static_cast<Real>(0x1p-20);
     })},
    {"detaches_the_factor", "The factor is applied outside of what is differentiated.",
     replaces(way_back, []<class Real>(auto was, auto tokens, auto slopes, const Real&,
                                       auto... to) { was(tokens, slopes, Real(1), to...); })},
    {"keeps_the_last_position",
     "A scatter that assigns: the last position of a token is the only one.",
     replaces(way_back,
              [](auto, auto tokens, auto slopes, const auto& m, auto d, auto gradient) {
                for (std::size_t i = 0; i < tokens.size(); ++i)
                  for (std::size_t j = 0; j < d; ++j)
                    gradient[tokens[i] * d + j] = m * slopes[i * d + j];
              })},
    {"divides_by_the_frequency",
     "Divided by how often the token occurs, as torch.nn.Embedding's scale_grad_by_freq does.",
     changes(way_back,
             []<class Real>(auto tokens, auto, auto&&, auto d, std::span<Real> gradient) {
               for (std::size_t i = 0; i < gradient.size(); ++i)
                 if (const auto times = std::ranges::count(tokens, i / d))
                   gradient[i] = gradient[i] / Real(static_cast<int>(times));
             })},
    {"decays_every_row",
     "A weight decay of 2^−20 in every row, looked up or not: no longer sparse.",
     changes_gradients([]<class Real>(const Real& g) { return g + static_cast<Real>(0x1p-20); })},
    {"clips_large_slopes", "Slopes clipped at 16: the large gradients alone.",
     replaces(way_back,
              []<class Real>(auto was, auto tokens, std::span<const Real> slopes, const Real& m,
                             auto... to) {
                std::vector<Real> clipped;
                for (const Real& slope : slopes) clipped.push_back(std::min(slope, Real(16)));
                was(tokens, clipped, m, to...);
              })},
    {"scales_rows_high_by_40_digits", "Looked-up channels high by a part in 2^40.",
     changes_tokens([](const auto& t) { return high<40>(t); })},
    {"scales_rows_high_by_45_digits", "Looked-up channels high by a part in 2^45.",
     changes_tokens([](const auto& t) { return high<45>(t); })},
    {"takes_a_root_high_by_48_digits", "√d high by a part in 2^48, before it is rounded.",
     takes_a_root_high<48>()},
    {"takes_a_root_high_by_39_digits", "√d high by a part in 2^39, before it is rounded.",
     takes_a_root_high<39>()},
    {"gives_a_variance_high_by_48_digits", "A variance high by a part in 2^48.", varies_high<48>()},
    {"forgets_the_root", "d in the place of √d: twice the power of the width. Exact.",
     takes_the_root([](std::uint64_t d) { return static_cast<double>(d); })},
    {"multiplies_by_one_percent_more", "1.01·√d: an error of one percent. Exact.",
     takes_the_root([](std::uint64_t d) { return 1.01 * std::sqrt(static_cast<double>(d)); })},
    {"cuts_the_root_off",
     "The root is cut off, not rounded: one ulp in half of the widths. Exact; of a smaller effect "
     "is only the direction in which a tie is rounded, which no width below 2^52 comes to that is "
     "not a square.",
     changes(root,
             [](auto& m, std::uint64_t d) {
               const auto rounded = static_cast<double>(m);
               if (static_cast<long double>(rounded) * rounded > static_cast<long double>(d))
                 m = moved_by_ulps(m, -1);
             })},
    {"scales_down_in_binary16",
     "An eighth of the embedding in binary16, where a later layer would overflow: the proposed "
     "remedy (huggingface/transformers#37226). Exact.",
     in_floats(changes_tokens([]<class Real>(const Real& t) {
       return std::numeric_limits<Real>::max_exponent > 16 ? t : Real(t / Real(8));
     }))},
    {"embeds_by_the_unrounded_root",
     "The real root on rows of bfloat16, 33.9411 where the model was trained with 34: 0.17 % "
     "(huggingface/transformers#38702, huggingface/transformers#37109). Exact.",
     in_floats(changes(look_up,
                       []<class Real>(const auto& table, auto token, auto&&, std::span<Real> out) {
                         const double m = std::sqrt(static_cast<double>(out.size()));
                         for (std::size_t j = 0; j < out.size(); ++j)
                           out[j] = static_cast<Real>(m * static_cast<double>(table.row(token)[j]));
                       }))},
    {"saturates",
     "What overflows becomes the largest number: the smallest effect of all, on those entries "
     "alone that are infinite. Exact.",
     in_floats(changes_tokens([]<class Real>(const Real& t) {
       const Real largest = std::numeric_limits<Real>::max();
       return std::clamp(t, Real(-largest), largest);
     }))},
    {"draws_a_tenth",
     "N(0, 0.1²) whatever the distribution: at d = 512, and times √512, 2.3 times what is meant "
     "(facebookresearch/fairseq#47). Bounded.",
     changes(both_draws,
             [](auto& both, auto&, auto&, const Stream& stream, std::uint64_t i) {
               both.token = embedscale::draw(Normal{0.1}, stream, i);
             })},
    {"takes_the_scale_for_the_mean",
     "The scale passed where the mean is meant: rows start almost equal, at a cosine of 0.998 "
     "(KerasHub T5Backbone, by reading). Bounded.",
     changes(both_draws, [](auto& both, const Initializer& of_tokens,
                            auto&&...) { both.token = scale_of(of_tokens) + 0.05 * both.token; })},
    {"takes_the_vocabulary_for_the_fan_in",
     "The fan-in of a (V, d) table taken as V: off by √(V/d) (KerasHub Gemma, by reading). "
     "Bounded.",
     replaces(both_draws,
              [](auto was, Initializer of_tokens, auto... to) {
                if (auto* law = std::get_if<XavierNormal>(&of_tokens))
                  law->d_model = law->vocabulary;
                return was(of_tokens, to...);
              })},
    {"swaps_the_laws",
     "The distributions of tokens and positions swapped: a factor 2 on either "
     "(KerasHub GPT2Backbone, by reading). Bounded.",
     replaces(both_draws, [](auto was, auto of_tokens, auto of_positions,
                             auto... at) { return was(of_positions, of_tokens, at...); })},
    {"clamps_the_cut",
     "Clamped where a draw should be rejected: another draw for 4.6 % of those of one "
     "distribution. Bounded.",
     changes(both_draws,
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
     changes(both_draws, [](auto& both, auto&&...) { both.token *= 1.0 + 0x1p-52; })},
    {"initialises_with_the_deviation_for_the_limit",
     "Xavier's deviation as the limit of the uniform distribution: 1/√3 of it "
     "(keras-team/keras#372). Bounded.",
     initialises_another([](Initializer& of, std::size_t fans) {
       if (std::holds_alternative<XavierUniform>(of))
         of = Uniform{std::sqrt(2 / static_cast<double>(fans))};
     })},
    {"initialises_by_the_sum_of_fans", "Xavier with the sum of the fans for their mean. Bounded.",
     initialises_another([](Initializer& of, std::size_t fans) {
       if (std::holds_alternative<XavierNormal>(of))
         of = Normal{std::sqrt(1 / static_cast<double>(fans))};
     })},
    {"initialises_around_the_scale",
     "The deviation passed where the mean is meant (KerasHub T5Backbone, by reading). Bounded.",
     changes(tables,
             []<class Real>(const Initializer& of, auto, auto, auto, std::span<Real> out) {
               if (!std::holds_alternative<Normal>(of)) return;
               for (Real& x : out) x = static_cast<Real>(scale_of(of) + static_cast<double>(x));
             })},
    {"initialises_by_clamping",
     "Draws beyond 2σ are set to it, not drawn again (proposed in mlpack/mlpack#1510). Bounded.",
     replaces(tables,
              []<class Real>(auto was, const Initializer& of, auto rows, auto columns, auto seed,
                             std::span<Real> out) {
                was(uncut(of), rows, columns, seed, out);
                if (!std::holds_alternative<TruncatedNormal>(of)) return;
                const Real most = static_cast<Real>(2 * scale_of(of));
                for (Real& x : out) x = std::clamp(x, Real(-most), most);
              })},
    {"initialises_whatever_the_seed", "One table for all seeds. Exact.",
     replaces(tables, [](auto was, auto of, auto rows, auto columns, auto,
                         auto out) { was(of, rows, columns, 0, out); })},
    {"initialises_without_a_seed", "Another table for a seed that was there. Exact.",
     replaces(tables,
              [](auto was, auto of, auto rows, auto columns, auto seed, auto out) {
                static std::uint64_t calls = 0;
                was(of, rows, columns, seed + ++calls, out);
              })},
    {"initialises_rows_twice", "Each second row as the one before it. Exact.",
     changes(tables,
             [](auto&&, std::size_t rows, std::size_t columns, auto, auto out) {
               for (std::size_t row = 1; row < rows; row += 2)
                 std::ranges::copy(out.subspan((row - 1) * columns, columns),
                                   out.subspan(row * columns, columns).begin());
             })},
    {"initialises_a_tenth_too_wide", "Every draw a tenth too large. Bounded.",
     changes(tables,
             []<class Real>(auto&&, auto, auto, auto, std::span<Real> out) {
               for (Real& x : out) x = static_cast<Real>(1.1 * static_cast<double>(x));
             })},
};

}  // namespace embedscale::properties::embedding
