#pragma once
// The floating-point formats that a multiplier may be rounded to.
#include <string_view>

namespace embedscale::audit {

enum class NumberFormat { binary64, binary32, binary16, bfloat16 };

/// fl(x): x rounded once to the nearest value of the format, ties to even; infinity past its range.
double rounded_to(NumberFormat format, double x);

/// Whether |x| = 2^k for an integer k.
bool is_power_of_two(double x);

std::string_view name_of(NumberFormat format);

}  // namespace embedscale::audit
