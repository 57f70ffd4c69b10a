#pragma once
// Measurements to their last bit: not for readers, but for whoever compares two ways of computing
// them, before rounding hides what differs.
#include <string>

namespace embedscale::report {

struct Page;

/// Every measurement of a page, one JSON array a line: claim, quantity, place, method, the digits
/// that it is written with, value, lower and upper end.
std::string unrounded(const Page& page);

}  // namespace embedscale::report
