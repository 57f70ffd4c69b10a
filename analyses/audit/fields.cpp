#include "audit/fields.hpp"

#include "audit/field_readers.hpp"

#include <algorithm>
#include <array>

namespace embedscale::audit {
namespace {

constexpr Choices<NumberFormat, 4> formats{{{"binary64", NumberFormat::binary64},
                                            {"binary32", NumberFormat::binary32},
                                            {"binary16", NumberFormat::binary16},
                                            {"bfloat16", NumberFormat::bfloat16}}};
constexpr Choices<PositionKind, 5> position_kinds{{{"sinusoidal", PositionKind::sinusoidal},
                                                   {"learned", PositionKind::learned},
                                                   {"rotary", PositionKind::rotary},
                                                   {"relative", PositionKind::relative},
                                                   {"none", PositionKind::none}}};
constexpr Choices<Combine, 2> combinations{
    {{"sum", Combine::sum}, {"concatenation", Combine::concatenation}}};
constexpr Choices<FrequencyRule, 2> frequency_rules{
    {{"paper", FrequencyRule::paper}, {"tensor2tensor", FrequencyRule::tensor2tensor}}};
constexpr Choices<SinusoidalLayout, 2> layouts{
    {{"interleaved", SinusoidalLayout::interleaved}, {"halves", SinusoidalLayout::halves}}};
constexpr Choices<expected::Norm::Kind, 2> norm_kinds{
    {{"layer_norm", expected::Norm::Kind::layer_norm},
     {"rms_norm", expected::Norm::Kind::rms_norm}}};
constexpr Choices<EpsilonPlacement, 2> placements{
    {{"variance", EpsilonPlacement::variance},
     {"standard_deviation", EpsilonPlacement::standard_deviation}}};
constexpr Choices<BlockNorm, 3> block_norms{
    {{"pre", BlockNorm::pre}, {"post", BlockNorm::post}, {"none", BlockNorm::none}}};

Counts sinusoids(const Configuration& c) {
  return c.position.kind == PositionKind::sinusoidal ? Counts::yes : Counts::no;
}
Counts normed(const Configuration& c) {
  return c.block.where && *c.block.where != BlockNorm::none ? Counts::yes : Counts::no;
}

using At = const Entry&;
using To = Configuration&;

// Frequencies are then at most 1, as the sums over positions need them.
constexpr Range from_one{1, largest_double, "a finite number >= 1"};

void read_first_position(At at, To c) {
  const auto first = at.integer(0, widest);
  if (at.given() && !first) at.refuse("known: it cannot hang on what is not told");
  c.position.first = first.value_or(0);
}
// [embedding_norm] stands for itself: whatever of it is given, there is one.
void read_embedding_norm(At at, To c) {
  if (!at.other("embedding_norm").given()) return;
  c.embedding_norm.emplace();
  keep_word(at, c, c.embedding_norm->kind, norm_kinds);
}
void read_embedding_epsilon(At at, To c) {
  if (c.embedding_norm) read_epsilon(at, c, *c.embedding_norm);
}
void read_embedding_placement(At at, To c) {
  if (c.embedding_norm) keep_word(at, c, c.embedding_norm->placement, placements);
}
// A norm of which only the kind or ε is told must not be taken for none.
void read_block_norm(At at, To c) {
  const bool begun = at.other("block.kind").given() || at.other("block.epsilon").given();
  if (begun && !at.given() && !at.absent()) at.miss("one of " + joined(words(block_norms)));
  keep(at, c, c.block.where, at.choice(block_norms), {BlockNorm::none}, "none");
}
void read_block_epsilon(At at, To c) {
  if (normed(c) == Counts::yes || at.given()) read_epsilon(at, c, c.block.norm);
}
void read_scale(At at, To c) {
  const Number usual =
      c.model.d_k ? Number(1 / std::sqrt(static_cast<double>(*c.model.d_k))) : Number();
  keep(at, c, c.attention.scale, at.number(finite), usual, "1/sqrt(d_k)");
}
template <auto part>
void read_law_parameter(At at, To c) {
  read_parameter(at, (c.*part).law);
}
void read_projection_parameter(At at, To c) {
  read_parameter(at, c.attention.projection_q);
  c.attention.projection_k = c.attention.projection_q;
}
template <std::optional<Law> Attention::*law>
void read_own_projection(At at, To c) {
  if (auto own = law_of(at, projection_laws)) c.attention.*law = own;
  if (at.absent()) (c.attention.*law).reset();
}
template <std::optional<Law> Attention::*law>
void read_own_parameter(At at, To c) {
  const std::string path = at.path().substr(0, at.path().find('_') + 2);
  if (at.other(path).given())
    read_parameter(at, c.attention.*law);
  else if (at.given())
    at.refuse("absent unless " + path + " is given");
}
void read_extra_parameter(At at, To c) {
  std::optional<Law> law = c.extras.back().law;
  read_parameter(at, law);
  c.extras.back().law = *law;
}
constexpr auto read_q = read_own_projection<&Attention::projection_q>;
constexpr auto read_k = read_own_projection<&Attention::projection_k>;
constexpr auto read_q_parameter = read_own_parameter<&Attention::projection_q>;
constexpr auto read_k_parameter = read_own_parameter<&Attention::projection_k>;

constexpr const char* a_number = "number";
constexpr const char* positive_number = "number > 0";
constexpr const char* needed = "required";
constexpr const char* if_normal =
    "required for normal, and for truncated_normal (before its cut at 2 sigma)";
constexpr const char* if_uniform = "required for uniform";
constexpr const char* laws = "normal, uniform, truncated_normal, xavier_uniform, xavier_normal";
constexpr const char* projections =
    "normal, uniform, truncated_normal, xavier_uniform, xavier_normal, packed_xavier_uniform, "
    "zeros";

constexpr Field rows[] = {
    {"name", "text", "the file's name", [](At at, To c) { c.name = at.text(60).value_or(c.name); }},
    {"source.repository", "text", "none",
     [](At at, To c) { c.source.repository = at.text(140).value_or(""); }},
    {"source.commit", "text", "none",
     [](At at, To c) { c.source.commit = at.text(140).value_or(""); }},
    {"source.files", "array of texts", "none",
     [](At at, To c) { c.source.files = at.texts(1000); }},
    {"model.d_model", "whole number, 2 to 2^24; even for sinusoids", needed, read_d_model,
     Absence::possible},
    {"model.heads", "whole number, a divisor of d_model unless d_k is given", needed,
     [](At at, To c) { c.model.heads = at.required_integer(1, widest); }, Absence::possible},
    {"position.kind", "sinusoidal, learned, rotary, relative, none", needed,
     [](At at, To c) {
       c.position.kind = at.required_choice(position_kinds).value_or(PositionKind::none);
     }},
    {"position.combine", "sum, concatenation (of token and position)", "sum",
     [](At at, To c) { c.position.combine = at.choice(combinations).value_or(Combine::sum); }},
    {"position.frequencies", "paper, base^(-2i/d); tensor2tensor, base^(-i/(d/2-1))", "paper",
     [](At at, To c) { keep_word(at, c, c.position.frequencies, frequency_rules, sinusoids(c)); }},
    {"position.layout", "interleaved, halves; no figure depends on it", "interleaved",
     [](At at, To c) { keep_word(at, c, c.position.layout, layouts, sinusoids(c)); }},
    {"model.d_k", "whole number, the width of a head", "d_model/heads", read_d_k,
     Absence::possible},
    {"model.vocabulary", "whole number, V", "what depends on it is missing",
     [](At at, To c) { c.model.vocabulary = at.integer(1, most_words); }, Absence::possible},
    {"model.positions", "whole number, L: of positions, and of keys",
     "what depends on it is missing",
     [](At at, To c) { c.model.positions = at.integer(1, widest); }, Absence::possible},
    {"token.law", laws, needed,
     [](At at, To c) {
       const auto kind = at.required_choice(table_laws);
       if (kind) c.token.law = Law{*kind, {}, {}};
     },
     Absence::possible},
    {"token.standard_deviation", positive_number, if_normal,
     read_law_parameter<&Configuration::token>},
    {"token.half_range", positive_number, if_uniform, read_law_parameter<&Configuration::token>},
    {"token.multiplier", a_number, "1",
     [](At at, To c) { keep(at, c, c.token.multiplier, at.number(finite), {1.0}, "1"); },
     Absence::possible},
    {"token.multiplier_format", "what it is rounded to: binary64, binary32, binary16, bfloat16",
     "binary32",
     [](At at, To c) {
       keep_word(at, c, c.token.format, formats,
                 c.token.multiplier == 1.0 ? Counts::no : Counts::yes);
     }},
    {"token.width", "whole number < d_model, for concatenation only",
     "required there, else d_model", read_token_width},
    {"position.base", "number >= 1", "10000",
     [](At at, To c) {
       keep(at, c, c.position.base, at.number(from_one), {10000.0}, "10000", sinusoids(c));
     },
     Absence::possible},
    {"position.first", "whole number: the table begins with this position", "0",
     read_first_position},
    {"position.law", laws, "required where position.kind is learned", read_position_law,
     Absence::possible},
    {"position.standard_deviation", positive_number, if_normal,
     read_law_parameter<&Configuration::position>},
    {"position.half_range", positive_number, if_uniform,
     read_law_parameter<&Configuration::position>},
    {"position.multiplier", a_number, "1",
     [](At at, To c) {
       keep(at, c, c.position.multiplier, at.number(finite), {1.0}, "1",
            adds_positions(c.position.kind) ? Counts::yes : Counts::no);
     },
     Absence::possible},
    {"embedding_norm.kind", "layer_norm, rms_norm", "layer_norm; without the section: no norm",
     read_embedding_norm},
    {"embedding_norm.epsilon", "number >= 0", "1e-5", read_embedding_epsilon, Absence::possible},
    {"embedding_norm.epsilon_added_to", "variance, standard_deviation", "variance",
     read_embedding_placement},
    {"block.norm", "pre, post, none", "none", read_block_norm, Absence::possible},
    {"block.kind", "layer_norm, rms_norm", "layer_norm",
     [](At at, To c) { keep_word(at, c, c.block.norm.kind, norm_kinds, normed(c)); }},
    {"block.epsilon", "number >= 0", "1e-5", read_block_epsilon, Absence::possible},
    {"block.epsilon_added_to", "variance, standard_deviation", "variance",
     [](At at, To c) { keep_word(at, c, c.block.norm.placement, placements, normed(c)); }},
    {"attention.scale", "number, of the dot products", "1/sqrt(d_k)", read_scale,
     Absence::possible},
    {"attention.projection", projections, "xavier_uniform", read_projection, Absence::possible},
    {"attention.projection_standard_deviation", positive_number, if_normal,
     read_projection_parameter},
    {"attention.projection_half_range", positive_number, if_uniform, read_projection_parameter},
    {"attention.projection_q", projections, "attention.projection", read_q, Absence::possible},
    {"attention.projection_q_standard_deviation", positive_number, if_normal, read_q_parameter},
    {"attention.projection_q_half_range", positive_number, if_uniform, read_q_parameter},
    {"attention.projection_k", projections, "attention.projection", read_k, Absence::possible},
    {"attention.projection_k_standard_deviation", positive_number, if_normal, read_k_parameter},
    {"attention.projection_k_half_range", positive_number, if_uniform, read_k_parameter},
    {"output.tied", "true (to the token table), false", "true", read_tied, Absence::possible},
    {"output.sharing", "always, by_default, on_request, optional, never: what the program offers",
     "none", read_sharing},
    {"output.law", "as token.law, or zeros", "required where output.tied is false", read_output_law,
     Absence::possible},
    {"output.standard_deviation", positive_number, if_normal,
     read_law_parameter<&Configuration::output>},
    {"output.half_range", positive_number, if_uniform, read_law_parameter<&Configuration::output>},
    {"output.multiplier", "number, of the logits", "1",
     [](At at, To c) { keep(at, c, c.output.multiplier, at.number(finite), {1.0}, "1"); }},
    {"extra[].name", "text, of this [[extra]] table", "none",
     [](At at, To c) { c.extras.back().name = at.text(60).value_or(""); }},
    {"extra[].law", laws, needed,
     [](At at, To c) {
       c.extras.back().law.kind = at.required_choice(table_laws).value_or(LawKind::normal);
     }},
    {"extra[].standard_deviation", positive_number, if_normal, read_extra_parameter},
    {"extra[].half_range", positive_number, if_uniform, read_extra_parameter},
    {"extra[].rows", "whole number, for the Xavier laws only", "what depends on it is missing",
     [](At at, To c) { c.extras.back().rows = at.integer(1, most_words); }},
    {"extra[].multiplier", a_number, "1",
     [](At at, To c) { c.extras.back().multiplier = at.given() ? at.number(finite) : 1.0; }},
};

}  // namespace

std::string_view parameter_key(LawKind kind) {
  switch (kind) {
    case LawKind::normal:
    case LawKind::truncated_normal: return "standard_deviation";
    case LawKind::uniform: return "half_range";
    default: return {};
  }
}

bool adds_positions(PositionKind kind) {
  return kind == PositionKind::sinusoidal || kind == PositionKind::learned;
}

bool may_be_absent(std::string_view path) {
  return std::ranges::any_of(rows, [&](const Field& field) {
    return field.path == path && field.absence == Absence::possible;
  });
}

std::span<const Field> fields() { return rows; }

std::string_view name_of(LawKind kind) { return word_for(kind, projection_laws); }
std::string_view name_of(NumberFormat format) { return word_for(format, formats); }
std::string_view name_of(PositionKind kind) { return word_for(kind, position_kinds); }
std::string_view name_of(FrequencyRule rule) { return word_for(rule, frequency_rules); }
std::string_view name_of(expected::Norm::Kind kind) { return word_for(kind, norm_kinds); }
std::string_view name_of(BlockNorm where) { return word_for(where, block_norms); }

}  // namespace embedscale::audit
