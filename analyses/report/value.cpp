#include "report/value.hpp"

namespace embedscale::report {

constinit const NormalConfidence NormalConfidence::p999{0.999, 3.29};

Value quotient(const Value& a, const Value& b) {
  Value out = a;
  out.value_ /= b.value_;
  if (!a.lower_ || !b.lower_ || !a.confidence_ || !b.confidence_) {
    out.lower_ = out.upper_ = out.confidence_ = std::nullopt;
    return out;
  }
  out.lower_ = *a.lower_ / *b.upper_;
  out.upper_ = *a.upper_ / *b.lower_;
  out.confidence_ = 1 - ((1 - *a.confidence_) + (1 - *b.confidence_));
  return out;
}

}  // namespace embedscale::report
