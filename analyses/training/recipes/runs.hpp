#pragma once
// Which runs the design of the second study asks for, given what is known. Needs no libtorch.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/training/paired.hpp"
#include "properties/training/recipe_design.hpp"
#include "training/study/record.hpp"

namespace embedscale::training {

using properties::training::Recipe, properties::training::RecipeCell,
    properties::training::RecipeRun;

/// "sinusoidal-pre-64-2-300/m8-s0.125-p1-t1/0.012/100": family, norms, width, depth, steps; the
/// recipe's input and output; rate, seed.
std::string name_of(const RecipeRun& run);

/// What is known of a recipe's rates, ascending: those that every one of the cell's seeds has.
std::vector<properties::training::Swept> swept(const RecipeCell& cell, const Recipe& recipe,
                                               const Record& record);
/// The rate that a recipe is compared at; none while its sweep is not whole.
std::optional<double> chosen_rate(const RecipeCell& cell, const Recipe& recipe,
                                  const Record& record);

/// The runs of a recipe that count: at its own rate, at all rates of its sweep, or at the first.
///
/// Errors    std::out_of_range where one is missing.
std::vector<RecipeRun> counted_runs(const RecipeCell& cell, const Recipe& recipe,
                                    const Record& record);

/// The runs of a cell that are missing, and can be made by what is known: none where it is whole.
std::vector<RecipeRun> next_runs(const RecipeCell& cell, const Record& record);

/// All runs of those cells that are whole.
Record finished_recipes(const Record& record);

/// What a run takes, in runs of 300 steps at 64 channels.
double cost(const RecipeRun& run);

}  // namespace embedscale::training
