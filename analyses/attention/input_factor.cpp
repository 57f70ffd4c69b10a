// A common factor of the input: as the softmax's temperature; what projections can undo of it, and
// what they cannot.
#include <embedscale/expected/first_layer.hpp>
#include <embedscale/expected/softmax.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include "attention/sections.hpp"
#include "properties/attention/input_logits.hpp"

namespace embedscale::attention_analysis {
namespace {

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
void measure_entropy_curves(Section& s, const Options& options) {
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

/// The largest change at each width in one format.
template <Scalar Real>
void measure_format(Section& s, const Options& options, const Stream& stream) {
  const std::uint64_t n = std::max<std::uint64_t>(1, options.samples / 16);
  s.sweep("drawn heads, c = √d_model", {{"format", FormatTraits<Real>::name}},
          axis("d_model", points(options.widths, rounding_widths)), [&](std::uint64_t d) {
            const auto c = root_multiplier<Real>(d);
            return Values{{"largest_change", over<Greatest>(n, [&](std::uint64_t i) {
                             return largest_change_absorbed<Real>(drawn_head<Real>(stream, i), c,
                                                                  unit_roundoff<Real>,
                                                                  library<Real>);
                           })}};
          });
}

}  // namespace

void factor_is_a_temperature(Section& s, const Options& options) {
  s.measure_failures("logit_disagreements", {}, "logits_take_the_square");
  s.measure_failures("biased_logit_disagreements", {}, "biases_add_terms_in_c_and_1");
  s.measure_failures("weights_that_stay", {}, "weights_stay_at_one_temperature_alone");
  s.measure_failures("bit_disagreements", {}, "bits_at_powers_of_two");
  s.measure_worst("worst_share_of_bound", {}, "logits_within_gamma");
  s.measure_worst("worst_share_of_entropy_bound", {}, "small_inputs_attend_evenly");
  s.sweep("", axis("c", std::array{1, 2}), [&](int c) {
    const Head<double> head{1, 1, 1.0, {1}, {1}, {1}, {0}, {0}, {{1}, {0}}};
    const auto z = logits_of<double>(times(head, double(c)), library<double>);
    return Values{{"first_logit_by_hand", z[0]}, {"second_logit_by_hand", z[1]}};
  });
  measure_entropy(s, options);
  measure_entropy_curves(s, options);
}

void projections_absorb_the_factor(Section& s, const Options& options) {
  s.measure_failures("logit_disagreements", {}, "logits_stay");
  s.measure_failures("output_disagreements", {}, "values_keep_it");
  for (const auto* quantity : {"outputs_that_stay", "block_outputs_that_stay"})
    s.measure_failures(quantity, {}, "outputs_change_without_values_and_behind_a_residual");
  s.measure_failures("bit_disagreements", {}, "bits_at_powers_of_two");
  s.measure_worst("worst_share_of_bound", {}, "logits_within_gamma");
  const Stream stream(options.seed, std::string(s.claim().id) + "/heads");
  measure_format<double>(s, options, stream);
  measure_format<float>(s, options, stream);
  measure_format<bfloat16>(s, options, stream);
}

}  // namespace embedscale::attention_analysis
