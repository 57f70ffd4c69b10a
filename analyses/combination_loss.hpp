#pragma once
// What the components of a position table lose when they are scaled down and added to tokens.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "combination.hpp"

namespace embedscale::combination_analysis {

/// All channels of one position, or of many.
struct Loss {
  std::uint64_t below_up = 0;                     ///< components p below the normal range
  std::uint64_t below_down = 0;                   ///< components p/m below it
  std::uint64_t vanished = 0;                     ///< of these, rounded to 0
  double alone = 0;                               ///< worst relative loss of a p/m …
  std::uint64_t position = 0, channel = 0;        ///< … and where it is
  double over_half_ulp = 0;                       ///< worst underflow_over_half_ulp
  double up_error = 0, down_error = 0, size = 0;  ///< sums of squares, all at the scale of up

  void add(const Loss& other) {
    below_up += other.below_up;
    below_down += other.below_down;
    vanished += other.vanished;
    if (other.alone > alone) {
      alone = other.alone;
      position = other.position;
      channel = other.channel;
    }
    over_half_ulp = std::max(over_half_ulp, other.over_half_ulp);
    up_error += other.up_error;
    down_error += other.down_error;
    size += other.size;
  }
};

/// One channel: e and p as the format holds them; errors against the exact m·e + p of those.
template <class Real>
Loss loss_of(Real e, Real p, Real m) {
  using namespace properties::combination;
  const Library library;
  Loss loss;
  const auto faint = faint_position(p, m, library);
  if (faint.below_normal()) {
    loss.below_down = 1;
    loss.vanished = faint.vanished() ? 1 : 0;
    loss.alone = faint.loss_alone();
  }
  loss.below_up = properties::is_normal_or_zero(p) ? 0 : 1;
  loss.over_half_ulp = underflow_over_half_ulp(e, p, m, library);
  const double exact = double(m) * double(e) + double(p);
  const double up = double(library.up(e, p, m));
  // The input itself, without the multiplication that no model makes; exact in double.
  const double down = double(m) * double(library.down(e, p, m));
  loss.up_error = (up - exact) * (up - exact);
  loss.down_error = (down - exact) * (down - exact);
  loss.size = exact * exact;
  return loss;
}

/// L, one for all sections: 1024 unless told.  Errors  std::invalid_argument if several are.
inline std::uint64_t position_count(const cli::Options& options) {
  const auto told = points(options.positions, std::array<std::uint64_t, 1>{1024});
  if (told.size() > 1) throw std::invalid_argument("--positions: one number for this program");
  return told.front();
}

/// A table of positions 0 … L−1 at one width.
struct TableLoss {
  Loss total;
  std::vector<double> below_by_channel;  ///< positions at which the channel's p/m is below
};

/// Paper frequencies, interleaved; tokens uniform with standard deviation d^−½.
template <class Real>
TableLoss loss_at(std::uint64_t d, const cli::Options& options) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  const auto m = root_multiplier<Real>(d);
  const double half_range = std::sqrt(3.0 / static_cast<double>(d));
  const auto claim = properties::combination::down_makes_positions_too_faint.id;
  const Stream tokens(options.seed, fmt::format("{}/{}", claim, d));
  std::vector<Loss> losses(position_count(options));
  std::vector<std::vector<std::uint64_t>> below(position_count(options));
  tbb::parallel_for(std::uint64_t{0}, position_count(options), [&](std::uint64_t position) {
    std::vector<double> p(d);
    encode_position<double>(static_cast<std::int64_t>(position), w, SinusoidalLayout::interleaved,
                            p);
    for (std::uint64_t j = 0; j < d; ++j) {
      const double e = half_range * (2.0 * tokens.uniform(position * d + j) - 1.0);
      Loss loss = loss_of(static_cast<Real>(e), static_cast<Real>(p[j]), m);
      loss.position = position;
      loss.channel = j;
      if (loss.below_down != 0) below[position].push_back(j);
      losses[position].add(loss);
    }
  });
  // In the order of the positions, whatever the threads did: sums are the same bits every time.
  TableLoss table{.total = {}, .below_by_channel = std::vector<double>(d)};
  for (const auto& loss : losses) table.total.add(loss);
  for (const auto& channels : below)
    for (const auto j : channels) table.below_by_channel[j] += 1.0;
  return table;
}

}  // namespace embedscale::combination_analysis
