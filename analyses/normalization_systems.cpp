// The systems of the atlas: what their sum goes through first, and what their ε would make of up
// against down.
#include <fmt/format.h>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/first_layer.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "normalization.hpp"

namespace embedscale::normalization_analysis {
namespace {

using expected::Norm;
using properties::Part;
using report::Relation;
using report::Table;

std::optional<Norm> first_norm(const audit::Configuration& c) {
  const audit::NormLayer* layer = c.embedding_norm ? &*c.embedding_norm : &c.block.norm;
  const bool normed =
      c.embedding_norm || (c.block.where && *c.block.where != audit::BlockNorm::none);
  if (!normed || !layer->epsilon) return {};
  return Norm{layer->kind, *layer->epsilon, layer->placement};
}

}  // namespace

const char* placement_name(EpsilonPlacement placement) {
  return placement == EpsilonPlacement::variance ? "under the root" : "beside the root";
}

double mean_square_up(std::uint64_t d, Norm::Kind kind, const cli::Options& options) {
  const double sigma = sigma_of(options, d), width = static_cast<double>(d);
  expected::Input input{.width = static_cast<std::size_t>(d),
                        .token_mean_square = width * sigma * sigma};
  input.position = expected::SinusoidalTable{
      sinusoidal_frequencies<double>(d, FrequencyRule::paper), 0,
      static_cast<std::int64_t>(options.positions.empty() ? 512 : options.positions[0]), 1};
  return kind == Norm::Kind::rms_norm ? expected::mean_square(input)
                                      : expected::centred_mean_square(input);
}

double deviation_down(double mean_square, const Norm& norm, std::uint64_t d) {
  return expected::epsilon_deviation(mean_square, norm, root_multiplier<double>(d));
}

void measure_first_layers(const std::vector<System>& all, report::Section& section) {
  Table table({{"First behind the sum"},
               {"What sees the factor"},
               {"Systems", Table::Align::right},
               {"Names"}});
  const auto add = [&](const char* first, const char* sees, const char* field, const auto& is) {
    std::vector<std::string> names;
    for (const System& s : all)
      if (is(s.configuration)) names.push_back(s.configuration.name);
    section.measure({.quantity = "systems",
                     .at = {{"first_behind_the_sum", first}},
                     .value = static_cast<double>(names.size()),
                     .samples = all.size(),
                     .method = "over the atlas",
                     .unit = report::counted,
                     .field = field});
    table.row({first, sees, report::count(names.size()),
               names.empty() ? "—" : fmt::format("{}", fmt::join(names, ", "))});
  };
  const auto at = [](const audit::Configuration& c, audit::BlockNorm where) {
    return !c.embedding_norm && c.block.where == where;
  };
  add("a norm of the sum itself", "its ε", "normed",
      [](const audit::Configuration& c) { return c.embedding_norm.has_value(); });
  add("a pre-norm block", "its ε, and the skip", "pre",
      [&](const audit::Configuration& c) { return at(c, audit::BlockNorm::pre); });
  add("a post-norm block", "its attention, its biases, its ε", "post",
      [&](const audit::Configuration& c) { return at(c, audit::BlockNorm::post); });
  add("a block without norms", "all of it", "none",
      [&](const audit::Configuration& c) { return at(c, audit::BlockNorm::none); });
  add("no block, or not told", "—", "untold",
      [](const audit::Configuration& c) { return !c.embedding_norm && !c.block.where; });
  section.text("all_systems", report::count(all.size()));
  section.table(std::move(table));
}

void measure_epsilons_of(const std::vector<System>& all, const cli::Options& options,
                         report::Section& section) {
  struct Row {
    const System* system;
    Norm norm;
    std::uint64_t d;
    double deviation;
  };
  std::vector<Row> rows;
  std::map<std::pair<std::uint64_t, bool>, double> squares;
  cli::Options paper = options;
  paper.deviations.clear();
  for (const System& s : all) {
    const auto& c = s.configuration;
    const auto norm = first_norm(c);
    if (!norm || !c.model.d_model || *c.model.d_model % 2 != 0) continue;
    const auto d = static_cast<std::uint64_t>(*c.model.d_model);
    auto& square = squares[{d, norm->kind == Norm::Kind::layer_norm}];
    if (square == 0) square = mean_square_up(d, norm->kind, paper);
    rows.push_back({&s, *norm, d, deviation_down(square, *norm, d)});
  }
  if (rows.empty())
    throw std::invalid_argument("no system of the atlas has a norm with an epsilon");
  std::ranges::stable_sort(rows, std::greater{}, &Row::deviation);
  Table table({{"System"},
               {"d_model", Table::Align::right},
               {"Norm"},
               {"ε", Table::Align::right},
               {"Added"},
               {"Up against down", Table::Align::right},
               {"Own start: taken now", Table::Align::right},
               {"scaled down", Table::Align::right}});
  for (const Row& row : rows) {
    const auto& c = row.system->configuration;
    const bool layer = row.norm.kind == Norm::Kind::layer_norm;
    section.measure({.quantity = "epsilon_deviation",
                     .at = {{"system", c.name}, {"d_model", row.d}, {"epsilon", row.norm.epsilon}},
                     .value = row.deviation,
                     .samples = 1,
                     .method = "closed form, √d_model·e + p against e + p/√d_model"});
    const auto own = [](const audit::Quantity& q) { return q.value ? percent(*q.value, 3) : "—"; };
    table.row({conventions_analysis::linked(c), report::count(row.d),
               layer ? "LayerNorm" : "RMSNorm", fmt::format("{}", row.norm.epsilon),
               placement_name(row.norm.placement), percent(row.deviation, 3),
               own(row.system->scales.scaled_down.epsilon_shrinkage_up),
               own(row.system->scales.scaled_down.epsilon_shrinkage_down)});
  }
  for (const double much : {0.01, 0.001}) {
    const auto over = std::ranges::count_if(rows, [&](const Row& r) { return r.deviation > much; });
    report::Measurement m{.quantity = "systems_over",
                          .at = {{"deviation", much}},
                          .value = static_cast<double>(over),
                          .samples = rows.size(),
                          .method = "closed form, over the atlas",
                          .unit = report::counted,
                          .field = much == 0.01 ? "over_one" : "over_tenth"};
    if (much == 0.01) m.rule = report::Rule{Part::belief, Relation::equals, 0, rows.size()};
    section.measure(std::move(m));
  }
  const Row& first = rows.front();
  section.text("systems", report::count(rows.size()));
  section.text("largest", percent(first.deviation, 3));
  section.text("largest_name", first.system->configuration.name);
  section.text("largest_epsilon", fmt::format("{}", first.norm.epsilon));
  section.text("largest_width", report::count(first.d));
  if (first.deviation > 0.01)
    section.counterexample(
        fmt::format("{}: ε = {} at d_model = {} makes the output {} smaller scaled "
                    "down than scaled up",
                    first.system->configuration.name, first.norm.epsilon, first.d,
                    percent(first.deviation, 3)));
  section.table(std::move(table));
}

}  // namespace embedscale::normalization_analysis
