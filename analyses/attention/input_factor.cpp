// A common factor of the input: as the softmax's temperature; what projections can undo of it, and
// what they cannot.
#include <embedscale/expected/first_layer.hpp>
#include <embedscale/expected/softmax.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "attention/input.hpp"

namespace embedscale::attention_analysis {
namespace {

const Primitives primitives;
constexpr const char* exact = "exact rationals";

/// In how many drawn heads of(head, c) is not so for a power of two c in each format.
template <class Of>
void decide_bits(Section& s, const Options& options, const Stream& heads, const Of& of) {
  s.decide("bit_disagreements", none_of(Part::statement, options.samples),
           "drawn heads, c = 2^−20 … 2^20, binary64, binary32 and bfloat16", [&](std::uint64_t i) {
             const double c = std::ldexp(1.0, static_cast<int>(i % 41) - 20);
             const auto in = [&]<class Real>(Real by) {
               return of(drawn_head<Real>(heads, i), by);
             };
             return !in(c) || !in(static_cast<float>(c)) || !in(bfloat16(c));
           });
}

/// The deviation of a query's logits from their mean over L keys, for projections of variance
/// 1/d_model and the scale 1/√d_k: √(A·D), whatever d_k.
double std_over_keys(std::uint64_t d, std::uint64_t length, const Parametrisation& input) {
  expected::SinusoidalTable table{
      sinusoidal_frequencies<double>(static_cast<std::size_t>(d), FrequencyRule::paper), 0,
      static_cast<std::int64_t>(length), std::sqrt(2 * input.position)};
  const auto moments = expected::input_moments(
      {.width = static_cast<std::size_t>(d), .token_mean_square = input.token, .position = table},
      {});
  return std::sqrt(moments.all * moments.over_keys);
}

/// Of ln n.
double entropy_share(double deviation, std::uint64_t n) {
  return expected::log_sum_exp_and_entropy(deviation, n).entropy.value /
         std::log(static_cast<double>(n));
}

void measure_temperature_exactly(Section& s, const Options& options) {
  const RationalDraws draws(options.seed, s.claim().id, 64);
  const auto n = options.samples;
  const auto factor = [&](std::uint64_t i) { return draws.positive(i, 40); };
  s.decide("logit_disagreements", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    return !is_a_temperature<Rational>(rational_head(draws, i), factor(i), primitives);
  });
  s.decide("biased_logit_disagreements", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    return !logits_are_meant<Rational>(rational_head(draws, i), factor(i), primitives);
  });
  const auto stay = over<Tally>(n, [&](std::uint64_t i) -> std::optional<bool> {
    const auto head = without_biases(rational_head(draws, i));
    const Rational c = factor(i);
    const auto z = logits_of<Rational>(head, primitives);
    if (c == 1 || z[0] == z[1]) return std::nullopt;  // where the statement says that they stay
    return same_weights(logits_of<Rational>(times(head, c), primitives), z);
  });
  s.measure("weights_that_stay", {}, stay, exact, all_of(Part::belief, stay.cases()));
  s.sweep("", axis("c", std::array{1, 2}), [&](int c) {
    const Head<double> head{1, 1, 1.0, {1}, {1}, {1}, {0}, {0}, {{1}, {0}}};
    const auto z = logits_of<double>(times(head, double(c)), primitives);
    return Values{{"first_logit_by_hand", z[0]}, {"second_logit_by_hand", z[1]}};
  });
}

void measure_temperature_rounding(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/heads");
  decide_bits(s, options, stream, []<class Real>(const Head<Real>& head, Real c) {
    return is_a_temperature<Real>(head, c, primitives);
  });
  Greatest rounding, even;
  const auto widths = points(options.widths, input_widths);
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const double root = std::sqrt(static_cast<double>(widths[i % widths.size()]));
    const auto add = [&]<class Real>(Real c) {
      rounding.evaluate([&] {
        return temperature_share_of_bound<Real>(drawn_head<Real>(stream, i), c, primitives);
      });
    };
    for (const double c : {root, 1 / root}) {
      add(static_cast<float>(c));
      add(bfloat16(c));
      even.evaluate(
          [&] { return entropy_share_of_bound(drawn_head<double>(stream, i), c, primitives); });
    }
  }
  s.measure("worst_share_of_bound", {}, rounding,
            "drawn heads, c = √d_model and 1/√d_model, binary32 and bfloat16",
            at_most(Part::statement, 1, rounding.cases()));
  s.measure("worst_share_of_entropy_bound", {}, even, "drawn heads, c = √d_model and 1/√d_model",
            at_most(Part::statement, 1, even.cases()));
}

/// By width, and what sentences say of it: at d_model = 512 and 512 keys, or at the first points
/// told.
void measure_entropy(Section& s, const Options& options) {
  const auto widths = points(options.widths, input_widths);
  const auto lengths = points(options.positions, std::array<std::uint64_t, 2>{512, 4096});
  for (const auto n : lengths)
    for (const auto d : widths)
      for (const auto& input : parametrisations(d)) {
        const double deviation = std_over_keys(d, n, input), share = entropy_share(deviation, n);
        const Place at{{"d_model", d}, {"positions", n}, {"input", input.name}};
        s.measure("logit_std", at, deviation, "closed form, over one query's keys");
        s.measure("entropy_share", at, share, "quadrature, for independent normal logits");
        if (d != said_of(widths, 512) || n != lengths[0]) continue;
        s.measure("example_logit_std", at, deviation);
        s.measure("example_entropy_share", at, share);
        s.measure("example_entropy_gap", at, std::log(static_cast<double>(n)) * (1 - share));
      }
}

