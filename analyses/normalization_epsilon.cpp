// ε as the scale that a norm remembers: by how much up and down differ behind it.
#include <fmt/format.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/normalization_block_sizes.hpp>

#include <algorithm>
#include <optional>

#include "normalization.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using expected::Norm;
using properties::Part;
using properties::domain::Surd;
using report::Figure;
using report::Table;

const Library library;

/// The norms that the sweep goes over: RMSNorm's mean square is that of the input, so it needs no
/// sum over positions.
struct Swept {
  const char* name;
  Norm norm;
};
constexpr Swept swept[] = {
    {"10⁻¹², under the root", {Norm::Kind::rms_norm, 1e-12, EpsilonPlacement::variance}},
    {"10⁻⁶, under the root", {Norm::Kind::rms_norm, 1e-6, EpsilonPlacement::variance}},
    {"10⁻⁵, under the root", {Norm::Kind::rms_norm, 1e-5, EpsilonPlacement::variance}},
    {"10⁻³, under the root", {Norm::Kind::rms_norm, 1e-3, EpsilonPlacement::variance}},
    {"10⁻⁶, beside the root", {Norm::Kind::rms_norm, 1e-6, EpsilonPlacement::standard_deviation}},
    {"10⁻³, beside the root", {Norm::Kind::rms_norm, 1e-3, EpsilonPlacement::standard_deviation}}};

void measure_exactly(const cli::Options& options, report::Section& section) {
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  const auto norm = [&](std::uint64_t i) {
    return NormOf<Surd>{
        i % 2 == 0 ? LayerKind::layer_norm : LayerKind::rms_norm,
        i % 4 < 2 ? EpsilonPlacement::variance : EpsilonPlacement::standard_deviation,
        Surd(draws.positive(i, 4))};
  };
  auto rescaled = none_of("rescaling_disagreements", n, Part::statement,
                          "exact numbers with a root", [&](std::uint64_t i) {
                            return !epsilon_takes_the_factor(draws.channels(i, 0, 3), norm(i),
                                                             draws.positive(i, 3), library);
                          });
  rescaled.field = "rescaled";
  section.measure(std::move(rescaled));
  auto shrinks = none_of("shrinkage_disagreements", n, Part::statement, "exact numbers with a root",
                         [&](std::uint64_t i) {
                           return !epsilon_only_shrinks(draws.channels(i, 0, 3), norm(i), library);
                         });
  shrinks.field = "shrinks";
  section.measure(std::move(shrinks));
  WorstShare worst;
  const Stream stream(options.seed, std::string(section.claim().id) + "/channels");
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(n, 1000); ++i)
    for (const auto& [name, with] : swept)
      worst.add(deviation_share(
          drawn_channels<double>(stream, i),
          {i % 2 == 0 ? LayerKind::layer_norm : LayerKind::rms_norm, with.placement, with.epsilon},
          root_multiplier<double>(norm_widths[i % norm_widths.size()]), library));
  section.measure(
      worst.measurement("the library's norms in 50 digits, on drawn channels", "worst"));
}

/// The first width from 2 to 2^24 at which up and down differ by more than `much`.
std::optional<std::uint64_t> first_width(double much, const Norm& norm,
                                         const cli::Options& options) {
  const auto over = [&](std::uint64_t d) {
    const double sigma = sigma_of(options, d), width = static_cast<double>(d);
    return deviation_down(width * sigma * sigma + 0.5, norm, d) > much;
  };
  std::uint64_t low = 1, high = 1 << 24;
  if (!over(high)) return {};
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (over(middle) ? high : low) = middle;
  }
  return high;
}

