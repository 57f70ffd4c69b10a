// What all runs of the study share, and where they differ: the table that the page begins with.
#include <fmt/format.h>

#include "report/table.hpp"
#include "training/recipes.hpp"
#include "training/results.hpp"

namespace embedscale::training_analysis {
namespace {

/// The tokens of the text that has this hash, as training/study/text.cpp reads it.
constexpr std::string_view text_hash = "2d157d0d1c4f6991";
constexpr std::uint64_t trained_tokens = 1'062'976, held_out_tokens = 126'915;

/// "0.00075 to 0.048, each twice the one before".
std::string told(std::span<const double> rates) {
  return fmt::format("{} to {}, each twice the one before", rates.front(), rates.back());
}

/// In how many of the compared runs an arm at its own rate is seen by `count`.
std::uint64_t counted(const Record& record, const std::vector<Cell>& cells,
                      std::uint64_t (ArmRuns::*count)() const) {
  std::uint64_t all = 0;
  for (const auto& cell : cells)
    for (const Arm arm : cell.arms) all += (runs_of(record, cell, arm).*count)();
  return all;
}

std::uint64_t compared(const std::vector<Cell>& cells) {
  std::uint64_t arms = 0;
  for (const auto& cell : cells) arms += cell.arms.size();
  return arms * compared_seeds;
}

}  // namespace

std::uint64_t parameters_of(const Setting& s) {
  const std::uint64_t d = s.d, inner = feed_forward_factor * d, tables = vocabulary_of(s.task) * d;
  const std::uint64_t attention = 4 * (d * d + d), network = 2 * d * inner + inner + d;
  const std::uint64_t norm = 2 * d, last_norm = s.norms == NormPlacement::pre ? norm : 0;
  return (s.output == Output::tied ? 1 : 2) * tables + layers * (attention + network + 2 * norm) +
         last_norm;
}

std::string setup(const Record& record) {
  if (record.provenance().text != text_hash)
    throw std::invalid_argument(
        "training: the record is of another text than setup.cpp tells the tokens of");
  const Setting usual;
  Setting wide = usual, wider = usual;
  wide.d = 128, wider.d = 256;
  const auto cells = finished_cells(record);
  const std::uint64_t tokens = batch * length;
  Table table = Table::headed("What|All runs, unless a setting is named otherwise");
  const auto row = [&](const char* what, std::string value) {
    table.row({what, std::move(value)});
  };
  row("Model", fmt::format("{} blocks, pre- or post-norm, {} heads, a ReLU network of {}·d_model, "
                           "LayerNorm with ε = {}; d_model = {} ({} parameters, pre-norm on text), "
                           "{} ({}) or {} ({})",
                           layers, heads, feed_forward_factor, significant(norm_epsilon, 1),
                           usual.d, count(parameters_of(usual)), wide.d, count(parameters_of(wide)),
                           wider.d, count(parameters_of(wider))));
  row("Input",
      fmt::format("a token table of σ = 1/√d_model, unless the arm has another; the paper's "
                  "sinusoids; {} positions",
                  length));
  row("Output", "a matrix of its own, normal with σ = 1/√d_model, or the token table (*tied*)");
  row("Other weights", "Xavier uniform, biases 0");
  row("Text", fmt::format("the sayings of Debian's package `fortunes`, {} byte-pair tokens; {} to "
                          "train on, {} held out: the next token, by a causal model",
                          text_vocabulary, count(trained_tokens), count(held_out_tokens)));
  row("Reversal",
      fmt::format("rows of {} symbols of {}, backwards, by a model that sees the whole row", length,
                  symbols));
  row("Steps",
      fmt::format("{}, or 4 times as many, of {} sequences, {} tokens: a run of {} sees {} "
                  "tokens",
                  usual.steps, batch, tokens, usual.steps,
                  count(tokens * static_cast<std::uint64_t>(usual.steps))));
  row("Optimiser", fmt::format("Adam, β₁ = {}, β₂ = {}, ε = {}, or SGD with momentum {}; no decay, "
                               "clipping or dropout",
                               beta_1, beta_2, significant(adam_epsilon, 1), momentum_coefficient));
  row("Schedule", "rate·min(t/w, √(w/t)) at step t, w a tenth of all steps; or a constant rate");
  row("Rates", fmt::format("one for all parameters, chosen for every arm in every setting by the "
                           "mean loss of {} seeds: from {} (Adam) or {} (momentum), fewer in long "
                           "and wide settings, then a factor √2 to either side of the best",
                           swept_seeds, told(adam_rates), told(momentum_rates)));
  row("Comparison",
      fmt::format("{} other seeds; the same weights and batches for all arms", compared_seeds));
  row("Runs",
      fmt::format("{} in all. Of the {} that arms have at their own rates on those {} seeds, "
                  "{} *never start*: they end less than {} nat below chance, having learnt "
                  "hardly more than how frequent the tokens are; {} diverge",
                  count(record.size()), count(compared(cells)), compared_seeds,
                  count(counted(record, cells, &ArmRuns::never_started)), loss_of_failure,
                  count(counted(record, cells, &ArmRuns::diverged))));
  return table.markdown() + "\n";
}

namespace {

constexpr std::string_view recipes_text_hash = "3db3b382548e1977";
constexpr std::uint64_t recipes_trained = 4'090'182, recipes_held_out = 606'877;

/// How many of the intervals of all pairings miss their median, on average.
double expected_misses(const Recipes& of) {
  double sum = 0;
  for (const auto& claim : claims)
    for (const auto& p : pairings(of, claim.id))
      sum += widest_alpha(std::min(of.find(p.cell)->seeds, of.find(p.against_cell)->seeds));
  return sum;
}

}  // namespace

std::string recipe_setup(const Recipes& of) {
  if (of.record().provenance().text != recipes_text_hash)
    throw std::invalid_argument(
        "training: the second record is of another text than setup.cpp tells the tokens of");
  Table table = Table::headed("What|The second study");
  const auto row = [&](const char* what, std::string value) {
    table.row({what, std::move(value)});
  };
  const Recipe usual;
  const auto cells = recipe_cells();
  const auto cell = [&](std::string_view name) -> const RecipeCell& {
    return *std::ranges::find(cells, name, &RecipeCell::name);
  };
  const auto &short_runs = cell("pre-norm"), &long_runs = cell("pre-norm, 1,200 steps"),
             &longest_runs = cell("pre-norm, 4,800 steps");
  const auto longest = count(static_cast<std::uint64_t>(longest_runs.recipes.front().recipe.steps));
  row("Pre-norm, post-norm", "the first study's model, matrices and Adam");
  row("Rotary",
      fmt::format(
          "rotary positions, pre-norm RMSNorm with ε = {}, SwiGLU of {} channels at d_model "
          "= {}, no biases; matrices of σ = 1/√fan_in, as the output's where it is not tied",
          significant(rms_norm_epsilon, 1), inner_width({.family = Family::rotary}), usual.d));
  row("Learned positions",
      fmt::format("GPT-2's recipe: positions of σ = {}, pre-norm LayerNorm, a GELU network of "
                  "4·d_model, biases; matrices of σ = {}, those that write to the residual stream "
                  "1/√(2·layers) of that; the output is the token table",
                  learned_position_sigma, learned_sigma));
  row("Optimiser of both",
      fmt::format("AdamW, β₁ = {}, β₂ = {}, ε = {}, decay {} of matrices and tables; gradients "
                  "clipped at a norm of {}; a linear warm-up over a tenth of the steps, then a "
                  "cosine to {} of the rate",
                  decoder_beta_1, decoder_beta_2, significant(decoder_epsilon, 1), decoder_decay,
                  clipped_norm, last_rate));
  row("Size",
      fmt::format("d_model = {}, {} blocks, {} steps of {} tokens, unless a setting is named "
                  "otherwise",
                  usual.d, usual.depth, usual.steps, batch * length));
  row("Text",
      fmt::format("the documentation of Perl, Debian's package `perl-doc`, {} byte-pair tokens; {} "
                  "to train on, {} held out",
                  text_vocabulary, count(recipes_trained), count(recipes_held_out)));
  row("Rates",
      fmt::format("each recipe's own, by {} other seeds ({} at {} steps and 8 blocks): a sweep of "
                  "ratio 2, then the vertex of a parabola over log(rate)",
                  short_runs.choosing_seeds, longest_runs.choosing_seeds, longest));
  row("Comparison",
      fmt::format(
          "{} other seeds, {} of long and deep runs and of d_model = 128, {} of {} steps and "
          "of sweeps: an interval from the least to the greatest of n misses its median in "
          "one case of 2ⁿ⁻¹, so that of all intervals between two recipes {} miss, on "
          "average",
          short_runs.seeds, long_runs.seeds, longest_runs.seeds, longest,
          significant(expected_misses(of), 2)));
  row("Runs", count(of.record().size()));
  return table.markdown() + "\n";
}

}  // namespace embedscale::training_analysis
