// Two scales of one table: exact samples, floating point, and the common parametrisations; and √d
// at the input against 1/√d at the output, with the table rescaled along and with it kept.
#include "properties/tied_output/scales.hpp"

#include <numbers>

#include "properties/domain/rationals.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using properties::domain::Rational, properties::domain::RationalDraws;

constexpr const char* exact = "exact rationals";

/// Case i: width k² of three, a table of any deviation.
struct Sample {
  int k;
  Rational sigma, other;

  EmbeddingTable<Rational> table(const Rational& of_deviation) const {
    return uncorrelated_table(static_cast<std::size_t>(k * k), of_deviation);
  }
  bool has_unit_logits() const { return sigma * k == 1; }
};

/// With both scales 1 and c = ±1, m is ±k and σ is 1/k; with any other c, m is not.
void measure_scales_exactly(Section& s, const Options& options) {
  constexpr const char* method = "exact rationals, d = 1, 4 and 9";
  const RationalDraws draws(options.seed, s.claim().id, 16);
  const auto sample = [&](std::uint64_t i) {
    return Sample{1 + static_cast<int>(i % 3), draws.positive(i, 0), draws.positive(i, 1)};
  };
  const Rational one(1);
  const auto apart = over<Tally>(options.samples, [&](std::uint64_t i) {
    const auto at = sample(i);
    const auto table = at.table(at.sigma), small = at.table(one / at.k);
    const Rational m = i % 2 == 0 ? at.other : one / at.sigma;
    return both_are_one(table, table, i, m, one, primitives) !=
               (m == at.k && at.has_unit_logits()) ||
           !both_are_one(small, small, i, Rational(at.k), one, primitives);
  });
  s.decide_none("unit_scale_disagreements", {{"logits_times", "1"}}, apart, Part::belief, method);
  const auto parted = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto at = sample(i);
    if (at.has_unit_logits()) return std::nullopt;
    const auto table = at.table(at.sigma);
    const Rational m = one / at.sigma, c = m / at.k;
    return m != at.k && both_are_one(table, table, i, m, c, primitives);
  });
  s.measure("parted_by_a_logit_factor", {{"logits_times", "not 1"}}, parted, method,
            all_of(Part::necessity, parted.cases()));
}

void measure_rounding(Section& s, const Options& options) {
  Greatest worst;
  for (const auto d : points(options.widths, usual_widths)) {
    if (d > 1024) continue;  // V·d entries
    for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{0x5555555555555555}}) {
      worst.evaluate([&] { return unit_scales_share_of_bound<float>(d, bits, primitives); });
      worst.evaluate([&] { return unit_scales_share_of_bound<double>(d, bits, primitives); });
    }
  }
  if (worst.cases() > 0)
    s.measure("worst_share_of_bound", {}, worst,
              "tables of uncorrelated signs, binary32 and binary64",
              at_most(Part::statement, 1, worst.cases()));
}

/// A way to spell the scales of a table at one width: deviation σ, m in, c out.
struct Way {
  std::string name;
  std::uint64_t d;
  double sigma, m, c;

  double input_rms() const { return std::abs(m) * sigma; }
  double logit_std() const { return std::abs(c) * sigma * root(d); }
  double quotient() const {
    const double in = input_rms(), out = logit_std();
    return std::max(in, out) / std::min(in, out);
  }
  /// But for rounding: σ's own, a root, a quotient and two products, each off by at most u.
  bool has_unit_scales() const {
    const auto is_one = [](double x) { return std::abs(x - 1) <= 8 * 0x1p-53; };
    return is_one(input_rms()) && is_one(logit_std());
  }
  double token_to_position() const { return std::numbers::sqrt2 * m * sigma; }
};

std::vector<Way> parametrisations(std::uint64_t d, std::uint64_t V,
                                  const std::vector<double>& deviations) {
  const double xavier = std::sqrt(2 / (static_cast<double>(V) + static_cast<double>(d)));
  std::vector<Way> all{{"up: √d·e + p", d, 1 / root(d), root(d), 1},
                       {"down: e + p/√d", d, 1 / root(d), 1, 1},
                       {"σ = 1", d, 1, 1, 1},
                       {"σ = 1, logits/√d", d, 1, 1, 1 / root(d)}};
  const auto with_and_without = [&](const std::string& name, double sigma) {
    all.push_back({name, d, sigma, 1, 1});
    all.push_back({name + ", √d·e + p", d, sigma, root(d), 1});
  };
  for (const double sigma : deviations) with_and_without("σ = " + told(sigma, 2), sigma);
  with_and_without("Xavier", xavier);
  return all;
}

