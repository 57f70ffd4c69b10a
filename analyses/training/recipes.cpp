#include "training/recipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "properties/evidence/median.hpp"

namespace embedscale::training_analysis {
namespace {

/// Least over log₂ of a factor, seed by seed, of recipes at their own rates.
std::vector<Least> best_of(const std::vector<double>& factors, const std::vector<BySeed>& losses) {
  std::vector<double> x;
  for (const double factor : factors) x.push_back(std::log2(factor));
  std::vector<Least> all;
  for (std::size_t seed = 0; !losses.empty() && seed < losses.front().size(); ++seed) {
    std::vector<double> y;
    for (const auto& one : losses) y.push_back(one[seed]);
    all.push_back(least_of(x, y, steepest_neighbour));
  }
  return all;
}

/// The losses of a swept recipe, rate by rate, of one seed.
std::vector<Swept> sweep_of(const Recipes& of, const RecipeCell& cell, const NamedRecipe& recipe,
                            std::size_t seed) {
  auto all = training::swept(cell, recipe.recipe, of.record());
  for (auto& one : all) one.losses = {one.losses[seed]};
  return all;
}

/// Both are judged by what a difference has to be to count, but for what is believed to be alike.
Instance alike(const Recipes& of, const Pairing& p) {
  const Finding finding = finding_of(of, p);
  return {p.cell + ": " + p.recipe + " against " + p.against, finding == Finding::alike,
          are_unlike(finding)};
}

/// Whether an interval has this, or is wholly on one side of it.
Instance has(const std::string& about, const BySeed& values, double x) {
  const auto [lower, upper] = judged_difference(values).interval;
  const bool within = lower <= x && x <= upper;
  return {about, within, !within};
}

BySeed places(const std::vector<Least>& all) {
  BySeed out;
  for (const auto& one : all) out.push_back(one.at);
  return out;
}

/// Which recipe each claim compares with which, cell by cell.
void add_pairings(std::vector<Pairing>& to, const Recipes& of, const std::string& cell,
                  std::initializer_list<std::pair<const char*, const char*>> all) {
  if (of.find(cell) == nullptr) return;
  for (const auto& [recipe, against] : all) to.push_back({cell, recipe, cell, against});
}

std::string root_rate(const std::string& name) { return name + ", table's rate × √d_model"; }

}  // namespace

Value over_seeds(const BySeed& values) {
  BySeed sorted = values;
  std::ranges::sort(sorted);
  const auto interval = [&](double confidence) {
    return properties::evidence::median_interval(sorted, 1 - confidence);
  };
  return Estimate(properties::evidence::median(sorted), Seeds(sorted.size()))
      .with_interval(interval, 1 - widest_alpha(sorted.size()));
}

BySeed differences(const BySeed& a, const BySeed& b) {
  BySeed all;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) all.push_back(a[i] - b[i]);
  return all;
}

Difference judged_difference(const BySeed& values) {
  return paired_difference(values, BySeed(values.size(), 0.0), widest_alpha(values.size()));
}

Recipes::Recipes(const Record& record) : record_(record), cells_(recipe_cells()) {
  std::erase_if(
      cells_, [&](const RecipeCell& cell) { return !training::next_runs(cell, record_).empty(); });
}

const RecipeCell* Recipes::find(const std::string& cell) const {
  const auto found = std::ranges::find(cells_, cell, &RecipeCell::name);
  return found == cells_.end() ? nullptr : &*found;
}

const NamedRecipe& Recipes::recipe(const RecipeCell& cell, const std::string& name) const {
  const auto found = std::ranges::find(cell.recipes, name, &NamedRecipe::name);
  if (found == cell.recipes.end())
    throw std::out_of_range(fmt::format("{} has no recipe '{}'", cell.name, name));
  return *found;
}

BySeed Recipes::losses(const RecipeCell& cell, const std::string& name) const {
  BySeed all;
  for (const auto& run : training::counted_runs(cell, recipe(cell, name).recipe, record_))
    all.push_back(record_.find(training::name_of(run))->outcome.loss);
  return all;
}

bool Recipes::starts(const RecipeCell& cell, const NamedRecipe& of) const {
  const auto sweep = training::swept(cell, of.recipe, record_);
  return mean_loss(sweep[own_rate(sweep)]) <= loss_of_chance(Task::text) - loss_of_failure;
}

std::vector<Least> Recipes::best_rates(const RecipeCell& cell, const NamedRecipe& of) const {
  std::vector<Least> all;
  for (std::size_t seed = 0; seed < cell.seeds; ++seed) {
    std::vector<double> x, y;
    for (const auto& one : sweep_of(*this, cell, of, seed))
      x.push_back(std::log2(one.rate)), y.push_back(one.losses.front());
    all.push_back(least_of(x, y, steepest_neighbour));
  }
  return all;
}

BySeed Recipes::good_octaves(const RecipeCell& cell, const NamedRecipe& of) const {
  BySeed all;
  for (std::size_t seed = 0; seed < cell.seeds; ++seed) {
    const auto range = good_rates(sweep_of(*this, cell, of, seed), nearly_as_good);
    all.push_back(std::log2(range.upper / range.lower));
  }
  return all;
}

