#pragma once
// Wrong readers, and wrong counts of what a model costs, each beside the defect it stands for.
#include <cmath>

#include "../concatenation_costs.hpp"
#include "../concatenation_reader.hpp"

namespace embedscale::properties::mutants {

/// The reader does not take the position away.
struct keeps_the_position : concatenation::Library {
  template <Scalar Real>
  static Real without(const Real& x, const Real&) {
    return x;
  }
};

/// It takes the position away twice.
struct takes_the_position_twice : concatenation::Library {
  template <Scalar Real>
  static Real without(const Real& x, const Real& p) {
    return x - p - p;
  }
};

/// It knows the position but for a part in 2^40.
struct takes_almost_the_position : concatenation::Library {
  template <Scalar Real>
  static Real without(const Real& x, const Real& p) {
    return x - p + p / Real(1 << 20) / Real(1 << 20);
  }
};

/// It takes the last of the rows that are nearest in all channels but the last.
struct overlooks_the_last_channel : concatenation::Library {
  template <Scalar Real>
  static std::size_t nearest_row(const EmbeddingTable<Real>& table, std::span<const Real> y) {
    std::size_t best = 0;
    Real least(0);
    for (std::size_t v = 0; v < table.vocabulary(); ++v) {
      const auto distance = concatenation::squared_distance<Real>(y.first(y.size() - 1),
                                                                  table.row(v).first(y.size() - 1));
      if (v == 0 || distance <= least) best = v, least = distance;
    }
    return best;
  }
};

/// It takes the row with the largest inner product: right for rows of one length.
struct reads_by_inner_product : concatenation::Library {
  template <Scalar Real>
  static std::size_t nearest_row(const EmbeddingTable<Real>& table, std::span<const Real> y) {
    std::size_t best = 0;
    for (std::size_t v = 1; v < table.vocabulary(); ++v)
      if (embedscale::dot(table.row(v), y) > embedscale::dot(table.row(best), y)) best = v;
    return best;
  }
};

/// It adds the sizes of the gaps, not their squares.
struct adds_sizes_of_gaps : concatenation::Library {
  template <Scalar Real>
  static std::size_t nearest_row(const EmbeddingTable<Real>& table, std::span<const Real> y) {
    std::size_t best = 0;
    Real least(0);
    for (std::size_t v = 0; v < table.vocabulary(); ++v) {
      Real distance(0);
      for (std::size_t j = 0; j < y.size(); ++j) {
        const Real gap = y[j] - table.row(v)[j];
        distance = distance + (gap < Real(0) ? Real(-gap) : gap);
      }
      if (v == 0 || distance < least) best = v, least = distance;
    }
    return best;
  }
};

/// The sum is rounded to a quarter of the format's digits.
struct sums_in_few_digits : concatenation::Library {
  template <Scalar Real>
  static Real sum(const Real& e, const Real& p) {
    const Real x = e + p;
    if constexpr (requires { FormatTraits<Real>::digits; })
      return Real(static_cast<double>(Format<8, 2>(static_cast<double>(x))));
    else
      return x;
  }
};

/// The sum is off by one ulp: twice what rounding may be, or more.
struct sums_one_ulp_high : concatenation::Library {
  template <Scalar Real>
  static Real sum(const Real& e, const Real& p) {
    const Real x = e + p;
    if constexpr (requires { FormatTraits<Real>::digits; })
      return Real(static_cast<double>(x) + 2 * half_ulp<Real>(static_cast<double>(x)));
    else
      return x;
  }
};

using concatenation::Costs, concatenation::Shape;

/// A fused multiply-add counted as one.
struct counts_pairs_as_one : concatenation::Library {
  static constexpr Costs costs(const Shape& shape) {
    Costs c = concatenation::Library::costs(shape);
    c.projection_operations /= 2, c.block_operations /= 2;
    return c;
  }
};

/// A table as wide as the input, whatever the tokens are.
struct keeps_the_whole_table : concatenation::Library {
  static constexpr Costs costs(const Shape& shape) {
    Costs c = concatenation::Library::costs(shape);
    c.table = shape.vocabulary * shape.width();
    return c;
  }
};

/// The block is as wide as the tokens, whatever the input is.
struct builds_a_narrow_block : concatenation::Library {
  static constexpr Costs costs(Shape shape) {
    const std::uint64_t table = concatenation::Library::costs(shape).table;
    shape.joining = Shape::Joining::sum;
    Costs c = concatenation::Library::costs(shape);
    c.table = table;
    return c;
  }
};

/// No output projection of attention.
struct forgets_the_output_projection : concatenation::Library {
  static constexpr Costs costs(const Shape& shape) {
    Costs c = concatenation::Library::costs(shape);
    const std::uint64_t w = shape.width();
    c.projections -= w * w, c.block -= w * w;
    return c;
  }
};

/// A query does not see its own key.
struct attends_to_one_key_less : concatenation::Library {
  static constexpr Costs costs(const Shape& shape) {
    Costs c = concatenation::Library::costs(shape);
    c.block_operations -= 4 * shape.width();
    return c;
  }
};

/// One multiplication less: that of the multiplier with the last channel.
struct multiplies_one_channel_less : concatenation::Library {
  static constexpr Costs costs(const Shape& shape) {
    Costs c = concatenation::Library::costs(shape);
    c.input_operations -= 1;
    return c;
  }
};

}  // namespace embedscale::properties::mutants
