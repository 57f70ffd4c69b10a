#pragma once
// What the cases of one run have said: between the bodies that call `holds` and the run that
// listens to RapidCheck.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holds.hpp"

namespace embedscale::properties::testing {

/// A class of cases that a body requires some of.
struct Covered {
  std::string name;
  double required_share = 0.0;
  std::uint64_t cases = 0;  ///< judged ones in it
  bool now = false;         ///< whether the running case is
};

/// Ends the running case as one that failed: run.cpp is the only door to RapidCheck's inside.
[[noreturn]] void end_case(const std::string& why);

/// The larger, the worse; no size over a bound is negative or NaN, so nothing is worse than those.
double badness(double ratio);

/// The notes of the run whose bodies are called on this thread.
class Notes {
 public:
  Notes();
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  ~Notes();

  /// Of the run whose body is running.  Errors  std::logic_error where there is none.
  static Notes& current();

  /// Before a body: nothing is known of its case.
  void begin();
  /// After a case that RapidCheck drew, not one that it tried in simplifying, and that held.
  void count();

  /// Since the running case began.
  double seconds() const;

  /// The worst ratio of the running case, if any.
  std::optional<double> worst;
  bool judged = false;  ///< whether the running case met a `holds`
  Place failed;         ///< the `holds` that failed in it
  std::uint64_t judged_cases = 0;
  std::vector<Covered> coverage;  ///< in the order in which they were named first

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace embedscale::properties::testing
