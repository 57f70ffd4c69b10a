#include "port/making.hpp"

#include "audit/error.hpp"
#include "audit/parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration;
using audit::ContentError;

// One of the two configurations, as errors and --set name it; its fields, which have to be told.
struct Side {
  const Configuration& c;
  std::string_view name, path;

  template <class Value>
  Value told(const char* field, const std::optional<Value>& value) const {
    if (value) return *value;
    throw ContentError(fmt::format("port: {} ({}) does not tell {}: say it with --set {}.{}=VALUE",
                                   name, audit::printable(c.name), field, path, field));
  }

  double factor(const char* field, double value) const {
    if (value != 0) return value;
    throw ContentError(
        fmt::format("port: {} ({}) has {} = 0: what it multiplies is lost, so no port brings it "
                    "back",
                    name, audit::printable(c.name), field));
  }
};

PositionVectors positions_of(const Side& side) {
  const Configuration& c = side.c;
  PositionVectors out;
  if (!audit::adds_positions(c.position.kind)) return out;
  out.first = c.position.first;
  out.source = PositionVectors::Source::learned;
  if (c.position.kind == audit::PositionKind::learned) return out;
  out.source = PositionVectors::Source::sinusoids;
  out.rule = c.position.frequencies;
  out.layout = *c.position.layout;
  out.base = side.told("position.base", c.position.base);
  return out;
}

// m and k as their codes compute them: m as rounded to its format. A logit factor has a place in
// the code where the configuration gives one, be it 1; an output of its own, where the program
// does not always tie.
Convention<double> convention_of(const Side& side) {
  const Configuration& c = side.c;
  Convention<double> out;
  side.factor("token.multiplier", side.told("token.multiplier", c.token.multiplier));
  // Rounding may make it 0, too, or infinite, of which factor_of tells no value.
  const auto rounded = audit::factor_of(c).value;
  if (!rounded)
    throw ContentError(fmt::format("port: {}'s token.multiplier leaves the range of {}", side.name,
                                   audit::name_of(c.token.format)));
  out.multiplier = side.factor("token.multiplier, as rounded,", *rounded);
  out.positions = positions_of(side);
  if (out.positions.source != PositionVectors::Source::none)
    out.position_multiplier =
        side.factor("position.multiplier", side.told("position.multiplier", c.position.multiplier));
  for (const auto& rows : c.merged)
    side.factor("merged[].multiplier", side.told("merged[].multiplier", rows.multiplier));
  out.gain = c.final_norm.gain;
  out.bias = c.final_norm.bias;
  out.tied = side.told("output.tied", c.output.tied);
  // An output of its own has d_model channels: no copy of a narrower table is one.
  out.can_untie = c.output.sharing != audit::Sharing::always && !c.token.is_factorised;
  const double logits =
      side.factor("output.multiplier", side.told("output.multiplier", c.output.multiplier));
  out.factor_only_if_tied = c.output.when == audit::MultipliedOutput::tied;
  if (!c.defaults_to("output.multiplier") && (out.tied || !out.factor_only_if_tied))
    out.logit_factor = logits;
  return out;
}

void require_one_width(const Side& from, const Side& to) {
  const auto has = from.told("model.d_model", from.c.model.d_model),
             gets = to.told("model.d_model", to.c.model.d_model);
  if (has != gets)
    throw ContentError(fmt::format(
        "port: the old code ({}) has d_model = {}, the new one ({}) {}: a checkpoint keeps its "
        "width; say what the new one would be with --set to.model.d_model={}",
        audit::printable(from.c.name), has, audit::printable(to.c.name), gets, has));
}

std::string table_words(const Configuration& c) {
  const auto& token = c.token;
  if (!token.has_table()) return "no token table (token.kind = features)";
  if (!token.is_factorised) return "a token table of d_model channels";
  return fmt::format("a token table of {} channels, projected{}", *token.width,
                     token.projects_sum() ? " with the positions" : "");
}

