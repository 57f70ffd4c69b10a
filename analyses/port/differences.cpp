// What no step makes up for, and what differs beside the recipe.
#include "port/port.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration;
using Remarks = std::vector<Remark>;

constexpr std::string_view kept = "porting.function_is_kept";
constexpr std::string_view place = "porting.tied_output_needs_a_place_for_the_factor";
constexpr std::string_view follows = "porting.optimizer_state_follows";

bool adds(const Configuration& c) { return audit::adds_positions(c.position.kind); }

std::string where_positions_are(const Port& port) {
  const auto words = [](const Configuration& c) {
    return fmt::format("{} ({})", adds(c) ? "adds positions" : "adds none",
                       audit::name_of(c.position.kind));
  };
  return fmt::format("FROM {}, TO {}.", words(port.from), words(port.to));
}

Remark remark(const Port& port, Obstacle obstacle) {
  const bool can_untie = port.to.output.sharing != audit::Sharing::always;
  switch (obstacle) {
    case Obstacle::positions_differ:
      return {"positions_differ", true, where_positions_are(port), kept};
    case Obstacle::gain_is_missing:
      return {"gain_is_missing", true,
              "FROM's last norm has a gain, TO's none; only an output of its own could take it, "
              "channel by channel.",
              kept};
    case Obstacle::bias_is_missing:
      return {"bias_is_missing", true,
              "FROM's last norm has a bias, TO's none; it adds one number to each word's logit, "
              "which a bias of the output could take.",
              kept};
    case Obstacle::factor_has_no_place:
      return {"factor_has_no_place", true,
              "Tied logits would be multiplied by what the table is: TO has no logit factor, no "
              "gain before the output, and no output of its own.",
              place};
    case Obstacle::output_must_be_the_table:
      return {"output_must_be_the_table", true,
              fmt::format("FROM's output is a matrix of its own, TO's is the token table{}.",
                          can_untie ? "; TO can untie: --set to.output.tied=false" : ""),
              place};
    case Obstacle::table_trains_apart:
      return {"table_trains_apart", false,
              "FROM trains one table, TO from now on two, each by its own part of the gradient; "
              "the state of the one suits neither.",
              follows};
    case Obstacle::decay_pulls_elsewhere:
      return {
          "decay_pulls_elsewhere", false,
          "Weight decay pulls a stored w = g − 1 to a gain of 1, a stored gain to 0: if FROM "
          "decays gains, no setting goes on alike, in any norm whose storage or factor changes.",
          follows};
    case Obstacle::global_clipping: break;
  }
  return {
      "global_clipping", false,
      "A step that clips by the norm of all gradients clips otherwise: the gradient of what was "
      "multiplied is 1/s of what it was. Weight it by s.",
      "porting.global_clipping_parts"};
}

// Words for a number's two sides, and how TO would be set.
std::string unequal(const char* field, const std::string& from, const std::string& to) {
  return fmt::format("FROM has {}, TO {}: set TO's (--set to.{}={}).", from, to, field, from);
}

template <class Value>
void number_differs(Remarks& out, const char* field, const std::optional<Value>& from,
                    const std::optional<Value>& to, std::string_view claim = {}) {
  if (from && to && *from != *to)
    out.push_back(
        {field, true,
         unequal(field, number(static_cast<double>(*from)), number(static_cast<double>(*to))),
         claim});
}

void norms_differ(Remarks& out, const std::string& section, const audit::NormLayer& from,
                  const audit::NormLayer& to) {
  if (from.kind != to.kind)
    out.push_back(
        {section + ".kind", true,
         fmt::format("FROM has {}, TO {}.", audit::name_of(from.kind), audit::name_of(to.kind))});
  number_differs(out, (section + ".epsilon").c_str(), from.epsilon, to.epsilon,
                 "normalization.epsilon_is_rescaled");
  if (from.placement != to.placement) {
    const auto words = [](const audit::NormLayer& norm) {
      return norm.placement == EpsilonPlacement::variance ? "variance" : "standard_deviation";
    };
    out.push_back({section + ".epsilon_added_to", true,
                   unequal((section + ".epsilon_added_to").c_str(), words(from), words(to)),
                   "normalization.epsilon_is_rescaled"});
  }
}

void norms(Remarks& out, const Configuration& from, const Configuration& to) {
  if (from.embedding_norm && to.embedding_norm)
    norms_differ(out, "embedding_norm", *from.embedding_norm, *to.embedding_norm);
  else if (from.embedding_norm || to.embedding_norm)
    out.push_back(
        {"embedding_norm", true,
         fmt::format("{} normalises the sum before the first block, {} does not.",
                     from.embedding_norm ? "FROM" : "TO", from.embedding_norm ? "TO" : "FROM")});
  if (!from.block.where || !to.block.where) return;
  if (from.block.where != to.block.where)
    out.push_back(
        {"block.norm", true,
         fmt::format("FROM has {}, TO {}: the same weights compute something else.",
                     audit::name_of(*from.block.where), audit::name_of(*to.block.where))});
  else if (from.block.where != audit::BlockNorm::none)
    norms_differ(out, "block", from.block.norm, to.block.norm);
}

