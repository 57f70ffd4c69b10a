#pragma once
// A model's embedding, position, attention and output parts as its TOML file states them. To add a
// field: a member here, and a row in the table of fields.cpp.
#include <embedscale/expected/normalization.hpp>
#include <embedscale/merged.hpp>
#include <embedscale/porting.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace embedscale::audit {

/// Where the numbers were found. Optional for a configuration of one's own.
struct Source {
  std::string repository;          ///< owner/name
  std::string commit;              ///< the full hash
  std::vector<std::string> files;  ///< paths, with lines where they are known
};

/// An empty number is one that the configuration does not state: where it is optional, or marked
/// absent, or a formula of such a number.
using Number = std::optional<double>;
using Integer = std::optional<std::int64_t>;

struct Model {
  Integer d_model;     ///< 2 … 2^24: the width of the sum (or of the whole, if concatenated)
  Integer heads;       ///< >= 1
  Integer d_k;         ///< width of one head; d_model/heads unless given
  Integer vocabulary;  ///< V, rows of the token table
  Integer positions;   ///< L, the number of positions and of keys
};

/// The distribution that a matrix is drawn from at initialisation; files call it its law.
struct Distribution {
  enum class Kind {
    normal,
    uniform,
    truncated_normal,
    xavier_uniform,
    xavier_normal,
    packed_xavier_uniform,
    zeros
  };
  Kind kind = Kind::normal;
  /// The standard deviation (normal; truncated_normal: before the cut) or half the range (uniform);
  /// the others have none.
  Number parameter;
  std::string written;  ///< the parameter as it stands in the file
};

/// The floating-point formats that a multiplier may be rounded to.
enum class NumberFormat { binary64, binary32, binary16, bfloat16 };

/// Where a code has its multiplier: a configuration that has it nowhere multiplies by 1.
enum class MultipliedWhen { always, sinusoidal };

/// Whether it multiplies tokens as they are looked up, or every row behind the merge.
using embedscale::MultiplierPlace;

/// What stands for the token: a row of a table, or features of another kind, as of a convolution.
enum class TokenKind { table, features };

/// What a projection from token.width to d_model takes: the token alone, or the sum with positions
/// and further tables, which is then of token.width channels, behind the norm on it.
enum class Projected { token, sum };

/// t = multiplier·e, with a table of entries e drawn from `law`, or features of that RMS; times a
/// matrix of d_model by `width` entries drawn from `projection`, if there is one.
struct Token {
  TokenKind kind = TokenKind::table;
  std::optional<Distribution> law;
  MultipliedWhen when = MultipliedWhen::always;
  MultiplierPlace place = MultiplierPlace::look_up;
  Number rms;         ///< of the entries of features
  Number multiplier;  ///< before it is rounded to `format`; 1 where it is not `when` it is there
  NumberFormat format = NumberFormat::binary32;
  Integer width;  ///< of e: d_model, unless it is set beside the position, or projected
  bool is_factorised = false;
  Projected projected = Projected::token;
  Distribution projection;

  bool has_table() const { return kind == TokenKind::table; }
  bool projects_sum() const { return is_factorised && projected == Projected::sum; }
};

/// Of those within attention: `relative` has vectors in the scores (Transformer-XL),
/// `relative_bias` a trained number for each distance (T5), `alibi` a fixed slope.
enum class PositionKind { sinusoidal, learned, rotary, relative, relative_bias, alibi, none };
enum class Combine { sum, concatenation };

/// What is done for the position. `frequencies` and `first` count where `kind` is sinusoidal,
/// `layout` and `base` there and where it is rotary, `law` where it is learned.
struct Position {
  PositionKind kind = PositionKind::none;
  Combine combine = Combine::sum;
  FrequencyRule frequencies = FrequencyRule::paper;
  /// Which channels make a pair, of sinusoids or of a rotary head; there it may be unknown.
  std::optional<SinusoidalLayout> layout;
  Number base;
  std::int64_t first = 0;
  std::optional<Distribution> law;
  Number multiplier;
};

/// A further table added at the start, one row of which all positions share (BERT's segments).
struct Extra {
  std::string name;
  Distribution law;
  Integer rows;  ///< of the table: only the Xavier laws need to know
  Number multiplier;
};

/// Rows that no table gives, merged with the tokens': an encoder's features, of images or audio.
struct Merged {
  std::string name;
  Number rms;         ///< of their entries, as the projector gives them
  Number multiplier;  ///< of them, ahead of the merge
};

/// A normalisation layer; `epsilon` may be unknown.
struct NormLayer {
  expected::Norm::Kind kind = expected::Norm::Kind::layer_norm;
  Number epsilon;
  EpsilonPlacement placement = EpsilonPlacement::variance;
};

enum class BlockNorm {
  pre,   ///< norm, then the branch: the first attention sees a normalised sum
  post,  ///< the branch, then the norm: the first attention sees the sum itself
  none
};

/// The norm in the blocks; `where` is empty if it is unknown.
struct Block {
  std::optional<BlockNorm> where;
  NormLayer norm;
  Number residual_multiplier;  ///< of each branch, before it is added to the stream
};

/// The gain g of the last norm, h = g ⊙ N(y) + bias; none: there is no norm, or one with neither.
using embedscale::Gain;

/// The norm whose output the output table multiplies: that of an output head (BERT), else in
/// post-norm models the last block's own. No figure depends on it.
struct FinalNorm {
  Gain gain = Gain::plain;
  bool bias = true;
};

struct Attention {
  Number scale;  ///< of the dot products
  std::optional<Distribution> projection_q, projection_k;
};

/// What a program offers, whatever this configuration has: no figure depends on it.
enum class Sharing {
  always,
  by_default,  ///< an option that is on
  on_request,  ///< an option that is off
  optional,    ///< an option whose default is unknown
  never
};

