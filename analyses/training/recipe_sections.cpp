// The sections of the second study: what each of its claims measures of the committed runs.
#include "training/recipe_sections.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>

#include "training/recipes.hpp"

namespace embedscale::training_analysis {
namespace {

constexpr const char* second_study = "runs of the second training study";
constexpr std::array signals{"input", "first block", "logits"};

std::string told(Finding finding, const Difference& of) {
  const bool is_beyond =
      of.interval.lower > loss_that_counts || of.interval.upper < -loss_that_counts;
  const std::string clearly = is_beyond ? "clearly " : "";
  switch (finding) {
    case Finding::lower: return clearly + "lower";
    case Finding::higher: return clearly + "higher";
    case Finding::alike: return "alike";
    case Finding::open: break;
  }
  return "open";
}

/// What a quarter of an octave beside the chosen rate costs, by the parabola through the best rate
/// and its neighbours: by how much a wrong choice moves a difference.
void measure_choice(Section& s, const Recipes& of, const RecipeCell& cell, const NamedRecipe& named,
                    const Place& at) {
  const auto sweep = training::swept(cell, named.recipe, of.record());
  const std::size_t own = own_rate(sweep);
  if (own == 0 || own + 1 == sweep.size()) return;
  const double least = mean_loss(sweep[own]), most = least + steepest_neighbour;
  const double bend = (std::min(mean_loss(sweep[own - 1]), most) - least) +
                      (std::min(mean_loss(sweep[own + 1]), most) - least);
  s.measure("choice_costs", at, Value::example(bend / 2 / 16));
}

void measure_recipe(Section& s, const Recipes& of, const RecipeCell& cell,
                    const NamedRecipe& named) {
  const auto losses = of.losses(cell, named.name);
  const Place at{{"setting", cell.name}, {"arm", named.name}};
  s.measure("loss", at, over_seeds(losses), second_study);
  s.measure("own_rate", at, *training::chosen_rate(cell, named.recipe, of.record()),
            "the least mean loss of the sweep");
  const double least = loss_of_chance(Task::text) - loss_of_failure;
  s.measure("never_started", at,
            static_cast<double>(
                std::ranges::count_if(losses, [&](double loss) { return loss > least; })));
  measure_choice(s, of, cell, named, at);
}

void measure_difference(Section& s, const Recipes& of, const Pairing& p) {
  const auto values = differences(of, p);
  const auto difference = judged_difference(values);
  Place at{{"setting", p.cell}, {"arm", p.recipe}, {"against", p.against}};
  if (p.against_cell != p.cell)
    at.set("against", fmt::format("{} ({})", p.against, p.against_cell))
        .set("against_setting", p.against_cell);
  at.set("finding", told(judged(difference, loss_that_counts), difference));
  s.measure("loss_difference", at, over_seeds(values), second_study);
  if (s.claim().quantity("token_size") == nullptr) return;
  const auto& recipe = of.recipe(*of.find(p.cell), p.recipe).recipe;
  s.measure("token_size", at, token_size(recipe), "closed form");
  s.measure("input_step", at, input_step(recipe), "closed form");
}

/// Every recipe that the claim's pairings name, and what is between them.
void measure_pairings(Section& s, const Recipes& of) {
  const auto all = pairings(of, s.claim().id);
  std::set<std::pair<std::string, std::string>> seen;
  const auto measure = [&](const std::string& cell, const std::string& name) {
    if (seen.emplace(cell, name).second)
      measure_recipe(s, of, *of.find(cell), of.recipe(*of.find(cell), name));
  };
  for (const auto& p : all) {
    measure(p.cell, p.recipe);
    measure(p.against_cell, p.against);
    measure_difference(s, of, p);
  }
}

void measure_belief(Section& s, const Recipes& of) {
  const auto all = instances(of, s.claim().id);
  s.measure("against", {}, over<Tally>(all, [](const Instance& one) { return one.refuted; }),
            second_study);
  s.measure("undecided", {},
            over<Tally>(all, [](const Instance& one) { return !one.holds && !one.refuted; }),
            second_study);
}

std::uint64_t at_an_end(const std::vector<Least>& all) {
  return static_cast<std::uint64_t>(std::ranges::count_if(all, &Least::at_end));
}

Value of_places(const std::vector<Least>& all) {
  BySeed values;
  for (const auto& one : all) values.push_back(one.at);
  return over_seeds(values).mapped([](double x) { return std::exp2(x); });
}

void measure_best_multiplier(Section& s, const Recipes& of) {
  measure_pairings(s, of);
  for (const auto& cell : of.cells()) {
    if (std::ranges::count(cell.recipes, "1/4", &NamedRecipe::name) == 0) continue;
    const auto best = of.best_shares(cell);
    const Place at{{"setting", cell.name}};
    s.measure("best_multiplier", at, of_places(best), "the least of each seed's scan");
    s.measure("at_end", at, static_cast<double>(at_an_end(best)), second_study);
    s.measure("seeds", at, static_cast<double>(best.size()), second_study);
    std::vector<Swept> scan;
    for (const auto& [name, recipe] : cell.recipes)
      if (recipe.multiplier > 0 && recipe.table_rate == 1) {
        const double share = recipe.multiplier / std::sqrt(static_cast<double>(recipe.d));
        scan.push_back({share, of.losses(cell, name)});
        s.measure("loss_by_share", Place(at).set("share", share), over_seeds(scan.back().losses));
      }
    const auto flat = good_rates(scan, loss_that_counts);
    if (!flat.cut_below) s.measure("flat_from", at, Value::example(flat.lower), second_study);
    if (!flat.cut_above) s.measure("flat_to", at, Value::example(flat.upper), second_study);
  }
  const auto* narrow = of.find("pre-norm, d_model = 32");
  const auto* wide = of.find("pre-norm, d_model = 128");
  if (narrow == nullptr || wide == nullptr) return;
  const auto from = of.best_shares(*narrow), to = of.best_shares(*wide);
  BySeed exponents;  // of m = share·√d: that of the share, and a half
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
    exponents.push_back((to[i].at - from[i].at) / 2 + 0.5);
  s.measure("width_exponent", {}, over_seeds(exponents), "the least of each seed's scan");
}

void measure_table_rate(Section& s, const Recipes& of) {
  measure_pairings(s, of);
  measure_belief(s, of);
  if (const auto* cell = of.find("pre-norm"))
    s.measure("best_table_rate", {{"setting", cell->name}}, of_places(of.best_table_rates(*cell)),
              "the least of each seed's scan");
}

void measure_rotary_models(Section& s, const Recipes& of) {
  measure_pairings(s, of);
  measure_belief(s, of);
}

void measure_learned_positions(Section& s, const Recipes& of) {
  measure_pairings(s, of);
  measure_belief(s, of);
  if (const auto* cell = of.find("learned positions, tied output"))
    for (const auto& [name, recipe] : cell->recipes)
      s.measure("start_ratio", {{"setting", cell->name}, {"arm", name}},
                token_to_position_ratio(recipe), "closed form");
}

void measure_gap_closes(Section& s, const Recipes& of) {
  measure_pairings(s, of);
  measure_belief(s, of);
  const auto measure = [&](const char* by, std::initializer_list<const char*> names,
                           const std::function<double(const Recipe&)>& length) {
    std::vector<const RecipeCell*> cells;
    for (const char* name : names)
      if (const auto* cell = of.find(name)) cells.push_back(cell);
    for (const char* arm : {"down", "unscaled", "folded"}) {
      for (const auto* cell : cells)
        s.measure("gap", {{"by", by}, {"arm", arm}, {"length", length(cell->recipes[0].recipe)}},
                  over_seeds(differences(of, {cell->name, arm, cell->name, "up"})));
      if (cells.size() > 1)
        s.measure("gap_slope", {{"by", by}, {"arm", arm}},
                  over_seeds(gap_slopes(of, arm, cells, length)), second_study);
    }
  };
  measure("steps", {"pre-norm", "pre-norm, 1,200 steps", "pre-norm, 4,800 steps"},
          [](const Recipe& of_one) { return static_cast<double>(of_one.steps); });
  measure("layers", {"pre-norm", "pre-norm, 4 layers", "pre-norm, 8 layers"},
          [](const Recipe& of_one) { return static_cast<double>(of_one.depth); });
}

void measure_width_transfer(Section& s, const Recipes& of) {
  measure_belief(s, of);
  for (const auto& [name, widening] :
       {std::pair("one rate", Widening::one_rate), std::pair("μP", Widening::by_width)})
    for (const char* arm : {"up", "unscaled", "folded"}) {
      const Place at{{"rates", name}, {"arm", arm}};
      if (const auto all = rate_exponents(of, arm, widening); !all.empty())
        s.measure("rate_exponent", at, over_seeds(all), second_study);
      for (std::size_t signal = 0; signal < signals.size(); ++signal)
        if (const auto all = move_exponents(of, arm, widening, signal); !all.empty())
          s.measure("move_exponent", Place(at).set("signal", signals[signal]), over_seeds(all),
                    second_study);
      for (const auto* cell : by_width(of, Question::swept, widening))
        for (const auto& recipe : cell->recipes)
          if (recipe.name == arm && of.starts(*cell, recipe)) {
            const auto best = of.best_rates(*cell, recipe);
            const auto there = Place(at).set("d_model", recipe.recipe.d);
            s.measure("best_rate", there, of_places(best), second_study);
            s.measure("at_end", there, static_cast<double>(at_an_end(best)), second_study);
          }
      for (const auto* cell : by_width(of, Question::moved, widening))
        for (const auto& recipe : cell->recipes)
          for (std::size_t signal = 0; recipe.name == arm && signal < signals.size(); ++signal)
            s.measure("moved",
                      Place(at).set("signal", signals[signal]).set("d_model", recipe.recipe.d),
                      over_seeds(of.moved(*cell, recipe, signal)));
    }
}

void measure_robust_rate(Section& s, const Recipes& of) {
  measure_belief(s, of);
  for (const auto& cell : of.cells()) {
    if (cell.question != Question::swept ||
        cell.recipes.front().recipe.widening == Widening::by_width)
      continue;
    for (const auto& named : cell.recipes) {
      const Place at{{"setting", cell.name}, {"arm", named.name}};
      const auto sweep = training::swept(cell, named.recipe, of.record());
      const auto range = good_rates(sweep, nearly_as_good);
      if (of.starts(cell, named)) {
        s.measure("octaves", at, over_seeds(of.good_octaves(cell, named)), second_study);
        if (!range.cut_below)
          s.measure("good_rates_from", at, Value::example(range.lower), second_study);
        if (!range.cut_above)
          s.measure("good_rates_to", at, Value::example(range.upper), second_study);
      }
      for (const auto& one : sweep)
        s.measure("swept_loss", Place(at).set("rate", one.rate), over_seeds(one.losses));
    }
  }
  for (const auto& p : pairings(of, robust_rate.id))
    s.measure("octaves_difference",
              {{"setting", p.cell}, {"arm", p.recipe}, {"against", p.against}},
              over_seeds(octave_differences(of, p)), second_study);
}

template <auto measure>
void of_second_study(Section& s, const Options&) {
  static const Recipes all(Record::of_recipes());
  measure(s, all);
}

}  // namespace

std::vector<cli::Measured> recipe_sections() {
  namespace claims = properties::training;
  return {{&claims::best_multiplier, of_second_study<measure_best_multiplier>},
          {&claims::table_rate, of_second_study<measure_table_rate>},
          {&claims::rotary_models, of_second_study<measure_rotary_models>},
          {&claims::learned_positions, of_second_study<measure_learned_positions>},
          {&claims::gap_closes, of_second_study<measure_gap_closes>},
          {&claims::width_transfer, of_second_study<measure_width_transfer>},
          {&claims::robust_rate, of_second_study<measure_robust_rate>}};
}

}  // namespace embedscale::training_analysis
