// What a sum and a concatenation cost: parameters and operations, by formula and by a count.
#include <fmt/format.h>
#include <embedscale/properties/concatenation_costs.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>

#include "concatenation.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Series;
using report::Table;

using Joining = Shape::Joining;

const Library library;

constexpr std::array<std::uint64_t, 6> own_widths{64, 256, 512, 1024, 4096, 16384};
constexpr std::array<std::uint64_t, 3> own_vocabularies{1000, paper_vocabulary, 256000};

/// Small enough to be run number by number: each shape once.
void measure_counts(report::Section& section) {
  std::uint64_t shapes = 0;
  double apart = 0;
  for (const auto joining : {Joining::sum, Joining::concatenation})
    for (std::uint64_t v = 1; v <= 3; ++v)
      for (std::uint64_t positions = 1; positions <= 3; ++positions)
        for (std::uint64_t d_t = 1; d_t <= 5; ++d_t)
          for (std::uint64_t d_p = 1; d_p <= 5; ++d_p) {
            if (joining == Joining::sum && d_p != d_t) continue;
            const Shape shape{joining, v, positions, d_t, d_p};
            ++shapes;
            apart += library.costs(shape) == counted_costs(shape) ? 0 : 1;
          }
  section.measure_none("count_disagreements", {{"what", "every number, small shapes"}}, apart,
                       shapes, Part::statement, "exhaustive: each operation done and counted");
  section.text("counted", report::count(shapes));
}

/// Every d_p of a width.
void measure_savings(const std::vector<std::uint64_t>& widths,
                     const std::vector<std::uint64_t>& vocabularies,
                     const std::vector<std::uint64_t>& lengths, report::Section& section) {
  std::uint64_t shapes = 0;
  double not_as_stated = 0, no_saving = 0, saving = 0;
  for (const auto d : widths)
    for (const auto v : vocabularies)
      for (const auto length : lengths)
        for (std::uint64_t d_p = 1; d_p < d; ++d_p) {
          const Family family = family_of(v, length, d, d_p);
          const auto parameters = [](const Shape& s) { return library.costs(s).parameters(); };
          ++shapes;
          not_as_stated += differ_as_stated(family, library) ? 0 : 1;
          no_saving += parameters(family.equal_width) < parameters(family.sum) ? 0 : 1;
          saving += parameters(family.equal_tokens) < parameters(family.sum) ? 1 : 0;
        }
  section.measure_none("count_disagreements", {{"what", "differences to the sum"}}, not_as_stated,
                       shapes, Part::statement, "exhaustive: every d_p < d");
  section.measure_none("shapes_that_do_not_save", {{"width", "d_t + d_p = d"}}, no_saving, shapes,
                       Part::belief, "exhaustive: every d_p < d");
  section.measure_none("shapes_that_save", {{"width", "d_t = d"}}, saving, shapes,
                       Part::belief_elsewhere, "exhaustive: every d_p < d");
  section.text("shapes", report::count(shapes));
}

}  // namespace

