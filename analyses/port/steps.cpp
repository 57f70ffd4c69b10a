// The recipe's steps in words, each with its number.
#include "audit/parts.hpp"
#include "port/block_steps.hpp"
#include "port/port.hpp"

#include <fmt/core.h>

#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration;

constexpr std::string_view rounded = "porting.rounded_multiplier_is_the_function";
constexpr std::string_view layouts = "sinusoidal.layouts_are_permutations";

double used(const Configuration& c) { return *audit::factor_of(c).value; }

Instruction token_table(const Port& port, double s) {
  const double m = used(port.from), m_to = used(port.to);
  const std::string padding = "; a padding row of 0 stays 0.";
  std::string text = "Multiply every row by ";
  if (m_to == 1)
    text += multiplier_words(port.from) + padding +
            " Rounded as in FROM's code, they are its tokens, bit for bit.";
  else if (m == 1)
    text += fmt::format("{}; better, as it rounds once, divide it by TO's m′ = {}{}", number(s),
                        multiplier_words(port.to), padding);
  else
    text += fmt::format("{} = m/m′, FROM's m = {}, TO's m′ = {}{}", number(s),
                        multiplier_words(port.from), multiplier_words(port.to), padding);
  std::vector<std::string_view> claims{kept};
  // Where the format shows within the six digits that one would copy.
  const double exact = *port.from.token.multiplier;
  if (std::abs(m - exact) > 1e-6 * std::abs(exact)) {
    text += fmt::format(" FROM was trained with {}; with {} every token is {:.3g} % too {}.",
                        number(m), number(exact), 100 * std::abs((exact - m) / m),
                        std::abs(exact) < std::abs(m) ? "small" : "large");
    claims.push_back(rounded);
  }
  return {"multiply", std::string(name_of(Parameter::token_table)), s, text, claims, {}};
}

// g from what FROM stores, then what TO stores for f·g.
std::string gain_words(Gain from, Gain to, double f) {
  const std::string g = from == Gain::plain ? "g" : from == Gain::one_plus ? "(1 + w)" : "";
  const std::string product = f == 1      ? (from == Gain::one_plus ? "1 + w" : g)
                              : g.empty() ? number(f)
                                          : fmt::format("{}·{}", number(f), g);
  return to == Gain::one_plus ? fmt::format("w′ = {} − 1", product) : "g′ = " + product;
}

// Half of what bfloat16 numbers next to 1 are apart by below it.
constexpr double half_step = 0x1p-9;

std::string storage(Gain from, Gain to, double f) {
  if (from == to && to != Gain::one_plus) return "";
  std::string words;
  if (from == Gain::one_plus && to == Gain::plain)
    words =
        "; FROM stores w = g − 1, TO g itself, in all norms as a rule: g′ = 1 + w in the others";
  else if (from == Gain::plain)
    words = "; TO stores w′ = g′ − 1, in all norms as a rule: w′ = g − 1 in the others";
  else
    words = from == to ? "; both store w = g − 1" : "; TO stores w′ = g′ − 1";
  // In binary32 even a gain of 2^−10 keeps 14 of its 24 digits.
  if (to == Gain::one_plus && std::abs(f) < 0.25)
    words += fmt::format(
        "; near −1, w′ is not for bfloat16, where gains around 1 can be up to {:.2g} % off",
        100 * half_step / std::abs(f));
  return words;
}

constexpr const char* last_norm =
    "the norm whose output the table multiplies (an output head's, as in BERT; else in post-norm "
    "the last block's, of two stacks the decoder's)";

Instruction gain(const Port& port, double f) {
  const Gain from = port.from.final_norm.gain, to = port.to.final_norm.gain;
  return {"multiply",
          std::string(name_of(Parameter::gain)),
          f,
          fmt::format("Of {}, {}{}.", last_norm, gain_words(from, to, f), storage(from, to, f)),
          {place},
          {}};
}

Instruction multiplied(const Port& port, Parameter parameter, double s) {
  switch (parameter) {
    case Parameter::token_table: return token_table(port, s);
    case Parameter::gain: return gain(port, s);
    case Parameter::bias:
      return {"multiply", std::string(name_of(parameter)),
              s,          fmt::format("Of the same norm, b′ = {}·b.", number(s)),
              {place},    {}};
    case Parameter::position_table:
      return {"multiply",
              std::string(name_of(parameter)),
              s,
              fmt::format("Multiply every row by {}: FROM multiplies positions by {}, TO by {}.",
                          number(s), number(*port.from.position.multiplier),
                          number(*port.to.position.multiplier)),
              {kept},
              {}};
    case Parameter::output_table: break;
  }
  return {
      "multiply",
      std::string(name_of(parameter)),
      s,
      fmt::format("Multiply every row by {}: FROM multiplies logits by {}, TO by {}.", number(s),
                  number(*port.from.output.multiplier), number(*port.to.output.multiplier)),
      {kept},
      {}};
}

Instruction filled(const Port& port, Parameter parameter, double value) {
  if (parameter == Parameter::position_table)
    return {
        "fill",
        std::string(name_of(parameter)),
        value,
        fmt::format("Fill it with {}, and keep it out of training: FROM adds none.", number(value)),
        {kept},
        {}};
  const bool is_w = parameter == Parameter::gain && port.to.final_norm.gain == Gain::one_plus;
  return {"fill",
          std::string(name_of(parameter)),
          value,
          fmt::format("Fill it with {}{}, and keep it out of training: FROM's last norm has none.",
                      number(is_w ? value - 1 : value), is_w ? " (w, of a gain 1 + w)" : ""),
          {kept},
          {}};
}

