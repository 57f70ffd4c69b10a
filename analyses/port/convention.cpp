#include "port/making.hpp"

#include "audit/error.hpp"
#include "audit/parts.hpp"

#include <fmt/core.h>

namespace embedscale::port {
namespace {

using audit::Configuration;
using audit::ContentError;

// One side's fields, which have to be told.
class Told {
 public:
  Told(const Configuration& c, Side side) : c_(c), side_(side) {}

  template <class Value>
  Value operator()(const char* field, const std::optional<Value>& value) const {
    if (value) return *value;
    throw ContentError(fmt::format("port: {} ({}) does not tell {}: say it with --set {}.{}=VALUE",
                                   name_of(side_), audit::printable(c_.name), field, path_of(side_),
                                   field));
  }

  double factor(const char* field, double value) const {
    if (value != 0) return value;
    throw ContentError(
        fmt::format("port: {} ({}) has {} = 0: what it multiplies is lost, so no port brings it "
                    "back",
                    name_of(side_), audit::printable(c_.name), field));
  }

 private:
  const Configuration& c_;
  Side side_;
};

PositionVectors positions_of(const Configuration& c, const Told& told) {
  PositionVectors out;
  if (!audit::adds_positions(c.position.kind)) return out;
  out.first = c.position.first;
  out.source = PositionVectors::Source::learned;
  if (c.position.kind == audit::PositionKind::learned) return out;
  out.source = PositionVectors::Source::sinusoids;
  out.rule = c.position.frequencies;
  out.layout = *c.position.layout;
  out.base = told("position.base", c.position.base);
  return out;
}

}  // namespace

Convention<double> convention_of(const Configuration& c, Side side) {
  const Told told(c, side);
  Convention<double> out;
  told.factor("token.multiplier", told("token.multiplier", c.token.multiplier));
  // Rounding may make it 0, too, or infinite, of which factor_of tells no value.
  const auto rounded = audit::factor_of(c).value;
  if (!rounded)
    throw ContentError(fmt::format("port: {}'s token.multiplier leaves the range of {}",
                                   name_of(side), audit::name_of(c.token.format)));
  out.multiplier = told.factor("token.multiplier, as rounded,", *rounded);
  out.positions = positions_of(c, told);
  if (out.positions.source != PositionVectors::Source::none)
    out.position_multiplier =
        told.factor("position.multiplier", told("position.multiplier", c.position.multiplier));
  out.gain = c.final_norm.gain;
  out.bias = c.final_norm.bias;
  out.tied = told("output.tied", c.output.tied);
  // An output of its own has d_model channels: no copy of a narrower table is one.
  out.can_untie = c.output.sharing != audit::Sharing::always && !c.token.is_factorised;
  const double logits =
      told.factor("output.multiplier", told("output.multiplier", c.output.multiplier));
  out.factor_only_if_tied = c.output.when == audit::MultipliedOutput::tied;
  if (!c.defaults_to("output.multiplier") && (out.tied || !out.factor_only_if_tied))
    out.logit_factor = logits;
  return out;
}

std::string_view name_of(Side side) { return side == Side::from ? "FROM" : "TO"; }
std::string_view path_of(Side side) { return side == Side::from ? "from" : "to"; }

}  // namespace embedscale::port
