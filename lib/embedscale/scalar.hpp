#pragma once
// What the primitives compute with: any type that adds, multiplies, divides and compares like a
// number. float and double, the small formats of format.hpp, exact rationals and 50-digit numbers
// all qualify, so one primitive serves as the thing under test and, in exact arithmetic, as its own
// statement over the reals.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace embedscale {

/// A number with the four operations and an order. Results may be expression templates, as long as
/// they convert back.
template <class T>
concept Scalar = std::regular<T> && std::totally_ordered<T> && std::constructible_from<T, int> &&
    requires(const T a, const T b) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a* b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { -a } -> std::convertible_to<T>;
};

namespace detail {
// The two-step `using std::sqrt; sqrt(x)`: the built-in types find std, all others their own.
using std::sqrt, std::exp, std::log, std::sin, std::cos, std::pow;
template <class T>
concept HasElementaryFunctions = requires(const T x) {
  { sqrt(x) } -> std::convertible_to<T>;
  { exp(x) } -> std::convertible_to<T>;
  { log(x) } -> std::convertible_to<T>;
  { sin(x) } -> std::convertible_to<T>;
  { cos(x) } -> std::convertible_to<T>;
  { pow(x, x) } -> std::convertible_to<T>;
};
}  // namespace detail

/// A Scalar that also has roots, exponentials and circular functions (rationals do not).
template <class T>
concept AnalyticScalar = Scalar<T> && detail::HasElementaryFunctions<T>;

/// Throws std::invalid_argument("<what>: got <got>, needs <needed>") unless the shapes agree.
inline void require_size(const char* what, std::size_t got, std::size_t needed) {
  if (got != needed)
    throw std::invalid_argument(std::string(what) + ": got " + std::to_string(got) + ", needs " +
                                std::to_string(needed));
}

}  // namespace embedscale