BySeed Recipes::moved(const RecipeCell& cell, const NamedRecipe& of, std::size_t signal) const {
  BySeed all;
  for (const auto& run : training::counted_runs(cell, of.recipe, record_))
    all.push_back(record_.find(training::name_of(run))->moved[signal]);
  return all;
}

std::vector<Least> Recipes::best_shares(const RecipeCell& cell) const {
  std::vector<double> shares;
  std::vector<BySeed> all;
  for (const auto& [name, recipe] : cell.recipes)
    if (recipe.multiplier > 0 && recipe.table_rate == 1) {
      shares.push_back(recipe.multiplier / std::sqrt(static_cast<double>(recipe.d)));
      all.push_back(losses(cell, name));
    }
  return best_of(shares, all);
}

std::vector<Least> Recipes::best_table_rates(const RecipeCell& cell) const {
  std::vector<double> rates;
  std::vector<BySeed> all;
  for (const auto& [name, recipe] : cell.recipes)
    if (name.starts_with("unscaled")) {
      rates.push_back(recipe.table_rate);
      all.push_back(losses(cell, name));
    }
  return best_of(rates, all);
}

std::vector<const RecipeCell*> by_width(const Recipes& of, Question question, Widening widening) {
  std::vector<const RecipeCell*> all;
  for (const auto& cell : of.cells()) {
    const auto& recipe = cell.recipes.front().recipe;
    const bool is_meant =
        recipe.widening == widening || (recipe.d == 64 && recipe.widening == Widening::one_rate);
    if (cell.question == question && is_meant && recipe.family == Family::sinusoidal &&
        recipe.norms == NormPlacement::pre)
      all.push_back(&cell);
  }
  std::ranges::sort(all, {}, [](const auto* cell) { return cell->recipes.front().recipe.d; });
  return all;
}

namespace {

/// The slopes over log₂ x of values that each cell gives seed by seed; the cells that have this
/// input.
BySeed slopes(const std::vector<const RecipeCell*>& cells, const std::string& input,
              const std::function<double(const Recipe&)>& x,
              const std::function<BySeed(const RecipeCell&, const NamedRecipe&)>& values) {
  std::vector<double> log_x;
  std::vector<BySeed> all;
  for (const auto* cell : cells) {
    const auto found = std::ranges::find(cell->recipes, input, &NamedRecipe::name);
    if (found == cell->recipes.end()) continue;
    log_x.push_back(std::log2(x(found->recipe)));
    all.push_back(values(*cell, *found));
  }
  BySeed out;
  if (all.size() < 2) return out;
  const auto seeds = std::ranges::min(all, {}, &BySeed::size).size();
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    std::vector<double> y;
    for (const auto& one : all) y.push_back(one[seed]);
    out.push_back(slope(log_x, y));
  }
  return out;
}

double width(const Recipe& of) { return static_cast<double>(of.d); }

}  // namespace

BySeed rate_exponents(const Recipes& of, const std::string& input, Widening widening) {
  auto cells = by_width(of, Question::swept, widening);
  std::erase_if(cells, [&](const RecipeCell* cell) {
    return std::ranges::none_of(cell->recipes, [&](const NamedRecipe& recipe) {
      return recipe.name == input && of.starts(*cell, recipe);
    });
  });
  return slopes(cells, input, width, [&](const RecipeCell& cell, const NamedRecipe& recipe) {
    return places(of.best_rates(cell, recipe));
  });
}

BySeed move_exponents(const Recipes& of, const std::string& input, Widening widening,
                      std::size_t signal) {
  return slopes(by_width(of, Question::moved, widening), input, width,
                [&](const RecipeCell& cell, const NamedRecipe& recipe) {
                  auto all = of.moved(cell, recipe, signal);
                  for (double& one : all) one = std::log2(one);
                  return all;
                });
}

BySeed gap_slopes(const Recipes& of, const std::string& input,
                  const std::vector<const RecipeCell*>& cells,
                  const std::function<double(const Recipe&)>& length) {
  return slopes(cells, input, length, [&](const RecipeCell& cell, const NamedRecipe&) {
    return differences(of, {cell.name, input, cell.name, "up"});
  });
}

BySeed differences(const Recipes& of, const Pairing& p) {
  return differences(of.losses(*of.find(p.cell), p.recipe),
                     of.losses(*of.find(p.against_cell), p.against));
}

BySeed octave_differences(const Recipes& of, const Pairing& p) {
  const auto& cell = *of.find(p.cell);
  return differences(of.good_octaves(cell, of.recipe(cell, p.recipe)),
                     of.good_octaves(cell, of.recipe(cell, p.against)));
}

Finding finding_of(const Recipes& of, const Pairing& p) {
  return judged(judged_difference(differences(of, p)), loss_that_counts);
}

