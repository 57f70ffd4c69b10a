#include "audit/number_format.hpp"

#include <embedscale/format.hpp>

#include <cmath>

namespace embedscale::audit {
namespace {

// Calls `use` with a zero of the type that is the format.
template <class Use>
auto in_format(NumberFormat format, Use use) {
  switch (format) {
    case NumberFormat::binary64: return use(double{});
    case NumberFormat::binary32: return use(float{});
    case NumberFormat::binary16: return use(binary16{});
    case NumberFormat::bfloat16: break;
  }
  return use(bfloat16{});
}

}  // namespace

double rounded_to(NumberFormat format, double x) {
  return in_format(format,
                   [x]<class Real>(Real) { return static_cast<double>(static_cast<Real>(x)); });
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

std::string_view name_of(NumberFormat format) {
  return in_format(format,
                   []<class Real>(Real) { return std::string_view(FormatTraits<Real>::name); });
}

}  // namespace embedscale::audit
