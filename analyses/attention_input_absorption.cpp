// What projections can undo of a common factor of the input, and what they cannot.
#include <fmt/format.h>
#include <embedscale/properties/attention_input_rounding.hpp>

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

void measure_exactly(const cli::Options& options, report::Section& section, Table& table) {
  const Stream stream(options.seed, section.claim().id);
  const auto number = [&](std::uint64_t i, std::uint64_t k) {
    return properties::domain::rational(stream, 64 * i + 40 + k);
  };
  const auto factor = [&](std::uint64_t i) {
    return properties::domain::positive_rational(stream, 64 * i + 42);
  };
  const auto weights = [&](std::uint64_t i) {
    return std::vector<Rational>{number(i, 0), number(i, 1)};
  };
  const auto add = [&](const char* what, report::Measurement m, const char* field) {
    m.field = field;
    table.row({what, report::count(m.samples), shown(m)});
    section.measure(std::move(m));
  };
  add("logits, W_Q and W_K divided",
      none_of("logit_disagreements", options.samples, Part::belief, "exact rationals",
              [&](std::uint64_t i) {
                return !logits_are_absorbed(rational_head(stream, i), factor(i), library);
              }),
      "logits");
  add("output under the same weights, W_V divided as well",
      none_of("output_disagreements", options.samples, Part::belief, "exact rationals",
              [&](std::uint64_t i) {
                return !values_keep_the_factor(rational_head(stream, i), weights(i), factor(i),
                                               library);
              }),
      "outputs");
  std::uint64_t outputs = 0, blocks = 0;
  double output_stays = 0, block_stays = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto head = rational_head(stream, i);
    const Rational c = factor(i);
    if (c == 1) continue;
    const auto out = output_of(head, weights(i), library);
    const auto undone = absorbed(times(head, c), c, library);
    const auto all_undone = value_absorbed(undone, c, library);
    if (!is_zero(out)) {  // nothing would be left of it either way
      ++outputs;
      output_stays += output_of(undone, weights(i), library) == out ? 1 : 0;
    }
    if (!is_zero(head.x[0])) {
      ++blocks;
      block_stays += with_residual(all_undone, output_of(all_undone, weights(i), library)) ==
                             with_residual(head, out)
                         ? 1
                         : 0;
    }
  }
  const auto elsewhere = [&](const char* what, const char* quantity, double stay,
                             std::uint64_t cases) {
    section.measure_none(quantity, {}, stay, cases, Part::belief_elsewhere, "exact rationals");
    table.row({what, report::count(cases), report::count(cases - std::uint64_t(stay))});
  };
  elsewhere("the same, W_V as it was", "outputs_that_stay", output_stays, outputs);
  elsewhere("x + output, all three divided", "block_outputs_that_stay", block_stays, blocks);
  section.text("outputs_changed", report::count(outputs - std::uint64_t(output_stays)));
  section.text("output_cases", report::count(outputs));
  section.text("blocks_changed", report::count(blocks - std::uint64_t(block_stays)));
  section.text("block_cases", report::count(blocks));
}

void measure_rounding(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/heads");
  auto bits = none_of(
      "bit_disagreements", options.samples, Part::statement,
      "drawn heads, c = 2^−20 … 2^20, binary64, binary32 and bfloat16", [&](std::uint64_t i) {
        const double c = std::ldexp(1.0, static_cast<int>(i % 41) - 20);
        return !has_bits_when_absorbed(drawn_head<double>(stream, i), c, library) ||
               !has_bits_when_absorbed(drawn_head<float>(stream, i), static_cast<float>(c),
                                       library) ||
               !has_bits_when_absorbed(drawn_head<bfloat16>(stream, i), bfloat16(c), library);
      });
  bits.field = "bits";
  section.measure(std::move(bits));
  WorstShare worst;
  Figure figure{.name = "attention_absorbed",
                .title = "What is left of c = √d_model when W_Q and W_K are divided by it",
                .x_label = "d_model",
                .y_label = "largest change of a logit, in u·|z|",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  const std::uint64_t n = std::max<std::uint64_t>(1, options.samples / 16);
  const auto measure = [&]<class Real>(const char* format) {
    report::Series series{.label = format, .x = {}, .y = {}, .mark = report::Series::Mark::points};
    for (const auto d : cli::points(options.widths, rounding_widths)) {
      const auto c = root_multiplier<Real>(d);
      double largest = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        const auto head = drawn_head<Real>(stream, i);
        largest = std::max(largest, input::largest_change(head, c, library));
        worst.add(absorbed_share_of_bound(head, c, library));
      }
      section.measure({.quantity = "largest_change",
                       .at = {{"format", format}, {"d_model", d}},
                       .value = largest,
                       .samples = n,
                       .method = "drawn heads, c = √d_model",
                       .unit = "u·s·Σ|W_Q||x_i||W_K||x_j|",
                       .digits = 3});
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(largest);
    }
    figure.series.push_back(std::move(series));
  };
  measure.template operator()<double>("binary64");
  measure.template operator()<float>("binary32");
  measure.template operator()<bfloat16>("bfloat16");
  double most = 0;
  for (const auto& series : figure.series) most = std::max(most, std::ranges::max(series.y));
  section.text("most_change", report::significant(most, 2));
  section.measure(worst.measurement("worst_share_of_bound", "drawn heads, c = √d_model", "worst"));
  section.figure(std::move(figure));
}

}  // namespace

report::Section projections_absorb_the_factor(const cli::Options& options) {
  report::Section section(properties::attention::projections_absorb_the_factor);
  section.condition("W_V is divided by the factor as well and nothing passes attention by");
  Table table({{"What c·x gives, against x"},
               {"Cases", Table::Align::right},
               {"Changed", Table::Align::right}});
  measure_exactly(options, section, table);
  section.table(table);
  measure_rounding(options, section);
  return section;
}

}  // namespace embedscale::attention_analysis
