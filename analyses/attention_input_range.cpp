// The variance of the first projections, and whether the factor keeps it in a range.
#include <fmt/format.h>
#include <embedscale/expected/projection.hpp>
#include <embedscale/properties/attention_input_scales.hpp>

#include <algorithm>

#include "attention_input.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using namespace properties::attention::input;
using expected::ProjectionLaw;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const InputLibrary library;

struct NamedLaw {
  std::string name;
  ProjectionLaw law;
  double sigma = 1;
  bool by_width = true;  ///< σ_W² ∝ 1/d_model
};

/// W is (h·d_k, d_model) with h·d_k = d_model.
std::vector<NamedLaw> projection_laws(const cli::Options& options) {
  std::vector<NamedLaw> laws{{"Xavier, d_model to d_model", ProjectionLaw::xavier},
                             {"Xavier, packed 3·d_model", ProjectionLaw::packed_xavier},
                             {"N(0, 1/d_model)", ProjectionLaw::normal_by_width}};
  for (const double sigma : cli::points(options.deviations, std::array{0.02}))
    laws.push_back({fmt::format("N(0, {}²)", sigma), ProjectionLaw::normal, sigma, false});
  return laws;
}

Setting setting(const NamedLaw& law, std::uint64_t d) {
  return {law.law, {static_cast<std::size_t>(d), static_cast<std::size_t>(d), 1}, law.sigma};
}

/// Inputs: the parametrisations, and the tokens alone with the factor and without.
std::vector<Parametrisation> inputs(std::uint64_t d) {
  std::vector<Parametrisation> all;
  for (const auto& p : parametrisations(d)) all.push_back(p);
  all.push_back({"tokens alone, scaled", 1, 0});
  all.push_back({"tokens alone, unscaled", 1 / static_cast<double>(d), 0});
  return all;
}

double variance_at(const Setting& at, const Parametrisation& input) {
  return expected::projection_variance(stated_weight_variance(at), at.shape.d_model, input.all());
}

void measure_variances(const cli::Options& options, report::Section& section) {
  const auto widths = even_points(options, few_widths);
  const std::uint64_t middle = std::ranges::count(widths, 512u) > 0 ? 512 : widths[0];
  Table table({{"Projection"},
               {"d_model", Table::Align::right},
               {"up, folded", Table::Align::right},
               {"down", Table::Align::right},
               {"unscaled", Table::Align::right},
               {"tokens alone, scaled", Table::Align::right},
               {"unscaled", Table::Align::right}});
  const auto laws = projection_laws(options);
  for (const auto& law : laws)
    for (const auto d : widths) {
      std::vector<std::string> cells{law.name, report::count(d)};
      for (const auto& input : inputs(d)) {
        const double variance = variance_at(setting(law, d), input);
        const bool xavier = law.law == ProjectionLaw::xavier && d == middle;
        std::string field = xavier ? std::string(input.name) : "";
        std::ranges::replace(field, ' ', '_');
        std::erase(field, ',');
        section.measure({.quantity = "projection_variance",
                         .at = {{"projection", law.name}, {"d_model", d}, {"input", input.name}},
                         .value = variance,
                         .samples = 1,
                         .method = "closed form, over weights and tokens",
                         .field = std::move(field)});
        if (std::string_view(input.name) != "folded")
          cells.push_back(report::significant(variance, 4));
      }
      table.row(std::move(cells));
    }
  // A head of its own: fans d_model and d_k.
  for (const auto d : widths)
    for (const auto h : cli::points(options.heads, std::array<std::uint64_t, 1>{8})) {
      if (h == 0 || d % h != 0) continue;
      const Setting at{ProjectionLaw::xavier_per_head,
                       {static_cast<std::size_t>(d), static_cast<std::size_t>(d / h),
                        static_cast<std::size_t>(h)},
                       1};
      for (const auto& input : inputs(d))
        section.measure({.quantity = "projection_variance",
                         .at = {{"projection", "Xavier, d_model to d_k"},
                                {"d_model", d},
                                {"heads", h},
                                {"input", input.name}},
                         .value = variance_at(at, input),
                         .samples = 1,
                         .method = "closed form, over weights and tokens"});
    }
  section.text("d_model", report::count(middle));
  section.table(table);
}

