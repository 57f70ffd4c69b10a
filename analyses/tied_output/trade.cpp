// √d at the input against 1/√d at the output: with the table rescaled along, and with it kept.
#include <embedscale/random.hpp>

#include <cmath>
#include <numbers>
#include <optional>

#include "properties/domain/rationals.hpp"
#include "properties/tied_output/scales.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using namespace properties::tied_output;
using properties::Part;
using properties::domain::Rational;

const Primitives primitives;

/// Rational k of case i: up to sixteen for each case.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Rational positive(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::positive_rational(stream_, 16 * i + k);
  }
  TwoChannels<Rational> two_channels(std::uint64_t i) const {
    const auto pair = [&](std::uint64_t k) {
      return std::vector{properties::domain::rational(stream_, 16 * i + k),
                         properties::domain::rational(stream_, 16 * i + k + 1)};
    };
    return {pair(8), pair(10), pair(12)};
  }

 private:
  Stream stream_;
};

Multipliers<Rational> at_input(const Rational& m) { return {m, Rational(1)}; }
Multipliers<Rational> at_output(const Rational& m) { return {Rational(1), Rational(1 / m)}; }

void measure_exactly(Section& s, const Options& options) {
  constexpr const char* method = "exact rationals";
  const Draws draws(options.seed, s.claim().id);
  const auto apart = over<Tally>(options.samples, [&](std::uint64_t i) {
    const auto at = draws.two_channels(i);
    const auto m = draws.positive(i, 0);
    return !(behaviour(at, at_input(m), primitives) ==
             behaviour(rescaled(at, m), at_output(m), primitives)) ||
           !behaves_as_meant(at, at_input(m), primitives);
  });
  s.decide_none("function_disagreements", {{"table", "times m"}}, apart, Part::belief, method);
  const auto off = over<Tally>(options.samples, [&](std::uint64_t i) {
    const Multipliers<Rational> any{draws.positive(i, 1), draws.positive(i, 2)};
    return !trade_follows_the_quotient(draws.two_channels(i), at_input(draws.positive(i, 0)), any,
                                       primitives);
  });
  s.decide_none("quotient_disagreements", {{"table", "times m/m'"}}, off, Part::statement, method);
  const auto parallel = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto at = draws.two_channels(i);
    const auto m = draws.positive(i, 0);
    if (m == 1 || minor_of(at.e, at.p) == 0) return std::nullopt;
    return minor_of(behaviour(at, at_input(m), primitives).x,
                    behaviour(at, at_output(m), primitives).x) == 0;
  });
  s.decide_none("kept_table_agreements", {{"table", "kept"}}, parallel, Part::belief_elsewhere,
                "exact rationals, directions of the inputs");
}

/// m = 2 and e = (1, 0), p = (0, 1).
void measure_by_hand(Section& s) {
  for (const int m : {2, 1}) {
    const auto x = behaviour<Rational>({{1, 0}, {0, 1}, {0, 0}}, at_input(m), primitives).x;
    for (const std::size_t j : {0u, 1u})
      s.measure("by_hand", {{"m", m}, {"channel", j}}, static_cast<double>(x[j]));
  }
}

/// One of three programs: with m in, with 1/m out on m times the table, and on the same table.
struct Program {
  const char* name;
  double sigma, m, c;

  double token_to_position() const { return std::numbers::sqrt2 * m * sigma; }
};

std::array<Program, 3> programs(std::uint64_t d, double sigma) {
  const double root = std::sqrt(static_cast<double>(d));
  return {{{"√d in", sigma, root, 1},
           {"1/√d out, table times √d", sigma * root, 1, 1 / root},
           {"1/√d out, table kept", sigma, 1, 1 / root}}};
}

void measure_program(Section& s, std::uint64_t d, const Program& at) {
  const Place place{
      {"multiplier", at.name}, {"d_model", d}, {"standard_deviation", rounded(at.sigma, 4)}};
  s.measure("token_to_position", place, at.token_to_position(),
            "closed form: a sinusoid has RMS 1/√2");
  s.measure("adam_relative_step", place, 1 / at.sigma, "closed form: ε = 0");
  s.measure("logit_std", place, at.c * at.sigma * std::sqrt(static_cast<double>(d)));
}

}  // namespace

void multipliers_trade_places(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_by_hand(s);
  const auto widths = points(options.widths, usual_widths);
  for (const auto d : widths)
    for (const auto& at : programs(d, 1 / std::sqrt(static_cast<double>(d)))) {
      measure_program(s, d, at);
      s.measure("ratio_of_usual_table", {{"multiplier", at.name}, {"d_model", d}},
                at.token_to_position());
    }
  for (const double sigma : options.deviations)
    for (const auto d : widths)
      for (const auto& at : programs(d, sigma)) measure_program(s, d, at);
  s.measure("balance", {}, 1);
}

}  // namespace embedscale::tied_output_analysis
