// A common factor of the input as the softmax's temperature.
#include <fmt/format.h>
#include <embedscale/expected/first_layer.hpp>
#include <embedscale/expected/softmax.hpp>
#include <embedscale/properties/attention_input_rounding.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>

#include "attention_input.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using namespace properties::attention::input;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const InputLibrary library;

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

double entropy_share(double deviation, std::uint64_t n) {
  return expected::log_sum_exp_and_entropy(deviation, n).entropy.value /
         std::log(static_cast<double>(n));
}

void measure_exactly(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  const auto factor = [&](std::uint64_t i) {
    return properties::domain::positive_rational(stream, 64 * i + 40);
  };
  auto logits = none_of("logit_disagreements", options.samples, Part::statement, "exact rationals",
                        [&](std::uint64_t i) {
                          return !is_a_temperature(rational_head(stream, i), factor(i), library);
                        });
  logits.field = "logits";
  section.measure(std::move(logits));
  auto biased = none_of("biased_logit_disagreements", options.samples, Part::statement,
                        "exact rationals", [&](std::uint64_t i) {
                          return !logits_are_meant(rational_head(stream, i), factor(i), library);
                        });
  biased.field = "biased";
  section.measure(std::move(biased));
  std::uint64_t cases = 0;
  double stay = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto head = without_biases(rational_head(stream, i));
    const Rational c = factor(i);
    const auto z = logits_of(head, library);
    if (c == 1 || z[0] == z[1]) continue;  // where the statement says that they stay
    ++cases;
    stay += same_weights(logits_of(times(head, c), library), z) ? 1 : 0;
  }
  section.text("cases", report::count(cases));
  section.measure(
      {.quantity = "weights_that_stay",
       .value = stay,
       .samples = cases,
       .method = "exact rationals",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(cases), cases},
       .field = "stay"});
}

void measure_rounding(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/heads");
  auto bits = none_of(
      "bit_disagreements", options.samples, Part::statement,
      "drawn heads, c = 2^−20 … 2^20, binary64, binary32 and bfloat16", [&](std::uint64_t i) {
        const double c = std::ldexp(1.0, static_cast<int>(i % 41) - 20);
        return !has_bits_of_temperature(drawn_head<double>(stream, i), c, library) ||
               !has_bits_of_temperature(drawn_head<float>(stream, i), static_cast<float>(c),
                                        library) ||
               !has_bits_of_temperature(drawn_head<bfloat16>(stream, i), bfloat16(c), library);
      });
  bits.field = "bits";
  section.measure(std::move(bits));
  WorstShare rounding, even;
  const auto widths = cli::points(options.widths, input_widths);
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const double root = std::sqrt(static_cast<double>(widths[i % widths.size()]));
    for (const double c : {root, 1 / root}) {
      rounding.add(
          temperature_share_of_bound(drawn_head<float>(stream, i), static_cast<float>(c), library));
      rounding.add(
          temperature_share_of_bound(drawn_head<bfloat16>(stream, i), bfloat16(c), library));
      even.add(entropy_share_of_bound(drawn_head<double>(stream, i), c, library));
    }
  }
  section.measure(rounding.measurement("worst_share_of_bound",
                                       "drawn heads, c = √d_model and 1/√d_model, binary32 and "
                                       "bfloat16",
                                       "worst"));
  auto worst = even.measurement("worst_share_of_entropy_bound",
                                "drawn heads, c = √d_model and 1/√d_model", "worst_entropy");
  worst.digits = 3;
  section.measure(std::move(worst));
}

