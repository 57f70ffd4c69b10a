// What a pre-norm block, and a stack of them, make of a factor: by running them.
#include <fmt/format.h>
#include <embedscale/properties/normalization_block_sizes.hpp>

#include <algorithm>

#include "normalization.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const BlockLibrary library;
constexpr std::array<std::size_t, 3> depths{1, 2, 6};
constexpr std::uint64_t seeds = 2;

double power(std::uint64_t k) { return std::ldexp(1.0, static_cast<int>(k % 17) - 8); }

void measure_exactly(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/blocks");
  constexpr const char* method =
      "drawn blocks of 8 channels, c = 2^−8 … 2^8, binary64 and binary32";
  const auto drawn = [&]<class Real>(std::uint64_t i, Real epsilon) {
    auto out = drawn_block<Real>(stream, i, {8, 1 + i % 2, 8}, 3, NormPlacement::pre, Biases::all);
    out.block.norm.epsilon = epsilon;
    if (i % 4 < 2) out.block.norm.placement = EpsilonPlacement::standard_deviation;
    return out;
  };
  const auto bits_of = [&](std::uint64_t i, double epsilon) {
    return has_bits_of_branch(drawn(i, epsilon), power(i), library) &&
           has_bits_of_branch(drawn(i, static_cast<float>(epsilon)), static_cast<float>(power(i)),
                              library);
  };
  auto branch = none_of("branch_disagreements", options.samples, Part::statement, method,
                        [&](std::uint64_t i) { return !bits_of(i, 0); });
  branch.field = "branches";
  section.measure(std::move(branch));
  auto bits = none_of("bit_disagreements", options.samples, Part::statement,
                      std::string(method) + ", ε = 2^−20 … 1",
                      [&](std::uint64_t i) { return !bits_of(i, std::ldexp(1.0, -int(i % 21))); });
  bits.field = "bits";
  section.measure(std::move(bits));
  auto absorbed = none_of("absorbed_disagreements", options.samples, Part::statement, method,
                          [&](std::uint64_t i) {
                            const auto first = drawn(i, 0.0), second = drawn(i + (1u << 30), 0.0);
                            return !has_bits_when_branches_carry_it<double>(
                                {first.block, second.block}, first.x, power(i), library);
                          });
  absorbed.field = "absorbed";
  section.measure(std::move(absorbed));

  std::uint64_t cases = 0;
  double stay = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto one = drawn(i, 0.0);
    if (power(i) == 1) continue;
    ++cases;
    const auto before = final_output<double>({one.block}, one.x, library);
    const auto after = final_output<double>({one.block}, product(power(i), one.x), library);
    stay += relative_deviation(after, before) < 0x1p-20 ? 1 : 0;
  }
  section.measure(
      {.quantity = "final_outputs_that_stay",
       .value = stay,
       .samples = cases,
       .method = std::string(method) + ", to 2^−20 of their RMS",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(cases), cases},
       .field = "stay"});
  section.text("cases", report::count(options.samples));
  section.text("final_cases", report::count(cases));
  WorstShare worst;
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, options.samples / 10); ++i)
    worst.add(branch_share(
        drawn_block<Wide>(stream, i, wide_shape, wide_tokens, NormPlacement::pre, Biases::all),
        Wide(std::exp2((static_cast<int>(i % 33) - 16) / 4.0)), library));
  section.measure(worst.measurement("drawn blocks of 4 channels in 50 digits", "worst"));
}

