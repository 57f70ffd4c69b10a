#pragma once
// Mutants that differ from the library in one operation, by what is changed in it.
//
//   constexpr auto down = [](auto& of) -> decltype((of.down)) { return of.down; };
//
//   instead(down, []<class Real>(const Real& e, const Real&, const Real&) { return e; })
//   of_changed(down, [](auto&, auto& p, auto& m) { p = p / m; })           // the arguments
//   changed(down, [](auto& x, const auto&...) { x = moved_by_ulps(x, 1); })  // the result
//   in<double, float>(changed(…))  // a defect of rounding is none over the rationals
#include <cmath>
#include <type_traits>

#include "../evidence/rounding.hpp"
#include "subject.hpp"

namespace embedscale::properties::testing {

/// Make{}(library's function, operations) in the place of the operation of this name: in each
/// number type, in those that are named, or in the primitives where it needs none.
template <class Name, class Make, class... Reals>
struct OneChange {
  template <class Primitives>
  operator ChangeOf<Primitives>() const {
    return [](Primitives& primitives) {
      const auto change = [](auto& of) { Name{}(of) = Make{}(Name{}(of), of); };
      if constexpr (std::is_invocable_v<Name, Primitives&>)
        change(primitives);
      else if constexpr (sizeof...(Reals) == 0)
        primitives.change(change);
      else
        (change(primitives.template of<Reals>()), ...);
    };
  }
};

/// The change in these number types alone.
template <class... Reals, class Name, class Make>
constexpr OneChange<Name, Make, Reals...> in(OneChange<Name, Make>) {
  return {};
}

/// Another function.  Requires, as those below, lambdas without captures.
template <class Name, class Function>
constexpr auto instead(Name, Function) {
  const auto make = []<class F>(F*, const auto&) -> F* { return Function{}; };
  return OneChange<Name, std::remove_const_t<decltype(make)>>{};
}

/// The library's function of the arguments that `change` has changed in their places.
template <class Name, class Change>
constexpr auto of_changed(Name, Change) {
  const auto make = []<class R, class... A, class Of>(R (*)(A...), const Of&) -> R (*)(A...) {
    return [](A... given) -> R {
      static const Of library{};
      const auto call = [](std::remove_cvref_t<A>... a) -> R {
        Change{}(a...);
        return Name{}(library)(a...);
      };
      return call(given...);
    };
  };
  return OneChange<Name, std::remove_const_t<decltype(make)>>{};
}

/// The library's result changed by change(result, arguments…); of a function without a result, by
/// change(arguments…) after it.
template <class Name, class Change>
constexpr auto changed(Name, Change) {
  const auto make = []<class R, class... A, class Of>(R (*)(A...), const Of&) -> R (*)(A...) {
    return [](A... given) -> R {
      static const Of library{};
      if constexpr (std::is_void_v<R>) {
        Name{}(library)(given...);
        Change{}(given...);
      } else {
        R result = Name{}(library)(given...);
        Change{}(result, given...);
        return result;
      }
    };
  };
  return OneChange<Name, std::remove_const_t<decltype(make)>>{};
}

/// x·(1 + 2^−digits): a defect in number types that have so many digits.
template <int digits, class Real>
Real larger(const Real& x) {
  return x + x * static_cast<Real>(std::ldexp(1.0, -digits));
}

/// x as the narrower format has it.
template <class Narrow, class Real>
Real through(const Real& x) {
  return static_cast<Real>(static_cast<double>(static_cast<Narrow>(static_cast<double>(x))));
}

/// x moved by units in its last place.
template <class Real>
Real moved_by_ulps(const Real& x, double ulps) {
  const double size = static_cast<double>(x);
  return static_cast<Real>(size + ulps * 2.0 * half_ulp<Real>(size));
}

}  // namespace embedscale::properties::testing