// The steps multiply tables, and a projection takes a factor on; but which channels are permuted
// would be those of the sum, and a projection of the one is no part of the other.
void require_one_table(const Configuration& from, const Configuration& to) {
  const auto words = table_words(from);
  const bool differ = words != table_words(to);
  const bool sines =
      from.token.is_factorised && (from.position.kind == audit::PositionKind::sinusoidal ||
                                   to.position.kind == audit::PositionKind::sinusoidal);
  if (!differ && !sines && from.token.has_table()) return;
  throw ContentError(fmt::format(
      "port: the old code ({}) has {}, the new one ({}) {}: {}", audit::printable(from.name), words,
      audit::printable(to.name), table_words(to),
      !from.token.has_table() || !to.token.has_table() ? "there is no table to move"
      : differ                                         ? "no step makes the one from the other"
               : "with sinusoids the steps are told for tables of d_model channels alone"));
}

// An output of its own has d_model channels, which a narrower table cannot be copied to.
void require_copy(const Configuration& from, const Configuration& to,
                  std::optional<FactorPlace> place) {
  const bool copied = to.output.tied == false || place == FactorPlace::own_table;
  if (!from.token.is_factorised || from.output.tied != true || !copied) return;
  throw ContentError(fmt::format(
      "port: the output of the old code ({}) is its token table, of {} channels, and an "
      "output of its own in the new one ({}) would have d_model: no copy fits",
      audit::printable(from.name), *from.token.width, audit::printable(to.name)));
}

// The new code with the old one's factor where the two differ by rounding alone, so that no step
// follows from it.
Convention<double> joined(const Convention<double>& from, Convention<double> to) {
  if (agree(from.multiplier, to.multiplier)) to.multiplier = from.multiplier;
  if (agree(from.position_multiplier, to.position_multiplier))
    to.position_multiplier = from.position_multiplier;
  const double had = from.factor(from.tied).value_or(1), has = to.factor(to.tied).value_or(1);
  const double s = from.tied && to.tied ? from.multiplier / to.multiplier : 1;
  if (agree(had / s, has) && had / s != has) to.logit_factor = had / s;
  return to;
}

void require_place(const Convention<double>& from, const Convention<double>& to,
                   FactorPlace place) {
  const auto refuse = [](const char* why) { throw ContentError(fmt::format("port: {}", why)); };
  if (!from.tied || !to.tied)
    refuse("--place: only where both outputs are tied do logits need a place for the factor");
  if (place == FactorPlace::logit_factor && !to.logit_factor)
    refuse(
        "--place logit_factor: the new code is given none; if it has one, say so with --set "
        "to.output.multiplier=1");
  if (place == FactorPlace::final_norm && to.gain == Gain::none)
    refuse("--place final_norm: the new code's last norm has no gain");
  if (place == FactorPlace::own_table && !to.can_untie)
    refuse(
        "--place own_table: the new code always ties; if it can untie, say so with --set "
        "to.output.sharing=by_default");
}

// s² and 1/s² are numbers to print as well.
void require_moderate(const std::vector<Instruction>& steps) {
  for (const auto& step : steps)
    if (const double size = std::abs(step.factor.value_or(0));
        size != 0 && !(size > 0x1p-500 && size < 0x1p500))
      throw ContentError(
          fmt::format("port: a parameter would be multiplied by {:.3g}: the two codes' factors are "
                      "too far apart",
                      *step.factor));
}

// A code that multiplies tokens beside sinusoids alone does not once it has a table in their place.
bool switches_to_a_table(const Port& port) {
  return port.to.token.when == audit::MultipliedWhen::sinusoidal &&
         std::ranges::any_of(port.recipe.steps, [](const auto& step) {
           return step.action == Action::store_positions;
         });
}

Followed followed(std::string_view parameter, double s) {
  // Signs go with the state; a rate, an ε and a decay have none.
  const double size = std::abs(s);
  const auto moments = carried(Moments<double>{1, 1}, s);
  const auto buffer = carried(Velocity<double>{1}, s);
  const auto adam = folded(Adam<double>{1, 0, 0, 1, 1}, size);
  const auto decayed = folded_by_schedule(AdamW<double>{{1, 0, 0, 1, 1}, 1}, size);
  const auto sgd = folded(Sgd<double>{1, 1}, size);
  return {std::string(parameter),
          s,
          {{"adam", "first_moment", "Adam: first moment", moments.first},
           {"adam", "second_moment", "Adam: second moment", moments.second},
           {"adam", "epsilon", "Adam: epsilon", adam.epsilon},
           {"adam", "rate", "Adam: rate", adam.rate},
           {"adam", "decay", "AdamW: decay (1)", decayed.decay},
           {"adam", "l2", "Adam: L2 penalty", adam.penalty},
           {"sgd", "buffer", "SGD, momentum: buffer (2)", buffer.v},
           {"sgd", "rate", "SGD, momentum: rate", sgd.rate},
           {"sgd", "l2", "SGD, momentum: L2 penalty", sgd.penalty}}};
}

}  // namespace

