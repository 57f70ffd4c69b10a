// What no step makes up for, and what differs beside the recipe.
#include "audit/parts.hpp"
#include "port/making.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration;
using Remarks = std::vector<Remark>;

constexpr std::string_view follows = "porting.optimizer_state_follows";

std::string where_positions_are(const Port& port) {
  const auto words = [](const Configuration& c) {
    return fmt::format("{} ({})",
                       audit::adds_positions(c.position.kind) ? "adds positions" : "adds none",
                       audit::name_of(c.position.kind));
  };
  return fmt::format("The old code {}, the new one {}.", words(port.from), words(port.to));
}

Remark remark(const Port& port, Obstacle obstacle) {
  // In the order of the obstacles; of two the text hangs on the port.
  static const Remark all[] = {
      {"positions_differ", true, "", kept, {"position.kind"}},
      {"gain_is_missing",
       true,
       "The old code's last norm has a gain, the new one's none. Only an output of its own could "
       "take it, channel by channel.",
       kept,
       {"final_norm.gain"}},
      {"bias_is_missing",
       true,
       "The old code's last norm has a bias, the new one's none. It adds one number to each word's "
       "logit, which a bias of the output could take.",
       kept,
       {"final_norm.bias"}},
      {"factor_has_no_place",
       true,
       "Tied logits would be multiplied by what the table is: the new code has no logit factor, no "
       "gain before the output, and no output of its own.",
       place,
       {"token.multiplier", "output.multiplier"}},
      {"output_must_be_the_table", true, "", place, {"output.tied", "output.multiplier"}},
      {"table_trains_apart", false,
       "The old code trains one table, the new one from now on two, each by its own part of the "
       "gradient. The state of the one suits neither.",
       follows},
      {"decay_pulls_elsewhere", false,
       "Weight decay pulls a stored w = g − 1 to a gain of 1, a stored gain to 0. If the old code "
       "decays gains, training differs in every norm whose storage or factor changes.",
       follows},
      {"global_clipping", false,
       "A step that clips by the norm of all gradients clips by another factor: the gradient of "
       "what was multiplied is 1/s of what it was. Weight it by s.",
       "porting.global_clipping_parts"}};
  Remark out = all[static_cast<std::size_t>(obstacle)];
  if (obstacle == Obstacle::positions_differ) out.text = where_positions_are(port);
  if (obstacle == Obstacle::output_must_be_the_table)
    out.text = fmt::format(
        "The old code's output is a matrix of its own, the new one's is the token "
        "table{}.",
        port.to.output.sharing != audit::Sharing::always
            ? "; the new code can untie: --set to.output.tied=false"
            : "");
  return out;
}

// What attention does of its own for positions.
audit::PositionKind within_attention(const Configuration& c) {
  return audit::adds_positions(c.position.kind) ? audit::PositionKind::none : c.position.kind;
}

void within_attention_differs(Remarks& out, const Configuration& from, const Configuration& to) {
  const auto a = within_attention(from), b = within_attention(to);
  if (a != b)
    out.push_back({"position.kind", true,
                   fmt::format("Within attention the old code has {} positions, the new one {}. No "
                               "step reaches there.",
                               audit::name_of(a), audit::name_of(b))});
}

void positions(Remarks& out, const Configuration& from, const Configuration& to) {
  if (!from.model.positions || !to.model.positions) return;
  const auto has = *from.model.positions, gets = *to.model.positions;
  if (gets == has) return;
  out.push_back(
      {"model.positions", false,
       gets < has
           ? fmt::format(
                 "The new code takes {} of the old one's {} positions: the function is kept that "
                 "far.",
                 gets, has)
       : to.position.kind == audit::PositionKind::learned
           ? fmt::format("The new code has {} rows more than the old one: they were never trained.",
                         gets - has)
           : fmt::format(
                 "The new code takes {} positions, the old one {}: it was not trained on the "
                 "others.",
                 gets, has)});
}

void extras(Remarks& out, const Configuration& from, const Configuration& to) {
  if (from.extras.size() == to.extras.size()) return;
  out.push_back(
      {"extra",
       true,
       fmt::format("The old code adds {} further tables, the new one {}. If all positions "
                   "have the same row, it can be added to every row of a position table.",
                   from.extras.size(), to.extras.size()),
       {},
       {"extra[].name", "extra[].law", "extra[].standard_deviation", "extra[].half_range",
        "extra[].rows", "extra[].multiplier"}});
}

// Rows that the old code never merged were in no function of its own.
void merged(Remarks& out, const Configuration& from, const Configuration& to) {
  const auto has = from.merged.size(), gets = to.merged.size();
  if (has == gets) return;
  out.push_back(
      {"merged",
       has != 0,
       fmt::format("The old code merges {} kinds of rows with the tokens', the new one {}"
                   ": that of tokens alone is the same.",
                   has, gets),
       merged_rows,
       {"merged[].name", "merged[].rms", "merged[].multiplier", "token.multiplier_place"}});
}

