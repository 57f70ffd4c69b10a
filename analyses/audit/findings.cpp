// What stands out in an audit, what it comes to, and which claims its figures are instances of.
#include "audit/summary.hpp"

#include <embedscale/expected/softmax.hpp>
#include "report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace embedscale::audit {
namespace {

bool is_relative(PositionKind kind) {
  return kind == PositionKind::relative || kind == PositionKind::relative_bias ||
         kind == PositionKind::alibi;
}

std::string percent(double x) { return report::significant(100 * x, 3) + " %"; }

using Findings = std::vector<Finding>;

// A ratio of two parts that calls for nothing.
bool is_balanced(double ratio) { return ratio >= 0.5 && ratio <= 2; }

// Which multiplier balances the parts: none, or the root, or else the one that makes them equal; of
// positions where the code has none of tokens.
std::string balancing(const Configuration& c, const Scales& s) {
  const double m = std::abs(*s.scaled_down.factor.value),
               unscaled = m > 0 ? *s.input.token_to_position.value / m
                                : *s.input.entry_rms.value / *s.input.position_rms.value;
  if (c.token.when == MultipliedWhen::sinusoidal && c.position.kind != PositionKind::sinusoidal)
    return fmt::format("position.multiplier = {:.4g}, for a ratio of 1.000",
                       *c.position.multiplier * *s.input.token_to_position.value);
  const auto take = [&](const std::string& words, double multiplier) {
    return fmt::format("token.multiplier = {}, for a ratio of {}", words,
                       four_digits(multiplier * unscaled));
  };
  if (is_balanced(unscaled)) return take("1", 1);
  if (c.model.d_model)
    if (const double root = std::sqrt(static_cast<double>(*c.model.d_model));
        is_balanced(root * unscaled))
      return take("sqrt(d_model)", root);
  return take(fmt::format("{:.4g}", 1 / unscaled), 1 / unscaled);
}

// A field that is proportional to a deviation, so that this becomes 1.
std::string for_unit_logits(const std::string& field, double value, double deviation) {
  return fmt::format("{} = {:.4g}, for logits of standard deviation 1", field, value / deviation);
}

// Shares of the RMS that epsilon takes.
constexpr double much_taken = 0.01, little_taken = 0.001;

// The epsilon that takes little, from what the one that is there takes: with k = epsilon/q it
// leaves 1/sqrt(1 + k) of the RMS, or 1/(1 + k) for k = epsilon/sqrt(q) where it is added to the
// standard deviation.
std::string smaller_epsilon(const Configuration& c, double takes) {
  const NormLayer& norm = c.embedding_norm ? *c.embedding_norm : c.block.norm;
  const auto k = [&](double share) {
    return std::pow(1 - share, norm.placement == EpsilonPlacement::variance ? -2 : -1) - 1;
  };
  return fmt::format("{} = {:.3g}, for {}",
                     c.embedding_norm ? "embedding_norm.epsilon" : "block.epsilon",
                     *norm.epsilon * (k(little_taken) / k(takes)), percent(little_taken));
}

void input(const Configuration& c, const Scales& s, Findings& out) {
  const char* claim = "conventions.multiplier_sets_the_scale";
  const bool sets_none = c.merged.empty() || c.token.place == MultiplierPlace::behind_merge;
  if (!adds_positions(c.position.kind) && sets_none && c.token.multiplier &&
      *c.token.multiplier != 1)
    out.push_back({claim, Severity::note,
                   fmt::format("token.multiplier = {} scales the whole input: nothing is added to "
                               "the tokens, so it sets no ratio",
                               four_digits(*c.token.multiplier))});
  if (!s.input.token_to_position.value) return;
  const double ratio = *s.input.token_to_position.value;
  const double energy = std::min(1.0, ratio * ratio) / (1 + ratio * ratio);
  if (is_balanced(ratio)) return;
  const bool drowned = energy < 0.01;
  out.push_back(
      {claim, drowned ? Severity::warning : Severity::note,
       fmt::format("token.rms {} is {} times position.rms {}: {} have {} of the two parts' energy",
                   four_digits(*s.input.token_rms.value), four_digits(ratio),
                   four_digits(*s.input.position_rms.value), ratio > 1 ? "positions" : "tokens",
                   percent(energy)),
       drowned ? fmt::format("{}, at a ratio of {}",
                             ratio > 1 ? "tokens drown positions" : "positions drown tokens",
                             four_digits(ratio))
               : "",
       drowned ? balancing(c, s) : ""});
}

// Half of what one factor √d_model too many or too few makes.
bool part(double ratio, double root) {
  const double much = std::max(root / 2, 2.0);
  return ratio > much || ratio < 1 / much;
}

// Rows that part from the tokens' by about √d_model; where their size is not known, from what the
// projector gives.
void merged(const Configuration& c, const Scales& s, Findings& out) {
  const double m = s.scaled_down.factor.value.value_or(0);
  if (!c.model.d_model || m == 0) return;
  const double root = std::sqrt(static_cast<double>(*c.model.d_model));
  const bool behind = c.token.place == MultiplierPlace::behind_merge;
  for (std::size_t i = 0; i < s.merged.size(); ++i) {
    const auto& [factor, rms, ratio] = s.merged[i];
    if (!factor.value || !part(ratio.value.value_or(std::abs(*factor.value)), root)) continue;
    const std::string name = c.merged[i].name.empty() ? fmt::format("merged[{}]", i)
                                                      : c.merged[i].name,
                      by = four_digits(*factor.value);
    const auto take = [&](double multiplier, const char* what) {
      return fmt::format("merged[{}].multiplier = {:.4g}, for {}", i, multiplier, what);
    };
    const char* even = "rows as large as the tokens";
    out.push_back({"combination.merged_rows_share_the_factor", Severity::warning,
                   fmt::format("rows of {} are {} times what the projector gives{}", name, by,
                               ratio.value ? fmt::format(", and token.rms is {} times theirs",
                                                         four_digits(*ratio.value))
                                           : ""),
                   ratio.value ? fmt::format("tokens are {} times as large as rows of {}",
                                             four_digits(*ratio.value), name)
                               : fmt::format("rows of {} are {} times the projector's", name, by),
                   !ratio.value ? take(behind ? 1 / m : 1, "rows as the projector gives them")
                   : behind || part(std::abs(*factor.value), root)
                       ? take(*c.merged[i].multiplier * *ratio.value, even)
                       : fmt::format("token.multiplier = {:.4g}, for {}", m / *ratio.value, even)});
  }
}

void multiplier(const Configuration& c, const Scales& s, Findings& out) {
  const ScaledDown& down = s.scaled_down;
  const bool small =
      c.token.format == NumberFormat::binary16 || c.token.format == NumberFormat::bfloat16;
  if (small && down.rounding_error.value && *down.rounding_error.value != 0)
    out.push_back({"precision.rounded_root_d", Severity::note,
                   fmt::format("token.multiplier {} is {} in {}, {} off",
                               report::significant(*down.exact_factor.value, 6),
                               report::significant(*down.factor.value, 6), name_of(c.token.format),
                               percent(*down.rounding_error.value))});
}

void first_norm(const Configuration& c, const Scales& s, Findings& out) {
  const auto& [up, down] =
      std::pair(s.scaled_down.epsilon_shrinkage_up, s.scaled_down.epsilon_shrinkage_down);
  const char* claim = "normalization.epsilon_is_rescaled";
  if (up.value && *up.value > much_taken)
    out.push_back({claim, Severity::warning,
                   fmt::format("epsilon takes {} from the RMS behind the first norm that sees the "
                               "sum",
                               percent(*up.value)),
                   fmt::format("epsilon takes {} behind the first norm", percent(*up.value)),
                   smaller_epsilon(c, *up.value)});
  else if (down.value && *down.value > much_taken)
    out.push_back({claim, Severity::note,
                   fmt::format("epsilon would take {} from the RMS behind the first norm with the "
                               "positions scaled down instead, {} now",
                               percent(*down.value), percent(*up.value))});
}

void attention(const Configuration& c, const Scales& s, Findings& out) {
  const FirstLayer& first = s.first_layer;
  if (first.entropy.value && *c.model.positions > 1) {
    const double most = std::log(static_cast<double>(*c.model.positions));
    const double deviation = *first.logit_std_over_keys.value, edge = std::sqrt(2 * most);
    if (deviation > edge)
      out.push_back(
          {"attention.unscaled_softmax_saturates", Severity::warning,
           fmt::format("the first logits deviate by {} over {} keys, past sqrt(2 ln L) = {}: the "
                       "softmax is saturated at initialisation, with an entropy of {} nats of {}",
                       four_digits(deviation), *c.model.positions, four_digits(edge),
                       four_digits(*first.entropy.value), four_digits(most)),
           "the first softmax is saturated at initialisation",
           for_unit_logits("attention.scale", *c.attention.scale, deviation)});
  }
  if (first.token_token.value && *first.token_token.value < 0.01)
    out.push_back({"attention.first_layer_terms", Severity::note,
                   fmt::format("products of two tokens are {} of the first logits' mean square",
                               percent(*first.token_token.value))});
  if (is_relative(c.position.kind))
    out.push_back({"attention.first_layer_terms", Severity::note,
                   "relative positions add terms of their own to the first logits, which are left "
                   "out of first_layer"});
}

// What the loss is measured against where nothing tells V: bytes are the least of vocabularies in
// use. E ln((1/V)·sum of V exp) rises with V, as it is the mean of V such means over V - 1 of them,
// and ln is concave; so what is above ln V here is above it for each larger V, too.
constexpr std::int64_t least_vocabulary = 256;

// The factor of the logits; where the code has none for such an output, the parameter of its law:
// Xavier's, without one, are too narrow for a loss to mend.
std::string smaller_logits(const Output& output, double deviation) {
  if (output.when == MultipliedOutput::any || output.tied != false)
    return for_unit_logits("output.multiplier", *output.multiplier, deviation);
  return for_unit_logits(fmt::format("output.{}", parameter_key(output.law->kind)),
                         *output.law->parameter, deviation);
}

// Whether the loss starts more than a nat above that of equal logits.
void loss(const Configuration& c, const Scales& s, Findings& out) {
  const bool told = s.output.initial_loss.value.has_value();
  if (!s.output.logit_std.value || (!told && c.model.vocabulary)) return;
  const std::int64_t words = c.model.vocabulary.value_or(least_vocabulary);
  const double uniform = std::log(static_cast<double>(words)),
               deviation = *s.output.logit_std.value;
  const double value =
      told ? *s.output.initial_loss.value
           : expected::log_sum_exp_and_entropy(deviation, static_cast<std::uint64_t>(words))
                 .log_sum_exp.value;
  if (value <= uniform + 1) return;
  const std::string above = four_digits(value - uniform), logits = four_digits(deviation);
  out.push_back(
      {"tied_output.initial_loss", Severity::warning,
       told
           ? fmt::format("the initial loss {} is {} nats above ln V = {}: logits have a "
                         "standard deviation of {}",
                         four_digits(value), above, four_digits(uniform), logits)
           : fmt::format(
                 "logits have a standard deviation of {} at initialisation: the initial loss is {} "
                 "nats above ln V for V = {}, and more for each larger vocabulary; "
                 "model.vocabulary is not given",
                 logits, above, words),
       fmt::format("the loss at initialisation is {}{} nats above that of equal logits",
                   told ? "" : "at least ", above),
       smaller_logits(c.output, deviation)});
}

void own_logit(const Configuration& c, const Scales& s, Findings& out) {
  if (!s.output.initial_loss.value) return;
  const double uniform = std::log(static_cast<double>(*c.model.vocabulary)),
               deviation = *s.output.logit_std.value;
  const double largest = deviation * std::sqrt(2 * uniform);
  if (s.output.own_logit.value && *s.output.own_logit.value > largest && largest > 0)
    out.push_back(
        {"tied_output.copies_its_input", Severity::note,
         fmt::format("if the blocks added nothing, the input token's own logit would "
                     "be {} at initialisation, above the largest of the others, at most about {}; "
                     "output.initial_loss leaves it out",
                     four_digits(*s.output.own_logit.value), four_digits(largest))});
}

// "balance, first norm and loss".
std::string listed(const std::vector<std::string>& all) {
  if (all.size() < 2) return fmt::format("{}", fmt::join(all, ""));
  const auto last = std::prev(all.end());
  return fmt::format("{} and {}", fmt::join(all.begin(), last, ", "), *last);
}

// "needs model.vocabulary" of "needs model.vocabulary, which is not told: …".
std::string in_short(const std::string& reason) { return reason.substr(0, reason.find(", ")); }

}  // namespace

