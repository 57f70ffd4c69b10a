#pragma once
// A number with how far any program may be off that evaluates its formula in one format, in any
// order of its sums: the exact number, in 50 digits, beside a bound that the partial sums of no
// order enter. What fuses a product with a sum rounds less; so does what keeps 2p + 2 digits or
// more and rounds to the format's p at last. With fewer, as the 64 of x87 for binary64, an
// operation is rounded twice and may be farther off.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <span>

#include "../exact/decimal50.hpp"

namespace embedscale::properties::primitives {

using Wide = exact::Decimal50;

/// What one rounding in a format may do, in its normal range and below it, and where it ends.
struct Rounding {
  long double u;        ///< |fl(x) − x| <= u·|x|
  long double least;    ///< half of the smallest subnormal: the most that underflow adds to that
  long double largest;  ///< above it there are no numbers
};

template <class Real>
Rounding rounding_of() {
  using Limits = std::numeric_limits<Real>;
  return {unit_roundoff<Real>,
          static_cast<long double>(static_cast<double>(Limits::denorm_min())) / 2,
          static_cast<long double>(static_cast<double>(Limits::max()))};
}
/// Twice its own: the exact numbers are in 50 digits, too.
template <>
inline Rounding rounding_of<Wide>() {
  return {std::ldexp(2.0L, -Wide::precision), 0, std::numeric_limits<long double>::infinity()};
}

/// One evaluation: its format, and the largest number that it may have come to.
struct Evaluation {
  Rounding in;
  long double reached = 0;
};

class AnyOrder {
 public:
  /// A number of the format.
  AnyOrder(Evaluation& of, const Wide& exact) : AnyOrder(of, exact, size_of(exact), 0) {}
  /// A whole number, which the format may have to round.
  static AnyOrder whole(Evaluation& of, std::size_t n);

  /// The same where a program has rounded so many times more on the way.
  AnyOrder rounded_again(int times) const;

  const Wide& exact() const { return exact_; }
  long double size() const { return size_; }
  long double error() const { return error_; }
  Evaluation& evaluation() const { return *of_; }

  friend AnyOrder operator+(const AnyOrder& a, const AnyOrder& b);
  friend AnyOrder operator-(const AnyOrder& a, const AnyOrder& b) { return a + -b; }
  friend AnyOrder operator-(AnyOrder a) {
    a.exact_ = -a.exact_;
    return a;
  }
  friend AnyOrder operator*(const AnyOrder& a, const AnyOrder& b);
  friend AnyOrder operator/(const AnyOrder& a, const AnyOrder& b);
  friend AnyOrder sqrt(const AnyOrder& a);
  friend AnyOrder min(const AnyOrder& a, const AnyOrder& b);
  friend AnyOrder exp(const AnyOrder& a);
  friend AnyOrder log(const AnyOrder& a);

 private:
  friend class SumInAnyOrder;
  AnyOrder(Evaluation& of, Wide exact, long double size, long double error);
  static long double size_of(const Wide& x) { return std::abs(static_cast<long double>(x)); }
  static AnyOrder rounded(Evaluation& of, Wide exact, long double carried, long double roundings,
                          long double underflows);
  bool is(int n) const { return error_ == 0 && size_ == std::abs(n) && exact_ == Wide(n); }

  Wide exact_;
  long double size_, error_;
  Evaluation* of_;
};

/// The sum of what is added, in whatever order; 0 of nothing.
class SumInAnyOrder {
 public:
  explicit SumInAnyOrder(Evaluation& of) : of_(&of) {}
  void add(const AnyOrder& term);
  AnyOrder value() const;

 private:
  Evaluation* of_;
  Wide exact_{0};
  long double carried_ = 0, sizes_ = 0;
  std::size_t met_ = 0;  ///< terms that are not 0
};
AnyOrder sum_of(Evaluation& of, std::span<const AnyOrder> terms);
AnyOrder reciprocal(const AnyOrder& x);
/// Of several ways to one number the one that may be farthest off.
AnyOrder farthest(std::initializer_list<AnyOrder> ways);

}  // namespace embedscale::properties::primitives
