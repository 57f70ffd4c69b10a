#pragma once
// What a trained token table is like beside what it may have begun as: sizes of its rows and
// channels, rows that were never trained, and, channel by channel, tokens beside the variation of
// the position. No single ratio of the two: where rows, gains and ratios change from fast to slow
// channels together, one number says the opposite of what each channel does.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "audit/configuration.hpp"
#include "checkpoint/names.hpp"
#include "checkpoint/tensors.hpp"
#include "report/figure.hpp"

namespace embedscale::checkpoint {

/// Of a table e of V rows and d channels.
struct TableScale {
  double rms = 0;                     ///< √E e², over all entries
  double centred = 0;                 ///< the same of e − μ, with the mean row μ
  double mean_share = 0;              ///< of μ in E e²
  std::array<double, 7> quantiles{};  ///< of the RMS of a row, at the shares of quantile_shares
  std::array<double, 8> by_id{};      ///< RMS of the first eighth of the ids, and so on
};
inline constexpr std::array quantile_shares{0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0};

/// Rows that are the same, or lie together: closer to `row` than a quarter of what rows differ from
/// their mean by. Rows that were trained apart are about √2 of that apart. Not looked for in fewer
/// than 16 channels.
struct RowGroup {
  std::uint64_t rows = 0, row = 0;
};

/// A deviation that a table may have begun with.
struct Beginning {
  std::string what;  ///< "1/sqrt(d)", "unit", or "token.law" of the configuration
  double deviation = 0;
};

/// One number for each eighth of the channels, in the order of Fingerprint::channels.
using Bands = std::array<double, 8>;

/// Tokens beside the first `positions` positions: m·(deviation of a channel over the rows) over
/// that over the positions. What does not change with the position tells nothing of it.
struct PositionRatio {
  std::uint64_t positions = 0;
  double deviation = 0;            ///< √ of the positions' mean variance
  std::vector<double> by_channel;  ///< ∞ where the position does not change
  Bands by_band{};                 ///< medians
  double tokens_exceed = 0;        ///< share of the channels
};

struct Fingerprint {
  std::string file, name, dtype;
  std::uint64_t rows = 0, width = 0, left_out = 0;
  double multiplier = 1;
  std::vector<double> row_rms;  ///< sorted, of the rows that are not left out
  TableScale table;
  RowGroup equal, together;  ///< the largest; rows 0 or 1: none
  std::vector<Beginning> beginnings;
  std::string positions;  ///< what they are, or why there are none
  bool has_sinusoids = false;
  std::vector<std::size_t> channels;  ///< fast to slow for sinusoids, else as they come
  Bands tokens{};                     ///< medians of m·(deviation of a channel over the rows)
  std::vector<PositionRatio> ratios;
};

/// Of the token table among these tensors. `configuration` is the code's, where it is known: its
/// multiplier, its positions, what it draws tables from.
///
/// Errors    audit::ContentError: no token table, or several; a width that is not the
///           configuration's; report::FileError.
Fingerprint fingerprint_of(const std::vector<Tensor>& tensors, const Patterns& patterns,
                           const std::vector<std::uint64_t>& lengths,
                           const std::optional<audit::Configuration>& configuration);

/// As plain text, at most 79 columns wide, ending in a newline.
std::string words_of(const Fingerprint& fingerprint);

/// As an object in JSON, on one line without a newline: the members of Fingerprint, without those
/// of each row and each channel.
std::string json_line(const Fingerprint& fingerprint);

/// Sizes of the rows, from the least to the greatest, and the ratio by channel where there is one.
std::vector<report::Figure> figures_of(const Fingerprint& fingerprint);

}  // namespace embedscale::checkpoint
