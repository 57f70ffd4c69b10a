// Keys that say nothing in the configuration that they stand in. Whoever wrote one believes that it
// does something, so it is refused; one that only a change has left without effect is told, and a
// factor that the code has in another case alone.
#include "audit/fields.hpp"

#include <fmt/core.h>

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
  std::string_view path;
  bool (*there)(const Configuration& c);
  std::string_view needs;
  bool of_code = false;  ///< it tells what the code does in another case, so it is not refused
};
constexpr std::string_view with_learned = "position.kind is learned",
                           with_sinusoids = "position.kind is sinusoidal",
                           with_angles = "position.kind is sinusoidal or rotary",
                           with_positions = "position.kind is sinusoidal or learned",
                           with_norm = "block.norm is pre or post",
                           with_untied = "output.tied is false", with_table = "token.kind is table",
                           with_features = "token.kind is features",
                           with_width = "token.projection is given, without concatenation";
constexpr Effect effects[] = {
    {"token.law", tabled, with_table},
    {"token.standard_deviation", tabled, with_table},
    {"token.half_range", tabled, with_table},
    {"token.rms", featured, with_features},
    {"token.multiplier", multiplies_tokens, with_sinusoids, true},
    {"token.projected", factorised, with_width},
    {"token.projection", factorised, with_width},
    {"token.projection_standard_deviation", factorised, with_width},
    {"token.projection_half_range", factorised, with_width},
    {"position.combine", adds, with_positions},
    {"position.frequencies", sinusoidal, with_sinusoids},
    {"position.layout", turns, with_angles},
    {"position.base", turns, with_angles},
    {"position.first", adds, with_positions},
    {"position.law", learned, with_learned},
    {"position.standard_deviation", learned, with_learned},
    {"position.half_range", learned, with_learned},
    {"position.multiplier", adds, with_positions},
    {"block.kind", normed_at_all, with_norm},
    {"block.epsilon", normed, with_norm},
    {"block.epsilon_added_to", normed, with_norm},
    {"output.law", untied, with_untied},
    {"output.standard_deviation", untied, with_untied},
    {"output.half_range", untied, with_untied},
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
  for (const auto& [path, there, needs, of_code] : effects)
    if (!there(c)) see(document, std::string(path), needs, c, of_code);
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
