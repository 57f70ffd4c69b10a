#pragma once
// The primitives under test are a value: functions, the library's unless others are put in their
// place.
//
//   template <Scalar Real>
//   struct Operations {
//     Operation<Real(const Real& e, const Real& p, const Real& m)> up = embedscale::up<Real>;
//     void list(Members& to) { EMBEDSCALE_LIST(to, up); }
//   };
//   struct Primitives : Over<Operations, Rational, double, float> {};  // the library's
//
//   Primitives own;                       // one's own: a function in the place of the library's
//   own.of<float>().up = my_kernel;       // or whatever can be called like it
#include <embedscale/format.hpp>

#include <string_view>

#include "operation.hpp"

namespace embedscale::properties {

/// "binary32"; of what is no format, as it names itself. Its data() ends with 0.
template <class Real>
constexpr std::string_view number_name() {
  if constexpr (requires { FormatTraits<Real>::name; })
    return FormatTraits<Real>::name;
  else
    return Real::name;
}

/// The operations of a topic for each of its number types. A topic whose operations need no number
/// type has them as members beside these.
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
  void list(Members& to) {
    ((to.of(number_name<Reals>()), static_cast<Operations<Reals>&>(*this).list(to)), ...);
    to.of("");
  }
  /// Calls each(operations) for each number type that it can be called for.
  template <class Change>
  void change(Change each) {
    const auto one = [&](auto& operations) {
      if constexpr (std::is_invocable_v<Change&, decltype(operations)>) each(operations);
    };
    (one(static_cast<Operations<Reals>&>(*this)), ...);
  }
};

}  // namespace embedscale::properties
