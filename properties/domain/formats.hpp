#pragma once
// The four formats that rounding claims are made for.
#include <embedscale/format.hpp>

namespace embedscale::properties::domain {

/// Calls visit.template operator()<Real>() for binary64, binary32, binary16 and bfloat16.
template <class Visit>
void for_each_format(Visit visit) {
  visit.template operator()<double>();
  visit.template operator()<float>();
  visit.template operator()<binary16>();
  visit.template operator()<bfloat16>();
}

}  // namespace embedscale::properties::domain
