// A port for people.
#include "audit/error.hpp"
#include "audit/summary.hpp"
#include "port/making.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace embedscale::port {
namespace {

using audit::Configuration, audit::paragraph;

std::string with_claims(const std::string& text, const std::vector<std::string_view>& claims) {
  std::string list;
  for (const auto claim : claims)
    if (!claim.empty()) list += fmt::format("{}{}", list.empty() ? " [" : ", ", claim);
  return text + list + (list.empty() ? "" : "]");
}

std::string position_words(const Configuration& c) {
  const auto& p = c.position;
  if (!audit::adds_positions(p.kind)) return fmt::format("{} positions", audit::name_of(p.kind));
  std::string words = fmt::format("{} positions", audit::name_of(p.kind));
  if (p.kind == audit::PositionKind::sinusoidal)
    words += fmt::format(" ({} frequencies, {})", audit::name_of(p.frequencies),
                         audit::name_of(*p.layout));
  if (p.first != 0) words += fmt::format(" from row {} on", p.first);
  return words + fmt::format(", times {}", number(*p.multiplier));
}

std::string norm_words(const audit::FinalNorm& norm) {
  if (norm.gain == Gain::none) return "no gain before the output";
  return fmt::format("last norm with gain{}{}", norm.gain == Gain::one_plus ? " 1 + w" : "",
                     norm.bias ? " and bias" : "");
}

std::string side_words(const Configuration& c) {
  return fmt::format("{}: tokens times {}; {}; {}; {} output, logits times {}",
                     audit::printable(c.name), multiplier_words(c), position_words(c),
                     norm_words(c.final_norm), *c.output.tied ? "tied" : "untied",
                     number(*c.output.multiplier));
}

std::string optimizer_words(const Port& port) {
  if (port.optimizer.empty())
    return "\nNo step multiplies a parameter: settings and unmoved state stay.\n";
  const auto [headings, rows] = optimizer_table(port);
  std::string out =
      "\nTo go on training: multiply state and settings of each parameter by\n"
      "[porting.optimizer_state_follows]\n\n";
  const auto line = [&](std::string_view label, const std::vector<std::string>& cells) {
    out += fmt::format("  {:<25}", label);
    for (const auto& cell : cells) out += fmt::format(" {:>16}", cell);
    out += "\n";
  };
  line("", headings);
  for (const auto& [label, cells] : rows) line(label, cells);
  return out + fmt::format("\n  {}\n", OptimizerTable::note);
}

// Where tied logits are kept although the table is multiplied and no step is for them.
std::string without_step(const Port& port) {
  const double s = port.recipe.factor_of(Parameter::token_table);
  const bool both_tied = *port.from.output.tied && *port.to.output.tied;
  const auto is_for_them = [](const PortStep<double>& step) {
    return step.action == Action::copy_table || step.action == Action::set_logit_factor ||
           (step.action == Action::multiply && step.parameter == Parameter::gain);
  };
  if (s == 1 || !both_tied || std::ranges::any_of(port.recipe.steps, is_for_them) ||
      std::ranges::count(port.recipe.obstacles, Obstacle::factor_has_no_place) > 0)
    return "";
  return paragraph(
      "", fmt::format("The tied logits need no step: the new code's factor {} is the old "
                      "one's {} over {}.",
                      number(*port.to.output.multiplier), number(*port.from.output.multiplier),
                      number(s)));
}

std::string remarks(std::string_view label, const std::vector<Remark>& all, bool stops) {
  std::string out;
  for (const auto& one : all)
    if (one.stops_function == stops)
      out += paragraph(label, with_claims(fmt::format("{}: {}", one.name, one.text), {one.claim}));
  return out;
}

// "token.law" for its parameters as well, and one name for what queries and keys are drawn from.
std::string by_law(std::string_view path) {
  const std::string both = "attention.projection";
  if (path.starts_with(both)) return both;
  const auto field = std::ranges::find(audit::fields(), path, &audit::Field::path);
  return field->distribution.empty() ? field->path : field->distribution;
}

// Without names and sources, which always differ.
std::string without_effect(const Port& port) {
  std::string list;
  for (const auto field : port.without_effect)
    if (field != "name" && !field.starts_with("source.") && list.find(by_law(field)) == list.npos)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", by_law(field));
  return list.empty() ? "" : paragraph("no effect", list + ": they differ, and no step is needed");
}

}  // namespace

std::string words_of(const Port& port) {
  std::string out = "Port of a checkpoint\n\n";
  out += paragraph("old code", side_words(port.from)) + paragraph("new code", side_words(port.to));
  const bool kept = port.keeps_function();
  out += kept ? "\nAs far as was compared, these steps keep the function, in this order:\n\n"
              : "\nThe function is NOT kept, as is told below. The steps, in this order:\n\n";
  if (port.steps.empty())
    out += paragraph("", kept ? "None: no value changes; names and shapes are not looked at."
                              : "There are none.");
  for (std::size_t i = 0; i < port.steps.size(); ++i) {
    const auto& step = port.steps[i];
    out += paragraph(fmt::format("{}", i + 1),
                     with_claims(fmt::format("{}: {}", step.parameter, step.text), step.claims));
  }
  out += without_step(port) + optimizer_words(port) + "\n";
  for (const bool stops : {true, false}) {
    out += remarks(stops ? "stops it" : "in training", port.obstacles, stops);
    out += remarks(stops ? "stops it" : "differs", port.differences, stops);
  }
  out += without_effect(port);
  if (!port.not_told.empty()) out += paragraph("not told", port.not_told);
  return out + paragraph("not compared",
                         "what no configuration tells: how many blocks there are, their inner "
                         "widths, biases, activation functions, dropout, norms of queries and "
                         "keys, which relative "
                         "positions, and the tokeniser");
}

}  // namespace embedscale::port