std::vector<Finding> findings_of(const Configuration& c, const Scales& s) {
  Findings out;
  input(c, s, out);
  merged(c, s, out);
  multiplier(c, s, out);
  first_norm(c, s, out);
  attention(c, s, out);
  loss(c, s, out);
  own_logit(c, s, out);
  return out;
}

std::string_view name_of(Severity severity) {
  return severity == Severity::warning ? "warning" : "note";
}

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
  const bool sines = c.position.kind == PositionKind::sinusoidal;
  const std::string_view of_law = "embedding.depends_on_initialisation",
                         of_sum = "combination.up_is_down_times_root_d",
                         of_root = "precision.rounded_root_d",
                         of_epsilon = "normalization.epsilon_is_rescaled",
                         of_logits = "attention.factor_is_a_temperature",
                         of_terms = "attention.first_layer_terms";
  // By how a path begins; the first that does.
  const std::pair<std::string_view, std::string_view> claims[] = {
      {"token.rms", of_law},
      {"extra.rms", of_law},
      {"position.rms", sines ? "sinusoidal.mean_square_is_half" : of_law},
      {"token_to_position", "conventions.multiplier_sets_the_scale"},
      {"position.constant_share", "sinusoidal.constant_share"},
      {"input.rms", of_sum},
      {"attention_input.rms", normed ? of_epsilon : of_sum},
      {"first_layer.shares.", of_terms},
      {"first_layer.", normed ? of_terms : of_logits},
      {"output.logit_std", "tied_output.one_table_two_scales"},
      {"output.initial_loss", "tied_output.initial_loss"},
      {"output.own_logit", "tied_output.copies_its_input"},
      {"merged[", "combination.merged_rows_share_the_factor"},
      {"optimizer.", "optimizer.relative_step"},
      {"scaled_down.input.rms", of_sum},
      {"scaled_down.epsilon_", of_epsilon},
      {"scaled_down.logit_std", of_logits},
      {"scaled_down.rounds_identically.", "combination.rounds_identically"},
      {"scaled_down.", of_root}};  // as rounded, and how much that is off
  for (const auto& [begin, claim] : claims)
    if (path.starts_with(begin)) return claim;
  throw std::invalid_argument(fmt::format("no claim is known for the figure {}", path));
}

}  // namespace embedscale::audit
