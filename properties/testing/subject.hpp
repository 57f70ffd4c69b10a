#pragma once
// The primitives under test are a value, and a mutant is a row.
//
//   template <Scalar Real>
//   struct Operations {
//     Real (*up)(const Real& e, const Real& p, const Real& m) = embedscale::up<Real>;
//   };
//   struct Primitives : testing::Over<Operations, Rational, double, float> {};  // the library's
//
//   Primitives own;                       // one's own: a function in the place of the library's
//   own.of<float>().up = my_kernel;
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

namespace embedscale::properties::testing {

/// The operations of a topic for each of its number types, the library's unless replaced. A topic
/// whose operations need no number type has them as members beside these.
template <template <class> class Operations, class... Reals>
struct Over : Operations<Reals>... {
  template <class Real>
  const Operations<Real>& of() const {
    return *this;
  }
  template <class Real>
  Operations<Real>& of() {
    return *this;
  }
  /// Calls change(operations) for each number type.
  template <class Change>
  void change(Change each) {
    (each(static_cast<Operations<Reals>&>(*this)), ...);
  }
};

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

/// A wrong primitive.
template <class Primitives>
struct Mutant {
  std::string_view name;        ///< what it does, as a name
  std::string_view defect;      ///< what it stands for, and the thread of one who had it
  ChangeOf<Primitives> change;  ///< replaces operations of the library's
};

template <class Primitives>
using Mutants = std::vector<Mutant<Primitives>>;

/// The library's primitives with the replacement of this mutant.
///
/// Errors   std::invalid_argument where there is no such mutant.
template <class Primitives>
Primitives mutant(const Mutants<Primitives>& mutants, std::string_view name) {
  for (const auto& row : mutants)
    if (row.name == name) {
      Primitives primitives;
      row.change(primitives);
      return primitives;
    }
  throw std::invalid_argument("there is no mutant '" + std::string(name) + "'");
}

}  // namespace embedscale::properties::testing
