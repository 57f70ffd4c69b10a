#pragma once
// Intervals of a mean and of a quotient of two means, by Student's t: exact at every n where the
// draws are normal, and nearly so for many draws of any law that has a variance.
#include <cstdint>

#include "normal.hpp"

namespace embedscale::properties::evidence {

/// Within so many standard errors a normal estimate is, but for a share α of all.
double normal_deviations(double alpha);

/// The same where the standard error is that of n draws, too; infinity below two, which tell
/// nothing of their spread.
double student_deviations(std::uint64_t n, double alpha);

/// Where the mean of the law is.
Interval mean_interval(const Sample& sample, double alpha);

/// Pairs (x, y), one for each draw. Sums of powers lose digits where the spread is small beside the
/// mean: a share u·(mean/spread)² of its square.
struct PairedSample {
  std::uint64_t n = 0;
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;  ///< sums
  void add(double first, double second) {
    ++n, x += first, y += second;
    xx += first * first, xy += first * second, yy += second * second;
  }
  PairedSample& operator+=(const PairedSample& o) {
    n += o.n, x += o.x, y += o.y, xx += o.xx, xy += o.xy, yy += o.yy;
    return *this;
  }
};

/// Where E x/E y is, of those ρ at which x − ρ·y may have mean 0 by Student's t (Fieller 1954); all
/// numbers where y itself may have.
Interval quotient_interval(const PairedSample& sample, double alpha);

}  // namespace embedscale::properties::evidence
