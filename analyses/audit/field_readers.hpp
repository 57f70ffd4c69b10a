#pragma once
// How the fields of a configuration are read: what several rows of fields.cpp share.
#include "audit/configuration.hpp"
#include "audit/entry.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace embedscale::audit {

inline constexpr std::int64_t widest = 1 << 24;  // also the last position binary32 holds exactly
inline constexpr std::int64_t most_words = std::int64_t{1} << 32;

/// The words for laws: of a projection, of a table, of an output matrix.
inline constexpr Choices<LawKind, 7> projection_laws{
    {{"normal", LawKind::normal},
     {"uniform", LawKind::uniform},
     {"truncated_normal", LawKind::truncated_normal},
     {"xavier_uniform", LawKind::xavier_uniform},
     {"xavier_normal", LawKind::xavier_normal},
     {"packed_xavier_uniform", LawKind::packed_xavier_uniform},
     {"zeros", LawKind::zeros}}};
inline constexpr auto table_laws = [] {
  Choices<LawKind, 5> laws;
  std::copy_n(projection_laws.begin(), laws.size(), laws.begin());
  return laws;
}();
inline constexpr auto output_laws = [] {
  Choices<LawKind, 6> laws;
  std::copy_n(projection_laws.begin(), laws.size(), laws.begin());
  laws.back() = projection_laws.back();
  return laws;
}();

/// Notes that the default of a field counts. Nothing is noted where the field is given or absent.
void note_default(const Entry& at, Configuration& c, std::string words);

/// Whether a default is noted: where it counts.
enum class Counts { yes, no };

/// `value`, or else `otherwise`, noted as the default in `words`; nothing for an absent field.
template <class Value>
void keep(const Entry& at, Configuration& c, std::optional<Value>& field,
          std::optional<Value> value, std::optional<Value> otherwise, std::string words,
          Counts counts = Counts::yes) {
  field = at.given() || at.absent() ? value : otherwise;
  if (counts == Counts::yes) note_default(at, c, std::move(words));
}

/// The same for a field that always has a value.
template <class Value, std::size_t N>
void keep_word(const Entry& at, Configuration& c, Value& field, const Choices<Value, N>& choices,
               Counts counts = Counts::yes) {
  if (const auto word = at.choice(choices))
    field = *word;
  else if (counts == Counts::yes)
    note_default(at, c, std::string(word_for(field, choices)));
}

/// The kind of a law, without its parameter.
template <std::size_t N>
std::optional<Law> law_of(const Entry& at, const Choices<LawKind, N>& choices) {
  const auto kind = at.choice(choices);
  return kind ? std::optional(Law{*kind, {}, {}}) : std::nullopt;
}

/// The parameter of a law whose kind is known: required where the law takes it, refused where not.
void read_parameter(const Entry& at, std::optional<Law>& law);

void read_d_model(const Entry& at, Configuration& c);
void read_d_k(const Entry& at, Configuration& c);
void read_token_width(const Entry& at, Configuration& c);
void read_position_law(const Entry& at, Configuration& c);
void read_epsilon(const Entry& at, Configuration& c, NormLayer& norm);
void read_projection(const Entry& at, Configuration& c);
void read_tied(const Entry& at, Configuration& c);
void read_sharing(const Entry& at, Configuration& c);
void read_output_law(const Entry& at, Configuration& c);

}  // namespace embedscale::audit
