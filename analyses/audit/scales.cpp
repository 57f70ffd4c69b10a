#include "audit/scales.hpp"

#include <embedscale/initializer.hpp>

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

namespace embedscale::audit {
namespace {

Quantity missing(std::string path, std::string reason) {
  return {std::move(path), std::nullopt, std::move(reason)};
}

Quantity quantity(std::string path, double value) {
  if (!std::isfinite(value))
    return missing(path, fmt::format("{} leaves the range of binary64", path));
  return {std::move(path), value, {}};
}

// compute(), if all it needs is there.
template <class Compute>
Quantity computed(std::string path, std::initializer_list<Quantity> needs, Compute compute) {
  for (const Quantity& needed : needs)
    if (!needed.value) return missing(path, fmt::format("{} needs {}", path, needed.path));
  return quantity(std::move(path), compute());
}

// The library's law for a table of `rows` rows. Only the Xavier laws need to know how many.
Initializer initializer_of(const Law& law, std::optional<std::int64_t> rows, std::int64_t d) {
  const auto height = static_cast<std::size_t>(rows.value_or(0));
  const auto width = static_cast<std::size_t>(d);
  switch (law.kind) {
    case LawKind::normal: return Normal{law.parameter};
    case LawKind::uniform: return Uniform{law.parameter};
    case LawKind::truncated_normal: return TruncatedNormal{law.parameter};
    case LawKind::xavier_uniform: return XavierUniform{height, width};
    case LawKind::xavier_normal: break;
  }
  return XavierNormal{height, width};
}

// A table whose number of rows is the field `field`, named `letter`.
struct Table {
  std::optional<std::int64_t> rows;
  std::string_view field, letter;
};

Quantity table_rms(std::string path, const Law& law, const Table& table, std::int64_t d) {
  const bool xavier = law.kind == LawKind::xavier_uniform || law.kind == LawKind::xavier_normal;
  if (xavier && !table.rows)
    return missing(path, fmt::format("{} needs {}: {} on a ({}, d_model) table depends on it", path,
                                     table.field, name_of(law.kind), table.letter));
  const double square = variance(initializer_of(law, table.rows, d));
  if (!std::isnormal(square))
    return missing(path, fmt::format("{}: the law's variance leaves the range of binary64", path));
  return quantity(std::move(path), std::sqrt(square));
}

Quantity factor_of(const Token& token) {
  const double rounded = rounded_to(token.format, token.multiplier);
  if (std::isfinite(rounded)) return {"scaled_down.factor", rounded, {}};
  return missing("scaled_down.factor",
                 fmt::format("scaled_down.factor: token.multiplier = {} overflows {}",
                             token.multiplier, name_of(token.format)));
}

Quantity token_rms(const Configuration& c, const Quantity& factor) {
  const Quantity entry = table_rms("token.rms", c.token.law,
                                   {c.model.vocabulary, "model.vocabulary", "V"}, c.model.d_model);
  if (!entry.value) return entry;
  return computed("token.rms", {factor}, [&] { return std::abs(*factor.value) * *entry.value; });
}

Quantity position_rms(const Configuration& c) {
  const std::string path = "position.rms";
  const double multiplier = std::abs(c.position.multiplier);
  switch (c.position.kind) {
    case PositionKind::sinusoidal:
      // sin² + cos² = 1 for each of the d/2 pairs, at every position, frequency and layout.
      return quantity(path, multiplier * std::sqrt(0.5));
    case PositionKind::learned: {
      const Table table{c.model.positions, "model.positions", "L"};
      const Quantity entry = table_rms(path, *c.position.law, table, c.model.d_model);
      return entry.value ? quantity(path, multiplier * *entry.value) : entry;
    }
    case PositionKind::rotary:
    case PositionKind::relative:
    case PositionKind::none: break;
  }
  return missing(path, fmt::format("{} does not apply: position.kind {} adds nothing to the tokens",
                                   path, name_of(c.position.kind)));
}

Quantity token_to_position(const Quantity& token, const Quantity& position) {
  const std::string path = "token_to_position";
  if (position.value == 0.0) return missing(path, path + " divides by position.rms, which is 0");
  return computed(path, {token, position}, [&] { return *token.value / *position.value; });
}

Quantity input_rms(const Configuration& c, const Quantity& token, const Quantity& position) {
  if (!adds_positions(c.position.kind))
    return computed("input.rms", {token}, [&] { return *token.value; });
  return computed("input.rms", {token, position},
                  [&] { return std::hypot(*token.value, *position.value); });
}

Quantity rounding_error(const Token& token, const Quantity& factor) {
  const std::string path = "scaled_down.rounding_error";
  if (token.format == NumberFormat::binary64)
    return missing(path, path + " is not known: formulas are computed in binary64 themselves");
  if (token.multiplier == 0.0)
    return missing(path, path + " does not apply: token.multiplier is 0");
  return computed(path, {factor},
                  [&] { return (*factor.value - token.multiplier) / token.multiplier; });
}

Quantity scaled_down_rms(const Quantity& input, const Quantity& factor) {
  const std::string path = "scaled_down.input.rms";
  if (factor.value == 0.0)
    return missing(path, path + " does not apply: positions cannot be divided by 0");
  return computed(path, {input, factor}, [&] { return *input.value / std::abs(*factor.value); });
}

Verdict rounds_identically(const Token& token, NumberFormat format) {
  const std::string path = fmt::format("scaled_down.rounds_identically.{}", name_of(format));
  const double rounded = rounded_to(format, token.multiplier);
  if (std::isfinite(rounded) && rounded != 0.0) return {path, is_power_of_two(rounded), {}};
  return {
      path, std::nullopt,
      fmt::format("token.multiplier = {} is {} in {}", token.multiplier, rounded, name_of(format))};
}

ScaledDown scaled_down(const Token& token, const Quantity& factor, const Quantity& input) {
  ScaledDown down{.factor = factor,
                  .exact_factor = quantity("scaled_down.exact_factor", token.multiplier),
                  .rounding_error = rounding_error(token, factor),
                  .input_rms = scaled_down_rms(input, factor),
                  .rounds_identically = {rounds_identically(token, NumberFormat::binary32)}};
  if (token.format != NumberFormat::binary32)
    down.rounds_identically.push_back(rounds_identically(token, token.format));
  return down;
}

}  // namespace

Scales scales_of(const Configuration& c) {
  const Quantity factor = factor_of(c.token);
  const Quantity token = token_rms(c, factor);
  const Quantity position = position_rms(c);
  const Quantity input = input_rms(c, token, position);
  return {token, position, token_to_position(token, position), input,
          scaled_down(c.token, factor, input)};
}

std::vector<Quantity> quantities(const Scales& s) {
  const ScaledDown& down = s.scaled_down;
  return {s.token_rms, s.position_rms,    s.token_to_position, s.input_rms,
          down.factor, down.exact_factor, down.rounding_error, down.input_rms};
}

std::vector<Verdict> verdicts(const Scales& s) { return s.scaled_down.rounds_identically; }

}  // namespace embedscale::audit