/// Deviation of ⟨q, k⟩ before any scale, √d_k·Var, for Xavier projections.
void measure_products(const cli::Options& options, report::Section& section) {
  const auto widths = even_points(options, std::array<std::uint64_t, 1>{512});
  const auto head_widths =
      cli::points(options.head_widths, std::array<std::uint64_t, 6>{8, 16, 32, 64, 128, 256});
  const auto middle = std::ranges::count(widths, 512u) > 0 ? 512 : widths[0];
  const auto in_words = std::ranges::count(head_widths, 64u) > 0 ? 64 : head_widths[0];
  section.text("d_k", report::count(in_words));
  for (const auto d : widths)
    for (const auto d_k : head_widths)
      for (const auto& input : inputs(d)) {
        const NamedLaw law{"", ProjectionLaw::xavier};
        const bool named = d == middle && d_k == in_words && std::string_view(input.name) == "up";
        section.measure(
            {.quantity = "dot_product_std",
             .at = {{"d_model", d}, {"d_k", d_k}, {"input", input.name}},
             .value = std::sqrt(static_cast<double>(d_k)) * variance_at(setting(law, d), input),
             .samples = 1,
             .method = "closed form, Xavier d_model to d_model, not scaled",
             .field = named ? "product" : ""});
      }
}

/// (W·x)_a drawn: entries of W, tokens N(0, 1/d)·√d, a sinusoid at a random position.
void measure_draws(const cli::Options& options, report::Section& section) {
  constexpr double deviations = 3.89, confidence = 0.9999;  // of a normal law
  double farthest = 0;
  for (const auto d : even_points(options, std::array<std::uint64_t, 2>{64, 512}))
    for (const auto& law : projection_laws(options)) {
      const auto width = static_cast<std::size_t>(d);
      const std::uint64_t n =
          std::clamp<std::uint64_t>((std::uint64_t{1} << 20) / d, 64, options.samples);
      const Stream stream(options.seed, fmt::format("{}/{}/{}", section.claim().id, law.name, d));
      const auto entries = expected::initializer_of(law.law, setting(law, d).shape, law.sigma);
      const auto w = sinusoidal_frequencies<double>(width, FrequencyRule::paper);
      std::vector<double> p(width);
      std::uint64_t next = 0;
      double sum = 0, squares = 0;
      for (std::uint64_t i = 0; i < n; ++i) {
        encode_position<double>(static_cast<std::int64_t>(stream.below(4096, next++)), w,
                                SinusoidalLayout::interleaved, p);
        double y = 0;
        for (std::size_t j = 0; j < width; ++j) {
          const double token = stream.normal(next++);
          y += draw(entries, stream, next++) * (token + p[j]);
        }
        sum += y * y;
        squares += y * y * y * y;
      }
      const double mean = sum / static_cast<double>(n);
      const double error = std::sqrt(std::max(0.0, squares / static_cast<double>(n) - mean * mean) /
                                     static_cast<double>(n));
      const double stated = variance_at(setting(law, d), parametrisations(d)[0]);
      farthest = std::max(farthest, std::abs(mean - stated) / error);
      section.measure({.quantity = "drawn_projection_variance",
                       .at = {{"projection", law.name}, {"d_model", d}, {"input", "up"}},
                       .value = mean,
                       .samples = n,
                       .method = "draws of weights, tokens and positions",
                       .digits = 3,
                       .lower = mean - deviations * error,
                       .upper = mean + deviations * error,
                       .confidence = confidence});
    }
  section.text("farthest", report::significant(farthest, 2));
}

