#pragma once
// A mutant is a row.
//
//   constexpr auto up = EMBEDSCALE_OPERATION(up);
//
//   const Mutants<Primitives> mutants{
//       {"forgets_the_multiplier", "SamLynnEvans/Transformer#10",
//        replaces(up, [](auto, auto e, auto p, auto) { return e + p; })},
//       {"is_slightly_high", "A part in 2^40.",
//        changes(up, [](auto& x, auto&&...) { x = high<40>(x); })},  // in slightly_wrong.hpp
//       {"agrees_with_itself", "Both sides without positions.",
//        replacing([]<class Real>(Operations<Real>& to) { to.up = …, to.down = …; })}};
#include <embedscale/scalar.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../over.hpp"

namespace embedscale::properties::testing {

/// Names an operation: of primitives, or of their operations on a number type, it gives this one.
#define EMBEDSCALE_OPERATION(name) [](auto& of) -> decltype((of.name)) { return of.name; }

template <class Primitives>
using ChangeOf = void (*)(Primitives& to);

/// What `replacing` and `replaces` return: converts to the function that a row holds.
template <class Change, class... Reals>
struct Replacement {
  template <class Primitives>
  operator ChangeOf<Primitives>() const {
    return [](Primitives& primitives) {
      if constexpr (sizeof...(Reals) > 0)
        (Change{}(primitives.template of<Reals>()), ...);
      else if constexpr (std::is_invocable_v<Change, Primitives&>)
        Change{}(primitives);  // of what needs no number type
      else
        primitives.change(Change{});
    };
  }
};

/// The same replacement of one or more operations in each number type, or in those that are named.
/// Requires, as all below, lambdas without captures.
template <class... Reals, class Change>
constexpr Replacement<Change, Reals...> replacing(Change) {
  return {};
}

/// of(was, arguments…) in the place of one operation, in each number type that has it or in those
/// that are named, or in the primitives where it needs none: `was` is the library's, and what `of`
/// returns is converted to what that returns.
template <class... Reals, class Name, class Of>
constexpr auto replaces(Name, Of) {
  return replacing<Reals...>(
      []<class Operations>(Operations & to) requires std::is_invocable_v<Name, Operations&> {
        []<class Result, class... Arguments>(Operation<Result(Arguments...)>& operation) {
          operation = +[](Arguments... arguments) {
            static constexpr Operations library;
            return static_cast<Result>(Of{}(Name{}(library).function(), arguments...));
          };
        }(Name{}(to));
      });
}

/// The library's result changed by change(result, arguments…); of an operation that returns
/// nothing, what it has written, by change(arguments…).
template <class... Reals, class Name, class Change>
constexpr auto changes(Name operation, Change) {
  return replaces<Reals...>(operation, [](auto was, auto&&... given) {
    if constexpr (std::is_void_v<decltype(was(given...))>) {
      was(given...);
      Change{}(given...);
    } else {
      auto result = was(given...);
      Change{}(result, given...);
      return result;
    }
  });
}

/// Where there are roots, so in the formats alone: a defect of rounding is none over
/// the rationals.
template <class Change>
constexpr auto in_floats(Replacement<Change>) {
  return replacing([]<template <class> class Operations, class Real>(Operations<Real>& to) {
    if constexpr (AnalyticScalar<Real>) Change{}(to);
  });
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

/// All its operations, from now on watched.
///
/// Errors   std::logic_error where `list` names fewer than the subject has.
template <class Primitives>
Members members_of(Primitives& subject) {
  Members all;
  subject.list(all);
  if (all.all().size() * sizeof(Operation<void()>) != sizeof(Primitives))
    throw std::logic_error("a subject's `list` does not name all its operations");
  return all;
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
