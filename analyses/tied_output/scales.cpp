// Two scales of one table in the common parametrisations; and √d
// at the input against 1/√d at the output, with the table rescaled along and with it kept.
#include <numbers>

#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

double larger_over_smaller(const Parametrisation& at) {
  const auto [smaller, larger] = std::minmax({at.input_rms(), at.logit_std()});
  return larger / smaller;
}
/// But for rounding: σ's own, a root, a quotient and two products, each off by at most u.
bool has_unit_scales(const Parametrisation& at) {
  const auto is_one = [](double x) { return std::abs(x - 1) <= 8 * 0x1p-53; };
  return is_one(at.input_rms()) && is_one(at.logit_std());
}
double token_to_position(const Parametrisation& at) {
  return std::numbers::sqrt2 * at.m * at.sigma;
}

std::vector<Parametrisation> parametrisations(std::uint64_t d, std::uint64_t V,
                                              const std::vector<double>& deviations) {
  const double xavier = std::sqrt(2 / (static_cast<double>(V) + static_cast<double>(d)));
  std::vector<Parametrisation> all{{"up: √d·e + p", d, 1 / root(d), root(d), 1},
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
void count_unit_scales(Section& s, std::uint64_t V, const std::vector<Parametrisation>& all) {
  const auto unit = over<Tally>(all, has_unit_scales);
  std::string names;
  for (const auto& one : all)
    if (has_unit_scales(one)) names += (names.empty() ? "" : "; ") + one.name;
  const auto d = all.front().d;
  s.measure("unit_parametrisations", {{"d_model", d}, {"vocabulary", V}}, unit, "closed form");
  s.measure("named_parametrisations", {{"names", names}, {"vocabulary", V}}, unit);
}

/// e = (1, 0), p = (0, 1).
void measure_directions(Section& s) {
  for (const int m : {2, 1})
    for (const int j : {0, 1})
      s.measure("by_hand", {{"m", m}, {"channel", j}}, library<double>.input(1 - j, j, m));
}

/// Three programs: with m in, with 1/m out on m times the table, and on the same table.
std::array<Parametrisation, 3> programs(std::uint64_t d, double sigma) {
  return {{{"√d in", d, sigma, root(d), 1},
           {"1/√d out, table times √d", d, sigma * root(d), 1, 1 / root(d)},
           {"1/√d out, table kept", d, sigma, 1, 1 / root(d)}}};
}

void measure_program(Section& s, const Parametrisation& at) {
  const Place place{{"multiplier", at.name}, {"d_model", at.d}, {"standard_deviation", at.sigma}};
  s.measure("token_to_position", place, token_to_position(at),
            "closed form: a sinusoid has RMS 1/√2");
  s.measure("adam_relative_step", place, 1 / at.sigma, "closed form: ε = 0");
  s.measure("logit_std", place, at.logit_std());
}

}  // namespace

void one_table_two_scales(Section& s, const Options& options) {
  constexpr const char* condition = "both_are_one_by_the_quotient_alone";
  s.measure_failures("unit_scale_disagreements", {{"logits_times", "1"}}, condition);
  s.measure_passes("parted_by_a_logit_factor", {{"logits_times", "not 1"}}, condition);
  s.measure_worst("worst_share_of_bound", {}, "unit_scales_in_floating_point");
  const auto widths = points(options.widths, usual_widths);
  const auto vocabularies = points(options.vocabulary, usual_vocabulary);
  const auto deviations = points(options.deviations, usual_deviations);
  for (const auto V : vocabularies)
    for (const auto d : widths)
      s.sweep("closed form", {{"d_model", d}, {"vocabulary", V}},
              axis("parametrisation", parametrisations(d, V, deviations), &Parametrisation::name),
              [](const Parametrisation& one) {
                return Values{
                    {"input_rms", one.input_rms()},
                    {"logit_std", Value(one.logit_std()).by("closed form, final state of RMS 1")},
                    {"larger_over_smaller", larger_over_smaller(one)}};
              });
  s.measure("equal_scales", {}, 1);
  const auto middle = said_of(widths, 512);
  for (const auto V : vocabularies)
    count_unit_scales(s, V, parametrisations(middle, V, deviations));
  s.measure("root_of_width", {{"d_model", middle}}, root(middle));
}

void multipliers_trade_places(Section& s, const Options& options) {
  constexpr const char* follows = "rescaled_tables_follow_the_quotient";
  s.measure_failures("function_disagreements", {{"table", "times m"}}, follows);
  s.measure_failures("quotient_disagreements", {{"table", "times m/m'"}}, follows);
  s.measure_failures("kept_table_agreements", {{"table", "kept"}}, "a_kept_table_turns_the_input");
  measure_directions(s);
  const auto widths = points(options.widths, usual_widths);
  for (const auto d : widths)
    for (const auto& at : programs(d, 1 / root(d))) {
      measure_program(s, at);
      s.measure("ratio_of_usual_table", {{"multiplier", at.name}, {"d_model", d}},
                token_to_position(at));
    }
  for (const double sigma : options.deviations)
    for (const auto d : widths)
      if (sigma != 1 / root(d))
        for (const auto& at : programs(d, sigma)) measure_program(s, at);
  s.measure("balance", {}, 1);
}

}  // namespace embedscale::tied_output_analysis