void sweep(const cli::Options& options, report::Section& section) {
  const auto widths = even_widths(options, norm_widths, 1 << 14);
  std::vector<Table::Column> columns{{"ε"}};
  for (const auto d : widths) columns.push_back({report::count(d), Table::Align::right});
  columns.push_back({"over 0.1 % from", Table::Align::right});
  columns.push_back({"over 1 % from", Table::Align::right});
  Table table(columns);
  Figure figure{.name = "normalization_epsilon",
                .title = "How much smaller a norm's output is scaled down than scaled up",
                .x_label = "d_model",
                .y_label = "1 − RMS down / RMS up",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "1 %", .y = 0.01}, {.label = "0.1 %", .y = 0.001}}};
  for (const auto& [name, norm] : swept) {
    report::Series series{
        .label = name, .x = {}, .y = {}, .mark = report::Series::Mark::line_points};
    std::vector<std::string> row{name};
    for (const auto d : widths) {
      const double value = deviation_down(mean_square_up(d, norm.kind, options), norm, d);
      section.measure({.quantity = "epsilon_deviation",
                       .at = {{"d_model", d},
                              {"epsilon", norm.epsilon},
                              {"added", placement_name(norm.placement)},
                              {"norm", "rms_norm"}},
                       .value = value,
                       .samples = 1,
                       .method = "closed form"});
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(value);
      row.push_back(percent(value, 3));
    }
    for (const double much : {0.001, 0.01}) {
      const auto from = first_width(much, norm, options);
      row.push_back(from ? report::count(*from) : "—");
      if (from)
        section.measure({.quantity = "width_of_deviation",
                         .at = {{"epsilon", norm.epsilon},
                                {"added", placement_name(norm.placement)},
                                {"deviation", much}},
                         .value = static_cast<double>(*from),
                         .samples = 1,
                         .method = "closed form, the first width above",
                         .unit = report::counted});
      const bool usual = norm.epsilon == 1e-5 || norm.epsilon == 1e-3;
      if (usual && much == 0.01 && norm.placement == EpsilonPlacement::variance)
        section.text(norm.epsilon == 1e-5 ? "width_5" : "width_3",
                     from ? report::count(*from) : "none");
    }
    table.row(std::move(row));
    figure.series.push_back(std::move(series));
  }
  section.table(std::move(table));
  section.figure(std::move(figure));
}

/// The same by running the norms on drawn tokens and sinusoids, for two ε in use.
void draw(const cli::Options& options, report::Section& section) {
  Table table({{"d_model", Table::Align::right},
               {"ε", Table::Align::right},
               {"LayerNorm, closed form", Table::Align::right},
               {"LayerNorm, run", Table::Align::right},
               {"RMSNorm, closed form", Table::Align::right},
               {"RMSNorm, run", Table::Align::right}});
  for (const auto d :
       even_widths(options, std::array<std::uint64_t, 4>{64, 512, 1024, 4096}, 1 << 14))
    for (const double epsilon : {1e-5, 1e-3}) {
      const Start at{static_cast<std::size_t>(d), 64, sigma_of(options, d)};
      const Stream stream(options.seed, fmt::format("{}/tokens/{}", section.claim().id, d));
      const auto up = initial_input(at, Way::up, stream),
                 down = initial_input(at, Way::down, stream);
      std::vector<std::string> row{report::count(d), fmt::format("{}", epsilon)};
      for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm}) {
        const BlockNorm<double> norm{kind, epsilon, EpsilonPlacement::variance};
        const BlockShape shape{at.d, 1, 1};
        std::vector<double> of_up(up.size()), of_down(up.size());
        normalize<double>(shape, norm, up, of_up);
        normalize<double>(shape, norm, down, of_down);
        const double drawn = 1 - rms(of_down) / rms(of_up);
        const bool layer = kind == NormKind::layer_norm;
        const Norm same{layer ? Norm::Kind::layer_norm : Norm::Kind::rms_norm, epsilon,
                        EpsilonPlacement::variance};
        cli::Options of_64 = options;
        of_64.positions = {64};
        row.push_back(percent(deviation_down(mean_square_up(d, same.kind, of_64), same, d), 3));
        row.push_back(percent(drawn, 3));
        section.measure({.quantity = "epsilon_deviation_of_draws",
                         .at = {{"d_model", d},
                                {"epsilon", epsilon},
                                {"norm", layer ? "layer_norm" : "rms_norm"}},
                         .value = drawn,
                         .samples = at.n,
                         .method = "64 drawn tokens at positions 0 … 63, through the norm",
                         .digits = 3});
      }
      table.row(std::move(row));
    }
  section.table(std::move(table));
}

}  // namespace

report::Section epsilon_is_rescaled(const cli::Options& options, const std::vector<System>& all) {
  report::Section section(properties::normalization::epsilon_is_rescaled);
  measure_exactly(options, section);
  sweep(options, section);
  draw(options, section);
  measure_epsilons_of(all, options, section);
  // ε/s at which √(s/(s + ε)) is 0.99, and ε/√s at which √s/(√s + ε) is.
  section.text("one_percent_under", report::significant(100 * (1 / (0.99 * 0.99) - 1), 3));
  section.text("one_percent_beside", report::significant(100 * (1 / 0.99 - 1), 3));
  return section;
}

}  // namespace embedscale::normalization_analysis
