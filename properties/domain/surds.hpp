#pragma once
// Exact numbers with a square root: a + b·√q, with rational a, b and q. One of Scalar's types, so
// that a norm of rationals, which takes one root, is computed without a rounding.
#include <compare>
#include <stdexcept>
#include <utility>

#include "rationals.hpp"

namespace embedscale::properties::domain {

/// Errors    std::domain_error where two roots that are no rational multiples of each other meet in
///           a sum or a product, or an order is asked of them; equality is decided (false: 1 and
///           both roots are independent over the rationals). std::domain_error for the root of a
///           root or of a negative number, and for exp, log, sin, cos and pow.
class Surd {
 public:
  static constexpr const char* name = "fractions and a root";

  Surd() = default;
  explicit Surd(int n) : a_(n) {}
  explicit Surd(Rational a) : a_(std::move(a)) {}

  friend Surd sqrt(const Surd& x) {
    if (x.b_ != 0 || x.a_ < 0) throw std::domain_error("Surd: the root of a root, or below 0");
    if (const auto root = rational_root(x.a_)) return Surd(*root);
    return {Rational(0), Rational(1), x.a_};
  }

  friend Surd operator-(const Surd& x) { return {-x.a_, -x.b_, x.q_}; }
  friend Surd operator+(const Surd& x, const Surd& y) {
    const auto [b, c, q] = over_one_root(x, y);
    return {x.a_ + y.a_, b + c, q};
  }
  friend Surd operator-(const Surd& x, const Surd& y) { return x + Surd(-y); }
  friend Surd operator*(const Surd& x, const Surd& y) {
    const auto [b, c, q] = over_one_root(x, y);
    return {x.a_ * y.a_ + b * c * q, x.a_ * c + b * y.a_, q};
  }
  /// x·(a − b√q)/(a² − b²q): the denominator is 0 only at 0, as q is no square.
  friend Surd operator/(const Surd& x, const Surd& y) {
    const Rational norm = y.a_ * y.a_ - y.b_ * y.b_ * y.q_;
    if (norm == 0) throw std::domain_error("Surd: divided by 0");
    return x * Surd(y.a_ / norm, -y.b_ / norm, y.q_);
  }

  friend bool operator==(const Surd& x, const Surd& y) {
    if (x.a_ != y.a_) return false;
    // b√q = b′√q′: equal signs and equal squares.
    return x.b_ * x.b_ * x.q_ == y.b_ * y.b_ * y.q_ && (x.b_ > 0) == (y.b_ > 0);
  }
  friend std::strong_ordering operator<=>(const Surd& x, const Surd& y) {
    const Surd gap = x - y;
    const int a = sign_of(gap.a_), b = sign_of(gap.b_);
    if (a * b >= 0) return (a + b) <=> 0;
    const Rational squares = gap.a_ * gap.a_ - gap.b_ * gap.b_ * gap.q_;
    return (a * sign_of(squares)) <=> 0;  // the larger of the two has its sign
  }

  // What makes it an AnalyticScalar, and has no exact value.
  friend Surd exp(const Surd&) { return not_exact(); }
  friend Surd log(const Surd&) { return not_exact(); }
  friend Surd sin(const Surd&) { return not_exact(); }
  friend Surd cos(const Surd&) { return not_exact(); }
  friend Surd pow(const Surd&, const Surd&) { return not_exact(); }

 private:
  struct OneRoot {
    Rational b, c, q;
  };
  Surd(Rational a, Rational b, Rational q) : a_(std::move(a)), b_(std::move(b)), q_(std::move(q)) {
    if (b_ == 0) q_ = 0;
  }

  static int sign_of(const Rational& x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

  /// The multiples of one root that both are.
  static OneRoot over_one_root(const Surd& x, const Surd& y) {
    if (y.b_ == 0) return {x.b_, Rational(0), x.q_};
    if (x.b_ == 0) return {Rational(0), y.b_, y.q_};
    if (x.q_ == y.q_) return {x.b_, y.b_, x.q_};
    const auto ratio = rational_root(y.q_ / x.q_);
    if (!ratio) throw std::domain_error("Surd: two roots that are no multiples of each other");
    return {x.b_, y.b_ * *ratio, x.q_};
  }

  [[noreturn]] static Surd not_exact() {
    throw std::domain_error("Surd: no exact value of this function");
  }

  Rational a_ = 0, b_ = 0, q_ = 0;  // q_ is no square of a rational, and 0 where b_ is
};

}  // namespace embedscale::properties::domain