report::Section costs(const cli::Options& options) {
  report::Section section(properties::concatenation::costs);
  section.condition("d_t + d_p is the sum's width d_model, so that tokens give up d_p channels");
  measure_counts(section);
  const auto widths = points(options.widths, own_widths);
  const auto vocabularies = points(options.vocabulary, own_vocabularies);
  const auto lengths = points(options.positions, std::array{usual_length});
  measure_savings(widths, vocabularies, lengths, section);

  Table table({{"d_model", Table::Align::right},
               {"V", Table::Align::right},
               {"model"},
               {"d_t + d_p"},
               {"table", Table::Align::right},
               {"projections", Table::Align::right},
               {"first block", Table::Align::right},
               {"operations per token", Table::Align::right}});
  const auto at_eighth = [&](std::uint64_t d, std::uint64_t v, std::uint64_t length) {
    const Family family = family_of(v, length, d, std::max<std::uint64_t>(d / 8, 1));
    const std::pair<const char*, Shape> models[] = {{"sum", family.sum},
                                                    {"appended, width d", family.equal_width},
                                                    {"appended, tokens d", family.equal_tokens}};
    for (const auto& [model, shape] : models) {
      const Costs c = library.costs(shape);
      const report::Place at{{"model", model},           {"d_model", d},
                            {"d_t", shape.token_width}, {"d_p", shape.position_width},
                            {"vocabulary", v},          {"positions", length}};
      const auto add = [&](const char* quantity, const char* part, std::uint64_t value) {
        report::Measurement m{.quantity = quantity,
                              .at = at,
                              .value = static_cast<double>(value),
                              .samples = 1,
                              .method = "exact",
                              .unit = report::counted};
        m.at.set("part", part);
        section.measure(std::move(m));
      };
      add("parameters", "table", c.table);
      add("parameters", "projections", c.projections);
      add("parameters", "first block", c.block);
      add("parameters", "table and first block", c.parameters());
      add("operations", "input", c.input_operations);
      add("operations", "projections", c.projection_operations);
      add("operations", "first block", c.block_operations);
      add("operations", "input and first block", c.operations());
      if (length == lengths[0])
        table.row({report::count(d), report::count(v), model,
                   shape.joining == Joining::sum
                       ? "shared"
                       : fmt::format("{} + {}", shape.token_width, shape.position_width),
                   report::count(c.table), report::count(c.projections), report::count(c.block),
                   report::count(c.operations())});
    }
  };
  for (const auto d : widths)
    if (d > 1)
      for (const auto v : vocabularies)
        for (const auto length : lengths) at_eighth(d, v, length);
  section.table(table);

  // Over d_p/d at one width: 512 where it is among them.
  const std::uint64_t d = std::ranges::count(widths, 512u) > 0 ? 512 : widths[0];
  const std::uint64_t v =
      std::ranges::count(vocabularies, paper_vocabulary) > 0 ? paper_vocabulary : vocabularies[0];
  Figure figure{.name = "concatenation_costs",
                .title = fmt::format("Cost of appending, d_model = {}, V = {}, one block", d, v),
                .x_label = "d_p / d_model",
                .y_label = "of the sum's",
                .series = {{.label = "parameters, d_t + d_p = d", .x = {}, .y = {}, .mark = {}},
                           {.label = "parameters, d_t = d", .x = {}, .y = {}, .mark = {}},
                           {.label = "operations, d_t + d_p = d", .x = {}, .y = {}, .mark = {}},
                           {.label = "operations, d_t = d", .x = {}, .y = {}, .mark = {}}},
                .levels = {{.label = "sum", .y = 1.0}}};
  for (std::uint64_t k = 1; k < 32; ++k) {
    const std::uint64_t d_p = d * k / 32;
    if (d_p == 0 || d_p >= d) continue;
    const Family family = family_of(v, lengths[0], d, d_p);
    const Costs sum = library.costs(family.sum), width = library.costs(family.equal_width),
                tokens = library.costs(family.equal_tokens);
    const auto add = [&](std::size_t i, std::uint64_t cost, std::uint64_t of) {
      figure.series[i].x.push_back(static_cast<double>(d_p) / static_cast<double>(d));
      figure.series[i].y.push_back(static_cast<double>(cost) / static_cast<double>(of));
    };
    add(0, width.parameters(), sum.parameters()), add(1, tokens.parameters(), sum.parameters());
    add(2, width.operations(), sum.operations()), add(3, tokens.operations(), sum.operations());
  }
  section.text("pictured_width", report::count(d));
  section.text("pictured_vocabulary", report::count(v));
  if (!figure.series[0].x.empty()) section.figure(figure);

  // What the sentences speak of: the paper's size, an eighth of the channels for positions.
  const Family paper = family_of(paper_vocabulary, usual_length, 512, 64);
  const Costs sum = library.costs(paper.sum), width = library.costs(paper.equal_width),
              tokens = library.costs(paper.equal_tokens);
  section.text("vocabulary", report::count(paper_vocabulary));
  section.text("saved", report::count(sum.parameters() - width.parameters()));
  section.text("added", report::count(tokens.parameters() - sum.parameters()));
  section.text("added_operations", report::count(tokens.operations() - sum.operations()));
  section.text("saved_operations", report::count(sum.operations() - width.operations()));
  section.text("of_operations", report::count(sum.operations()));
  return section;
}

}  // namespace embedscale::concatenation_analysis
