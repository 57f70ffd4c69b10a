#pragma once
// A measured figure, with all that is needed to cite it.
#include <cstdint>
#include <optional>
#include <string>

#include "report/digits.hpp"
#include "report/place.hpp"
#include "report/value.hpp"

namespace embedscale::report {

inline constexpr const char* counted = "count";  ///< properties::counted

struct Measurement {
  std::string quantity;       ///< one of the claim's `measures`
  Place at = {};              ///< {{"format", "binary16"}, {"d_model", 512}}
  double value = 0.0;         ///< written to `digits` significant digits
  std::uint64_t samples = 0;  ///< cases evaluated
  std::string method;         ///< "exact", "exhaustive", "directed draws", …
  std::string unit = "1";
  int digits = 4;
  std::optional<double> lower = {}, upper = {}, confidence = {};
  std::optional<double> reference = {};  ///< what the value is compared with
  bool published = true;                 ///< a row of results.json
  Standing standing = Standing::fixed;

  Known known() const { return {value, lower, upper, confidence}; }
};

}  // namespace embedscale::report
