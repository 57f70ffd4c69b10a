#pragma once
// A model's embedding and position parts as its TOML file tells them. To add a field: a member
// here, and a row in the table of fields in configuration.cpp.
#include "audit/number_format.hpp"

#include <embedscale/sinusoidal.hpp>

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

/// Where the numbers were found. Optional for a configuration of one's own.
struct Source {
  std::string repository;          ///< owner/name
  std::string commit;              ///< the full hash
  std::vector<std::string> files;  ///< paths, with lines where they are known
};

struct Model {
  std::int64_t d_model = 0;                ///< 2 … 2^24
  std::int64_t heads = 0;                  ///< >= 1
  std::int64_t d_k = 0;                    ///< width of one head; d_model/heads unless given
  std::optional<std::int64_t> vocabulary;  ///< V, rows of the token table
  std::optional<std::int64_t> positions;   ///< L, the number of positions: 0 … L−1
};

enum class LawKind { normal, uniform, truncated_normal, xavier_uniform, xavier_normal };

/// The law a table is drawn from at initialisation.
struct Law {
  LawKind kind = LawKind::normal;
  /// The standard deviation (normal; truncated_normal: before the cut) or half the range (uniform);
  /// the Xavier laws have none.
  double parameter = 0;
};

/// x = multiplier·e + …, with a table of entries e drawn from `law`.
struct Token {
  Law law;
  double multiplier = 1;  ///< before it is rounded to `format`
  NumberFormat format = NumberFormat::binary32;
};

enum class PositionKind { sinusoidal, learned, rotary, relative, none };

/// What is added to the tokens. `frequencies`, `layout` and `base` count where `kind` is sinusoidal
/// (`base` for rotary, too), `law` where it is learned.
struct Position {
  PositionKind kind = PositionKind::none;
  FrequencyRule frequencies = FrequencyRule::paper;
  SinusoidalLayout layout = SinusoidalLayout::interleaved;
  double base = 10000;
  std::optional<Law> law;
  double multiplier = 1;
};

/// What a field rests on: read in the source, inferred from it, or assumed (a default).
enum class Mark { read, inferred, assumed };

struct Configuration {
  std::string file;  ///< as it was named, "-" for standard input
  std::string name;  ///< the file's stem unless given
  Source source;
  Model model;
  Token token;
  Position position;
  std::map<std::string, Mark> marks;  ///< by field, such as "token.law"

  /// The mark of a field; read unless the configuration says otherwise.
  Mark mark_of(const std::string& field) const;
};

/// Reads a configuration from a file, or from standard input where `file` is "-".
///
/// Ensures   every number is finite and in its range, and the parts agree: heads divides d_model or
///           d_k is given, d_model suits the sinusoids, a law has the parameter it needs, no other.
/// Errors    ContentError naming file, line, field, value and what is allowed; InputError.
Configuration read_configuration(const std::string& file);

/// The same from a stream; `file` is its name in errors.
Configuration read_configuration(std::istream& in, const std::string& file);

/// The same from TOML text.
Configuration parse_configuration(std::string_view toml, const std::string& file);

/// The key of the law's parameter, "standard_deviation" or "half_range"; empty for the Xavier laws.
std::string_view parameter_key(LawKind kind);

/// Whether a position vector is added to the token's.
bool adds_positions(PositionKind kind);

std::string_view name_of(LawKind kind);
std::string_view name_of(PositionKind kind);
std::string_view name_of(Mark mark);

}  // namespace embedscale::audit