bool Port::keeps_function() const {
  return std::ranges::none_of(obstacles, &Remark::stops_function) &&
         std::ranges::none_of(differences, &Remark::stops_function);
}

std::optional<Outcome> Port::outcome_of(std::string_view field) const {
  const auto speaks = [&](const Remark& one) {
    return one.name == field || std::ranges::count(one.fields, field) > 0;
  };
  const auto stops = [&](const Remark& one) { return one.stops_function && speaks(one); };
  if (std::ranges::any_of(obstacles, stops) || std::ranges::any_of(differences, stops))
    return Outcome::not_kept;
  if (std::ranges::any_of(
          steps, [&](const Instruction& one) { return std::ranges::count(one.fields, field) > 0; }))
    return Outcome::step;
  if (std::ranges::any_of(differences, speaks) || std::ranges::count(without_effect, field) > 0)
    return Outcome::covered;
  return std::nullopt;
}

OptimizerTable optimizer_table(const Port& port) {
  OptimizerTable out;
  const auto add = [&](std::size_t row, std::string_view label, double factor) {
    if (row == out.rows.size()) out.rows.push_back({label, {}});
    out.rows[row].second.push_back(number(factor));
  };
  std::vector<double> shown;
  for (const auto& [parameter, s, settings] : port.optimizer) {
    if (const auto same = std::ranges::find(shown, s); same != shown.end()) {
      out.columns[static_cast<std::size_t>(same - shown.begin())] += ", " + parameter;
      continue;
    }
    shown.push_back(s);
    out.columns.push_back(parameter);
    std::size_t row = 0;
    add(row++, "s", s);
    for (const auto& one : settings) add(row++, one.label, one.factor);
    add(row, "weight in a global norm", std::abs(s));
  }
  return out;
}

Port port_of(Configuration from, Configuration to, std::optional<FactorPlace> place) {
  const Side from_side{from, "the old code", "from"}, to_side{to, "the new code", "to"};
  require_one_width(from_side, to_side);
  require_one_table(from, to);
  require_copy(from, to, place);
  const auto source = convention_of(from_side);
  auto target = convention_of(to_side);
  if (place) require_place(source, target, *place);
  Port out{std::move(from), std::move(to), {}, {}, {}, {}, {}, {}, {}};
  out.recipe = recipe(source, joined(source, target), place);
  if (switches_to_a_table(out)) {
    out.to.token.multiplier = target.multiplier = 1;
    out.recipe = recipe(source, joined(source, target), place);
  }
  out.steps = instructions_of(out);
  require_moderate(out.steps);
  // Computed positions are not trained, nor is the table that they are stored in.
  const bool trains_positions = source.positions.source == PositionVectors::Source::learned;
  for (const auto& step : out.steps)
    if ((step.action == "multiply" || step.action == "store_positions") && *step.factor != 1 &&
        (trains_positions || step.parameter != name_of(Parameter::position_table)))
      out.optimizer.push_back(followed(step.parameter, *step.factor));
  out.obstacles = obstacles_of(out);
  set_differences(out);
  out.not_told = not_told_of(out);
  return out;
}

std::string_view name_of(Parameter parameter) {
  constexpr std::string_view names[] = {"token table", "position table", "gain", "bias",
                                        "output table"};
  return names[static_cast<std::size_t>(parameter)];
}

std::string number(double x) { return fmt::format("{:.12g}", x); }

std::string multiplier_words(const Configuration& c) {
  const double exact = *c.token.multiplier, used = *audit::factor_of(c).value;
  const bool root = exact == std::sqrt(static_cast<double>(*c.model.d_model));
  std::string words = number(used);
  if (root) words += fmt::format(", √{}", *c.model.d_model);
  if (used != exact)
    words += fmt::format("{} rounded to {}", root ? "" : ", " + number(exact),
                         audit::name_of(c.token.format));
  return words;
}

}  // namespace embedscale::port
