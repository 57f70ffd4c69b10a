// The attempts to refute the claims about real programs, with what each has to reject; and the
// beliefs that fail.

#include "../testing/rows.hpp"
#include "claims.hpp"
#include "draws.hpp"
#include "frequencies.hpp"
#include "moments.hpp"
#include "round_trip.hpp"
#include "scale.hpp"
#include "trials.hpp"

namespace embedscale::properties::conventions {

using namespace testing;

namespace {

/// The base of frequencies.
int base() { return named("base", in_range(2, 1000001)); }

// The paper's spelling, a table E of deviation d^−½ times √d, and that of a table m·E of deviation
// 1, whose logits are multiplied by d^−½.
Spelling first_spelling(const Rational& m) { return {m, 1}; }
Spelling second_spelling(const Rational& m) { return {1, 1 / m}; }

/// What reaches one channel of a row from the rest of the model.
struct Upstream {
  Rational of_input;  ///< ∂L/∂x
  Rational of_logit;  ///< ∂L/∂z of the logit
  Rational h;         ///< the hidden channel that the row is compared with

  /// ∂L/∂e, as the primitive has it.
  Rational slope(const Spelling& spelling, const Primitives& primitives) const {
    return primitives.gradient(of_input, of_logit, h, spelling);
  }
};

/// Whether `gradient` is that of the function: L = of_input·x + of_logit·z is linear in e, so over
/// any distance it changes by gradient times distance, exactly.
bool gradient_is_of_the_function(const Rational& e, const Rational& distance, const Upstream& from,
                                 const Spelling& spelling, const Primitives& primitives) {
  const auto loss = [&](const Rational& entry) {
    return from.of_input * primitives.of<Rational>().input(entry, 0, spelling.in) +
           from.of_logit * primitives.logit({entry}, {from.h}, spelling.out);
  };
  return loss(e + distance) - loss(e) == from.slope(spelling, primitives) * distance;
}

enum class Step { by_gradient, by_sign };

/// Whether an entry is one after a step in each spelling, of `rate` on m·E and of `first_rate` on
/// E: after the first's own, and the second's over m.
bool two_steps_agree(Step step, const Rational& e, const Upstream& from, const Rational& m,
                     const Rational& rate, const Rational& first_rate,
                     const Primitives& primitives) {
  const auto make = step == Step::by_gradient ? primitives.gradient_step : primitives.sign_step;
  const auto after = [&](const Rational& entry, const Spelling& spelling, const Rational& r) {
    return make(entry, from.slope(spelling, primitives), r);
  };
  return after(e, first_spelling(m), first_rate) == after(m * e, second_spelling(m), rate) / m;
}

/// Steps agree at the rate that follows m, and at no other (one and the same, or any), unless
/// nothing moves.
void steps_follow(Step step, const Primitives& subject) {
  const auto e = named("e", rationals());
  const auto of_input = named("dL/dx", rationals());
  const auto of_logit = named("dL/dz", rationals());
  const Upstream from{of_input, of_logit, named("h", rationals())};
  const auto m = named("m", nonzero_rationals());
  const auto rate = named("rate", rationals());
  covers("m above 0", m > 0, 0.25);
  covers("m below 0", m < 0, 0.25);
  // Each is what it says: two spellings might well agree in a wrong one.
  const int sign = of_input > 0 ? 1 : of_input < 0 ? -1 : 0;
  holds_exactly(subject.gradient_step(e, of_input, rate) == e - rate * of_input &&
                subject.sign_step(e, of_input, rate) == e - sign * rate);
  for (const auto& spelling : {first_spelling(m), second_spelling(m)})
    holds_exactly(gradient_is_of_the_function(e, rate, from, spelling, subject));
  const auto followed =
      step == Step::by_gradient ? subject.gradient_rate(rate, m) : subject.sign_rate(rate, m);
  const bool moves = from.slope(first_spelling(m), subject) != 0;
  for (const auto& other : {followed, rate, named("rate on E", rationals())})
    holds_exactly(two_steps_agree(step, e, from, m, rate, other, subject) ==
                  (other == followed || !moves));
}

}  // namespace

const Properties<Primitives> properties{

    {multiplier_sets_the_scale,
     "ratio_is_root_two_m_sigma",
     [](const Primitives& subject) {
       const auto at = start_of_each_kind(512);
       const auto sigma = named("sigma", scales());
       const double m = multiplier(at.d);
       holds(ratio_share_of_bound<double>(sigma, m, at, subject));
       holds(ratio_share_of_bound<float>(static_cast<float>(sigma), static_cast<float>(m), at,
                                         subject));
     },
     {"divides_the_table", "multiplies_twice", "leaves_the_table_alone", "normalises_the_token",
      "encodes_sines_twice", "forgets_the_last_channel", "keeps_positions_in_binary16",
      "looks_up_high_by_48_digits"}},

    /// σ√d around √2·2^k and off it by a part in 2^j, either way: balance ends at k = −2 and at k =
    /// 0.
    {multiplier_sets_the_scale,
     "the_law_decides_balance",
     [](const Primitives& subject) {
       const auto at = start_of_each_kind(256);
       const auto [k, below, times] = beside_a_power(-4, 3);
       covers("at an end of balance, below", below && (k == -2 || k == 0), 0.05);
       covers("at an end of balance, above", !below && (k == -2 || k == 0), 0.05);
       const double sigma = std::sqrt(2.0 / static_cast<double>(at.d)) * times;
       holds_exactly(law_decides_balance(sigma, at, subject));
     },
     {"leaves_the_table_alone", "normalises_the_token", "keeps_positions_in_binary16",
      "looks_up_high_by_39_digits"}},

    /// σ and σ′ a factor 2^k apart, less or more by a part in 2^j; k = 2 is where it ends.
    {multiplier_sets_the_scale,
     "one_factor_for_two_laws_within_four",
     [](const Primitives& subject) {
       const auto at = start_of_each_kind(128);
       const auto sigma = named("sigma", scales());
       const auto [k, below, apart] = beside_a_power(0, 5);
       const auto times = named("times", scales());
       covers("just within a factor four", below && k == 2, 0.05);
       covers("just beyond a factor four", !below && k == 2, 0.05);
       holds_exactly(factor_four_decides(sigma, sigma * apart, times, at, subject));
     },
     {"normalises_the_token", "keeps_positions_in_binary16", "looks_up_high_by_39_digits"}},

    {one_text_one_start,
     "variance_is_the_second_moment",
     [](const Primitives& subject) {
       const auto law = named("law", laws());
       covers("truncated", std::holds_alternative<TruncatedNormal>(law.initializer), 0.1);
       covers("of a fan", law.initializer.index() > 2, 0.2);
       holds(variance_share_of_bound(law.initializer, subject));
     },
     {"takes_the_half_range_for_sigma", "takes_the_fan_from_the_wrong_axis", "forgets_the_cut",
      "varies_by_49_digits"},
     5},

    {one_text_one_start,
     "quotient_is_that_of_the_deviations",
     [](const Primitives& subject) {
       const auto at = start_of_each_kind(64);
       const auto law = named("law", laws());
       const auto other = named("other law", laws());
       const double m = multiplier(at.d);
       holds(quotient_share_of_bound(law.initializer, other.initializer, m, at, subject));
     },
     {"takes_the_half_range_for_sigma", "varies_the_cut_by_46_digits"},
     10},

    /// Any width up to 2^14, and the two at which they are three, as 1/d is one of the others; for
    /// 30000/49 it is at no width.
    {one_text_one_start,
     "default_laws_have_four_second_moments",
     [](const Primitives& subject) {
       const auto any = named("d", in_range<std::size_t>(1, (1 << 14) + 1));
       for (const std::size_t d : {any, std::size_t{1}, std::size_t{1200}}) {
         holds(default_moments_share_of_bound(d, subject));
         holds_exactly(second_moments(d, subject) == (d == 1 || d == 1200 ? 3u : 4u));
       }
     },
     {"takes_the_half_range_for_sigma", "varies_by_49_digits"}},

    // Over the rationals an identity that holds for all of them holds for all reals, √d too.
    {paper_and_code_agree,
     "one_table_serves_both_ends",
     [](const Primitives& subject) {
       const int root = named("root of d", in_range(1, 4));
       const auto d = static_cast<std::size_t>(root * root);
       const auto entries = named("rows", channels(2 * d));
       const auto h = named("h", channels(d));
       const auto p = named("p", rationals());
       covers("more than one channel", root > 1, 0.3);
       // Every channel of the input is √d·e + p, and a row's logit ⟨e, h⟩ with the entries that
       // were looked up: section 3.4, and no factor on the logits.
       const EmbeddingTable<Rational> rows(2, d, entries);
       for (const std::size_t token : {0u, 1u}) {
         const auto row = rows.row(token);
         const auto tokens = looked_up<Rational>(rows, token, root, subject);
         for (std::size_t j = 0; j < d; ++j) {
           holds_exactly(tokens[j] == root * row[j]);
           holds_exactly(subject.of<Rational>().input(row[j], p, root) == root * row[j] + p);
         }
         holds_exactly(subject.logit({row.begin(), row.end()}, h, 1) == dot<Rational>(row, h));
       }
     },
     {"divides_the_table", "multiplies_twice", "leaves_the_table_alone", "forgets_the_last_channel",
      "multiplies_the_sum", "adds_a_bias_to_the_product", "copies_the_table_for_the_output"}},

    {paper_and_code_agree,
     "rows_of_its_law_enter_with_rms_one",
     [](const Primitives& subject) {
       const int root = named("root of d", in_range(1, 17));
       const auto signs = named("signs", draws());
       covers("more than one channel", root > 1, 0.3);
       const auto d = static_cast<std::size_t>(root * root);
       std::vector<Rational> entries;
       for (std::size_t j = 0; j < d; ++j)
         entries.push_back(Rational((signs >> (j % 64)) % 2 == 0 ? 1 : -1) / root);
       const auto tokens = looked_up<Rational>({1, d, entries}, 0, root, subject);
       holds_exactly(dot<Rational>(tokens, tokens) == root * root);
     },
     {"divides_the_table", "multiplies_twice", "leaves_the_table_alone",
      "forgets_the_last_channel"},
     2},

    {code_uses_the_papers_frequencies,
     "raised_base_gives_the_codes_frequencies",
     [](const Primitives& subject) {
       const auto d = named("d", even_widths(2, 512));
       const auto b = base();
       const auto code = stated_frequencies(d, FrequencyRule::tensor2tensor, b),
                  paper = stated_frequencies(d, FrequencyRule::paper, b);
       holds(frequencies_share_of_bound<double>(code, paper, b, subject));
       holds(frequencies_share_of_bound<float>(code, paper, static_cast<float>(b), subject));
     },
     {"has_the_papers_frequencies_alone", "halves_the_exponent", "ends_high_by_49_digits"},
     5},

    {code_uses_the_papers_frequencies,
     "rules_meet_at_zero_alone",
     [](const Primitives& subject) {
       const auto d = named("d", even_widths(2, 2048));
       holds_exactly(rules_meet_at_zero_alone(d, base(), subject));
     },
     {"has_the_papers_frequencies_alone", "starts_one_ulp_high"}},

    {code_uses_the_papers_frequencies,
     "vectors_differ_as_in_closed_form",
     [](const Primitives& subject) {
       const auto d = named("d", even_widths(2, 256));
       const auto p = named("position", in_range<std::int64_t>(0, 1 << 17));
       const auto any = base();
       const bool halves = named("halves", in_range(0, 2)) != 0;
       const auto layout = halves ? SinusoidalLayout::halves : SinusoidalLayout::interleaved;
       covers("interleaved", !halves, 0.25);
       covers("halves", halves, 0.25);
       for (const double b : {static_cast<double>(any), 10000.0})
         holds(rms_difference_share_of_bound(d, p, b, layout, subject));
     },
     {"has_the_papers_frequencies_alone", "halves_the_exponent", "encodes_sines_twice",
      "turns_too_far"},
     5},

    {condition_of(two_spellings_one_model),
     "one_function",
     [](const Primitives& subject) {
       const auto e = named("e", channels(2));
       const auto p = named("p", rationals());
       const auto h = named("h", channels(2));
       const auto m = named("m", nonzero_rationals());
       const auto& of = subject.of<Rational>();
       const auto first = first_spelling(m), second = second_spelling(m);
       const std::vector<Rational> folded{m * e[0], m * e[1]};
       holds_exactly(of.input(e[0], p, first.in) == m * e[0] + p &&
                     of.input(folded[0], p, second.in) == m * e[0] + p);
       const auto logit = dot<Rational>(e, h);
       holds_exactly(subject.logit(e, h, first.out) == logit &&
                     subject.logit(folded, h, second.out) == logit);
       // Without the second one's factor exactly where it changes nothing.
       holds_exactly((subject.logit(folded, h, 1) == logit) == (m == 1 || logit == 0));
     },
     {"forgets_the_logit_factor", "multiplies_the_logit", "multiplies_the_sum",
      "adds_a_bias_to_the_product", "errs_at_one_logit_factor"}},

    {condition_of(two_spellings_one_model),
     "gradient_steps_follow_m_squared",
     [](const Primitives& subject) { steps_follow(Step::by_gradient, subject); },
     {"forgets_the_multiplier_backwards", "detaches_the_output", "divides_the_rate_once",
      "decays_the_weights", "errs_at_one_rate_factor"}},

    {condition_of(two_spellings_one_model),
     "sign_steps_follow_the_size_of_m",
     [](const Primitives& subject) { steps_follow(Step::by_sign, subject); },
     {"divides_the_rate_twice", "follows_the_sign_of_m", "guards_the_quotient",
      "errs_at_one_rate_factor"}},

    /// Whole numbers, so that a stream is exact; e_0 is larger than any channel of b, so that none
    /// is 0. The tests' tolerances are within a part in 2^20 of what decides.
    {small_models_hide_the_factor,
     "outputs_part_by_the_angle",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 33));
       RoundTrip trip{named("e", list_of(d, in_range(-4, 5))),
                      named("b", list_of(d, in_range(-4, 5))), named("m", in_range(1, 64))};
       trip.e[0] += 9;
       holds(angle_share_of_bound<double>(trip, subject.of<double>()));
       holds(angle_share_of_bound<float>(trip, subject.of<float>()));
       const auto with = final_output<double>(trip, trip.m, subject.of<double>()),
                  lacking = final_output<double>(trip, 1, subject.of<double>());
       const double apart = std::sqrt(mean_square_apart(with, lacking));
       // Where streams have an angle its sine is 10^−5 at least, far from rounding.
       const bool part = stated_sine_square(trip) > 0;
       covers("outputs part", part, 0.5);
       if (!part) return;
       const double relative = apart * named("share", in_range(0, 9)) / 8.0;
       holds_exactly(!subject.is_close(
           lacking, with, {relative * (1 - 0x1p-20), (apart - relative) * (1 - 0x1p-20)}));
       auto scaled = with;
       for (double& y : scaled) y *= 1 + relative * (1 - 0x1p-20);
       holds_exactly(subject.is_close(scaled, with, {relative, 0}));
       const double most = std::sqrt(static_cast<double>(d)) * apart;
       holds_exactly(subject.is_close(lacking, with, {0, most * (1 + 0x1p-20)}));
     },
     {"leaves_the_table_alone", "divides_the_table", "multiplies_twice", "forgets_the_last_channel",
      "leaves_out_the_final_norm", "guards_the_final_norm", "grows_the_tolerance_with_size",
      "tests_the_first_entry", "forgets_the_relative_tolerance"}},

    {small_models_hide_the_factor,
     "probabilities_hide_any_stream",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 17));
       const auto V = named("V", in_range<std::size_t>(2, 65));
       const double B = std::exp2(named("4 log2 B", in_range(-32, 13)) / 4.0);
       auto streams = each_named(list_of(d, in_range(-4, 5)), "x", "x'");
       for (auto& x : streams) x[0] += 5;  // not 0
       covers("nearly uniform", B < 0.25, 0.3);
       covers("sharp", B > 1, 0.2);
       in_each_format<double, float>([&]<class Real>() {
         const auto& of = subject.of<Real>();
         const auto table = table_of_rms(static_cast<Real>(B / static_cast<double>(d)), V, d);
         holds_exactly(probabilities_apart<Real>(table, streams[0], streams[1], of) <=
                       largest_probability_difference(V, B) +
                           rounding_of_probabilities<Real>(V, B, d));
         holds(attained_share_of_bound<Real>(V, B, d, of));
       });
     },
     {"leaves_out_the_final_norm", "logits_is_0", "softmax_is_0", "shares_high_by_20_digits"}},

    {inputs_are_scaled_rows,
     "in_each_format",
     of_one_format<double, float>([]<class Real>(const Operations<Real>& of) {
       judge_look_up<Real>(of.look_up);
       judge_input<Real>(of.input);
     }),
     {"look_up_is_0", "input_is_0", "divides_the_table", "multiplies_twice",
      "leaves_the_table_alone", "multiplies_the_sum"}},
};

