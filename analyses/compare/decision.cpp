#include "compare/decision.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace embedscale::compare {
namespace {

using audit::is_within;

/// As in the training study: sinusoids beside a table that √d takes to the standard deviation 1,
/// hence a ratio of √2, and no norm between the sum and the blocks.
bool was_trained(const Parametrisations& at) {
  const auto& c = at.configuration;
  const auto& ratio = at.at("token_to_position", "up").value;
  return c.position.kind == audit::PositionKind::sinusoidal && ratio &&
         is_within(1.01, *ratio / std::numbers::sqrt2) && c.block.where &&
         *c.block.where != audit::BlockNorm::none && !c.embedding_norm;
}

/// What the models of the first study have and this one has not.
std::string lacks(const Parametrisations& at) {
  const auto& c = at.configuration;
  if (c.embedding_norm) return "no norm on the sum";
  if (!c.block.where || *c.block.where == audit::BlockNorm::none) return "norms in the blocks";
  return "tokens of √2 times sinusoids with √d_model";
}

/// The same of the second study.
std::string lacks_today(const audit::Configuration& c) {
  const bool is_rotary = c.position.kind == audit::PositionKind::rotary;
  if (!is_rotary && c.position.kind != audit::PositionKind::learned)
    return "sinusoidal, learned or rotary positions";
  if (c.embedding_norm) return "no norm on the sum";
  if (c.block.where != audit::BlockNorm::pre) return "pre-norm blocks";
  using Norm = expected::Norm::Kind;
  if (c.block.norm.kind != (is_rotary ? Norm::rms_norm : Norm::layer_norm))
    return is_rotary ? "RMSNorm" : "LayerNorm";
  if (is_rotary) return "normal tables of σ = 0.02 or d_model^−½";
  return "a shared normal table of σ = 0.02 and positions of σ = 0.01";
}

/// As in the second study: pre-norm, normal tables of σ = 0.02, learned positions of half of that,
/// LayerNorm and a tied output; or rotary positions and RMSNorm, where σ may be 1/√d as well.
bool was_trained_today(const audit::Configuration& c) {
  using enum audit::Distribution::Kind;
  const auto has = [](const std::optional<audit::Distribution>& law, double sigma) {
    return law && law->kind == normal && law->parameter && is_within(1.01, *law->parameter / sigma);
  };
  if (c.embedding_norm || c.block.where != audit::BlockNorm::pre || !c.model.d_model) return false;
  const bool is_small = has(c.token.law, 0.02);
  if (c.position.kind == audit::PositionKind::rotary)
    return c.block.norm.kind == expected::Norm::Kind::rms_norm &&
           (is_small || has(c.token.law, 1 / std::sqrt(static_cast<double>(*c.model.d_model))));
  return c.position.kind == audit::PositionKind::learned && is_small && has(c.position.law, 0.01) &&
         c.block.norm.kind == expected::Norm::Kind::layer_norm && c.output.tied == true;
}

std::string has(std::string_view what) {
  return fmt::format("the training study's models have {}", what);
}

constexpr std::string_view ratio_differs = "embedding.balances_the_two_parts",
                           share_differs = "normalization.token_share_after_blocks",
                           unscaled_is_worse = "training.unscaled_is_worse";

/// Of a configuration that the second study trained.
Decision decision_of_today(const audit::Configuration& c, double factor) {
  const bool is_rotary = c.position.kind == audit::PositionKind::rotary;
  const std::string_view trained =
      is_rotary ? "training.rotary_models" : "training.learned_positions";
  if (factor == 1) return {verdict::try_it, {trained}};
  if (is_within(1.01, factor / std::sqrt(static_cast<double>(*c.model.d_model))))
    return {verdict::keep, {trained}};
  return {
      verdict::leave, {is_rotary ? share_differs : ratio_differs}, has("no factor or √d_model")};
}

/// The way to compare `own` with.
std::string_view other_way(const Parametrisations& at) {
  return at.own.factor.value == 1.0 ? "up" : "unscaled";
}

}  // namespace

Decision decision_of(const Parametrisations& at) {
  const auto& c = at.configuration;
  const auto& factor = at.own.factor.value;
  if (was_trained_today(c) && factor) return decision_of_today(c, *factor);
  const auto own_and_other = [&](std::string_view path) {
    return std::pair(at.at(path, "own").value, at.at(path, other_way(at)).value);
  };
  const auto unknown = [&](std::string_view path, std::string_view claim) {
    const auto &own = at.at(path, "own"), &other = at.at(path, other_way(at));
    return Decision{verdict::unknown, {claim}, own.value ? other.missing : own.missing};
  };
  if (audit::adds_positions(c.position.kind)) {
    const auto [own, other] = own_and_other("token_to_position");
    if (!own || !other) return unknown("token_to_position", ratio_differs);
    const bool is_sinusoidal = c.position.kind == audit::PositionKind::sinusoidal;
    if (!was_trained(at))
      return {verdict::leave, {ratio_differs}, has(is_sinusoidal ? lacks(at) : lacks_today(c))};
    if (factor == 1.0) return {verdict::put_in, {unscaled_is_worse}};
    const double up = *at.at("token_to_position", "up").value;
    if (is_within(1.01, *own / up)) return {verdict::keep, {unscaled_is_worse}};
    return {verdict::leave,
            {"training.best_multiplier", ratio_differs},
            "the training study has other multipliers, of its own widths"};
  }
  const bool is_pre_norm = !c.block.where || *c.block.where == audit::BlockNorm::pre;
  const auto share = fmt::format("residual_stream.token_share.after_{}", decision_depth);
  const auto [own, other] = own_and_other(share);
  if (is_pre_norm && (!own || !other)) return unknown(share, share_differs);
  const bool stays = !is_pre_norm || is_within(2, *own / *other);
  if (c.embedding_norm && stays)
    return {verdict::no_matter, {"normalization.absorbs_the_factor", share_differs}};
  return {verdict::leave, {share_differs}, has(lacks_today(c))};
}

}  // namespace embedscale::compare
