// The sum that enters the first block.
#include "audit/parts.hpp"
#include "audit/scale_parts.hpp"

#include <embedscale/expected/position_table.hpp>
#include <embedscale/sinusoidal.hpp>

#include <fmt/format.h>

namespace embedscale::audit {
namespace {

Quantity renamed(Quantity q, std::string path) {
  q.path = std::move(path);
  return q;
}

std::string nothing_added(const Configuration& c) {
  return fmt::format("does not apply: position.kind {} adds nothing to the tokens",
                     name_of(c.position.kind));
}

Quantity position_rms(const Configuration& c) {
  const std::string path = "position.rms";
  if (!adds_positions(c.position.kind)) return missing(path, nothing_added(c));
  const Quantity multiplier = told(c, "position.multiplier", c.position.multiplier);
  if (c.position.kind == PositionKind::sinusoidal)
    // sin² + cos² = 1 for each of the d/2 pairs, at every position, frequency and layout.
    return computed(path, {&multiplier},
                    [&] { return std::abs(*multiplier.value) * std::sqrt(0.5); });
  const Quantity rows = told(c, "model.positions", c.model.positions);
  const Quantity width = told(c, "model.d_model", c.model.d_model);
  const Quantity entry = entry_rms(c, c.position.law, {"position.law", &rows, &width});
  return computed(path, {&entry, &multiplier},
                  [&] { return std::abs(*multiplier.value) * *entry.value; });
}

Quantity extra_rms(const Configuration& c) {
  const std::string path = "extra.rms";
  double sum = 0;
  for (std::size_t i = 0; i < c.extras.size(); ++i) {
    const Extra& extra = c.extras[i];
    const std::string field = fmt::format("extra[{}]", i);
    const Quantity rows = told(c, field + ".rows", extra.rows);
    const Quantity width = told(c, "model.d_model", c.model.d_model);
    const Quantity multiplier = told(c, field + ".multiplier", extra.multiplier);
    const Quantity entry = entry_rms(c, extra.law, {field + ".law", &rows, &width});
    if (std::string reason = first_missing({&entry, &multiplier}); !reason.empty())
      return missing(path, reason);
    sum += *multiplier.value * *multiplier.value * *entry.value * *entry.value;
  }
  return quantity(path, std::sqrt(sum));
}

Quantity token_to_position(const Configuration& c, const Quantity& token,
                           const Quantity& position) {
  const std::string path = "token_to_position";
  if (!adds_positions(c.position.kind)) return missing(path, nothing_added(c));
  if (position.value == 0.0) return missing(path, "divides by position.rms, which is 0");
  return computed(path, {&token, &position}, [&] { return *token.value / *position.value; });
}

Quantity input_rms(const Configuration& c, const Quantity& token, const Quantity& position,
                   const Quantity& extra) {
  const std::string path = "input.rms";
  if (!adds_positions(c.position.kind))
    return computed(path, {&token, &extra}, [&] { return std::hypot(*token.value, *extra.value); });
  const Quantity width = told(c, "model.d_model", c.model.d_model);
  if (c.position.combine == Combine::concatenation && !width.value)
    return missing(path, width.missing);
  return computed(path, {&token, &position, &extra}, [&] {
    return std::hypot(std::sqrt(token_share(c)) * *token.value,
                      std::sqrt(position_share(c)) * *position.value, *extra.value);
  });
}

Quantity constant_share(const Configuration& c) {
  const std::string path = "position.constant_share";
  if (!adds_positions(c.position.kind)) return missing(path, nothing_added(c));
  const Quantity length = told(c, "model.positions", c.model.positions);
  if (c.position.kind == PositionKind::learned)
    return computed(path, {&length}, [&] { return 1 / *length.value; });
  const Quantity width = told(c, "model.d_model", c.model.d_model);
  const Quantity base = told(c, "position.base", c.position.base);
  return computed(path, {&length, &width, &base}, [&] {
    const auto channels =
        *c.model.d_model - (c.position.combine == Combine::sum ? 0 : *c.token.width);
    return expected::constant_share(
        {sinusoidal_frequencies<double>(static_cast<std::size_t>(channels), c.position.frequencies,
                                        *base.value),
         c.position.first, static_cast<std::int64_t>(*length.value), 1});
  });
}

}  // namespace

Quantity factor_of(const Configuration& c) {
  const std::string path = "scaled_down.factor";
  const Quantity given = told(c, "token.multiplier", c.token.multiplier);
  if (!given.value) return missing(path, given.missing);
  const double rounded = rounded_to(c.token.format, *given.value);
  if (std::isfinite(rounded)) return quantity(path, rounded);
  return missing(path, fmt::format("token.multiplier = {} overflows {}", *given.value,
                                   name_of(c.token.format)));
}

InputScales input_scales(const Configuration& c, const Quantity& factor) {
  const Quantity rows = told(c, "model.vocabulary", c.model.vocabulary);
  const Quantity width = told(c, "model.d_model", c.token.width);
  const Quantity entry = entry_rms(c, c.token.law, {"token.law", &rows, &width});
  const Quantity token = computed("token.rms", {&entry, &factor},
                                  [&] { return std::abs(*factor.value) * *entry.value; });
  const Quantity position = position_rms(c), extra = extra_rms(c);
  return {.entry_rms = renamed(entry, "token.entry_rms"),
          .token_rms = token,
          .position_rms = position,
          .token_to_position = token_to_position(c, token, position),
          .extra_rms = extra,
          .input_rms = input_rms(c, token, position, extra),
          .constant_share = constant_share(c)};
}

}  // namespace embedscale::audit
