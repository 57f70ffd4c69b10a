// What a sum and a concatenation cost: parameters and operations, by formula and by a count.
#include "properties/concatenation/costs.hpp"

#include "concatenation/sections.hpp"

namespace embedscale::concatenation_analysis {
namespace {

constexpr std::array<std::uint64_t, 6> cost_widths{64, 256, 512, 1024, 4096, 16384};
constexpr std::array<std::uint64_t, 3> cost_vocabularies{1000, paper_vocabulary, 256000};

void measure_costs(Section& s, Place at, const Costs& costs) {
  const auto add = [&](const char* quantity, const char* part, std::uint64_t value) {
    s.measure(quantity, at.set("part", part), static_cast<double>(value), "exact");
  };
  add("parameters", "table", costs.table);
  add("parameters", "projections", costs.projections);
  add("parameters", "first block", costs.block);
  add("parameters", "table and first block", costs.parameters());
  add("operations", "input", costs.input_operations);
  add("operations", "projections", costs.projection_operations);
  add("operations", "first block", costs.block_operations);
  add("operations", "input and first block", costs.operations());
}

/// An eighth of the channels for positions.
void measure_family(Section& s, std::uint64_t d, std::uint64_t v, std::uint64_t length) {
  const Family family = family_of(v, length, d, std::max<std::uint64_t>(d / 8, 1));
  const std::pair<const char*, Shape> models[] = {{"sum", family.sum},
                                                  {"appended, width d", family.equal_width},
                                                  {"appended, tokens d", family.equal_tokens}};
  for (const auto& [model, shape] : models)
    measure_costs(s,
                  {{"model", model},
                   {"d_model", d},
                   {"d_t", shape.token_width},
                   {"d_p", shape.position_width},
                   {"vocabulary", v},
                   {"positions", length}},
                  costs_of(shape));
  const Costs sum = costs_of(family.sum), width = costs_of(family.equal_width),
              tokens = costs_of(family.equal_tokens);
  const auto add = [&](const char* quantity, std::uint64_t more, std::uint64_t less) {
    s.measure(quantity, {{"d_model", d}, {"vocabulary", v}, {"positions", length}},
              static_cast<double>(more - less));
  };
  add("saved_parameters", sum.parameters(), width.parameters());
  add("saved_operations", sum.operations(), width.operations());
  add("added_parameters", tokens.parameters(), sum.parameters());
  add("added_operations", tokens.operations(), sum.operations());
}

/// Over d_p/d at one width: 512 where it is among them.
void measure_shares(Section& s, std::uint64_t d, std::uint64_t v, std::uint64_t length) {
  std::vector<std::uint64_t> widths;
  for (std::uint64_t k = 1; k < 32; ++k)
    if (const std::uint64_t d_p = d * k / 32; d_p > (widths.empty() ? 0 : widths.back()))
      widths.push_back(d_p);
  const auto over = [](std::uint64_t cost, std::uint64_t of) {
    return static_cast<double>(cost) / static_cast<double>(of);
  };
  s.sweep("exact", {{"d_model", d}, {"vocabulary", v}},
          axis("position_share", widths, [&](std::uint64_t d_p) { return over(d_p, d); }),
          axis("width", std::array{"d_t + d_p = d", "d_t = d"}),
          [&](std::uint64_t d_p, std::string_view width) {
            const Family family = family_of(v, length, d, d_p);
            const Costs sum = costs_of(family.sum),
                        own =
                            costs_of(width == "d_t = d" ? family.equal_tokens : family.equal_width);
            return Values{{"parameters_over_sum", over(own.parameters(), sum.parameters())},
                          {"operations_over_sum", over(own.operations(), sum.operations())}};
          });
}

}  // namespace

void costs(Section& s, const Options& options) {
  s.measure_failures("count_disagreements", {{"what", "every number, small shapes"}},
                     "are_those_of_a_count");
  s.measure_failures("count_disagreements", {{"what", "differences to the sum"}},
                     "differ_as_stated");
  s.measure_failures("shapes_that_do_not_save", {{"width", "d_t + d_p = d"}}, "differ_as_stated");
  s.measure_failures("shapes_that_save", {{"width", "d_t = d"}}, "differ_as_stated");

  const auto widths = points(options.widths, cost_widths);
  const auto vocabularies = points(options.vocabulary, cost_vocabularies);
  const auto lengths = points(options.positions, std::array{usual_length});
  for (const auto d : widths)
    for (const auto v : vocabularies)
      for (const auto length : lengths)
        if (d > 1) measure_family(s, d, v, length);
  measure_shares(s, said_of(widths, 512), said_of(vocabularies, paper_vocabulary), lengths[0]);
  s.measure("equal_cost", {}, 1);
}

}  // namespace embedscale::concatenation_analysis
