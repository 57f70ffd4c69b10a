// A port's steps in words, each with its number: those of the recipe, then what is to be done
// within the blocks and to further tables, which it does not have.
#include "audit/error.hpp"
#include "audit/parts.hpp"
#include "port/making.hpp"

#include <fmt/core.h>

#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration;
using Names = std::vector<std::string_view>;

constexpr std::string_view rounded = "porting.rounded_multiplier_is_the_function";
constexpr std::string_view layouts = "sinusoidal.layouts_are_permutations";

const Names of_positions = {"position.kind", "position.frequencies", "position.layout",
                            "position.base", "position.first",       "position.multiplier"};

std::string multiply_words(std::string_view what, double s, std::string_view multiplied,
                           const audit::Number& from, const audit::Number& to) {
  return fmt::format("Multiply {} by {}: the old code multiplies {} by {}, the new one by {}.",
                     what, number(s), multiplied, number(*from), number(*to));
}

Instruction token_table(const Port& port, double s) {
  const double m = *audit::factor_of(port.from).value, m_to = *audit::factor_of(port.to).value;
  const std::string padding = "; a padding row of 0 stays 0.";
  std::string text = "Multiply every row by ";
  if (m_to == 1)
    text += multiplier_words(port.from) + padding +
            " Rounded as in the old code, they are its tokens, bit for bit.";
  else if (m == 1)
    text += fmt::format("{}; better, as it rounds once, divide it by the new code's m′ = {}{}",
                        number(s), multiplier_words(port.to), padding);
  else
    text += fmt::format("{} = m/m′, the old code's m = {}, the new one's m′ = {}{}", number(s),
                        multiplier_words(port.from), multiplier_words(port.to), padding);
  Instruction made{text, {kept}, {"token.multiplier"}};
  // Where the format shows within the six digits that one would copy.
  const double exact = *port.from.token.multiplier;
  if (std::abs(m - exact) > 1e-6 * std::abs(exact)) {
    made.text +=
        fmt::format(" The model was trained with {}; with {} every token is {:.3g} % too {}.",
                    number(m), number(exact), 100 * std::abs((exact - m) / m),
                    std::abs(exact) < std::abs(m) ? "small" : "large");
    made.claims.push_back(rounded);
  }
  // The factor of tied logits is that of the table, too.
  if (*port.from.output.tied && *port.to.output.tied) made.fields.push_back("output.multiplier");
  return made;
}

// g from what the old code stores, then what the new one stores for f·g.
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
        "; the old code stores w = g − 1, the new one g itself, in all norms as a rule: "
        "g′ = 1 + w in the others";
  else if (from == Gain::plain)
    words = "; the new code stores w′ = g′ − 1, in all norms as a rule: w′ = g − 1 in the others";
  else
    words = from == to ? "; both store w = g − 1" : "; the new code stores w′ = g′ − 1";
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

Instruction multiplied(const Port& port, Parameter parameter, double s) {
  const auto &from = port.from, &to = port.to;
  switch (parameter) {
    case Parameter::token_table: return token_table(port, s);
    case Parameter::gain:
      return {fmt::format("Of {}, {}{}.", last_norm,
                          gain_words(from.final_norm.gain, to.final_norm.gain, s),
                          storage(from.final_norm.gain, to.final_norm.gain, s)),
              {place},
              {"output.multiplier", "final_norm.gain"}};
    case Parameter::bias:
      return {
          fmt::format("Of the same norm, b′ = {}·b.", number(s)), {place}, {"output.multiplier"}};
    case Parameter::position_table:
      return {multiply_words("every row", s, "positions", from.position.multiplier,
                             to.position.multiplier),
              {kept},
              {"position.multiplier"}};
    case Parameter::output_table: break;
  }
  return {multiply_words("every row", s, "logits", from.output.multiplier, to.output.multiplier),
          {kept},
          {"output.multiplier"}};
}

Instruction filled(const Port& port, Parameter parameter, double value) {
  const bool gain = parameter == Parameter::gain,
             is_w = gain && port.to.final_norm.gain == Gain::one_plus,
             is_table = parameter == Parameter::position_table;
  return {fmt::format("Fill it with {}{}, and keep it out of training: the old code{}.",
                      number(is_w ? value - 1 : value), is_w ? " (w, of a gain 1 + w)" : "",
                      is_table ? " adds none" : "'s last norm has none"),
          {kept},
          is_table ? of_positions : Names{gain ? "final_norm.gain" : "final_norm.bias"}};
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
  std::string text = "Give the new code a position table of the old vectors";
  if (k != 1) text += fmt::format(", each times {}", number(k));
  text += fmt::format(
      ": row {} is the old position {}, and so on. The old code has {}, the new one {}.", q.first,
      p.first, vectors(port.from), vectors(port.to));
  text += p.kind == audit::PositionKind::sinusoidal
              ? " Permute no channels. The table is not trained, and has a last row, unlike "
                "sinusoids."
              : " The table goes on training.";
  if (port.to.token.when == audit::MultipliedWhen::sinusoidal)
    text +=
        " With a position table the new code does not multiply tokens, so the other steps are for "
        "m′ = 1.";
  return {text, {kept, layouts}, of_positions};
}

bool to_halves(const Port& port) { return port.to.position.layout == SinusoidalLayout::halves; }

// The old code's channel for the new one's j, h being half the width.
std::string source_of_channel(const Port& port, const std::string& h) {
  return to_halves(port) ? fmt::format("2j for j < {0}, 2(j − {0}) + 1 from there on", h)
                         : fmt::format("j/2 for even j, {} + (j − 1)/2 for odd j", h);
}

