#include "decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <stdexcept>

#include "answer/page.hpp"
#include "atlas/atlas.hpp"
#include "compare/decision.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::decide {
namespace {

using audit::Change, compare::Parametrisations, report::Table;
using Changes = std::vector<Change>;

/// The situation that the grid starts from.
constexpr std::string_view usual = R"(
[model]
d_model = 512
heads = 8
vocabulary = 32768
positions = 512
[token]
law = "normal"
standard_deviation = "d_model^-0.5"
[position]
kind = "sinusoidal"
[block]
norm = "pre"
kind = "layer_norm"
epsilon = 1e-5
[output]
tied = true
)";
constexpr std::array<std::uint64_t, 1> depths{compare::decision_depth};
constexpr auto blocks = depths[0];
const std::string share = fmt::format("residual_stream.token_share.after_{}", blocks);

audit::Configuration situation(const Changes& changes) {
  return audit::parse_configuration(usual, "the grid of decide.md", changes);
}

std::string shown(const audit::Quantity& figure, double factor = 1) {
  return figure.value ? report::significant(factor * *figure.value, 3) : "—";
}

/// A figure in a situation, by how that is another than the usual one.
struct Line {
  const char* name;
  Changes changes;
  std::string_view path;
  double factor = 1;
};

std::string figures(const std::string& heading, const std::vector<Line>& lines) {
  auto table = Table::headed(heading + "|Up:|Folded:|Down:|Unscaled:");
  for (const auto& [name, changes, path, factor] : lines) {
    const auto at = compare::compared(situation(changes), depths);
    std::vector<std::string> cells{name};
    for (const auto* way : {"up", "folded", "down", "unscaled"})
      cells.push_back(shown(at.at(path, way), factor));
    table.row(std::move(cells));
  }
  return table.markdown();
}

std::string positions_table() {
  const auto std_of = [](const char* value) {
    return Changes{{"token.standard_deviation", value}};
  };
  const auto ratio = "token_to_position";
  return figures("Ratio of token to position",
                 {{"sinusoids, N(0, 1/d)", {}, ratio},
                  {"sinusoids, N(0, 0.02²)", std_of("0.02"), ratio},
                  {"sinusoids, N(0, 1)", std_of("1"), ratio},
                  {"sinusoids, Xavier on (V, d)",
                   {{"token.law", "xavier_uniform"}, {"token.standard_deviation", ""}},
                   ratio},
                  {"learned, drawn like the tokens",
                   {{"position.kind", "learned"},
                    {"position.law", "normal"},
                    {"position.standard_deviation", "d_model^-0.5"}},
                   ratio}});
}

std::string blocks_table() {
  return figures(fmt::format("Token's share after {} blocks, %", blocks),
                 {{"pre-norm, sinusoids", {}, share, 100},
                  {"pre-norm, nothing added", {{"position.kind", "rotary"}}, share, 100},
                  {"pre-norm, norm on the sum, sinusoids",
                   {{"embedding_norm.kind", "layer_norm"}, {"embedding_norm.epsilon", "1e-5"}},
                   share,
                   100}});
}

std::string output_table() {
  const Changes divided{{"output.multiplier", "1/sqrt(d_model)"}};
  return figures(
      "First loss, unrelated targets, nats",
      {{"tied", {}, "output.initial_loss"},
       {"tied, logits over √d", divided, "output.initial_loss"},
       {"untied, N(0, 0.02²)",
        {{"output.tied", "false"}, {"output.law", "normal"}, {"output.standard_deviation", "0.02"}},
        "output.initial_loss"}});
}

std::string scales_table() {
  return figures("Sinusoids",
                 {{"tied: own logit behind a LayerNorm", {}, "output.own_logit"},
                  {"post-norm: first logits, deviation",
                   {{"block.norm", "post"}},
                   "first_layer.logit_std_over_keys"},
                  {"Adam's first step over table and rate", {}, "optimizer.adam_relative_step"}});
}

std::string as_it_is(const Parametrisations& at) {
  const auto& c = at.configuration;
  const auto& factor = at.own.factor.value;
  const auto& d = c.model.d_model;
  return fmt::format("{}, d = {}, {}, {}{}",
                     factor == 1.0 ? "none"
                     : factor      ? "×" + report::significant(*factor, 3)
                                   : "?",
                     d ? report::count(static_cast<std::uint64_t>(*d)) : "?",
                     audit::name_of(c.position.kind),
                     c.block.where ? audit::name_of(*c.block.where) : "?",
                     c.embedding_norm ? ", norm on the sum" : "");
}

std::string systems_table(const report::Words& words) {
  std::istringstream names(words.part("systems", "list"));
  auto table = Table::headed(
      "System|Verdict|Factor, width, positions, norm|Ratio:|other way:|Share, %:|other way:");
  const auto told = words.part("systems", "verdicts") + words.part("systems", "sentences");
  const auto& atlas = atlas::installed();
  for (std::string name; names >> name;) {
    const auto system = std::ranges::find(
        atlas, name, [](const auto& audit) -> const auto& { return audit.configuration.name; });
    if (system == atlas.end())
      throw std::invalid_argument(fmt::format("{}: no system named '{}'", words.name(), name));
    const auto at = compare::compared(system->configuration, depths);
    const auto decided = compare::decision_of(at).verdict, other = compare::other_way(at);
    if (told.find(fmt::format("*{}*", decided)) == std::string::npos)
      throw std::invalid_argument(
          fmt::format("{}: verdict '{}' is not told", words.name(), decided));
    table.row({atlas::linked(at.configuration), std::string(decided), as_it_is(at),
               shown(at.at("token_to_position", "own")), shown(at.at("token_to_position", other)),
               shown(at.at(share, "own"), 100), shown(at.at(share, other), 100)});
  }
  return table.markdown();
}

/// What the grid starts from, by the names that the words have for it.
std::string field(const report::Words& words, std::string_view name) {
  const auto c = situation({});
  const auto count = [](const audit::Integer& n) {
    return report::count(static_cast<std::uint64_t>(*n));
  };
  if (name == "d_model") return count(c.model.d_model);
  if (name == "vocabulary") return count(c.model.vocabulary);
  if (name == "positions") return count(c.model.positions);
  if (name == "blocks") return fmt::format("{}", blocks);
  if (name == "root") return report::significant(*c.token.law->parameter, 3);
  throw std::invalid_argument(fmt::format("{}: no field named {{{}}}", words.name(), name));
}

}  // namespace

std::string page(const Json& results, const report::Words& words) {
  const auto filled = [&](std::string_view text) {
    return report::fill(text, [&](std::string_view name) { return field(words, name); });
  };
  std::string out = fmt::format("{}# {}\n\n{}\n", report::generated_note, words.title(),
                                filled(words.introduction()));
  const auto part = [&](const char* section, const std::string& table) {
    if (words.has_part(section, "title"))
      out += fmt::format("\n## {}\n", words.part(section, "title"));
    if (words.has_part(section, "text"))
      out += fmt::format("\n{}\n", filled(words.part(section, "text")));
    out += table.empty() ? "" : "\n" + table;
    std::string list;
    if (words.has_part(section, "verdicts")) list = words.part(section, "verdicts") + "\n";
    list += answer::as_list(results, answer::sentences(words, section, "sentences"), "");
    if (!list.empty()) out += "\n" + list;
  };
  part("sure", "");
  part("short", "");
  part("systems", systems_table(words));
  part("positions", positions_table());
  part("blocks", blocks_table());
  part("output", output_table());
  part("scales", scales_table());
  return out;
}

}  // namespace embedscale::decide
