#pragma once
// A mutant is a row.
//
//   const Mutants<Primitives> mutants{
//       {"forgets_the_multiplier", "SamLynnEvans/Transformer#10",
//        replacing([]<class Real>(Operations<Real>& to) {
//          to.up = [](const Real& e, const Real& p, const Real&) { return Real(e + p); };
//        })}};
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../over.hpp"

namespace embedscale::properties::testing {

template <class Primitives>
using ChangeOf = void (*)(Primitives& to);

/// What `replacing` returns: converts to the function that a row holds.
template <class Change, class... Reals>
struct Replacement {
  template <class Primitives>
  operator ChangeOf<Primitives>() const {
    return [](Primitives& primitives) {
      if constexpr (sizeof...(Reals) == 0)
        primitives.change(Change{});
      else
        (Change{}(primitives.template of<Reals>()), ...);
    };
  }
};

/// The same replacement in each number type, or in those that are named: a defect of rounding is
/// none over the rationals.  Requires a lambda without captures.
template <class... Reals, class Change>
constexpr Replacement<Change, Reals...> replacing(Change) {
  return {};
}

/// What `replaces` does to the operations that have one of this name.
template <class Operation, class Of>
struct Replaces {
  template <class Operations>
  void operator()(Operations& to) const {
    if constexpr (requires { Operation{}(to); })
      []<class Result, class... Arguments>(Result (*&operation)(Arguments...)) {
        operation = [](Arguments... arguments) {
          const Operations library;
          return static_cast<Result>(Of{}(Operation{}(library), arguments...));
        };
      }(Operation{}(to));
  }
};

/// of(was, arguments…) in the place of one operation, in each number type that has it or in those
/// that are named: `was` is the library's, and what `of` returns is converted to what that returns.
///
///   constexpr auto dot = [](auto& to) -> decltype((to.dot)) { return to.dot; };
///   replaces(dot, [](auto was, auto q, auto k) { return was(q, k) + was(q, q); })
///
/// Requires  lambdas without captures.
template <class... Reals, class Operation, class Of>
constexpr auto replaces(Operation, Of) {
  return replacing<Reals...>(Replaces<Operation, Of>{});
}
/// The same of an operation that needs no number type.
template <class Primitives, class Operation, class Of>
constexpr ChangeOf<Primitives> replaces_in(Operation, Of) {
  return [](Primitives& to) { Replaces<Operation, Of>{}(to); };
}

/// A wrong primitive.
template <class Primitives>
struct Mutant {
  std::string_view name;        ///< what it does, as a name
  std::string_view defect;      ///< what it stands for, and the thread of one who had it
  ChangeOf<Primitives> change;  ///< replaces operations of the library's
};

template <class Primitives>
using Mutants = std::vector<Mutant<Primitives>>;

/// The row of this name.
///
/// Errors   std::invalid_argument where there is none.
template <class Primitives>
const Mutant<Primitives>& find(const Mutants<Primitives>& mutants, std::string_view name) {
  for (const auto& row : mutants)
    if (row.name == name) return row;
  throw std::invalid_argument("there is no mutant '" + std::string(name) + "'");
}

/// The library's primitives with the row's replacement.
template <class Primitives>
Primitives subject_of(const Mutant<Primitives>& row) {
  Primitives primitives;
  row.change(primitives);
  return primitives;
}
template <class Primitives>
Primitives mutant(const Mutants<Primitives>& mutants, std::string_view name) {
  return subject_of(find(mutants, name));
}

}  // namespace embedscale::properties::testing
