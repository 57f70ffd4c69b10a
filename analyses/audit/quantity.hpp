#pragma once
// A number or a yes or no that an audit comes to, or the reason why there is none.
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace embedscale::audit {

/// How a number was found.
enum class Method {
  closed_form,
  without_branches,    ///< the same, of the sum without what the blocks' branches add to it
  sum_over_positions,  ///< each position 0 … L−1 in turn
  quadrature           ///< an integral, with an estimate of its error
};

/// Ensures   a double is finite; `missing` is empty exactly where there is a value.
template <class Value>
struct Result {
  std::string path;  ///< such as "token.rms"; for a field, that field's
  std::optional<Value> value = {};
  std::string missing = {};  ///< "needs model.vocabulary …"
  Method method = Method::closed_form;
  double error = 0;  ///< of a quadrature: the value lies within this of the truth
};
using Quantity = Result<double>;
using Verdict = Result<bool>;

inline Quantity missing(std::string path, std::string reason) {
  return {std::move(path), std::nullopt, std::move(reason)};
}

inline Quantity quantity(std::string path, double value, Method method = Method::closed_form,
                         double error = 0) {
  if (!std::isfinite(value)) return missing(std::move(path), "leaves the range of binary64");
  return {std::move(path), value, {}, method, error};
}

/// Why one of `needs` is missing, "" where none is: what hangs on it is missing for that reason.
inline std::string first_missing(std::initializer_list<const Quantity*> needs) {
  for (const Quantity* needed : needs)
    if (!needed->value) return needed->missing;
  return {};
}

/// compute(), if all it needs is there.
template <class Compute>
Quantity computed(std::string path, std::initializer_list<const Quantity*> needs, Compute compute,
                  Method method = Method::closed_form) {
  if (std::string reason = first_missing(needs); !reason.empty())
    return missing(std::move(path), std::move(reason));
  return quantity(std::move(path), compute(), method);
}

}  // namespace embedscale::audit
