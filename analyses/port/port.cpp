#include "port/port.hpp"

#include "audit/error.hpp"
#include "audit/parts.hpp"
#include "port/convention.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration;
using audit::ContentError;

void require_one_width(const Configuration& from, const Configuration& to) {
  for (const auto& [c, side] : {std::pair(&from, Side::from), std::pair(&to, Side::to)})
    if (!c->model.d_model)
      throw ContentError(
          fmt::format("port: {} ({}) does not tell model.d_model: say it with --set "
                      "{}.model.d_model=VALUE",
                      name_of(side), audit::printable(c->name), path_of(side)));
  if (from.model.d_model == to.model.d_model) return;
  throw ContentError(
      fmt::format("port: FROM ({}) has d_model = {}, TO ({}) {}: a checkpoint keeps its width; "
                  "say what TO would be with --set to.model.d_model={}",
                  audit::printable(from.name), *from.model.d_model, audit::printable(to.name),
                  *to.model.d_model, *from.model.d_model));
}

// Codes compute a factor in binary32 or better, but where a configuration says otherwise, and round
// it once: of the four in c·m′ = c′·m two sides that should be equal differ by at most 4·2^−24.
bool agree(double x, double y) { return std::abs(x - y) <= 0x1p-22 * std::abs(y); }

// Makes one what differs by that rounding alone, so that no step follows from it.
void join(const Convention<double>& from, Convention<double>& to) {
  if (agree(from.multiplier, to.multiplier)) to.multiplier = from.multiplier;
  if (agree(from.position_multiplier, to.position_multiplier))
    to.position_multiplier = from.position_multiplier;
  const double had = from.logit_factor.value_or(1), has = to.logit_factor.value_or(1);
  const double s = from.tied && to.tied ? from.multiplier / to.multiplier : 1;
  if (agree(had / s, has) && had / s != has) to.logit_factor = had / s;
}

void require_place(const Convention<double>& from, const Convention<double>& to,
                   FactorPlace place) {
  const auto refuse = [](const char* why) { throw ContentError(fmt::format("port: {}", why)); };
  if (!from.tied || !to.tied)
    refuse("--place: only where both outputs are tied do logits need a place for the factor");
  if (place == FactorPlace::logit_factor && !to.logit_factor)
    refuse(
        "--place logit_factor: TO gives none; if its code has one, say so with --set "
        "to.output.multiplier=1");
  if (place == FactorPlace::final_norm && to.gain == Gain::none)
    refuse("--place final_norm: TO's last norm has no gain");
  if (place == FactorPlace::own_table && !to.can_untie)
    refuse(
        "--place own_table: TO always ties; if its code can untie, say so with --set "
        "to.output.sharing=by_default");
}

// s² and 1/s² are numbers to print as well.
void require_moderate(const Recipe<double>& recipe) {
  for (const auto& step : recipe.steps)
    if (const double size = std::abs(step.factor);
        step.factor != 0 && !(size > 0x1p-500 && size < 0x1p500))
      throw ContentError(
          fmt::format("port: a parameter would be multiplied by {:.3g}: the two codes' factors are "
                      "too far apart",
                      step.factor));
}

}  // namespace

bool Port::keeps_function() const {
  return std::ranges::none_of(obstacles, &Remark::stops_function) &&
         std::ranges::none_of(differences, &Remark::stops_function);
}

Followed followed(Parameter parameter, double s) {
  // Signs go with the state; a rate, an ε and a decay have none.
  const double size = std::abs(s);
  const auto moments = carried(Moments<double>{1, 1}, s);
  const auto buffer = carried(Velocity<double>{1}, s);
  const auto adam = folded(Adam<double>{1, 0, 0, 1, 1}, size);
  const auto decayed = folded_by_schedule(AdamW<double>{{1, 0, 0, 1, 1}, 1}, size);
  const auto sgd = folded(Sgd<double>{1, 1}, size);
  return {parameter,
          s,
          {moments.first, moments.second, adam.epsilon, adam.rate, decayed.decay, adam.penalty},
          {buffer.v, sgd.rate, sgd.penalty}};
}

OptimizerTable optimizer_table(const Port& port) {
  OptimizerTable out;
  std::vector<Followed> shown;
  for (const auto& one : port.optimizer) {
    const auto same = std::ranges::find(shown, one.s, &Followed::s);
    if (same != shown.end()) {
      out.columns[static_cast<std::size_t>(same - shown.begin())] +=
          fmt::format(", {}", name_of(one.parameter));
    } else {
      shown.push_back(one);
      out.columns.emplace_back(name_of(one.parameter));
    }
  }
  const auto row = [&](std::string_view label, auto value) {
    out.rows.push_back({label, {}});
    for (const auto& one : shown) out.rows.back().second.push_back(number(value(one)));
  };
  row("s", [](const Followed& f) { return f.s; });
  row("Adam: first moment", [](const Followed& f) { return f.adam.first_moment; });
  row("Adam: second moment", [](const Followed& f) { return f.adam.second_moment; });
  row("Adam: epsilon", [](const Followed& f) { return f.adam.epsilon; });
  row("Adam: rate", [](const Followed& f) { return f.adam.rate; });
  row("AdamW: decay (1)", [](const Followed& f) { return f.adam.decay; });
  row("Adam: L2 penalty", [](const Followed& f) { return f.adam.l2; });
  row("SGD, momentum: buffer (2)", [](const Followed& f) { return f.sgd.buffer; });
  row("SGD, momentum: rate", [](const Followed& f) { return f.sgd.rate; });
  row("SGD, momentum: L2 penalty", [](const Followed& f) { return f.sgd.l2; });
  row("weight in a global norm", [](const Followed& f) { return std::abs(f.s); });
  return out;
}

Port port_of(Configuration from, Configuration to, std::optional<FactorPlace> place) {
  require_one_width(from, to);
  const auto source = convention_of(from, Side::from);
  auto target = convention_of(to, Side::to);
  if (place) require_place(source, target, *place);
  join(source, target);
  // Computed positions are not, nor is the table that they are stored in.
  const auto is_trained = [&](Parameter parameter) {
    return parameter != Parameter::position_table ||
           source.positions.source == PositionVectors::Source::learned;
  };
  Port out{std::move(from), std::move(to), recipe(source, target, place), {}, {}, {}, {}, {}};
  require_moderate(out.recipe);
  for (const auto parameter : {Parameter::token_table, Parameter::position_table, Parameter::gain,
                               Parameter::bias, Parameter::output_table})
    if (const double s = out.recipe.factor_of(parameter); s != 1 && is_trained(parameter))
      out.optimizer.push_back(followed(parameter, s));
  out.steps = instructions_of(out);
  out.obstacles = obstacles_of(out);
  out.differences = differences_of(out);
  out.not_told = not_told_of(out);
  return out;
}

std::string_view name_of(Parameter parameter) {
  switch (parameter) {
    case Parameter::token_table: return "token table";
    case Parameter::position_table: return "position table";
    case Parameter::gain: return "gain";
    case Parameter::bias: return "bias";
    case Parameter::output_table: break;
  }
  return "output table";
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