/// Entropy by width; what it is at d_model = 512 and 512 keys, or at the first points told.
void measure_entropy(const cli::Options& options, report::Section& section) {
  const auto widths = even_points(options, input_widths);
  auto lengths = cli::points(options.positions, std::array<std::uint64_t, 2>{512, 4096});
  std::erase_if(lengths, [](std::uint64_t n) { return n < 2; });
  if (lengths.empty()) throw std::invalid_argument("--positions: needs two keys at least");
  const std::uint64_t d_of_words = std::ranges::count(widths, 512u) > 0 ? 512 : widths[0];
  Table table({{"d_model", Table::Align::right},
               {"Keys", Table::Align::right},
               {"Logits, up", Table::Align::right},
               {"down", Table::Align::right},
               {"unscaled", Table::Align::right},
               {"Entropy / ln n, up", Table::Align::right},
               {"down", Table::Align::right},
               {"unscaled", Table::Align::right}});
  Figure figure{.name = "attention_input_entropy",
                .title = fmt::format("Entropy of the first attention over {} keys", lengths[0]),
                .x_label = "d_model",
                .y_label = "expected entropy over ln n",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  for (const auto n : lengths)
    for (const auto d : widths) {
      std::vector<std::string> deviations, shares;
      for (const auto& input : parametrisations(d)) {
        const double deviation = std_over_keys(d, n, input), share = entropy_share(deviation, n);
        const std::string name = input.name;
        const report::Place at = {{"d_model", d}, {"positions", n}, {"input", name}};
        section.measure({.quantity = "logit_std",
                         .at = at,
                         .value = deviation,
                         .samples = 1,
                         .method = "closed form, over one query's keys"});
        const bool in_words = d == d_of_words && n == lengths[0];
        section.measure({.quantity = "entropy_share",
                         .at = at,
                         .value = share,
                         .samples = 1,
                         .method = "quadrature, for independent normal logits",
                         .field = in_words ? "entropy_" + name : ""});
        if (in_words) section.text("logits_" + name, report::significant(deviation, 3));
        if (in_words)
          section.text("gap_" + name,
                       report::significant(std::log(static_cast<double>(n)) * (1 - share), 2));
        if (name == "folded") continue;
        deviations.push_back(report::significant(deviation, 3));
        shares.push_back(report::significant(share, 4));
        if (n == lengths[0]) {
          auto series = std::ranges::find(figure.series, name, &report::Series::label);
          if (series == figure.series.end())
            series = figure.series.insert(series, {.label = name, .x = {}, .y = {}});
          series->x.push_back(static_cast<double>(d));
          series->y.push_back(share);
        }
      }
      table.row({report::count(d), report::count(n), deviations[0], deviations[1], deviations[2],
                 shares[0], shares[1], shares[2]});
    }
  section.text("d_model", report::count(d_of_words));
  section.text("keys", report::count(lengths[0]));
  section.table(table);
  section.figure(figure);
}

Figure by_factor(std::uint64_t d) {
  Figure figure{.name = "attention_temperature",
                .title = fmt::format("Entropy against a common factor c, d_model = {}", d),
                .x_label = "c",
                .y_label = "expected entropy over ln n",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  for (const std::uint64_t n : {64u, 512u, 4096u, 65536u}) {
    report::Series series{
        .label = fmt::format("{} keys", n), .x = {}, .y = {}, .mark = report::Series::Mark::line};
    const double at_one = std_over_keys(d, n, parametrisations(d)[0]);
    for (int k = -20; k <= 20; ++k) {
      const double c = std::exp2(k / 4.0);
      series.x.push_back(c);
      series.y.push_back(entropy_share(c * c * at_one, n));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

report::Section factor_is_a_temperature(const cli::Options& options) {
  report::Section section(properties::attention::factor_is_a_temperature);
  measure_exactly(options, section);
  measure_rounding(options, section);
  measure_entropy(options, section);
  const auto widths = even_points(options, input_widths);
  section.figure(by_factor(std::ranges::count(widths, 512u) > 0 ? 512 : widths[0]));
  section.counterexample(
      "one channel, W_Q = W_K = 1, a query and keys 1 and 0: logits 1 and 0; with c = 2 they are "
      "4 and 0");
  return section;
}

}  // namespace embedscale::attention_analysis
