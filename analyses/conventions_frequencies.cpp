// Which frequencies real systems have, and what the choice does to the position vectors.
#include <fmt/format.h>
#include <embedscale/properties/conventions_vectors.hpp>

#include <algorithm>
#include <cmath>

#include "conventions.hpp"

namespace embedscale::conventions_analysis {
namespace {

using namespace properties::conventions;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

struct ByRule {
  std::vector<std::string> paper, tensor2tensor;
};

ByRule systems_by_rule(const std::vector<System>& all) {
  ByRule by;
  for (const System& s : all) {
    const auto& position = s.configuration.position;
    if (position.kind != audit::PositionKind::sinusoidal) continue;
    (position.frequencies == FrequencyRule::paper ? by.paper : by.tensor2tensor)
        .push_back(s.configuration.name);
  }
  return by;
}

constexpr std::int64_t positions[] = {100, 200, 511, 1023, 4095};

void measure_bounds(const std::vector<std::uint64_t>& widths, report::Section& section) {
  report::Measurement rules{.quantity = "worst_share_of_bound",
                            .at = {{"of", "frequencies"}},
                            .method = "every frequency, binary64"};
  report::Measurement vectors{.quantity = "worst_share_of_bound",
                              .at = {{"of", "vectors"}},
                              .method = "both layouts, binary64"};
  for (const auto width : widths) {
    const auto d = static_cast<std::size_t>(width);
    const double share = frequencies_share_of_bound<double>(d, 10000, library);
    if (!(share <= rules.value)) rules.value = share;
    ++rules.samples;
    for (const auto p : positions)
      for (const auto layout : {SinusoidalLayout::interleaved, SinusoidalLayout::halves}) {
        const double apart = rms_difference_share_of_bound(d, p, 10000, layout, library);
        if (!(apart <= vectors.value)) vectors.value = apart;
        ++vectors.samples;
      }
  }
  for (auto* m : {&rules, &vectors}) {
    m->rule = report::Rule{Part::statement, Relation::at_most, 1, m->samples};
    m->digits = 2;
  }
  section.text("rule_cases", report::count(rules.samples));
  section.text("vector_cases", report::count(vectors.samples));
  rules.field = "worst_frequency";
  vectors.field = "worst_vector";
  section.measure(std::move(rules));
  section.measure(std::move(vectors));
}

Figure difference_by_position(const std::vector<std::uint64_t>& widths) {
  Figure figure{.name = "conventions_frequency_rules",
                .title = "How far the two frequency rules put one position's vectors apart",
                .x_label = "position",
                .y_label = "RMS difference over channels",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "RMS of a vector", .y = std::sqrt(0.5)}}};
  const std::size_t step = std::max<std::size_t>(1, widths.size() / 4);
  for (std::size_t k = 0; k < widths.size() && figure.series.size() < 5; k += step) {
    report::Series series{.label = fmt::format("d_model = {}", widths[k]),
                          .x = {},
                          .y = {},
                          .mark = report::Series::Mark::line};
    for (int eighth = 0; eighth <= 13 * 4; ++eighth) {
      const auto p = static_cast<std::int64_t>(std::llround(std::exp2(eighth / 4.0)));
      if (!series.x.empty() && series.x.back() == static_cast<double>(p)) continue;
      series.x.push_back(static_cast<double>(p));
      series.y.push_back(frequency_rule_rms_difference(static_cast<std::size_t>(widths[k]), p));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

report::Section paper_and_code_agree(const cli::Options& options, const std::vector<System>& all) {
  report::Section section(properties::conventions::paper_and_code_agree);
  const auto [paper, code] = systems_by_rule(all);
  const std::size_t sinusoidal = paper.size() + code.size();
  section.measure_none("systems_without_the_papers_frequencies", {{"systems", sinusoidal}},
                       static_cast<double>(code.size()), sinusoidal, Part::belief,
                       "read in their sources");
  section.text("paper_section", "is not in the atlas");
  for (const System& s : all)
    if (s.configuration.name == "tensor2tensor") {
      const auto& c = s.configuration;
      section.text("paper_section", multiplies_by_root_d(s) && c.output.tied == true
                                        ? "multiplies by √d_model and shares its table with the "
                                          "output, as section 3.4 specifies"
                                        : "does not do what section 3.4 specifies");
    }
  section.text("sinusoidal", report::count(sinusoidal));
  section.text("paper", report::count(paper.size()));
  section.text("code", report::count(code.size()));
  section.text("paper_names", fmt::format("{}", fmt::join(paper, ", ")));
  section.text("code_names", fmt::format("{}", fmt::join(code, ", ")));

  const auto widths = even_widths(options);
  std::vector<Table::Column> columns{{"d_model", Table::Align::right},
                                     {"base^(d/(d−2))", Table::Align::right}};
  for (const auto p : positions)
    columns.push_back(
        {fmt::format("position {}", report::count(std::uint64_t(p))), Table::Align::right});
  Table table(columns);
  for (const auto width : widths) {
    const auto d = static_cast<std::size_t>(width);
    const double base = effective_base<double>(d, 10000);
    section.measure({.quantity = "effective_base",
                     .at = {{"d_model", width}},
                     .value = base,
                     .samples = 1,
                     .method = "closed form",
                     .field = d == 512 ? "base_at_512" : "",
                     .digits = 5});
    std::vector<std::string> row{report::count(width), report::significant(base, 5)};
    for (const auto p : positions) {
      const double apart = frequency_rule_rms_difference(d, p);
      section.measure({.quantity = "frequency_rule_rms_difference",
                       .at = {{"d_model", width}, {"position", p}},
                       .value = apart,
                       .samples = 1,
                       .method = "closed form",
                       .digits = 3});
      row.push_back(report::significant(apart, 3));
    }
    table.row(std::move(row));
  }
  section.table(table);
  measure_bounds(widths, section);
  section.figure(difference_by_position(widths));
  // What a converter does that takes one rule for the other, at the width of the paper.
  const double apart = frequency_rule_rms_difference(512, 511);
  section.text("apart", report::significant(apart, 3));
  section.text("apart_share", report::significant(100 * apart / std::sqrt(0.5), 3));
  const auto last = [](FrequencyRule rule) {
    return report::significant(1e4 * static_cast<double>(frequency(255, 512, rule, 10000)), 5);
  };
  section.text("last_paper", last(FrequencyRule::paper));
  section.text("last_code", last(FrequencyRule::tensor2tensor));
  if (!code.empty())
    section.counterexample(fmt::format(
        "tensor2tensor, d_model = 512: the last frequency is {}·10⁻⁴, in the paper {}·10⁻⁴",
        last(FrequencyRule::tensor2tensor), last(FrequencyRule::paper)));
  return section;
}

}  // namespace embedscale::conventions_analysis