/// A setting is kept by the factor if at every width the deviation is in range with it and out of
/// range without.
void measure_settings(const cli::Options& options, report::Section& section) {
  std::uint64_t on = 0, on_kept = 0, off = 0, off_kept = 0;
  for (const auto& law : projection_laws(options))
    for (const double position : {0.0, 0.5}) {
      bool kept = true;
      for (const auto d : even_points(options, input_widths)) {
        const auto at = setting(law, d);
        kept = kept && in_range(variance_at(at, {"", 1, position})) &&
               !in_range(variance_at(at, {"", 1 / static_cast<double>(d), position}));
      }
      const bool stated = position == 0 && law.by_width;
      (stated ? on : off) += 1;
      (stated ? on_kept : off_kept) += kept ? 1 : 0;
    }
  section.measure(
      {.quantity = "settings_kept_by_the_factor",
       .at = {{"added", "nothing"}, {"projection variance", "∝ 1/d_model"}},
       .value = static_cast<double>(on_kept),
       .samples = on,
       .method = "closed form at every width",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(on), on},
       .field = "kept"});
  section.measure_none("other_settings_kept_by_it", {}, static_cast<double>(off_kept), off,
                       Part::belief_elsewhere, "closed form at every width");
  section.text("on", report::count(on));
  section.text("off", report::count(off));
}

void measure_exactly(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  auto moments = none_of(
      "moment_disagreements", options.samples, Part::statement,
      "mean over all signs of weights and tokens, whole numbers", [&](std::uint64_t i) {
        return !projection_moment_is_stated(whole_channels(stream.block(i)),
                                            static_cast<double>(stream.below(9, i)), library);
      });
  moments.field = "moments";
  section.measure(std::move(moments));
  WorstShare worst;
  for (const auto d : even_points(options, few_widths)) {
    const auto width = static_cast<std::size_t>(d);
    for (const auto& law : projection_laws(options))
      for (const double m : {1.0, root_multiplier<double>(d)})
        for (const std::int64_t position : {0, 1, 511, 65535})
          worst.add(variance_share_of_bound(setting(law, d), position,
                                            1 / std::sqrt(static_cast<double>(d)), m, library));
    for (const std::int64_t position : {0, 511})
      worst.add(effect_share_of_bound(width, position, library));
  }
  section.text("cases", report::count(worst.cases));
  section.measure(worst.measurement("worst_share_of_bound",
                                    "tables of entries ±σ and sinusoids, binary64", "worst"));
}

Figure figure(const cli::Options& options) {
  Figure figure{
      .name = "attention_projection_variance",
      .title = "Variance of the first projections",
      .x_label = "d_model",
      .y_label = "variance of W·x",
      .x_scale = Figure::Scale::log2,
      .y_scale = Figure::Scale::log10,
      .series = {},
      .levels = {{.label = "deviation 2", .y = 4}, {.label = "deviation 1/2", .y = 0.25}}};
  const auto laws = projection_laws(options);
  const auto add = [&](const char* label, const NamedLaw& law, std::size_t input) {
    report::Series series{.label = label, .x = {}, .y = {}};
    for (const auto d : even_points(options, input_widths)) {
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(variance_at(setting(law, d), inputs(d)[input]));
    }
    figure.series.push_back(std::move(series));
  };
  add("Xavier, up", laws[0], 0);
  add("Xavier, unscaled", laws[0], 3);
  add("Xavier, down", laws[0], 1);
  add("Xavier, tokens alone, unscaled", laws[0], 5);
  add("packed Xavier, up", laws[1], 0);
  add("packed Xavier, unscaled", laws[1], 3);
  add("fixed deviation, up", laws[3], 0);
  return figure;
}

}  // namespace

report::Section first_projection_range(const cli::Options& options) {
  report::Section section(properties::attention::first_projection_range);
  section.condition(
      "nothing is added to the tokens and the projections' variance falls as 1/d_model");
  measure_variances(options, section);
  measure_products(options, section);
  measure_draws(options, section);
  measure_settings(options, section);
  measure_exactly(options, section);
  const auto widths = even_points(options, input_widths);
  const auto fixed = projection_laws(options)[3];
  const auto up = [&](std::uint64_t d) {
    return report::significant(variance_at(setting(fixed, d), parametrisations(d)[0]), 3);
  };
  section.text("fixed_sigma", fmt::format("{}", fixed.sigma));
  section.text("fixed_low", up(widths.front()));
  section.text("fixed_high", up(widths.back()));
  section.text("first_width", report::count(widths.front()));
  section.text("last_width", report::count(widths.back()));
  section.figure(figure(options));
  return section;
}

}  // namespace embedscale::attention_analysis
