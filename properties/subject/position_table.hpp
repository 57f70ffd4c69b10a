#pragma once
// What a position table has to be, however it is computed.
#include "../precision/position_table.hpp"
#include "asker.hpp"

namespace embedscale::properties::subject {

/// Asks for a row of a table in one of the formats that the subject has, at a position below 2^14
/// and a width from 2 to 1024, and judges one pair of entries.
///
/// An entry is as good as in a table that is computed in binary32 (in binary64, where that is the
/// format) and rounded to the format once. With u of what it is computed in, that is off by at most
///
///   p·w·u·c + 2u + u_format/2
///
/// The first is the angle's error (properties/precision/angle.hpp), for the worst of three ways to
/// a frequency: c is the greatest of 4L + 3 and L + 3i + 1, L = −ln w, and 0 at w = 1. 2u is what a
/// sine may be off, and the last its rounding to the format.
void judge_an_entry_of_a_table(Asker& asker);

/// That bound for the pair of a place, computed in a format of unit roundoff `computed_in`; the
/// rounding of an entry to its own format is at most `of_format`.
double bound_of_an_entry(const precision::position_table::At& at, double computed_in,
                         double of_format);

}  // namespace embedscale::properties::subject