std::string vectors(const Configuration& c) {
  const auto& p = c.position;
  if (p.kind == audit::PositionKind::learned) return "learned";
  return fmt::format(
      "{} frequencies of base {}, {}", audit::name_of(p.frequencies), number(*p.base),
      p.layout == SinusoidalLayout::halves ? "sines before cosines" : "sines and cosines in turn");
}

Instruction stored(const Port& port, double k) {
  const auto &p = port.from.position, &q = port.to.position;
  std::string text = "Give TO a table with FROM's own vectors";
  if (k != 1) text += fmt::format(", each times {}", number(k));
  text += fmt::format(", its row {} being FROM's position {}, and so on: FROM has {}; TO {}.",
                      q.first, p.first, vectors(port.from), vectors(port.to));
  if (p.kind == audit::PositionKind::sinusoidal) {
    text += " Permute no channels. The table is not trained, and has a last row, unlike sinusoids.";
  } else {
    text += " The table goes on training.";
  }
  if (port.to.token.when == audit::MultipliedWhen::sinusoidal)
    text +=
        " With a table TO's code does not multiply tokens; the other steps are for m′ = 1 "
        "therefore.";
  return {"store_positions",
          std::string(name_of(Parameter::position_table)),
          k,
          text,
          {kept, layouts},
          {}};
}

Instruction moved(const Port& port) {
  return {"move_position_rows",
          std::string(name_of(Parameter::position_table)),
          {},
          fmt::format(
              "Row {} of FROM, that of the first token, becomes row {} of TO, and so on, with its "
              "optimiser state.",
              port.from.position.first, port.to.position.first),
          {kept},
          {}};
}

Instruction permuted(const Port& port) {
  const auto d = *port.from.model.d_model;
  return {"permute_channels",
          "channels",
          {},
          fmt::format(
              "TO's channel j takes FROM's channel {}: in the tables, in gains and biases of all "
              "norms, in every matrix that reads or writes the stream, in the bias of each that "
              "writes it, and in the optimiser's state of all these. Or, for less work, give TO a "
              "table with FROM's own vectors, and permute nothing.",
              source_of_channel(to_halves(port), std::to_string(d / 2))),
          {kept, layouts},
          {}};
}

Instruction copied(double factor) {
  return {"copy_table",
          std::string(name_of(Parameter::output_table)),
          factor,
          fmt::format("Before all else, give the output a copy of FROM's token table{}.",
                      factor == 1 ? "" : ", each row times " + number(factor)),
          {place},
          {}};
}

Instruction instruction(const Port& port, const PortStep<double>& step) {
  switch (step.action) {
    case Action::copy_table: return copied(step.factor);
    case Action::multiply: return multiplied(port, step.parameter, step.factor);
    case Action::fill: return filled(port, step.parameter, step.factor);
    case Action::store_positions: return stored(port, step.factor);
    case Action::move_position_rows: return moved(port);
    case Action::set_logit_factor:
      return {"set_logit_factor",
              "logit factor",
              step.factor,
              fmt::format("Set TO's factor of the logits to {}; FROM has {}.", number(step.factor),
                          number(*port.from.output.multiplier)),
              {*port.from.output.tied ? place : kept},
              {}};
    case Action::permute_channels: break;
  }
  return permuted(port);
}

using Fields = std::vector<std::string_view>;

// The fields whose differences a step of the recipe makes up for. The factor of tied logits is that
// of the table, too.
Fields fields_of(const Port& port, const PortStep<double>& step) {
  const bool both_tied = *port.from.output.tied && *port.to.output.tied;
  const Fields positions = {"position.kind", "position.frequencies", "position.layout",
                            "position.base", "position.first",       "position.multiplier"};
  switch (step.action) {
    case Action::permute_channels: return {"position.layout"};
    case Action::store_positions: return positions;
    case Action::move_position_rows: return {"position.first"};
    case Action::set_logit_factor: return {"output.multiplier"};
    case Action::copy_table: return {"output.tied", "output.multiplier"};
    case Action::fill: break;
    case Action::multiply:
      if (step.parameter == Parameter::token_table)
        return both_tied ? Fields{"token.multiplier", "output.multiplier"}
                         : Fields{"token.multiplier"};
      if (step.parameter == Parameter::position_table) return {"position.multiplier"};
      if (step.parameter == Parameter::gain) return {"output.multiplier", "final_norm.gain"};
      return {"output.multiplier"};
  }
  if (step.parameter == Parameter::position_table) return positions;
  return {step.parameter == Parameter::gain ? "final_norm.gain" : "final_norm.bias"};
}

}  // namespace

std::vector<Instruction> instructions_of(const Port& port) {
  std::vector<Instruction> out;
  for (const auto& step : port.recipe.steps) {
    out.push_back(instruction(port, step));
    out.back().fields = fields_of(port, step);
  }
  // A gain that no factor changes may still be stored in another way.
  const Gain from = port.from.final_norm.gain, to = port.to.final_norm.gain;
  if (from != to && from != Gain::none && to != Gain::none &&
      port.recipe.factor_of(Parameter::gain) == 1)
    out.push_back({"rewrite",
                   std::string(name_of(Parameter::gain)),
                   {},
                   fmt::format("Of {}, store {}{}.", last_norm, gain_words(from, to, 1),
                               storage(from, to, 1)),
                   {kept},
                   {"final_norm.gain"}});
  add_block_steps(port, out);
  return out;
}

}  // namespace embedscale::port
