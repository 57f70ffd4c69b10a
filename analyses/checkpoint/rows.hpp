#pragma once
// What the rows of a table are like: read once, part by part, by threads, in memory that does not
// grow with the file but for some numbers a row.
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "checkpoint/tensors.hpp"

namespace embedscale::checkpoint {

/// Sums of one row. The sketch has ∑ ±x over the channels k, k + 16, … for each k < 16, with random
/// signs, the same for all rows: over these, the squared distance of two rows' sketches has the
/// mean of the rows' own, with a relative variance of 2/16 where the classes share it alike, 2 at
/// most.
struct RowSums {
  double square = 0;
  std::array<float, 16> sketch{};

  /// NaN, near to nothing and equal to nothing.
  void leave_out() { square = std::nan(""), sketch.fill(std::nanf("")); }
  bool is_left_out() const { return std::isnan(square); }
};

struct TableSums {
  std::uint64_t rows = 0, width = 0;
  std::uint64_t left_out = 0;  ///< rows whose squares are not finite in binary32
  std::vector<RowSums> by_row;
  std::vector<double> sum, square;  ///< by channel
};

/// An entry below 2⁻⁶³ in size has a square that binary32 takes for 0.
///
/// Ensures   the same bits on any number of threads; each sum is within 2⁻¹⁷ of that of the sizes
///           of what it adds: chains of at most 64 sums in binary32, then in binary64.
/// Errors    audit::ContentError: no table of 1 to 2²⁴ rows and channels of floating-point numbers;
///           report::FileError.
TableSums sums_of(const Tensor& table);

/// How many rows are nearer to each of these than the square root of `square`, by their sketches.
std::vector<std::uint64_t> rows_near(const TableSums& sums, std::span<const std::uint64_t> to,
                                     double square);

/// Rows in their order as binary32 (those of F64 are rounded), from `begin` on, ahead of `end`.
///
/// Requires  end <= the table's rows.
/// Errors    as above.
void for_rows(const Tensor& table, std::uint64_t begin, std::uint64_t end,
              const std::function<void(std::uint64_t, std::span<const float>)>& see);

}  // namespace embedscale::checkpoint