const Beliefs beliefs{
    /// The four frameworks' default tables times √d, at position 0.
    {multiplier_sets_the_scale, "that_root_d_always_balances",
     [] {
       const auto d = named("d", even_widths(1, 2048));
       const auto framework = one_of("framework", {"PyTorch", "MXNet", "Keras", "Flax"});
       const double ratio = start_of(default_laws(d)[framework], root_multiplier<double>(d),
                                     {.d = d, .position = 0}, Primitives{});
       const double least = 1.0 - doubt_of_balance(d);
       holds_exactly(is_balanced(ratio * least) || is_balanced(ratio / least));
     }},

    /// Any two of the frameworks, at one width and position 0.
    {one_text_one_start, "that_one_formula_gives_one_start",
     [] {
       const auto d = named("d", even_widths(1, 2048));
       const auto one = one_of("framework", {"PyTorch", "MXNet", "Keras", "Flax"});
       const auto other = one_of("beside", {"PyTorch", "MXNet", "Keras", "Flax"});
       const auto laws = default_laws(d);
       const auto start = [&](const Initializer& law) {
         return start_of(law, root_multiplier<double>(d), {.d = d, .position = 0}, Primitives{});
       };
       holds_exactly(std::abs(start(laws[one]) / start(laws[other]) - 1.0) <=
                     2.0 * doubt_of_balance(d));
     }},

    {beside(code_uses_the_papers_frequencies), "that_both_rules_give_one_vector",
     [] {
       const auto d = named("d", even_widths(2, 512));
       const auto p = named("position", in_range<std::int64_t>(0, 1 << 17));
       holds_exactly(measured_rms_difference(d, p, 10000, SinusoidalLayout::interleaved,
                                             Primitives{}) == 0.0);
     }},

    /// A test of 1000 probabilities with relative and absolute tolerance 1e−3 each, as levanter's;
    /// one table of deviation 0.02, and a branch as large as the token.
    {small_models_hide_the_factor, "that_a_tiny_model_shows_it",
     [] {
       const auto d = named("d", multiples(8, {8, 64}));
       const auto table = table_of_rms(0.02, 1000, d);
       std::vector<int> with, lacking;
       const int m = static_cast<int>(root_multiplier<double>(d));
       for (std::size_t j = 0; j < d; ++j) {
         const int e = table.row(0)[j] > 0 ? 1 : -1, b = table.row(1)[j] > 0 ? 1 : -1;
         with.push_back(m * e + b), lacking.push_back(e + b);
       }
       const auto of = Primitives{}.of<double>();
       holds_exactly(!is_close(probabilities(table, lacking, of), probabilities(table, with, of),
                               {1e-3, 1e-3}));
     }},

    /// One channel that is looked up, at one rate; the counterexample is checked by hand:
    /// e − r·m·g beside (m·e − r·g)/m = e − r·g/m.
    {two_spellings_one_model, "that_gradient_descent_takes_one_step",
     [] {
       const auto e = named("e", rationals());
       const auto slope = named("dL/dx", rationals());
       const auto m = named("m", nonzero_rationals());
       const auto rate = named("rate", rationals());
       const Upstream from{slope, 0, 0};
       holds_exactly(two_steps_agree(Step::by_gradient, e, from, m, rate, rate, Primitives{}));
     }},

};

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::conventions
