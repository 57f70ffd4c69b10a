#include "normalization/sections.hpp"

#include <embedscale/embedding.hpp>
#include <embedscale/expected/first_layer.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "atlas/atlas.hpp"
#include "audit/parts.hpp"

namespace embedscale::normalization_analysis {
namespace {

using atlas::installed;
using atlas::System;
using audit::Configuration;
using expected::Norm;

bool starts_with(const Configuration& c, audit::BlockNorm where) {
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
     [](const Configuration& c) { return starts_with(c, audit::BlockNorm::pre); }},
    {"a post-norm block", "its attention, its biases, its ε",
     [](const Configuration& c) { return starts_with(c, audit::BlockNorm::post); }},
    {"a block without norms", "all of it",
     [](const Configuration& c) { return starts_with(c, audit::BlockNorm::none); }},
    {"no block, or not told", "—",
     [](const Configuration& c) { return !c.embedding_norm && !c.block.where; }}};

/// What stands in for the sizes that a source leaves to its users.
constexpr std::int64_t usual_vocabulary = 32000, usual_positions = 512;

/// By how much up and down differ behind a system's first norm if it starts as it does: the audit's
/// figure, with these sizes where nothing else is missing.
struct OwnStart {
  audit::Quantity deviation;
  Place filled_in = {};  ///< the sizes that stand in

  explicit OwnStart(const System& system) : deviation(system.scales.scaled_down.epsilon_deviation) {
    if (deviation.value) return;
    auto c = system.configuration;
    Place filled;
    const auto fill = [&](const char* name, audit::Integer& size, std::int64_t usual) {
      if (size) return;
      size = usual;
      filled.set(name, usual);
    };
    fill("vocabulary", c.model.vocabulary, usual_vocabulary);
    fill("positions", c.model.positions, usual_positions);
    const auto with_them = audit::scales_of(c).scaled_down.epsilon_deviation;
    if (!with_them.value) return;
    deviation.value = with_them.value;  // what the record lacks stays said
    filled_in = filled;
  }
  bool is_told() const { return deviation.missing.empty(); }
};

/// The first norm of a system, which reads √d·e + p at its own width, whatever it does itself; and
/// as it starts itself.
struct FirstNorm {
  const System* system;
  Norm norm;
  std::uint64_t d;
  double mean_square, of_paper;
  OwnStart own;
};

/// By how much ε makes of up against down with the paper's input, the most first.
std::vector<FirstNorm> first_norms() {
  std::vector<FirstNorm> all;
  std::map<std::pair<std::uint64_t, Norm::Kind>, double> squares;
  for (const System& system : atlas::installed()) {
    const auto& c = system.configuration;
    const auto norm = audit::first_norm(c).value;
    if (!norm || !c.model.d_model || *c.model.d_model % 2 != 0) continue;
    const auto d = static_cast<std::uint64_t>(*c.model.d_model);
    auto& square = squares[{d, norm->kind}];
    if (square == 0) square = mean_square_up(d, norm->kind, sigma_of({}, d), 512);
    all.push_back({&system, *norm, d, square, deviation_down(square, *norm, d), OwnStart(system)});
  }
  if (all.empty()) throw std::invalid_argument("no system of the atlas has a norm with an epsilon");
  std::ranges::stable_sort(all, std::greater{}, &FirstNorm::of_paper);
  return all;
}

/// What a system may start from, by name; whether sizes stand in there.
struct Initialisation {
  const char* name;
  bool filled_in;
  std::optional<double> (*deviation)(const FirstNorm& of);
};
constexpr Initialisation starts[] = {
    {"the paper's", false, [](const FirstNorm& of) { return std::optional(of.of_paper); }},
    {"its own", false,
     [](const FirstNorm& of) { return of.own.is_told() ? of.own.deviation.value : std::nullopt; }},
    {"its own, filled in", true,
     [](const FirstNorm& of) { return of.own.is_told() ? std::nullopt : of.own.deviation.value; }}};

void measure_own_and_papers(Section& s, const Place& at, const FirstNorm& of) {
  for (const auto& start : starts) {
    const auto deviation = start.deviation(of);
    if (!deviation) continue;
    auto place = Place(at).set("start", start.name);
    if (start.filled_in)
      for (const auto& [size, usual] : of.own.filled_in) place.set(size, usual);
    s.measure("epsilon_deviation", place, *deviation, "closed form, over the atlas");
  }
  if (!of.own.is_told())
    s.measure("start_not_told",
              {{"system", at.at("system")},
               {"reason", of.own.deviation.missing},
               {"sizes_suffice", of.own.deviation.value.has_value()}},
              1);
}

/// How many of those that have such a start differ by more than so much.
void measure_counts(Section& s, const std::vector<FirstNorm>& all) {
  for (const auto& start : starts)
    for (const double much : {0.01, 0.001}) {
      const auto over_much = over<Tally>(all.size(), [&](std::uint64_t i) -> std::optional<bool> {
        const auto deviation = start.deviation(all[i]);
        if (!deviation) return {};
        return *deviation > much;
      });
      s.measure("systems_over", {{"start", start.name}, {"deviation", much}}, over_much,
                "closed form, over the atlas");
    }
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
  const auto& all = atlas::installed();
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
  for (const auto& of : all) {
    const auto& c = of.system->configuration;
    const Place at{{"system", c.name}, {"d_model", of.d}, {"epsilon", of.norm.epsilon}};
    measure_own_and_papers(s, at, of);
    auto known = at;
    known.set("address", atlas::linked(c))
        .set("norm", name_of(of.norm.kind))
        .set("added", name_of(of.norm.placement));
    s.measure("mean_square_up", known, of.mean_square);
    const auto& own = of.system->scales.scaled_down;
    if (own.epsilon_shrinkage_up.value)
      s.measure("shrinkage_up", at, *own.epsilon_shrinkage_up.value);
    if (own.epsilon_shrinkage_down.value)
      s.measure("shrinkage_down", at, *own.epsilon_shrinkage_down.value);
    if (of.of_paper > 0.01) s.measure("system_over_one_percent", at, of.of_paper);
  }
  measure_counts(s, all);
}

}  // namespace embedscale::normalization_analysis