/// One head, a single token (0, 0, 2, 2), and values whose channels 2 and 3 change places.
std::string by_hand(double c) {
  BlockWeights<double> w;
  w.query = w.key = std::vector<double>(16, 0.0);
  w.value = {1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
  w.output = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  w.inner = w.outer = std::vector<double>(16, 0.0);
  const EncoderBlock<double> block{{4, 1, 4}, NormPlacement::pre, {}, w};
  const auto out = final_output<double>({block}, {0, 0, 2 * c, 2 * c}, library);
  std::vector<std::string> shown;
  for (const double value : out) shown.push_back(report::significant(value, 3));
  return fmt::format("({})", fmt::join(shown, ", "));
}

struct Kinds {
  NormKind kind;
  const char* name;
};
constexpr Kinds kinds[] = {{NormKind::layer_norm, "LayerNorm"}, {NormKind::rms_norm, "RMSNorm"}};

/// A stack as it starts, without biases, and its input.
struct Initial {
  std::vector<EncoderBlock<double>> blocks;
  std::vector<double> up, down, folded;
};
Initial initial(const cli::Options& options, std::uint64_t d, std::size_t depth,
                const BlockNorm<double>& norm, std::uint64_t seed) {
  Initial out;
  const Stream tokens(options.seed + seed, "normalization blocks/tokens");
  for (std::size_t layer = 0; layer < depth; ++layer)
    out.blocks.push_back(initial_block(
        block_shape(options, d), NormPlacement::pre, norm, Biases::none,
        Stream(options.seed + seed, fmt::format("normalization blocks/layer {}", layer))));
  const Start at{static_cast<std::size_t>(d), tokens_of(options), sigma_of(options, d)};
  out.up = initial_input(at, Way::up, tokens);
  out.down = initial_input(at, Way::down, tokens);
  out.folded = initial_input(at, Way::folded, tokens);
  return out;
}

double mean_over_seeds(const auto& of_seed) {
  double total = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) total += of_seed(seed);
  return total / static_cast<double>(seeds);
}

void measure_ratios(const cli::Options& options, report::Section& section) {
  const auto widths = even_widths(options, block_widths, most_block_width);
  Table table({{"d_model", Table::Align::right},
               {"Norm"},
               {"Up", Table::Align::right},
               {"Folded", Table::Align::right},
               {"Down", Table::Align::right},
               {"Down / up, over √d_model", Table::Align::right}});
  Figure figure{.name = "normalization_pre",
                .title = "First branch over skip in a pre-norm block at initialisation",
                .x_label = "d_model",
                .y_label = "RMS of branch over RMS of skip",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "as large", .y = 1}}};
  for (const Kinds& of : kinds) {
    const NormKind kind = of.kind;
    const char* norm = of.name;
    report::Series up{.label = fmt::format("up and folded, {}", norm), .x = {}, .y = {}};
    report::Series down{.label = fmt::format("down, {}", norm), .x = {}, .y = {}};
    for (const auto d : widths) {
      std::vector<Initial> starts;
      for (std::uint64_t seed = 0; seed < seeds; ++seed)
        starts.push_back(initial(options, d, 1, {kind}, seed));
      const auto ratio = [&](const char* way, auto input) {
        const double value = mean_over_seeds([&](std::uint64_t seed) {
          return branch_to_skip(starts[seed].blocks[0], starts[seed].*input, library);
        });
        section.measure({.quantity = "branch_to_skip",
                         .at = {{"input", way}, {"norm", norm}, {"d_model", d}},
                         .value = value,
                         .samples = seeds,
                         .method = "mean of 2 seeds, Xavier, no biases, ε = 0",
                         .digits = 3});
        if (d == widths.back() && kind == NormKind::layer_norm)
          section.text(std::string("ratio_") + way, report::significant(value, 2));
        return value;
      };
      const double of_up = ratio("up", &Initial::up), of_folded = ratio("folded", &Initial::folded),
                   of_down = ratio("down", &Initial::down);
      table.row({report::count(d), norm, report::significant(of_up, 3),
                 report::significant(of_folded, 3), report::significant(of_down, 3),
                 report::significant(of_down / of_up / root_multiplier<double>(d), 6)});
      for (auto [series, value] : {std::pair{&up, of_up}, {&down, of_down}}) {
        series->x.push_back(static_cast<double>(d));
        series->y.push_back(value);
      }
    }
    figure.series.push_back(std::move(up));
    figure.series.push_back(std::move(down));
  }
  section.text("widest", report::count(widths.back()));
  section.table(std::move(table));
  section.figure(std::move(figure));
}