void vocabulary(Remarks& out, const Configuration& from, const Configuration& to) {
  if (!from.model.vocabulary || !to.model.vocabulary) return;
  const auto has = *from.model.vocabulary, gets = *to.model.vocabulary;
  if (gets > has)
    out.push_back(
        {"model.vocabulary", false,
         fmt::format("The new code has {} rows more: fill them with 0, and mask their logits, "
                     "which are 0 then and would count in every softmax.",
                     gets - has)});
  else if (gets < has)
    out.push_back({"model.vocabulary", true,
                   fmt::format("The new code has {} rows, the old one {}: give it as many (--set "
                               "to.model.vocabulary={}).",
                               gets, has, has)});
}

// The names of fields that bear on no function: of these a port says no more than that they differ.
constexpr std::string_view without[] = {
    "name", "source.repository", "source.commit", "source.files", "token.rms", "output.sharing",
    "extra[].name", "extra[].rows", "merged[].name", "merged[].rms",
    // These show in the multiplier itself.
    "token.multiplier_when", "token.multiplier_place", "token.multiplier_format",
    "output.multiplier_when"};
constexpr std::string_view factors[] = {
    "position.multiplier", "token.multiplier",   "block.residual_multiplier", "attention.scale",
    "output.multiplier",   "extra[].multiplier", "merged[].multiplier"};

bool is_epsilon(const audit::Field& field) {
  return field.path.find(".epsilon") != std::string::npos;
}

// A factor that only rounding parts is the same; of merged rows all that no step is for.
bool is_same(const audit::Field& field, const std::string& from, const std::string& to) {
  return from == to || field.path == "merged[].multiplier" ||
         (bearing_of(field) == Bearing::factor && field.path != "extra[].multiplier" &&
          !from.empty() && !to.empty() && agree(std::stod(from), std::stod(to)));
}

}  // namespace

Bearing bearing_of(const audit::Field& field) {
  const auto& kind = field.distribution;
  if (!kind.empty() || std::ranges::count(without, field.path) > 0) return Bearing::none;
  return std::ranges::count(factors, field.path) > 0 ? Bearing::factor : Bearing::function;
}

audit::Told value_of(const audit::Field& field, const Configuration& c) {
  if (field.path == "merged[].multiplier") {  // as the first block gets them
    std::string all;
    for (const auto& rows : c.merged) {
      const auto factor = audit::merged_factor(c, rows).value;
      if (!factor) return std::nullopt;
      all += fmt::format("{} ", *factor);
    }
    return all;
  }
  if (field.path != "token.multiplier") return field.value(c);
  const auto rounded = audit::factor_of(c).value;
  return rounded ? audit::Told(fmt::format("{}", *rounded)) : std::nullopt;
}

bool agree(double x, double y) { return std::abs(x - y) <= 0x1p-22 * std::abs(y); }

std::vector<Remark> obstacles_of(const Port& port) {
  Remarks out;
  for (const auto obstacle : port.recipe.obstacles) out.push_back(remark(port, obstacle));
  // What the recipe does not multiply may be multiplied all the same.
  if (!port.optimizer.empty() &&
      std::ranges::count(port.recipe.obstacles, Obstacle::global_clipping) == 0)
    out.push_back(remark(port, Obstacle::global_clipping));
  return out;
}

void set_differences(Port& port) {
  const auto &from = port.from, &to = port.to;
  auto& out = port.differences;
  if (std::ranges::none_of(port.obstacles,
                           [](const Remark& one) { return one.name == "positions_differ"; }))
    within_attention_differs(out, from, to);
  positions(out, from, to);
  extras(out, from, to);
  merged(out, from, to);
  vocabulary(out, from, to);
  for (const auto& field : audit::fields()) {
    const auto a = value_of(field, from), b = value_of(field, to);
    if (!a || !b || *a == *b || port.outcome_of(field.path)) continue;
    if (bearing_of(field) == Bearing::none || is_same(field, *a, *b))
      port.without_effect.push_back(field.path);
    else if (!a->empty() && !b->empty())  // else it hangs on another field
      out.push_back(
          {field.path, true,
           fmt::format("The old code has {}, the new one {}. No step makes up for it: change "
                       "the new one (--set to.{}={}).",
                       *a, *b, field.path, *a),
           is_epsilon(field) ? "normalization.epsilon_is_rescaled" : ""});
  }
}

// Both sides have to count, and one not to tell.
std::string not_told_of(const Port& port) {
  std::string list;
  for (const auto& field : audit::fields()) {
    const auto a = value_of(field, port.from), b = value_of(field, port.to);
    if (bearing_of(field) == Bearing::none || (a && b) || a == "" || b == "") continue;
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", field.path,
                        a   ? " (the new code)"
                        : b ? " (the old code)"
                            : "");
  }
  return list;
}

}  // namespace embedscale::port