// Its text, the claims that it is an instance of, the fields whose differences it makes up for.
Instruction wording(const Port& port, const PortStep<double>& step) {
  switch (step.action) {
    case Action::copy_table:
      return {
          fmt::format("Before all else, give the output a copy of the old code's token table{}.",
                      step.factor == 1 ? "" : ", each row times " + number(step.factor)),
          {place},
          {"output.tied", "output.multiplier"}};
    case Action::multiply: return multiplied(port, step.parameter, step.factor);
    case Action::fill: return filled(port, step.parameter, step.factor);
    case Action::store_positions: return stored(port, step.factor);
    case Action::move_position_rows:
      return {fmt::format("Row {} of the old code, that of the first token, becomes row {} of the "
                          "new one, and so on, with its optimiser state.",
                          port.from.position.first, port.to.position.first),
              {kept},
              {"position.first"}};
    case Action::set_logit_factor:
      return {fmt::format("Set the new code's factor of the logits to {}; the old one has {}.",
                          number(step.factor), number(*port.from.output.multiplier)),
              {*port.from.output.tied ? place : kept},
              {"output.multiplier"}};
    case Action::permute_channels: break;
  }
  return {
      fmt::format(
          "The new code's channel j takes the old one's channel {}: in the tables, in gains and "
          "biases of all norms, in every matrix that reads or writes the stream, in the bias of "
          "each that writes it, and in the optimiser's state of all these. Or, for less work, give "
          "the new code a position table of the old vectors, and permute nothing.",
          source_of_channel(port, std::to_string(*port.from.model.d_model / 2))),
      {kept, layouts},
      {"position.layout"}};
}

Instruction instruction(const Port& port, const PortStep<double>& step) {
  constexpr std::string_view actions[] = {
      "copy_table",       "multiply",        "fill", "store_positions", "move_position_rows",
      "set_logit_factor", "permute_channels"};
  Instruction out = wording(port, step);
  out.action = actions[static_cast<std::size_t>(step.action)];
  out.parameter = name_of(step.parameter);
  out.factor = step.factor;
  if (step.action == Action::permute_channels) out.parameter = "channels", out.factor = {};
  if (step.action == Action::move_position_rows) out.factor = {};
  if (step.action == Action::set_logit_factor) out.parameter = "logit factor";
  return out;
}

// What bears on a factor that both tell and that differs; of one that is 0 the other is not made.
void multiply(std::vector<Instruction>& out, const std::string& where, std::string_view what,
              std::string_view multiplied, std::string_view field, const audit::Number& from,
              const audit::Number& to) {
  if (!from || !to || *from == 0 || *to == 0 || agree(*from, *to)) return;
  const double s = *from / *to;
  out.push_back(
      {multiply_words(what, s, multiplied, from, to), {kept}, {field}, "multiply", where, s});
}

void rotary_layout(const Port& port, std::vector<Instruction>& out) {
  const auto &p = port.from.position, &q = port.to.position;
  const auto rotary = audit::PositionKind::rotary;
  if (p.kind != rotary || q.kind != rotary || !p.layout || !q.layout || p.layout == q.layout)
    return;
  const auto d_k = port.from.model.d_k;
  const auto *neighbours = "neighbouring", *halves = "the two halves'";
  out.push_back(
      {fmt::format(
           "The old code turns {} channels of a head together, the new one {}. Within each head, "
           "row j of the new W_Q and W_K, and of their biases, is the old row {}, "
           "with its optimiser state.",
           to_halves(port) ? neighbours : halves, to_halves(port) ? halves : neighbours,
           source_of_channel(port, d_k ? std::to_string(*d_k / 2) : "d_k/2")),
       {kept},
       {"position.layout"},
       "permute_heads",
       "query and key projections"});
}

}  // namespace

std::vector<Instruction> instructions_of(const Port& port) {
  const auto &from = port.from, &to = port.to;
  std::vector<Instruction> out;
  for (const auto& step : port.recipe.steps) out.push_back(instruction(port, step));
  // A gain that no factor changes may still be stored in another way.
  const Gain had = from.final_norm.gain, has = to.final_norm.gain;
  if (had != has && had != Gain::none && has != Gain::none &&
      port.recipe.factor_of(Parameter::gain) == 1)
    out.push_back({fmt::format("Of {}, store {}{}.", last_norm, gain_words(had, has, 1),
                               storage(had, has, 1)),
                   {kept},
                   {"final_norm.gain"},
                   "rewrite",
                   std::string(name_of(Parameter::gain))});
  multiply(out, "query projection", "W_Q and b_Q of every attention", "scores", "attention.scale",
           from.attention.scale, to.attention.scale);
  multiply(out, "branch outputs",
           "W_O of every attention and the last matrix of every feed-forward network, and their "
           "biases,",
           "branches", "block.residual_multiplier", from.block.residual_multiplier,
           to.block.residual_multiplier);
  rotary_layout(port, out);
  for (std::size_t i = 0; from.extras.size() == to.extras.size() && i < from.extras.size(); ++i)
    multiply(out, fmt::format("table of extra[{}]", i), "every row", "it", "extra[].multiplier",
             from.extras[i].multiplier, to.extras[i].multiplier);
  for (std::size_t i = 0; from.merged.size() == to.merged.size() && i < from.merged.size(); ++i) {
    const auto before = out.size();
    multiply(out, fmt::format("projector of merged[{}]", i),
             fmt::format("the last linear layer of what makes rows of {}, weight and bias,",
                         audit::printable(from.merged[i].name)),
             "them", "merged[].multiplier", audit::merged_factor(from, from.merged[i]).value,
             audit::merged_factor(to, to.merged[i]).value);
    if (out.size() == before) continue;
    out.back().claims.push_back(merged_rows);
    out.back().fields.push_back("token.multiplier_place");
  }
  return out;
}

}  // namespace embedscale::port