/// Which of them have both scales at 1, at one width: 512 where it is among them.
void count_unit_scales(Section& s, std::uint64_t V, const std::vector<Way>& ways) {
  const auto unit =
      over<Tally>(ways.size(), [&](std::uint64_t i) { return ways[i].has_unit_scales(); });
  std::string names;
  for (const auto& way : ways)
    if (way.has_unit_scales()) names += (names.empty() ? "" : "; ") + way.name;
  const auto d = ways.front().d;
  s.measure("unit_parametrisations", {{"d_model", d}, {"vocabulary", V}}, unit, "closed form");
  s.measure("named_parametrisations", {{"names", names}, {"vocabulary", V}}, unit);
}

Multipliers<Rational> at_input(const Rational& m) { return {m, Rational(1)}; }
Multipliers<Rational> at_output(const Rational& m) { return {Rational(1), Rational(1 / m)}; }

void measure_trade_exactly(Section& s, const Options& options) {
  const RationalDraws draws(options.seed, s.claim().id, 16);
  const auto two_channels = [&](std::uint64_t i) -> TwoChannels<Rational> {
    return {draws.channels(i, 8, 2), draws.channels(i, 10, 2), draws.channels(i, 12, 2)};
  };
  const auto apart = over<Tally>(options.samples, [&](std::uint64_t i) {
    const auto at = two_channels(i);
    const auto m = draws.positive(i, 0);
    return !(behaviour(at, at_input(m), primitives) ==
             behaviour(rescaled(at, m), at_output(m), primitives)) ||
           !behaves_as_meant(at, at_input(m), primitives);
  });
  s.decide_none("function_disagreements", {{"table", "times m"}}, apart, Part::belief, exact);
  const auto off = over<Tally>(options.samples, [&](std::uint64_t i) {
    const Multipliers<Rational> any{draws.positive(i, 1), draws.positive(i, 2)};
    return !trade_follows_the_quotient(two_channels(i), at_input(draws.positive(i, 0)), any,
                                       primitives);
  });
  s.decide_none("quotient_disagreements", {{"table", "times m/m'"}}, off, Part::statement, exact);
  const auto parallel = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto at = two_channels(i);
    const auto m = draws.positive(i, 0);
    if (m == 1 || minor_of(at.e, at.p) == 0) return std::nullopt;
    return minor_of(behaviour(at, at_input(m), primitives).x,
                    behaviour(at, at_output(m), primitives).x) == 0;
  });
  s.decide_none("kept_table_agreements", {{"table", "kept"}}, parallel, Part::necessity,
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

/// Three programs: with m in, with 1/m out on m times the table, and on the same table.
std::array<Way, 3> programs(std::uint64_t d, double sigma) {
  return {{{"√d in", d, sigma, root(d), 1},
           {"1/√d out, table times √d", d, sigma * root(d), 1, 1 / root(d)},
           {"1/√d out, table kept", d, sigma, 1, 1 / root(d)}}};
}

void measure_program(Section& s, const Way& at) {
  const Place place{{"multiplier", at.name}, {"d_model", at.d}, {"standard_deviation", at.sigma}};
  s.measure("token_to_position", place, at.token_to_position(),
            "closed form: a sinusoid has RMS 1/√2");
  s.measure("adam_relative_step", place, 1 / at.sigma, "closed form: ε = 0");
  s.measure("logit_std", place, at.logit_std());
}

}  // namespace

void one_table_two_scales(Section& s, const Options& options) {
  measure_scales_exactly(s, options);
  measure_rounding(s, options);
  const auto widths = points(options.widths, usual_widths);
  const auto vocabularies = points(options.vocabulary, usual_vocabulary);
  const auto deviations = points(options.deviations, usual_deviations);
  for (const auto V : vocabularies)
    for (const auto d : widths)
      s.sweep("closed form", {{"d_model", d}, {"vocabulary", V}},
              axis("parametrisation", parametrisations(d, V, deviations), &Way::name),
              [](const Way& way) {
                return Values{
                    {"input_rms", way.input_rms()},
                    {"logit_std", Value(way.logit_std()).by("closed form, final state of RMS 1")},
                    {"larger_over_smaller", way.quotient()}};
              });
  s.measure("equal_scales", {}, 1);
  const auto middle = std::ranges::count(widths, 512u) > 0 ? 512u : widths.front();
  for (const auto V : vocabularies)
    count_unit_scales(s, V, parametrisations(middle, V, deviations));
  s.measure("root_of_width", {{"d_model", middle}}, root(middle));
}

void multipliers_trade_places(Section& s, const Options& options) {
  measure_trade_exactly(s, options);
  measure_by_hand(s);
  const auto widths = points(options.widths, usual_widths);
  for (const auto d : widths)
    for (const auto& at : programs(d, 1 / root(d))) {
      measure_program(s, at);
      s.measure("ratio_of_usual_table", {{"multiplier", at.name}, {"d_model", d}},
                at.token_to_position());
    }
  for (const double sigma : options.deviations)
    for (const auto d : widths)
      if (sigma != 1 / root(d))
        for (const auto& at : programs(d, sigma)) measure_program(s, at);
  s.measure("balance", {}, 1);
}

}  // namespace embedscale::tied_output_analysis
