// Keys that say nothing in the configuration that they stand in. Whoever wrote one believes that it
// does something, so it is refused; one that only a change has left without effect is told, and a
// factor that the code has in another case alone.
#include "audit/fields.hpp"

#include <fmt/core.h>

#include <sstream>

namespace embedscale::audit {
namespace {

using Kind = PositionKind;

bool sinusoidal(const Configuration& c) { return c.position.kind == Kind::sinusoidal; }
bool learned(const Configuration& c) { return c.position.kind == Kind::learned; }
bool adds(const Configuration& c) { return adds_positions(c.position.kind); }
// Rotary positions have frequencies and a layout, too; `port` compares them.
bool turns(const Configuration& c) { return sinusoidal(c) || c.position.kind == Kind::rotary; }
// An unknown norm may be one, an unknown output untied.
bool normed(const Configuration& c) { return c.block.where != BlockNorm::none; }
// final_norm.bias has its default of block.kind.
bool normed_at_all(const Configuration& c) { return normed(c) || c.final_norm.gain != Gain::none; }
bool tabled(const Configuration& c) { return c.token.has_table(); }
bool featured(const Configuration& c) { return !c.token.has_table(); }
bool factorised(const Configuration& c) { return c.token.is_factorised; }
bool untied(const Configuration& c) { return c.output.tied != true; }
// Of the factors that a code has in one case alone: whether this is the case.
bool multiplies_tokens(const Configuration& c) {
  return c.token.when == MultipliedWhen::always || sinusoidal(c);
}
bool multiplies_logits(const Configuration& c) {
  return c.output.when == MultipliedOutput::any || c.output.tied != false;
}

struct Effect {
  const char* paths;
  bool (*there)(const Configuration& c);
  std::string_view needs;
  bool of_code = false;  ///< it tells what the code does in another case, so it is not refused
};
constexpr std::string_view needs_sinusoids = "position.kind is sinusoidal",
                           needs_positions = "position.kind is sinusoidal or learned",
                           needs_norm = "block.norm is pre or post";
constexpr Effect effects[] = {
    {"token.law token.standard_deviation token.half_range", tabled, "token.kind is table"},
    {"token.rms", featured, "token.kind is features"},
    {"token.multiplier", multiplies_tokens, needs_sinusoids, true},
    {"token.projected token.projection token.projection_standard_deviation "
     "token.projection_half_range",
     factorised, "token.projection is given, without concatenation"},
    {"position.combine", adds, needs_positions},
    {"position.frequencies", sinusoidal, needs_sinusoids},
    {"position.layout position.base", turns, "position.kind is sinusoidal or rotary"},
    {"position.first", adds, needs_positions},
    {"position.law position.standard_deviation position.half_range", learned,
     "position.kind is learned"},
    {"position.multiplier", adds, needs_positions},
    {"block.kind", normed_at_all, needs_norm},
    {"block.epsilon block.epsilon_added_to", normed, needs_norm},
    {"output.law output.standard_deviation output.half_range", untied, "output.tied is false"},
    {"output.multiplier", multiplies_logits, "output.tied is true", true},
};

bool is_xavier(const Extra& extra) {
  return extra.law.kind == LawKind::xavier_uniform || extra.law.kind == LawKind::xavier_normal;
}

// A change's own key is refused, as is the file's where nothing was changed.
void see(const Document& document, const std::string& path, std::string_view needs,
         Configuration& c, bool of_code = false) {
  const Entry at(document, path, {});
  if (!at.given()) return;
  if (!of_code && (document.changes.empty() || document.changes.contains(path)))
    at.refuse(fmt::format("absent unless {}: it has no effect", needs));
  c.without_effect.emplace_back(path, needs);
}

}  // namespace

void see_what_has_no_effect(const Document& document, Configuration& c) {
  for (const auto& [paths, there, needs, of_code] : effects) {
    std::istringstream list(paths);
    for (std::string path; !there(c) && list >> path;) see(document, path, needs, c, of_code);
  }
  const Entry of_q(document, "attention.projection_q", {}),
      of_k(document, "attention.projection_k", {});
  if (of_q.given() && of_k.given())
    for (const char* key : {"", "_standard_deviation", "_half_range"})
      see(document, fmt::format("attention.projection{}", key),
          "attention.projection_q or attention.projection_k is not given", c);
  for (std::size_t i = 0; i < c.extras.size(); ++i)
    if (!is_xavier(c.extras[i]))
      see(document, fmt::format("extra[{}].rows", i), "its law is a Xavier law", c);
}

}  // namespace embedscale::audit
