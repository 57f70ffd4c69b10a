// By how much a post-norm block's output changes between up and down, at initialisation, with and
// without what compensates.
#include <fmt/format.h>
#include <embedscale/properties/normalization_block_sizes.hpp>

#include <algorithm>

#include "normalization.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using report::Figure;
using report::Table;

const BlockLibrary library;

/// One way to treat the block that reads e + p/√d, beside that which reads √d·e + p.
struct Treatment {
  const char* name;
  Biases biases;
  EncoderBlock<double> (*treated)(EncoderBlock<double>, double c);
};
EncoderBlock<double> as_it_was(EncoderBlock<double> block, double) { return block; }
EncoderBlock<double> both_divided(EncoderBlock<double> block, double c) {
  return compensated(std::move(block), c, c, library);
}
EncoderBlock<double> queries_divided(EncoderBlock<double> block, double c) {
  return compensated(std::move(block), c, c * c, library);
}
EncoderBlock<double> weights_divided(EncoderBlock<double> block, double c) {
  BlockLibrary::divide(block.weights.query, c);
  BlockLibrary::divide(block.weights.key, c);
  return block;
}
constexpr Treatment treatments[] = {{"compensated", Biases::none, both_divided},
                                    {"compensated in W_Q alone", Biases::none, queries_divided},
                                    {"uncompensated", Biases::none, as_it_was},
                                    {"with biases, all compensated", Biases::all, both_divided},
                                    {"with biases, weights divided", Biases::all, weights_divided},
                                    {"with biases, uncompensated", Biases::all, as_it_was}};

/// Mean over two seeds of the RMS deviation of the block's output, as a share of its RMS.
double deviation(const cli::Options& options, const Treatment& treatment, std::size_t d,
                 const BlockNorm<double>& norm, double c) {
  constexpr std::uint64_t seeds = 2;
  const BlockShape shape = block_shape(options, d);
  double total = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Stream weights(options.seed + seed, "normalization blocks/weights");
    const Stream tokens(options.seed + seed, "normalization blocks/tokens");
    const auto block = initial_block(shape, NormPlacement::post, norm, treatment.biases, weights);
    const auto x = initial_input({d, tokens_of(options), sigma_of(options, d)}, Way::up, tokens);
    total += deviation_beyond_rounding(through(treatment.treated(block, c), product(c, x), library),
                                       through(block, x, library));
  }
  return total / seeds;
}

void measure_sizes(const cli::Options& options, report::Section& section) {
  const auto widths = even_widths(options, block_widths, most_block_width);
  std::vector<Table::Column> columns{{"Block"}, {"Norm"}};
  for (const auto d : widths) columns.push_back({report::count(d), Table::Align::right});
  Table table(columns);
  Figure figure{.name = "normalization_post",
                .title = "Change of a post-norm block's output between up and down",
                .x_label = "d_model",
                .y_label = "RMS of the change, % of the output",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  for (const Treatment& treatment : treatments)
    for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm}) {
      const char* norm = kind == NormKind::layer_norm ? "LayerNorm" : "RMSNorm";
      report::Series series{.label = fmt::format("{}, {}", treatment.name, norm), .x = {}, .y = {}};
      std::vector<std::string> row{treatment.name, norm};
      for (const auto d : widths) {
        const double c = 1 / root_multiplier<double>(d);
        const double value = deviation(options, treatment, static_cast<std::size_t>(d), {kind}, c);
        const bool in_words = kind == NormKind::layer_norm && d == widths.back();
        const std::string_view name = treatment.name;
        section.measure({.quantity = "block_deviation",
                         .at = {{"case", treatment.name}, {"norm", norm}, {"d_model", d}},
                         .value = value,
                         .samples = 2,
                         .method = "mean of 2 seeds, Xavier, c = 1/√d_model; 0: below 10^−12",
                         .digits = 3});
        if (in_words && name == "uncompensated") section.text("uncompensated", percent(value, 2));
        if (in_words && name == "with biases, weights divided")
          section.text("with_biases", percent(value, 2));
        row.push_back(value == 0 ? "0" : percent(value, 3));
        series.x.push_back(static_cast<double>(d));
        series.y.push_back(100 * value);
      }
      table.row(std::move(row));
      if (std::ranges::any_of(series.y, [](double y) { return y > 0; }))
        figure.series.push_back(std::move(series));
    }
  section.text("widest", report::count(widths.back()));
  section.table(std::move(table));
  section.figure(std::move(figure));
}

void measure_epsilon(const cli::Options& options, report::Section& section) {
  Table table({{"ε in both norms", Table::Align::right},
               {"d_model", Table::Align::right},
               {"No biases", Table::Align::right},
               {"With biases", Table::Align::right}});
  for (const double epsilon : {1e-6, 1e-5, 1e-3})
    for (const auto d :
         even_widths(options, std::array<std::uint64_t, 2>{64, 256}, most_block_width)) {
      std::vector<std::string> row{fmt::format("{}", epsilon), report::count(d)};
      for (const Treatment* treatment : {&treatments[0], &treatments[3]}) {
        const double value =
            deviation(options, *treatment, static_cast<std::size_t>(d),
                      {NormKind::layer_norm, epsilon}, 1 / root_multiplier<double>(d));
        section.measure({.quantity = "block_deviation",
                         .at = {{"case", treatment->name},
                                {"norm", "LayerNorm"},
                                {"d_model", d},
                                {"epsilon", epsilon}},
                         .value = value,
                         .samples = 2,
                         .method = "mean of 2 seeds, Xavier, c = 1/√d_model; 0: below 10^−12",
                         .digits = 3});
        row.push_back(value == 0 ? "0" : percent(value, 2));
      }
      table.row(std::move(row));
    }
  section.table(std::move(table));
}

/// Uncompensated, at one width, by c.
Figure by_factor(const cli::Options& options) {
  const auto d = even_widths(options, std::array<std::uint64_t, 1>{64}, most_block_width).front();
  Figure figure{.name = "normalization_post_factor",
                .title = fmt::format("Change of a post-norm block's output by c, d_model = {}", d),
                .x_label = "c, beside √d_model·e + p",
                .y_label = "RMS of the change, % of the output",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  for (const Treatment* treatment : {&treatments[0], &treatments[2], &treatments[4]}) {
    report::Series series{.label = treatment->name, .x = {}, .y = {}};
    for (int k = -12; k <= 12; ++k) {
      series.x.push_back(std::exp2(k / 2.0));
      series.y.push_back(
          100 * deviation(options, *treatment, static_cast<std::size_t>(d), {}, series.x.back()));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

void measure_post_norm_sizes(const cli::Options& options, report::Section& section) {
  measure_sizes(options, section);
  measure_epsilon(options, section);
  section.figure(by_factor(options));
}

}  // namespace embedscale::normalization_analysis