/// The outputs that a code multiplies the logits of.
enum class MultipliedOutput { any, tied };

struct Output {
  std::optional<bool> tied;         ///< whether it is the token table
  std::optional<Sharing> sharing;   ///< whether the program can have it otherwise
  std::optional<Distribution> law;  ///< of an untied one
  MultipliedOutput when = MultipliedOutput::any;
  Number multiplier;  ///< of the logits; 1 where the code has none for such an output
};

/// What a field rests on: read in the source, inferred from it, assumed (somebody's default), or
/// absent (the source does not tell it, so neither does the configuration).
enum class Mark { read, inferred, assumed, absent };

struct Basis {
  Mark mark = Mark::read;
  std::string source;  ///< where it was found, or why it is not there
};

struct Configuration {
  std::string file;  ///< as it was named, "-" for standard input
  std::string name;  ///< the file's stem unless given
  Source source;
  Model model;
  Token token;
  Position position;
  std::vector<Extra> extras;
  std::vector<Merged> merged;
  std::optional<NormLayer> embedding_norm;
  Block block;
  FinalNorm final_norm;
  Attention attention;
  Output output;
  std::map<std::string, Basis> marks;  ///< by field, such as "token.law"
  /// The fields that were not given and have a default that counts, in the order of reading, each
  /// with that default in words.
  std::vector<std::pair<std::string, std::string>> defaults;
  /// The fields that --set has left without effect, and factors that the code has in another case
  /// alone, each with what it would need.
  std::vector<std::pair<std::string, std::string>> without_effect;

  /// Whether a field has a default that counts.
  bool defaults_to(std::string_view field) const;
};

/// A field changed, "what if": the path of a field and its value in TOML, or as bare words. An
/// empty value takes the field away.
struct Change {
  std::string path, value;
};

/// "token.multiplier=1" as a change.
///
/// Errors    ContentError where there is no "=".
Change change_from(const std::string& text);

/// The largest configuration that is read, in bytes: 1 MB.
inline constexpr std::size_t largest_source = 1'000'000;

/// Reads a configuration from TOML text; `file` is its name in errors, "-" that of standard input.
///
/// Ensures   every number is finite and in its range, and the parts agree: heads divides d_model or
///           d_k is given, d_model suits the sinusoids, a law has the parameter it needs, no other;
///           and every field that the file gives has an effect, unless `changes` take it or it is
///           `without_effect`.
/// Errors    ContentError naming file, line, field, value and what is allowed.
Configuration parse_configuration(std::string_view toml, const std::string& file,
                                  const std::vector<Change>& changes = {});

/// The TOML text of a configuration that was changed, less what the changes leave without effect.
///
/// Errors    as parse_configuration.
std::string with_changes(std::string_view toml, const std::string& file,
                         const std::vector<Change>& changes);

/// The key of the parameter, "standard_deviation" or "half_range"; empty where there is none.
std::string_view parameter_key(Distribution::Kind kind);

/// Whether the matrix's shape decides the deviation.
constexpr bool is_xavier(Distribution::Kind kind) {
  using Kind = Distribution::Kind;
  return kind == Kind::xavier_uniform || kind == Kind::xavier_normal ||
         kind == Kind::packed_xavier_uniform;
}

/// Whether a position vector is added to the token's, or set beside it.
constexpr bool adds_positions(PositionKind kind) {
  return kind == PositionKind::sinusoidal || kind == PositionKind::learned;
}

/// The words of each enumeration in the order of its values, as files and reports have them.
constexpr std::string_view names(Distribution::Kind) {
  return "normal, uniform, truncated_normal, xavier_uniform, xavier_normal, packed_xavier_uniform, "
         "zeros";
}
constexpr std::string_view names(NumberFormat) { return "binary64, binary32, binary16, bfloat16"; }
constexpr std::string_view names(TokenKind) { return "table, features"; }
constexpr std::string_view names(Projected) { return "token, sum"; }
constexpr std::string_view names(PositionKind) {
  return "sinusoidal, learned, rotary, relative, relative_bias, alibi, none";
}
constexpr std::string_view names(Combine) { return "sum, concatenation"; }
constexpr std::string_view names(FrequencyRule) { return "paper, tensor2tensor"; }
constexpr std::string_view names(SinusoidalLayout) { return "interleaved, halves"; }
constexpr std::string_view names(expected::Norm::Kind) { return "layer_norm, rms_norm"; }
constexpr std::string_view names(EpsilonPlacement) { return "variance, standard_deviation"; }
constexpr std::string_view names(BlockNorm) { return "pre, post, none"; }
constexpr std::string_view names(Gain) { return "none, plain, one_plus"; }
constexpr std::string_view names(Sharing) {
  return "always, by_default, on_request, optional, never";
}
constexpr std::string_view names(MultipliedWhen) { return "always, sinusoidal"; }
constexpr std::string_view names(MultiplierPlace) { return "look_up, behind_merge"; }
constexpr std::string_view names(MultipliedOutput) { return "always, tied"; }
constexpr std::string_view names(Mark) { return "read, inferred, assumed, absent"; }
template <class Value>
inline constexpr std::string_view names_of = names(Value{});

/// The word at a place of such a list, counted from 0.
constexpr std::string_view word_at(std::size_t place, std::string_view list) {
  while (place-- > 0) list.remove_prefix(list.find(", ") + 2);
  return list.substr(0, list.find(", "));
}

/// "normal".
template <class Value>
requires std::is_enum_v<Value>
constexpr std::string_view name_of(Value value) {
  return word_at(static_cast<std::size_t>(value), names_of<Value>);
}

}  // namespace embedscale::audit
