#pragma once
// What an axis shows: its range, and the ticks of a logarithmic one.
#include <string>
#include <vector>

namespace embedscale::report {

enum class Scale { linear, log2, log10 };

/// Requires  low < high, and low > 0 on a logarithmic scale.
struct Range {
  double low;
  double high;
};

struct Tick {
  double at;
  std::string label;
};

/// The least and the greatest value with some room around them; a linear range that begins or ends
/// near zero reaches it, so that heights can be compared. Both ends have six digits, fewer than
/// logarithms differ by between machines.
///
/// Requires  finite lowest <= highest, lowest > 0 on a logarithmic scale.
Range padded(Scale scale, double lowest, double highest);

/// Where `value` lies along the axis: 0 at the low end, 1 at the high end.
double fraction(Scale scale, Range range, double value);

/// The powers of two or ten in a range, thinned to at most `most`; of ten also their double and
/// fivefold where the powers alone would be fewer than three. Plain numbers ("512", "0.01") while
/// these are short, else all as powers ("2¹⁸", "10⁻⁷"). None for a linear scale.
std::vector<Tick> ticks(Scale scale, Range range, int most);

}  // namespace embedscale::report
