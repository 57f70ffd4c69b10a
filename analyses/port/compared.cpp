#include "port/compared.hpp"

#include "audit/parts.hpp"

#include <fmt/format.h>

#include <cmath>

namespace embedscale::port {
namespace {

using audit::Configuration, audit::PositionKind;
using C = const Configuration&;
using Value = std::optional<std::string>;

const Value no_matter = "";

// As it stands where it is told.
template <class T>
Value told(const std::optional<T>& value) {
  return value ? Value(fmt::format("{}", *value)) : std::nullopt;
}
Value word(std::string_view text) { return Value(text); }
template <class Enumeration>
requires std::is_enum_v<Enumeration> Value word(Enumeration value) {
  return Value(audit::name_of(value));
}

Value law(const std::optional<audit::Law>& law) { return law ? word(law->kind) : no_matter; }
Value parameter(const std::optional<audit::Law>& law) {
  return law && law->parameter ? told(law->parameter) : no_matter;
}

std::optional<audit::Law> projection(C c) {
  return c.token.is_factorised ? std::optional(c.token.projection) : std::nullopt;
}

bool adds(C c) { return audit::adds_positions(c.position.kind); }
bool is(C c, PositionKind kind) { return c.position.kind == kind; }
// Sinusoids are added, heads are turned.
bool turns(C c) { return is(c, PositionKind::sinusoidal) || is(c, PositionKind::rotary); }
bool has_norm(C c) { return c.block.where && *c.block.where != audit::BlockNorm::none; }

// Of all further tables.
template <class Get>
Value extras(C c, Get get) {
  std::string list;
  for (const auto& extra : c.extras) {
    const Value one = get(extra);
    if (!one) return std::nullopt;
    list += (list.empty() ? "" : ", ") + *one;
  }
  return list;
}

constexpr auto none = Bearing::none;
constexpr auto factor = Bearing::factor;
constexpr auto function = Bearing::function;
constexpr std::string_view epsilon = "normalization.epsilon_is_rescaled";

constexpr Compared rows[] = {
    {"name", none, [](C c) { return word(c.name); }},
    {"source.repository", none, [](C c) { return word(c.source.repository); }},
    {"source.commit", none, [](C c) { return word(c.source.commit); }},
    {"source.files", none,
     [](C c) { return word(fmt::format("{}", fmt::join(c.source.files, " "))); }},
    {"model.d_model", function, [](C c) { return told(c.model.d_model); }},
    {"model.heads", function, [](C c) { return told(c.model.heads); }},
    {"model.d_k", function, [](C c) { return told(c.model.d_k); }},
    {"model.vocabulary", function, [](C c) { return told(c.model.vocabulary); }},
    {"model.positions", function, [](C c) { return told(c.model.positions); }},
    {"position.kind", function, [](C c) { return word(c.position.kind); }},
    {"position.combine", function,
     [](C c) { return adds(c) ? word(c.position.combine) : no_matter; }},
    {"position.frequencies", function,
     [](C c) {
       return is(c, PositionKind::sinusoidal) ? word(c.position.frequencies) : no_matter;
     }},
    {"position.layout", function,
     [](C c) {
       if (!turns(c)) return no_matter;
       return c.position.layout ? word(*c.position.layout) : std::nullopt;
     }},
    {"position.base", function, [](C c) { return turns(c) ? told(c.position.base) : no_matter; }},
    {"position.first", function,
     [](C c) { return adds(c) ? word(fmt::format("{}", c.position.first)) : no_matter; }},
    {"position.law", none, [](C c) { return law(c.position.law); }},
    {"position.standard_deviation", none, [](C c) { return parameter(c.position.law); }},
    {"position.half_range", none, [](C c) { return parameter(c.position.law); }},
    {"position.multiplier", factor,
     [](C c) { return adds(c) ? told(c.position.multiplier) : no_matter; }},
    // No port is between tables that are projected in different ways, nor where there is none.
    {"token.kind", function, [](C c) { return word(c.token.kind); }},
    {"token.rms", none, [](C c) { return c.token.rms ? told(c.token.rms) : no_matter; }},
    {"token.projected", function,
     [](C c) { return c.token.is_factorised ? word(c.token.projected) : no_matter; }},
    {"token.projection", none, [](C c) { return law(projection(c)); }},
    {"token.projection_standard_deviation", none, [](C c) { return parameter(projection(c)); }},
    {"token.projection_half_range", none, [](C c) { return parameter(projection(c)); }},
    {"token.law", none, [](C c) { return law(c.token.law); }},
    {"token.standard_deviation", none, [](C c) { return parameter(c.token.law); }},
    {"token.half_range", none, [](C c) { return parameter(c.token.law); }},
    // These two show in the multiplier itself.
    {"token.multiplier_when", none, [](C c) { return word(c.token.when); }},
    {"token.multiplier_format", none, [](C c) { return word(c.token.format); }},
    {"token.multiplier", factor, [](C c) { return told(audit::factor_of(c).value); }},
    {"token.width", function,
     [](C c) {
       const bool beside = adds(c) && c.position.combine == audit::Combine::concatenation;
       return beside || c.token.is_factorised ? told(c.token.width) : no_matter;
     }},
    {"embedding_norm.kind", function,
     [](C c) { return word(c.embedding_norm ? audit::name_of(c.embedding_norm->kind) : "none"); }},
    {"embedding_norm.epsilon", function,
     [](C c) { return c.embedding_norm ? told(c.embedding_norm->epsilon) : no_matter; }, epsilon},
    {"embedding_norm.epsilon_added_to", function,
     [](C c) { return c.embedding_norm ? word(c.embedding_norm->placement) : no_matter; }, epsilon},
    {"block.norm", function,
     [](C c) { return c.block.where ? word(*c.block.where) : std::nullopt; }},
    {"block.kind", function, [](C c) { return has_norm(c) ? word(c.block.norm.kind) : no_matter; }},
    {"block.epsilon", function,
     [](C c) { return has_norm(c) ? told(c.block.norm.epsilon) : no_matter; }, epsilon},
    {"block.epsilon_added_to", function,
     [](C c) { return has_norm(c) ? word(c.block.norm.placement) : no_matter; }, epsilon},
    {"block.residual_multiplier", factor, [](C c) { return told(c.block.residual_multiplier); }},
    {"final_norm.gain", function, [](C c) { return word(c.final_norm.gain); }},
    {"final_norm.bias", function, [](C c) { return word(c.final_norm.bias ? "true" : "false"); }},
    {"attention.scale", factor, [](C c) { return told(c.attention.scale); }},
    {"attention.projection", none, [](C c) { return law(c.attention.projection_q); }},
    {"attention.projection_standard_deviation", none,
     [](C c) { return parameter(c.attention.projection_q); }},
    {"attention.projection_half_range", none,
     [](C c) { return parameter(c.attention.projection_q); }},
    {"attention.projection_q", none, [](C c) { return law(c.attention.projection_q); }},
    {"attention.projection_q_standard_deviation", none,
     [](C c) { return parameter(c.attention.projection_q); }},
    {"attention.projection_q_half_range", none,
     [](C c) { return parameter(c.attention.projection_q); }},
    {"attention.projection_k", none, [](C c) { return law(c.attention.projection_k); }},
    {"attention.projection_k_standard_deviation", none,
     [](C c) { return parameter(c.attention.projection_k); }},
    {"attention.projection_k_half_range", none,
     [](C c) { return parameter(c.attention.projection_k); }},
    {"output.tied", function,
     [](C c) { return c.output.tied ? word(*c.output.tied ? "true" : "false") : std::nullopt; }},
    {"output.sharing", none,
     [](C c) { return c.output.sharing ? word(*c.output.sharing) : no_matter; }},
    {"output.law", none, [](C c) { return law(c.output.law); }},
    {"output.standard_deviation", none, [](C c) { return parameter(c.output.law); }},
    {"output.half_range", none, [](C c) { return parameter(c.output.law); }},
    // Shows in the multiplier itself.
    {"output.multiplier_when", none, [](C c) { return word(c.output.when); }},
    {"output.multiplier", factor, [](C c) { return told(c.output.multiplier); }},
    {"extra[].name", none,
     [](C c) { return extras(c, [](const audit::Extra& one) { return word(one.name); }); }},
    {"extra[].law", none,
     [](C c) { return extras(c, [](const audit::Extra& one) { return law(one.law); }); }},
    {"extra[].standard_deviation", none,
     [](C c) { return extras(c, [](const audit::Extra& one) { return parameter(one.law); }); }},
    {"extra[].half_range", none,
     [](C c) { return extras(c, [](const audit::Extra& one) { return parameter(one.law); }); }},
    {"extra[].rows", none,
     [](C c) {
       return extras(c,
                     [](const audit::Extra& one) { return one.rows ? told(one.rows) : no_matter; });
     }},
    {"extra[].multiplier", factor,
     [](C c) { return extras(c, [](const audit::Extra& one) { return told(one.multiplier); }); }},
};

}  // namespace

std::span<const Compared> compared() { return rows; }

bool agree(double x, double y) { return std::abs(x - y) <= 0x1p-22 * std::abs(y); }

}  // namespace embedscale::port