std::vector<Pairing> pairings(const Recipes& of, std::string_view claim) {
  std::vector<Pairing> all;
  const auto add = [&](const std::string& cell, auto list) { add_pairings(all, of, cell, list); };
  using List = std::initializer_list<std::pair<const char*, const char*>>;
  if (claim == best_multiplier.id) {
    for (const auto& cell : of.cells())
      if (std::ranges::count(cell.recipes, "1/4", &NamedRecipe::name) > 0)
        for (const auto& [name, recipe] : cell.recipes)
          if (name != "1") all.push_back({cell.name, name, cell.name, "1"});
  } else if (claim == table_rate.id) {
    for (const char* cell : {"pre-norm", "post-norm"}) {
      if (of.find(cell) == nullptr) continue;
      for (const auto& [name, recipe] : of.find(cell)->recipes)
        if (name != "up") all.push_back({cell, name, cell, "up"});
    }
    for (const char* cell : {"rotary", "rotary, tied output", "learned positions, tied output"})
      if (of.find(cell) != nullptr)
        all.push_back({cell, root_rate("dropped, σ = 0.02"), cell, "kept, σ = 0.02"});
  } else if (claim == rotary_models.id) {
    for (const std::string cell : {"rotary", "rotary, tied output"}) {
      for (const std::string sigma : {"0.02", "1/√d_model", "1"})
        if (of.find(cell) != nullptr)
          all.push_back({cell, "kept, σ = " + sigma, cell, "dropped, σ = " + sigma});
      add(cell, List{{"folded, σ = 0.02·√d_model", "kept, σ = 0.02"},
                     {"dropped, σ = 1", "kept, σ = 1/√d_model"}});
      if (of.find(cell) != nullptr)
        all.push_back({cell, root_rate("dropped, σ = 0.02"), cell, "kept, σ = 0.02"});
    }
    if (of.find("rotary") != nullptr && of.find("rotary, tied output") != nullptr)
      all.push_back({"rotary, tied output", "kept, σ = 0.02", "rotary", "dropped, σ = 0.02"});
  } else if (claim == learned_positions.id) {
    const std::string cell = "learned positions, tied output", dropped = "dropped, σ = 0.02";
    add(cell, List{{"kept, σ = 0.02", "dropped, σ = 0.02"},
                   {"folded, σ = 0.02·√d_model", "dropped, σ = 0.02"},
                   {"folded, σ = 0.02·√d_model", "kept, σ = 0.02"}});
    if (of.find(cell) != nullptr) all.push_back({cell, root_rate(dropped), cell, dropped});
  } else if (claim == gap_closes.id) {
    for (const char* cell : {"pre-norm", "pre-norm, 1,200 steps", "pre-norm, 4,800 steps",
                             "pre-norm, 4 layers", "pre-norm, 8 layers"})
      add(cell, List{{"down", "up"}, {"unscaled", "up"}, {"folded", "up"}});
  } else if (claim == robust_rate.id) {
    for (const auto& cell : of.cells())
      if (cell.question == Question::swept &&
          cell.recipes.front().recipe.widening == Widening::one_rate)
        for (const auto& named : cell.recipes)
          if (named.name != "up" && of.starts(cell, named) &&
              of.starts(cell, of.recipe(cell, "up")))
            all.push_back({cell.name, "up", cell.name, named.name});
  }
  return all;
}

std::vector<Instance> instances(const Recipes& of, std::string_view claim) {
  std::vector<Instance> all;
  const auto all_alike = [&](const auto& is_asked) {
    for (const auto& p : pairings(of, claim))
      if (is_asked(p)) all.push_back(alike(of, p));
  };
  if (claim == best_multiplier.id) {
    for (const auto& cell : of.cells())
      if (std::ranges::count(cell.recipes, "1/4", &NamedRecipe::name) > 0)
        all.push_back(
            has(cell.name + ": the best share of √d_model is 1", places(of.best_shares(cell)), 0));
  } else if (claim == table_rate.id) {
    all_alike([](const Pairing& p) {
      return p.recipe == "unscaled, table's rate × 8" || p.against == "kept, σ = 0.02";
    });
  } else if (claim == rotary_models.id) {
    all_alike(
        [](const Pairing& p) { return p.recipe.starts_with("kept") && p.against_cell == p.cell; });
  } else if (claim == learned_positions.id) {
    all_alike([](const Pairing& p) {
      return p.recipe.starts_with("kept") && p.against.starts_with("dropped");
    });
  } else if (claim == gap_closes.id) {
    all_alike([](const Pairing& p) { return p.cell == "pre-norm, 4,800 steps"; });
  } else if (claim == width_transfer.id) {
    if (const auto exponents = rate_exponents(of, "up", Widening::one_rate); !exponents.empty())
      all.push_back(has("up: the best rate is one at all widths", exponents, 0));
  } else if (claim == robust_rate.id) {
    for (const auto& p : pairings(of, claim)) {
      const auto [lower, upper] = judged_difference(octave_differences(of, p)).interval;
      all.push_back({p.cell + ": up has more octaves than " + p.against, lower > 0, upper < 0});
    }
  } else {
    throw std::invalid_argument("the second study has no claim " + std::string(claim));
  }
  return all;
}

}  // namespace embedscale::training_analysis