/// From the up-scaled input, c = 1, on.
void measure_curves(Section& s, const Options& options) {
  const auto d = said_of(points(options.widths, input_widths), 512);
  for (const std::uint64_t n : {64u, 512u, 4096u, 65536u}) {
    const double at_one = std_over_keys(d, n, parametrisations(d)[0]);
    for (int k = -20; k <= 20; ++k) {
      const double c = std::exp2(k / 4.0);
      s.measure("entropy_by_factor", {{"keys", n}, {"c", c}}, entropy_share(c * c * at_one, n));
    }
  }
}

/// Powers of four, their doubles, and widths of models that are neither.
constexpr std::array<std::uint64_t, 22> rounding_widths{
    16,  32,  48,   64,   96,   128,  192,  256,  320,  384,  512,
    640, 768, 1024, 1280, 1536, 2048, 3072, 4096, 5120, 8192, 16384};

/// x_0 + output: what leaves a block whose only branch is this head.
std::vector<Rational> with_residual(const Head<Rational>& head, std::vector<Rational> out) {
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = out[a] + head.x[0][a];
  return out;
}

bool is_zero(const std::vector<Rational>& values) {
  return std::ranges::all_of(values, [](const Rational& v) { return v == 0; });
}

/// A head, weights of its two keys, and a factor, over the rationals.
struct Case {
  Head<Rational> head;
  std::vector<Rational> weights;
  Rational c;
};
Case drawn_case(const RationalDraws& draws, std::uint64_t i) {
  return {rational_head(draws, i), draws.channels(i, 40, 2), draws.positive(i, 42)};
}

/// In how many cases a result stays; and, for sentences, in how many it does not.
void measure_those_that_stay(Section& s, const char* stay, const char* change, const Tally& cases) {
  s.decide_none(stay, {}, cases, Part::necessity, exact);
  s.measure(change, {}, cases.misses());
}

void measure_absorbed_exactly(Section& s, const Options& options) {
  const RationalDraws draws(options.seed, s.claim().id, 64);
  const auto n = options.samples;
  s.decide("logit_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto [head, weights, c] = drawn_case(draws, i);
    return !logits_are_absorbed<Rational>(head, c, primitives);
  });
  s.decide("output_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto [head, weights, c] = drawn_case(draws, i);
    return !values_keep_the_factor<Rational>(head, weights, c, primitives);
  });
  Tally outputs, blocks;
  for (std::uint64_t i = 0; i < n; ++i) {
    const Case drawn = drawn_case(draws, i);
    const auto& head = drawn.head;
    const auto& weights = drawn.weights;
    const auto& c = drawn.c;
    if (c == 1) continue;
    const auto out = output_of<Rational>(head, weights, primitives);
    const auto undone = absorbed<Rational>(times(head, c), c, primitives);
    const auto all_undone = value_absorbed<Rational>(undone, c, primitives);
    if (!is_zero(out))  // nothing would be left of it either way
      outputs.evaluate([&] { return output_of<Rational>(undone, weights, primitives) == out; });
    if (!is_zero(head.x[0]))
      blocks.evaluate([&] {
        return with_residual(all_undone, output_of<Rational>(all_undone, weights, primitives)) ==
               with_residual(head, out);
      });
  }
  measure_those_that_stay(s, "outputs_that_stay", "outputs_that_change", outputs);
  measure_those_that_stay(s, "block_outputs_that_stay", "block_outputs_that_change", blocks);
}

/// The largest change at each width in one format; adds to the worst share of the bound.
template <Scalar Real>
void measure_format(Section& s, const Options& options, const Stream& stream, Greatest& worst) {
  const std::uint64_t n = std::max<std::uint64_t>(1, options.samples / 16);
  s.sweep("drawn heads, c = √d_model", {{"format", FormatTraits<Real>::name}},
          axis("d_model", points(options.widths, rounding_widths)), [&](std::uint64_t d) {
            const auto c = root_multiplier<Real>(d);
            Greatest largest;
            for (std::uint64_t i = 0; i < n; ++i) {
              const auto head = drawn_head<Real>(stream, i);
              largest.evaluate([&] {
                return largest_change_absorbed<Real>(head, c, unit_roundoff<Real>, primitives);
              });
              worst.evaluate([&] { return absorbed_share_of_bound<Real>(head, c, primitives); });
            }
            return Values{{"largest_change", largest}};
          });
}

void measure_absorbed_rounding(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/heads");
  decide_bits(s, options, stream, []<class Real>(const Head<Real>& head, Real c) {
    return logits_are_absorbed<Real>(head, c, primitives);
  });
  Greatest worst;
  measure_format<double>(s, options, stream, worst);
  measure_format<float>(s, options, stream, worst);
  measure_format<bfloat16>(s, options, stream, worst);
  s.measure("worst_share_of_bound", {}, worst, "drawn heads, c = √d_model",
            at_most(Part::statement, 1, worst.cases()));
}

}  // namespace

void factor_is_a_temperature(Section& s, const Options& options) {
  measure_temperature_exactly(s, options);
  measure_temperature_rounding(s, options);
  measure_entropy(s, options);
  measure_curves(s, options);
}

void projections_absorb_the_factor(Section& s, const Options& options) {
  measure_absorbed_exactly(s, options);
  measure_absorbed_rounding(s, options);
}

}  // namespace embedscale::attention_analysis
