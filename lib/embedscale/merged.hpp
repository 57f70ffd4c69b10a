#pragma once
// Rows that no table gives (of images, of audio), merged with the tokens' ahead of the first block.
// The multiplier m stands in the look-up, of tokens alone, or behind the merge, of every row.
#include <embedscale/scalar.hpp>

namespace embedscale {

enum class MultiplierPlace { look_up, behind_merge };
/// What becomes of such rows, an encoder's features, ahead of the merge.
enum class Features { as_they_are, divided };

/// A token's channel e in the merged input: fl(m·e), wherever m stands.
template <Scalar Real>
constexpr Real merged_token(const Real& e, const Real& m, MultiplierPlace) {
  return m * e;
}

/// A feature's channel q in the merged input:
///
///                 look_up    behind_merge
///   as_they_are   q          fl(m·q)
///   divided       fl(q/m)    fl(m·fl(q/m)): q over the reals
///                            [combination.merged_rows_share_the_factor]
///
/// Requires m != 0.
template <Scalar Real>
constexpr Real merged_feature(const Real& q, const Real& m, MultiplierPlace place,
                              Features features) {
  Real row = q;
  if (features == Features::divided) row = q / m;
  if (place == MultiplierPlace::behind_merge) row = m * row;
  return row;
}

}  // namespace embedscale
