// What an audit comes to, and which claims its figures are instances of.
#include "audit/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace embedscale::audit {
namespace {

// "balance, first norm and loss".
std::string listed(const std::vector<std::string>& all) {
  if (all.size() < 2) return fmt::format("{}", fmt::join(all, ""));
  const auto last = std::prev(all.end());
  return fmt::format("{} and {}", fmt::join(all.begin(), last, ", "), *last);
}

// "needs model.vocabulary" of "needs model.vocabulary, which is not told: …".
std::string in_short(const std::string& reason) { return reason.substr(0, reason.find(", ")); }

}  // namespace

std::string verdict_of(const Configuration& c, const Scales& s,
                       const std::vector<Finding>& findings) {
  const std::pair<const char*, const Quantity*> checks[] = {
      {"balance", &s.input.token_to_position},
      {"first norm", &s.scaled_down.epsilon_shrinkage_up},
      {"first softmax", &s.first_layer.entropy},
      {"loss", &s.output.initial_loss}};
  std::vector<std::string> seen, wrong;
  std::vector<std::pair<std::string, std::vector<std::string>>> open;  // by what they need
  for (const auto& [name, figure] : checks) {
    const std::string needs = in_short(figure->missing);
    const auto same = std::ranges::find(open, needs, [](const auto& one) { return one.first; });
    if (figure->value)
      seen.emplace_back(name);
    else if (same != open.end())
      same->second.emplace_back(name);
    else if (!needs.starts_with("does not apply"))
      open.push_back({needs, {name}});
  }
  const Finding* worst = nullptr;
  for (const Finding& f : findings)
    if (f.severity == Severity::warning) {
      wrong.push_back(f.brief);
      if (!worst) worst = &f;
    }
  std::string words =
      worst          ? fmt::format("badly off: {}; try {}", fmt::join(wrong, "; "), worst->remedy)
      : seen.empty() ? "nothing can be said of it"
                     : fmt::format("nothing to mend in {}", listed(seen));
  for (const auto& [needs, names] : open)
    words += fmt::format("; not known: {} ({})", listed(names), needs);
  if (c.defaults_to("block.norm"))
    words += "; no block.norm is given, so none is assumed: say pre, post or none";
  return words;
}

std::string_view claim_of(std::string_view path, const Configuration& c) {
  const bool normed = c.embedding_norm || c.block.where == BlockNorm::pre;
  const bool adds = adds_positions(c.position.kind) || !c.extras.empty();
  const bool sines = c.position.kind == PositionKind::sinusoidal;
  if (path == "token.rms" || path == "extra.rms") return "embedding.depends_on_initialisation";
  if (path == "position.rms")
    return sines ? "sinusoidal.mean_square_is_half" : "embedding.depends_on_initialisation";
  if (path == "token_to_position") return "conventions.multiplier_sets_the_scale";
  if (path == "position.constant_share") return "sinusoidal.constant_share";
  if (path == "input.rms" || path == "scaled_down.input.rms")
    return "combination.up_is_down_times_root_d";
  if (path == "attention_input.rms")
    return normed ? "normalization.epsilon_is_rescaled" : "combination.up_is_down_times_root_d";
  if (path.starts_with("first_layer.shares.")) return "attention.first_layer_terms";
  if (path.starts_with("first_layer."))
    return !normed ? "attention.factor_is_a_temperature"
           : adds  ? "attention.first_layer_terms"
                   : "normalization.epsilon_is_rescaled";
  if (path == "output.logit_std") return "tied_output.one_table_two_scales";
  if (path == "output.initial_loss") return "tied_output.initial_loss";
  if (path == "output.own_logit") return "tied_output.copies_its_input";
  if (path.starts_with("optimizer.")) return "optimizer.relative_step";
  if (path == "scaled_down.factor" || path == "scaled_down.exact_factor" ||
      path == "scaled_down.rounding_error")
    return "precision.rounded_root_d";
  if (path.starts_with("scaled_down.epsilon_")) return "normalization.epsilon_is_rescaled";
  if (path == "scaled_down.logit_std") return "attention.factor_is_a_temperature";
  if (path.starts_with("scaled_down.rounds_identically.")) return "combination.rounds_identically";
  throw std::invalid_argument(fmt::format("no claim is known for the figure {}", path));
}

}  // namespace embedscale::audit
