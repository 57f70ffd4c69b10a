#include "training/recipes/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace embedscale::training {

namespace study = properties::training;
using study::Family, study::Question, study::Swept;

namespace {

std::uint64_t seed_of(const RecipeCell& cell, std::size_t i) {
  return cell.question == Question::compared ? study::choosing_seed(i) : study::counted_seed(i);
}
std::size_t sweeping_seeds(const RecipeCell& cell) {
  return cell.question == Question::compared ? cell.choosing_seeds : cell.seeds;
}

std::vector<RecipeRun> at_rate(const RecipeCell& cell, const Recipe& recipe, double rate) {
  std::vector<RecipeRun> all;
  for (std::size_t i = 0; i < sweeping_seeds(cell); ++i)
    all.push_back({recipe, rate, seed_of(cell, i)});
  return all;
}

/// A rate twice or half this one, to as many digits as a run's name has.
double stepped(double rate, double factor) {
  return std::stod(fmt::format("{:.6g}", rate * factor));
}

/// A rate that the sweep still needs; none where it is whole.
std::optional<double> next_rate(const RecipeCell& cell, const std::vector<Swept>& known) {
  if (known.size() < 3) {
    for (const double factor : {1.0, 0.5, 2.0}) {
      const double rate = stepped(cell.first_rate, factor);
      if (std::ranges::find(known, rate, &Swept::rate) == known.end()) return rate;
    }
  }
  const std::size_t own = study::own_rate(known), last = known.size() - 1;
  const double limit = study::mean_loss(known[own]) + study::nearly_as_good;
  const auto goes_on = [&](std::size_t end) {
    return own == end || (cell.question == Question::swept && mean_loss(known[end]) < limit);
  };
  const double below = stepped(known.front().rate, 0.5), above = stepped(known.back().rate, 2);
  if (goes_on(0) && below >= study::least_rate) return below;
  if (goes_on(last) && above <= study::greatest_rate) return above;
  return std::nullopt;
}

}  // namespace

std::string name_of(const RecipeRun& run) {
  const auto& of = run.recipe;
  constexpr std::array families{"sinusoidal", "rotary", "learned"};
  return fmt::format("{}-{}-{}-{}-{}{}{}/m{:.4g}-s{:.4g}-p{:.4g}-t{:.4g}/{:.6g}/{}",
                     families[static_cast<std::size_t>(of.family)],
                     of.norms == NormPlacement::pre ? "pre" : "post", of.d, of.depth, of.steps,
                     of.output == study::Output::tied ? "-tied" : "",
                     of.widening == study::Widening::by_width ? "-by-width" : "", of.multiplier,
                     of.sigma, of.positions, of.table_rate, run.rate, run.seed);
}

std::vector<Swept> swept(const RecipeCell& cell, const Recipe& recipe, const Record& record) {
  std::vector<Swept> all;
  const auto look_at = [&](double rate) {
    Swept of{rate, {}};
    for (const auto& run : at_rate(cell, recipe, rate)) {
      const auto* found = record.find(name_of(run));
      if (found == nullptr) return;
      of.losses.push_back(found->outcome.loss);
    }
    all.push_back(std::move(of));
  };
  double rate = cell.first_rate;
  while (stepped(rate, 0.5) >= study::least_rate) rate = stepped(rate, 0.5);
  for (; rate <= study::greatest_rate; rate = stepped(rate, 2)) look_at(rate);
  return all;
}

std::optional<double> chosen_rate(const RecipeCell& cell, const Recipe& recipe,
                                  const Record& record) {
  const auto known = swept(cell, recipe, record);
  if (next_rate(cell, known)) return std::nullopt;
  const std::size_t own = study::own_rate(known);
  if (own == 0 || own == known.size() - 1) return known[own].rate;
  // A neighbour that fell off a cliff says where the cliff is, not how the loss bends.
  const double least = mean_loss(known[own]), most = least + study::steepest_neighbour;
  const double before = std::min(mean_loss(known[own - 1]), most),
               behind = std::min(mean_loss(known[own + 1]), most);
  return std::stod(
      fmt::format("{:.3g}", known[own].rate * std::exp2(study::vertex(before, least, behind))));
}

std::vector<RecipeRun> counted_runs(const RecipeCell& cell, const Recipe& recipe,
                                    const Record& record) {
  std::vector<RecipeRun> all;
  const auto add = [&](double rate) {
    for (std::size_t i = 0; i < cell.seeds; ++i)
      all.push_back({recipe, rate, study::counted_seed(i)});
  };
  if (cell.question == Question::moved) add(cell.first_rate);
  if (cell.question == Question::compared) {
    const auto rate = chosen_rate(cell, recipe, record);
    if (!rate) throw std::out_of_range("the sweep of a recipe is not whole");
    add(*rate);
  }
  if (cell.question == Question::swept)
    for (const auto& one : swept(cell, recipe, record)) add(one.rate);
  return all;
}

std::vector<RecipeRun> next_runs(const RecipeCell& cell, const Record& record) {
  std::vector<RecipeRun> all;
  for (const auto& [name, recipe] : cell.recipes) {
    std::vector<RecipeRun> wanted;
    auto known = swept(cell, recipe, record);
    const auto rate = cell.question == Question::moved ? std::nullopt : next_rate(cell, known);
    if (!rate) {
      wanted = counted_runs(cell, recipe, record);
    } else if (known.size() < 3) {
      for (const double factor : {1.0, 0.5, 2.0})
        for (const auto& run : at_rate(cell, recipe, stepped(cell.first_rate, factor)))
          wanted.push_back(run);
    } else {
      wanted = at_rate(cell, recipe, *rate);
    }
    for (const auto& run : wanted)
      if (record.find(name_of(run)) == nullptr) all.push_back(run);
  }
  return all;
}

Record finished_recipes(const Record& record) {
  Record all(record.provenance());
  const auto keep = [&](const RecipeRun& run) {
    all.keep(name_of(run), *record.find(name_of(run)));
  };
  for (const auto& cell : study::recipe_cells()) {
    if (!next_runs(cell, record).empty()) continue;
    for (const auto& [name, recipe] : cell.recipes) {
      for (const auto& one : swept(cell, recipe, record))
        for (const auto& run : at_rate(cell, recipe, one.rate)) keep(run);
      for (const auto& run : counted_runs(cell, recipe, record)) keep(run);
    }
  }
  return all;
}

/// As measured: the time grows a little slower than the square of the width.
double cost(const RecipeRun& run) {
  const double width = static_cast<double>(run.recipe.d) / 64;
  const double by_width = width <= 1 ? std::sqrt(width) : std::pow(width, 1.3);
  return by_width * run.recipe.steps / 300 * (0.3 + 0.35 * static_cast<double>(run.recipe.depth));
}

}  // namespace embedscale::training
