#include "normalization/sections.hpp"

#include <embedscale/embedding.hpp>
#include <embedscale/expected/first_layer.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "conventions/atlas.hpp"

namespace embedscale::normalization_analysis {
namespace {

using audit::BlockNorm;
using audit::Configuration;
using conventions_analysis::installed_atlas;
using conventions_analysis::System;
using expected::Norm;

bool starts_with(const Configuration& c, BlockNorm where) {
  return !c.embedding_norm && c.block.where == where;
}

/// What may come first behind a sum, and what of it sees a factor.
struct FirstLayer {
  const char *name, *sees;
  bool (*is)(const Configuration& c);
};
constexpr FirstLayer first_layers[] = {
    {"a norm of the sum itself", "its ε",
     [](const Configuration& c) { return c.embedding_norm.has_value(); }},
    {"a pre-norm block", "its ε, and the skip",
     [](const Configuration& c) { return starts_with(c, BlockNorm::pre); }},
    {"a post-norm block", "its attention, its biases, its ε",
     [](const Configuration& c) { return starts_with(c, BlockNorm::post); }},
    {"a block without norms", "all of it",
     [](const Configuration& c) { return starts_with(c, BlockNorm::none); }},
    {"no block, or not told", "—",
     [](const Configuration& c) { return !c.embedding_norm && !c.block.where; }}};

std::optional<Norm> first_norm(const Configuration& c) {
  const auto& layer = c.embedding_norm ? *c.embedding_norm : c.block.norm;
  const bool normed = c.embedding_norm || (c.block.where && *c.block.where != BlockNorm::none);
  if (!normed || !layer.epsilon) return {};
  return Norm{layer.kind, *layer.epsilon, layer.placement};
}

/// The first norm of a system that reads √d·e + p at its own width, whatever it does itself.
struct FirstNorm {
  const System* system;
  Norm norm;
  std::uint64_t d;
  double mean_square, deviation;
};

/// By how much ε makes of up against down, the most first.
std::vector<FirstNorm> first_norms() {
  std::vector<FirstNorm> all;
  std::map<std::pair<std::uint64_t, Norm::Kind>, double> squares;
  for (const System& system : installed_atlas()) {
    const auto& c = system.configuration;
    const auto norm = first_norm(c);
    if (!norm || !c.model.d_model || *c.model.d_model % 2 != 0) continue;
    const auto d = static_cast<std::uint64_t>(*c.model.d_model);
    auto& square = squares[{d, norm->kind}];
    if (square == 0) square = mean_square_up(d, norm->kind, sigma_of({}, d), 512);
    all.push_back({&system, *norm, d, square, deviation_down(square, *norm, d)});
  }
  if (all.empty()) throw std::invalid_argument("no system of the atlas has a norm with an epsilon");
  std::ranges::stable_sort(all, std::greater{}, &FirstNorm::deviation);
  return all;
}

}  // namespace

const char* name_of(EpsilonPlacement placement) {
  return placement == EpsilonPlacement::variance ? "under the root" : "beside the root";
}

double mean_square_up(std::uint64_t d, Norm::Kind kind, double sigma, std::uint64_t length) {
  const double width = static_cast<double>(d);
  expected::Input input{.width = static_cast<std::size_t>(d),
                        .token_mean_square = width * sigma * sigma};
  input.position =
      expected::SinusoidalTable{sinusoidal_frequencies<double>(d, FrequencyRule::paper), 0,
                                static_cast<std::int64_t>(length), 1};
  return kind == Norm::Kind::rms_norm ? expected::mean_square(input)
                                      : expected::centred_mean_square(input);
}

double deviation_down(double mean_square, const Norm& norm, std::uint64_t d) {
  return expected::epsilon_deviation(mean_square, norm, root_multiplier<double>(d));
}

void measure_first_layers(Section& s) {
  const auto& all = installed_atlas();
  for (const auto& [first, sees, is] : first_layers) {
    std::string names;
    const auto of_these = over<Tally>(all.size(), [&, is = is](std::uint64_t i) {
      const auto& c = all[i].configuration;
      if (is(c)) names += (names.empty() ? "" : ", ") + c.name;
      return is(c);
    });
    s.measure("systems", {{"first_behind_the_sum", first}}, of_these, "over the atlas");
    s.measure(
        "first_layers",
        {{"first_behind_the_sum", first}, {"sees", sees}, {"names", names.empty() ? "—" : names}},
        of_these);
  }
}

void measure_epsilons_of_systems(Section& s) {
  const auto all = first_norms();
  for (const auto& [system, norm, d, mean_square, deviation] : all) {
    const auto& c = system->configuration;
    const Place at{{"system", c.name}, {"d_model", d}, {"epsilon", norm.epsilon}};
    s.measure("epsilon_deviation", at, deviation,
              "closed form, √d_model·e + p against e + p/√d_model");
    auto known = at;
    known.set("address", conventions_analysis::linked(c))
        .set("norm", name_of(norm.kind))
        .set("added", name_of(norm.placement));
    s.measure("mean_square_up", known, mean_square);
    const auto& own = system->scales.scaled_down;
    if (own.epsilon_shrinkage_up.value)
      s.measure("shrinkage_up", at, *own.epsilon_shrinkage_up.value);
    if (own.epsilon_shrinkage_down.value)
      s.measure("shrinkage_down", at, *own.epsilon_shrinkage_down.value);
    if (deviation > 0.01) s.measure("system_over_one_percent", at, deviation);
  }
  for (const double much : {0.01, 0.001}) {
    const auto more = over<Tally>(all.size(), [&](auto i) { return all[i].deviation > much; });
    s.measure("systems_over", {{"deviation", much}}, more, "closed form, over the atlas",
              much == 0.01 ? std::optional(none_of(Part::belief, all.size())) : std::nullopt);
  }
}

}  // namespace embedscale::normalization_analysis
