#include "any_order.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace embedscale::properties::primitives {
namespace {

/// Bounds are computed in long double, with fewer than 16 roundings an operation: 2^−40 more is
/// more than they take away, and more than the 50 digits beside them lose.
constexpr long double above = 1 + 0x1p-40L;

/// A function's value: in 50 digits, or in the 64 of long double, in a part of the time, where a
/// format has 24 at most. There the argument is a number of the format or already off by u, so that
/// the last of 64 digits of both are no more than that 2^−40 of the 4u that is allowed.
template <class Function>
Wide value_of(const Rounding& in, const Wide& x, Function f) {
  return in.u < 0x1p-24L ? f(x) : Wide(f(static_cast<long double>(x)));
}

}  // namespace

AnyOrder::AnyOrder(Evaluation& of, Wide exact, long double size, long double error)
    : exact_(std::move(exact)), size_(size), error_(error), of_(&of) {
  of.reached = std::max(of.reached, std::isnan(size_ + error_) ? HUGE_VALL : size_ + error_);
}

/// A result whose operands' errors carry so far, after so many units of roundoff of what was there
/// to be rounded, which is |exact| + carried at most, and so many underflows.
AnyOrder AnyOrder::rounded(Evaluation& of, Wide exact, long double carried, long double roundings,
                           long double underflows) {
  const long double size = size_of(exact);
  const long double error =
      (carried + roundings * of.in.u * (size + carried) + underflows * of.in.least) * above;
  return {of, std::move(exact), size, std::isnan(error) ? HUGE_VALL : error};
}

AnyOrder AnyOrder::whole(Evaluation& of, std::size_t n) {
  const bool held = static_cast<long double>(n) * of.in.u <= 1;  // up to 2^digits
  return rounded(of, Wide(n), 0, held ? 0 : 1, 0);
}

AnyOrder AnyOrder::rounded_again(int times) const {
  return rounded(*of_, exact_, error_, is(0) ? 0 : times, is(0) ? 0 : times);
}

/// A sum does not underflow: it is a multiple of the smallest subnormal.
AnyOrder operator+(const AnyOrder& a, const AnyOrder& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return AnyOrder::rounded(*a.of_, a.exact_ + b.exact_, a.error_ + b.error_, 1, 0);
}

/// (a + α)(b + β) − ab = aβ + bα + αβ. Times 0 and ±1 is exact.
AnyOrder operator*(const AnyOrder& a, const AnyOrder& b) {
  const bool exact = a.is(0) || b.is(0) || a.is(1) || b.is(1) || a.is(-1) || b.is(-1);
  return AnyOrder::rounded(*a.of_, a.exact_ * b.exact_,
                           a.size() * b.error_ + b.size() * a.error_ + a.error_ * b.error_,
                           exact ? 0 : 1, exact ? 0 : 1);
}

/// (a + α)/(b + β) − a/b = (α − β·a/b)/(b + β).
AnyOrder operator/(const AnyOrder& a, const AnyOrder& b) {
  const Wide quotient = a.exact_ / b.exact_;
  const long double away = b.size() - b.error_;
  const long double size = AnyOrder::size_of(quotient);
  const bool exact = a.is(0) || b.is(1) || b.is(-1);
  return AnyOrder::rounded(*a.of_, quotient,
                           away > 0 ? (a.error_ + b.error_ * size) / away : HUGE_VALL,
                           exact ? 0 : 1, exact ? 0 : 1);
}

/// |√(a + α) − √a| = |α|/(√(a + α) + √a), the most where α < 0; where that may take all of a, what
/// is left is no less than 0, and √|α| the most. What else a program may do to get a root (a
/// function 1/√, a norm of norms) is allowed where it may, not here.
AnyOrder sqrt(const AnyOrder& a) {
  const Wide root = sqrt(a.exact_);
  const long double left = a.size() - a.error_;
  const long double carried =
      left > 0 ? a.error_ / (std::sqrt(left) + static_cast<long double>(root)) * above
               : std::sqrt(a.error_);
  return AnyOrder::rounded(*a.of_, root, carried, 1, 0);
}

/// The smaller of two numbers that are off is off by no more than one of them is; where one is the
/// smaller for certain, it is that.
AnyOrder min(const AnyOrder& a, const AnyOrder& b) {
  const auto& [less, more] = b.exact_ < a.exact_ ? std::tie(b, a) : std::tie(a, b);
  if (less.exact_ + Wide(less.error_) < more.exact_ - Wide(more.error_)) return less;
  return {*less.of_, less.exact_, less.size_, std::max(a.error_, b.error_)};
}

/// Of functions two units in the last place are allowed: 4u, or four halves of the smallest
/// subnormal. |e^(a + α) − e^a| <= e^a·(e^|α| − 1).
AnyOrder exp(const AnyOrder& a) {
  const Wide power = value_of(a.of_->in, a.exact_, [](const auto& x) {
    using std::exp;
    return exp(x);
  });
  return AnyOrder::rounded(*a.of_, power,
                           static_cast<long double>(power) * std::expm1(a.error_) * above, 4, 4);
}

/// |ln(a + α) − ln a| <= |α|/(a − |α|).
AnyOrder log(const AnyOrder& a) {
  const long double away = a.size() - a.error_;
  const Wide exact = value_of(a.of_->in, a.exact_, [](const auto& x) {
    using std::log;
    return log(x);
  });
  return AnyOrder::rounded(*a.of_, exact, away > 0 ? a.error_ / away : HUGE_VALL, 4, 4);
}

void SumInAnyOrder::add(const AnyOrder& term) {
  if (term.is(0)) return;
  exact_ += term.exact_;
  carried_ += term.error_;
  sizes_ += term.size() + term.error_;
  ++met_;
}

/// A term meets n − 1 additions at most, whichever come first: γ_(n−1)·Σ|term|, and no partial sum
/// is above (1 + γ_(n−1))·Σ|term| (Higham 2002, section 4.2).
AnyOrder SumInAnyOrder::value() const {
  const long double nu = static_cast<long double>(met_ > 0 ? met_ - 1 : 0) * of_->in.u;
  const long double gamma = nu < 1 ? nu / (1 - nu) : HUGE_VALL;
  // Summed in long double with as many roundings of its own.
  const long double more = above * (1 + static_cast<long double>(met_) * 0x1p-62L);
  of_->reached = std::max(of_->reached, (1 + gamma) * sizes_ * more);
  return {*of_, exact_, AnyOrder::size_of(exact_),
          (carried_ + (gamma > 0 ? gamma * sizes_ : 0)) * more};
}

AnyOrder sum_of(Evaluation& of, std::span<const AnyOrder> terms) {
  SumInAnyOrder sum(of);
  for (const auto& term : terms) sum.add(term);
  return sum.value();
}

AnyOrder reciprocal(const AnyOrder& x) { return AnyOrder(x.evaluation(), Wide(1)) / x; }

AnyOrder farthest(std::initializer_list<AnyOrder> ways) {
  return *std::ranges::max_element(ways, {}, &AnyOrder::error);
}

}  // namespace embedscale::properties::primitives