void measure_stacks(const cli::Options& options, report::Section& section) {
  const auto widths =
      even_widths(options, std::array<std::uint64_t, 3>{16, 64, 256}, most_block_width);
  Table table({{"d_model", Table::Align::right},
               {"Blocks", Table::Align::right},
               {"Change behind the final norm", Table::Align::right},
               {"First branch with ε = 10⁻⁵", Table::Align::right},
               {"ε = 10⁻³", Table::Align::right}});
  for (const auto d : widths) {
    std::vector<std::string> by_epsilon;
    for (const double epsilon : {1e-5, 1e-3}) {
      const double value = mean_over_seeds([&](std::uint64_t seed) {
        const auto start = initial(options, d, 1, {NormKind::layer_norm, epsilon}, seed);
        return deviation_beyond_rounding(branch_of(start.blocks[0], start.down, library),
                                         branch_of(start.blocks[0], start.up, library));
      });
      section.measure({.quantity = "branch_deviation",
                       .at = {{"d_model", d}, {"epsilon", epsilon}, {"norm", "LayerNorm"}},
                       .value = value,
                       .samples = seeds,
                       .method = "mean of 2 seeds, down against up",
                       .digits = 3});
      by_epsilon.push_back(percent(value, 2));
    }
    for (const auto depth : depths) {
      const double value = mean_over_seeds([&](std::uint64_t seed) {
        const auto start = initial(options, d, depth, {}, seed);
        return relative_deviation(final_output(start.blocks, start.down, library),
                                  final_output(start.blocks, start.up, library));
      });
      section.measure({.quantity = "stack_deviation",
                       .at = {{"d_model", d}, {"blocks", depth}, {"norm", "LayerNorm"}},
                       .value = value,
                       .samples = seeds,
                       .method = "mean of 2 seeds, down against up, behind a final norm, ε = 0",
                       .digits = 3});
      if (d == widths.back() && depth == depths.back())
        section.text("stack", percent(value, 2)), section.text("deepest", report::count(depth));
      table.row({report::count(d), report::count(depth), percent(value, 3), by_epsilon[0],
                 by_epsilon[1]});
    }
  }
  section.table(std::move(table));
}

/// Behind a final norm, at one width, by c.
Figure by_factor(const cli::Options& options) {
  const auto d = even_widths(options, std::array<std::uint64_t, 1>{64}, most_block_width).front();
  Figure figure{.name = "normalization_pre_factor",
                .title = fmt::format("Change behind the final norm by c, d_model = {}", d),
                .x_label = "c, beside √d_model·e + p",
                .y_label = "RMS of the change, % of the output",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  for (const auto depth : depths) {
    const auto start = initial(options, d, depth, {}, 0);
    const auto at_one = final_output(start.blocks, start.up, library);
    report::Series series{
        .label = fmt::format("{} {}", depth, depth == 1 ? "block" : "blocks"), .x = {}, .y = {}};
    for (int k = -12; k <= 12; ++k) {
      series.x.push_back(std::exp2(k / 2.0));
      series.y.push_back(
          100 *
          deviation_beyond_rounding(
              final_output(start.blocks, product(series.x.back(), start.up), library), at_one));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

report::Section pre_norm_block(const cli::Options& options) {
  report::Section section(properties::normalization::pre_norm_block);
  measure_exactly(options, section);
  measure_ratios(options, section);
  measure_stacks(options, section);
  section.figure(by_factor(options));
  section.counterexample(
      fmt::format("one token x = (0, 0, 2, 2) and attention that swaps channels 2 and 3: a final "
                  "LayerNorm gives "
                  "{} for x and {} for 2x",
                  by_hand(1), by_hand(2)));
  return section;
}

}  // namespace embedscale::normalization_analysis
