#pragma once
// Tables of which one step or all are kept in a narrow format.
#include <cstdint>
#include <string>
#include <vector>

#include "properties/precision/position_table.hpp"

namespace embedscale::precision_analysis {

/// What is a number of the format; all else is exact to 53 digits, and entries are rounded last.
enum class Kept { once, frequencies, positions, angles, all };

constexpr const char* name_of(Kept kept) {
  constexpr const char* names[]{"entries alone", "frequencies", "positions", "angles", "all"};
  return names[static_cast<int>(kept)];
}

/// The angles of one width in a format, each beside its error.
template <class Real>
class Angles {
 public:
  Angles(std::size_t d, Kept kept) : kept_(kept) {
    for (std::size_t i = 0; i < d / 2; ++i) {
      const auto w = static_cast<double>(properties::precision::exact_frequency(i, d));
      exact_.push_back(w);
      used_.push_back(kept == Kept::all
                          ? static_cast<double>(primitives_.frequency(i, d, FrequencyRule::paper))
                      : kept == Kept::frequencies ? static_cast<double>(static_cast<Real>(w))
                                                  : w);
    }
  }

  std::size_t pairs() const { return exact_.size(); }
  double angle(std::int64_t p, std::size_t i) const {
    if (kept_ == Kept::all)
      return static_cast<double>(
          primitives_.angle(primitives_.position(p), static_cast<Real>(used_[i])));
    const double position = kept_ == Kept::positions ? static_cast<double>(primitives_.position(p))
                                                     : static_cast<double>(p);
    const double angle = position * used_[i];
    return kept_ == Kept::angles ? static_cast<double>(static_cast<Real>(angle)) : angle;
  }
  /// In radians; infinite where the format ends.  Both angles have 53 digits: 2^−34 at 2^18.
  double error(std::int64_t p, std::size_t i) const {
    return std::abs(angle(p, i) - static_cast<double>(p) * exact_[i]);
  }
  Real sine(double angle) const {
    return kept_ == Kept::all ? primitives_.sine(static_cast<Real>(angle))
                              : static_cast<Real>(std::sin(angle));
  }
  Real cosine(double angle) const {
    return kept_ == Kept::all ? primitives_.cosine(static_cast<Real>(angle))
                              : static_cast<Real>(std::cos(angle));
  }

 private:
  Kept kept_;
  properties::precision::position_table::Operations<Real> primitives_{};
  std::vector<double> exact_, used_;
};

}  // namespace embedscale::precision_analysis
