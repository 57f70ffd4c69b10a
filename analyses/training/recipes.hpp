#pragma once
// What the runs of the second study come to, seed by seed: losses of recipes at their own rates,
// differences, the best of a scan, slopes; and which of what is believed they bear out.
#include <functional>
#include <string>
#include <vector>

#include "properties/training/recipe_design.hpp"
#include "properties/training/trend.hpp"
#include "training/recipes/runs.hpp"
#include "training/results.hpp"

namespace embedscale::training_analysis {

using properties::training::Recipe, training::RecipeCell, training::RecipeRun;

/// A number for each seed.
using BySeed = std::vector<double>;

/// The median over seeds, from the least to the greatest of them.
Value over_seeds(const BySeed& values);
/// a[i] − b[i], of the seeds that both have.
BySeed differences(const BySeed& a, const BySeed& b);
Difference judged_difference(const BySeed& values);

/// The cells whose runs are all there.
class Recipes {
 public:
  explicit Recipes(const Record& record);

  const Record& record() const { return record_; }
  const std::vector<RecipeCell>& cells() const { return cells_; }
  /// nullptr where its runs are not all there.
  const RecipeCell* find(const std::string& cell) const;
  /// Losses of a compared recipe at its own rate.
  ///
  /// Errors    std::out_of_range: no such recipe in the cell.
  BySeed losses(const RecipeCell& cell, const std::string& recipe) const;
  const NamedRecipe& recipe(const RecipeCell& cell, const std::string& name) const;
  /// Whether a swept recipe learns at its best rate: ends, in the mean, loss_of_failure below
  /// chance.
  bool starts(const RecipeCell& cell, const NamedRecipe& of) const;
  /// Of a swept recipe, each seed by itself: where its loss is least over log₂ of the rate.
  std::vector<Least> best_rates(const RecipeCell& cell, const NamedRecipe& of) const;
  /// The octaves of rates around that within nearly_as_good of it.
  BySeed good_octaves(const RecipeCell& cell, const NamedRecipe& of) const;
  /// Each signal's movement, seed by seed.
  BySeed moved(const RecipeCell& cell, const NamedRecipe& of, std::size_t signal) const;
  /// Where a seed's loss is least over log₂ of the multiplier's share of √d_model.
  std::vector<Least> best_shares(const RecipeCell& cell) const;
  /// The same over log₂ of the table's rate, of unscaled.
  std::vector<Least> best_table_rates(const RecipeCell& cell) const;

 private:
  Record record_;
  std::vector<RecipeCell> cells_;
};

/// The cells of one question that differ in the width alone, in its order; at 64 channels rates by
/// width are one rate.
std::vector<const RecipeCell*> by_width(const Recipes& of, Question question, Widening widening);
/// The exponent in the width, seed by seed, of the best rate of this input, where it starts, or of
/// how far a signal moves.
BySeed rate_exponents(const Recipes& of, const std::string& input, Widening widening);
BySeed move_exponents(const Recipes& of, const std::string& input, Widening widening,
                      std::size_t signal);
/// Of the gaps of an input to up in these cells, seed by seed: per doubling of steps or layers.
BySeed gap_slopes(const Recipes& of, const std::string& input,
                  const std::vector<const RecipeCell*>& cells,
                  const std::function<double(const Recipe&)>& length);

/// The setup of its runs, a Markdown table.
///
/// Errors    std::invalid_argument where they are of another text than was counted.
std::string recipe_setup(const Recipes& of);

/// One instance of what is believed, and what was found of it.
struct Instance {
  std::string about;
  bool holds, refuted;  ///< neither: the seeds do not tell
};
/// Of one claim of the second study.
///
/// Errors    std::invalid_argument for another claim.
std::vector<Instance> instances(const Recipes& of, std::string_view claim);

/// Two recipes of which the first is compared with the second.
struct Pairing {
  std::string cell, recipe, against_cell, against;
};
/// Those that a claim is about: of losses; of robust_rate, of octaves of what starts.
std::vector<Pairing> pairings(const Recipes& of, std::string_view claim);
BySeed differences(const Recipes& of, const Pairing& pairing);
BySeed octave_differences(const Recipes& of, const Pairing& pairing);
Finding finding_of(const Recipes& of, const Pairing& pairing);

}  // namespace embedscale::training_analysis
