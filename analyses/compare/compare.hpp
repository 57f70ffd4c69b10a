#pragma once
// One configuration with its factor in five ways side by side, in the figures of its audit: what
// keeping, dropping, folding or moving the factor changes at the start, and what it leaves alone.
#include "audit/scales.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::compare {

/// A way to write the configuration's input, r = √d_model rounded to the multiplier's format:
///
///   up         r·e + p
///   down       e + p/r, and every further table and merged row over r
///   folded     (r·e) + p: the table's distribution times r, no multiplier; where r multiplied
///              merged rows, too, these times r
///   unscaled   e + p
///   own        as the configuration has it
struct Parametrisation {
  std::string_view name;
  audit::Known<audit::Configuration> configuration;  ///< missing: "does not apply: …" or "needs …"
};

/// A figure that hangs on the multiplier, in all ways: one of the audit's, at its path there, or
///
///   residual_stream.input_to_branch      RMS of the input over that of the first branch, attention
///   residual_stream.token_share.after_N  the token's share of its mean square behind N blocks
///   first_norm.epsilon_shrinkage         1 − RMS behind the first norm that sees the sum
///
/// The stream is that of pre-norm blocks initialised by Xavier's, with d_ff = 4·d_model and ε = 0
/// [normalization.token_share_after_blocks]; behind the norm on the embeddings, if there is one.
struct Row {
  std::string path;
  std::string_view claim;            ///< what a difference is an instance of: "topic.predicate"
  std::vector<audit::Quantity> at;   ///< by way; missing for its reason where the way is
  bool agree;                        ///< no two differ by more than the formulas' rounding
  std::optional<std::string> shown;  ///< with four digits, if these are the same in all ways
};

/// Whether it is there in some way and not the same in all that apply.
bool differs(const Row& row);

struct Parametrisations {
  audit::Configuration configuration;
  std::vector<Parametrisation> ways;  ///< all five, in this order
  std::vector<Row> rows;
  std::optional<audit::ScaledDown> root;  ///< with √d_model, as rounded; none where `up` is not
  audit::ScaledDown own;                  ///< with the configuration's own multiplier

  /// The way named so.
  const Parametrisation& way(std::string_view name) const;
  /// A figure in a way.  Errors  std::invalid_argument for a path or a way that there is not.
  const audit::Quantity& at(std::string_view path, std::string_view way) const;
};

/// The N of the shares that are compared. Each block takes a double integral for each way.
inline constexpr std::array<std::uint64_t, 5> usual_depths{1, 2, 6, 12, 24};

/// Requires  a configuration that was read, hence checked; rising depths.
Parametrisations compared(audit::Configuration configuration,
                          std::span<const std::uint64_t> depths = usual_depths);

// Both of a comparison at the usual depths.

/// A comparison as plain text, aligned, ending in a newline: at most 79 columns wide, 99 in the
/// table. Numbers as the audit's summary has them.
std::string words_of(const Parametrisations& comparison);

/// A comparison as an object in JSON, on one line without a newline:
///   name, file
///   ways      way → figure's path → number or null; null where the way does not apply
///   agree     paths of the figures that are the same in all ways that apply
///   claims    path → id, of each figure that differs and of the two in `rounding`
///   rounding  root and own → {exact, rounded, relative_error, rounds_identically: format → bool},
///             null where it is missing
///   decision  {verdict, claims}: decision_of; `because` where there is one
///   missing   "way" or "way path" → the reason
std::string json_line(const Parametrisations& comparison);

}  // namespace embedscale::compare