void attention(Remarks& out, const Configuration& from, const Configuration& to) {
  number_differs(out, "model.heads", from.model.heads, to.model.heads);
  number_differs(out, "model.d_k", from.model.d_k, to.model.d_k);
  const auto &a = from.attention.scale, &b = to.attention.scale;
  if (!a || !b || *a == *b) return;
  if (*b == 0) return number_differs(out, "attention.scale", a, b);
  const double s = *a / *b;
  out.push_back({"attention.scale", false,
                 fmt::format("FROM has {}, TO {}: multiply W_Q and b_Q of every layer by {}, their "
                             "state and settings as for s = {}, or set TO's scale.",
                             number(*a), number(*b), number(s), number(s)),
                 kept, s});
}

// What attention does of its own for positions.
audit::PositionKind within_attention(const Configuration& c) {
  return adds(c) ? audit::PositionKind::none : c.position.kind;
}

void positions(Remarks& out, const Configuration& from, const Configuration& to) {
  const auto &p = from.position, &q = to.position;
  const auto within_from = within_attention(from), within_to = within_attention(to);
  const bool is_obstacle = adds(from) ? !adds(to) : q.kind == audit::PositionKind::sinusoidal;
  if (!is_obstacle && within_from != within_to)
    out.push_back({"position.kind", true,
                   fmt::format("Within attention FROM has {} positions, TO {}; no step reaches "
                               "there.",
                               audit::name_of(within_from), audit::name_of(within_to))});
  else if (!is_obstacle && within_from == audit::PositionKind::rotary)
    number_differs(out, "position.base", p.base, q.base);
  if (adds(from) && adds(to) && (p.combine != q.combine || from.token.width != to.token.width))
    out.push_back({"position.combine", true,
                   "Tokens and positions are set side by side, and not alike in both: weights that "
                   "read the one do not suit the other."});
  if (!from.model.positions || !to.model.positions) return;
  const auto has = *from.model.positions, gets = *to.model.positions;
  if (gets < has)
    out.push_back({"model.positions", false,
                   fmt::format("TO takes {} positions of FROM's {}: the function is kept that far.",
                               gets, has)});
  else if (gets > has && q.kind == audit::PositionKind::learned)
    out.push_back(
        {"model.positions", false,
         fmt::format("TO has {} rows more than FROM: they were never trained.", gets - has)});
}

void extras(Remarks& out, const Configuration& from, const Configuration& to) {
  if (from.extras.size() != to.extras.size()) {
    out.push_back({"extra", true,
                   fmt::format("FROM adds {} further tables, TO {}; where all positions have the "
                               "same row, it can be added to every row of a position table.",
                               from.extras.size(), to.extras.size())});
    return;
  }
  for (std::size_t i = 0; i < from.extras.size(); ++i) {
    const double a = from.extras[i].multiplier.value_or(1), b = to.extras[i].multiplier.value_or(1);
    if (a == b) continue;
    const auto name = fmt::format("extra[{}].multiplier", i);
    if (b == 0)
      number_differs(out, name.c_str(), audit::Number(a), audit::Number(b));
    else
      out.push_back({name, false,
                     fmt::format("FROM has {}, TO {}: multiply that table by {}, its state and "
                                 "settings as for s = {}.",
                                 number(a), number(b), number(a / b), number(a / b)),
                     kept, a / b});
  }
}

void vocabulary(Remarks& out, const Configuration& from, const Configuration& to) {
  if (!from.model.vocabulary || !to.model.vocabulary) return;
  const auto has = *from.model.vocabulary, gets = *to.model.vocabulary;
  if (gets > has)
    out.push_back({"model.vocabulary", false,
                   fmt::format("TO has {} rows more: fill them with 0 and mask their logits, which "
                               "are 0 then and would count in every softmax.",
                               gets - has)});
  else if (gets < has)
    out.push_back({"model.vocabulary", true,
                   fmt::format("TO has {} rows of FROM's {}: set TO's (--set "
                               "to.model.vocabulary={}).",
                               gets, has, has)});
}

}  // namespace

std::vector<Remark> obstacles_of(const Port& port) {
  Remarks out;
  for (const auto obstacle : port.recipe.obstacles) out.push_back(remark(port, obstacle));
  return out;
}

std::vector<Remark> differences_of(const Port& port) {
  Remarks out;
  norms(out, port.from, port.to);
  attention(out, port.from, port.to);
  positions(out, port.from, port.to);
  extras(out, port.from, port.to);
  vocabulary(out, port.from, port.to);
  return out;
}

std::string not_told_of(const Port& port) {
  std::string list;
  const auto see = [&](const char* field, bool from, bool to) {
    if (from && to) return;
    const char* who = !from && !to ? "" : from ? " (TO)" : " (FROM)";
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", field, who);
  };
  const auto &a = port.from, &b = port.to;
  const auto has_norm = [](const Configuration& c) {
    return c.block.where && c.block.where != audit::BlockNorm::none;
  };
  see("block.norm", a.block.where.has_value(), b.block.where.has_value());
  if (has_norm(a) && a.block.where == b.block.where)
    see("block.epsilon", a.block.norm.epsilon.has_value(), b.block.norm.epsilon.has_value());
  if (a.embedding_norm && b.embedding_norm)
    see("embedding_norm.epsilon", a.embedding_norm->epsilon.has_value(),
        b.embedding_norm->epsilon.has_value());
  see("model.heads", a.model.heads.has_value(), b.model.heads.has_value());
  see("attention.scale", a.attention.scale.has_value(), b.attention.scale.has_value());
  see("model.vocabulary", a.model.vocabulary.has_value(), b.model.vocabulary.has_value());
  see("model.positions", a.model.positions.has_value(), b.model.positions.has_value());
  return list;
}

}  // namespace embedscale::port
