#include "audit/fields.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace embedscale::audit {
namespace {

constexpr Choices<LawKind, 5> laws{{{"normal", LawKind::normal},
                                    {"uniform", LawKind::uniform},
                                    {"truncated_normal", LawKind::truncated_normal},
                                    {"xavier_uniform", LawKind::xavier_uniform},
                                    {"xavier_normal", LawKind::xavier_normal}}};
constexpr Choices<NumberFormat, 4> formats{{{"binary64", NumberFormat::binary64},
                                            {"binary32", NumberFormat::binary32},
                                            {"binary16", NumberFormat::binary16},
                                            {"bfloat16", NumberFormat::bfloat16}}};
constexpr Choices<PositionKind, 5> position_kinds{{{"sinusoidal", PositionKind::sinusoidal},
                                                   {"learned", PositionKind::learned},
                                                   {"rotary", PositionKind::rotary},
                                                   {"relative", PositionKind::relative},
                                                   {"none", PositionKind::none}}};
constexpr Choices<FrequencyRule, 2> frequency_rules{
    {{"paper", FrequencyRule::paper}, {"tensor2tensor", FrequencyRule::tensor2tensor}}};
constexpr Choices<SinusoidalLayout, 2> layouts{
    {{"interleaved", SinusoidalLayout::interleaved}, {"halves", SinusoidalLayout::halves}}};

constexpr std::int64_t widest = 1 << 24;  // also the last position that binary32 holds exactly
constexpr std::int64_t most_words = std::int64_t{1} << 32;

// Replaces a default by what was given.
template <class Value>
void keep(Value& value, std::optional<Value> given) {
  if (given) value = *std::move(given);
}

void read_d_k(const Entry& at, Configuration& c) {
  keep(c.model.d_k, at.integer(1, widest));
  if (c.model.d_k != 0) return;
  if (c.model.d_model % c.model.heads != 0)
    at.other("model.heads")
        .refuse(fmt::format("a divisor of model.d_model = {}, unless model.d_k is given",
                            c.model.d_model));
  c.model.d_k = c.model.d_model / c.model.heads;
}

void read_position_law(const Entry& at, Configuration& c) {
  const bool needed = c.position.kind == PositionKind::learned;
  const auto kind = needed ? std::optional(at.required_choice(laws)) : at.choice(laws);
  if (kind) c.position.law = Law{*kind};
}

void read_parameter(const Entry& at, Law& law) {
  const std::string_view wanted = parameter_key(law.kind);
  if (at.path().ends_with(wanted) && !wanted.empty())
    law.parameter = at.required_number(positive);
  else if (at.given())
    at.refuse(fmt::format("absent: the law {} takes {}", name_of(law.kind),
                          wanted.empty() ? "no parameter" : wanted));
}

void read_token_parameter(const Entry& at, Configuration& c) { read_parameter(at, c.token.law); }

void read_position_parameter(const Entry& at, Configuration& c) {
  if (c.position.law) read_parameter(at, *c.position.law);
}

using At = const Entry&;
using To = Configuration&;
constexpr Field rows[] = {
    {"name", [](At at, To c) { keep(c.name, at.text(60)); }},
    {"source.repository", [](At at, To c) { keep(c.source.repository, at.text(140)); }},
    {"source.commit", [](At at, To c) { keep(c.source.commit, at.text(140)); }},
    {"source.files", [](At at, To c) { c.source.files = at.texts(1000); }},
    {"model.d_model", [](At at, To c) { c.model.d_model = at.required_integer(2, widest); }},
    {"model.heads", [](At at, To c) { c.model.heads = at.required_integer(1, widest); }},
    {"model.d_k", read_d_k},
    {"model.vocabulary", [](At at, To c) { c.model.vocabulary = at.integer(1, most_words); }},
    {"model.positions", [](At at, To c) { c.model.positions = at.integer(1, widest); }},
    {"token.law", [](At at, To c) { c.token.law.kind = at.required_choice(laws); }},
    {"token.standard_deviation", read_token_parameter},
    {"token.half_range", read_token_parameter},
    {"token.multiplier", [](At at, To c) { keep(c.token.multiplier, at.number(finite)); }},
    {"token.multiplier_format", [](At at, To c) { keep(c.token.format, at.choice(formats)); }},
    {"position.kind", [](At at, To c) { c.position.kind = at.required_choice(position_kinds); }},
    {"position.frequencies",
     [](At at, To c) { keep(c.position.frequencies, at.choice(frequency_rules)); }},
    {"position.layout", [](At at, To c) { keep(c.position.layout, at.choice(layouts)); }},
    {"position.base", [](At at, To c) { keep(c.position.base, at.number(positive)); }},
    {"position.law", read_position_law},
    {"position.standard_deviation", read_position_parameter},
    {"position.half_range", read_position_parameter},
    {"position.multiplier", [](At at, To c) { keep(c.position.multiplier, at.number(finite)); }},
};

}  // namespace

std::string_view parameter_key(LawKind kind) {
  switch (kind) {
    case LawKind::normal:
    case LawKind::truncated_normal: return "standard_deviation";
    case LawKind::uniform: return "half_range";
    case LawKind::xavier_uniform:
    case LawKind::xavier_normal: break;
  }
  return {};
}

bool adds_positions(PositionKind kind) {
  return kind == PositionKind::sinusoidal || kind == PositionKind::learned;
}

std::span<const Field> fields() { return rows; }

std::string_view name_of(LawKind kind) { return word_for(kind, laws); }
std::string_view name_of(PositionKind kind) { return word_for(kind, position_kinds); }

}  // namespace embedscale::audit
