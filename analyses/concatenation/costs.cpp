// What a sum and a concatenation cost: parameters and operations, by formula and by a count.
#include "properties/concatenation/costs.hpp"

#include "concatenation/sections.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using Joining = Shape::Joining;

constexpr std::array<std::uint64_t, 6> own_widths{64, 256, 512, 1024, 4096, 16384};
constexpr std::array<std::uint64_t, 3> own_vocabularies{1000, paper_vocabulary, 256000};

/// Where costs are compared.
struct Points {
  std::vector<std::uint64_t> widths, vocabularies, lengths;

  template <class F>
  void for_each(F f) const {
    for (const auto d : widths)
      for (const auto v : vocabularies)
        for (const auto length : lengths) f(d, v, length);
  }
};

/// Small enough to be run number by number: each shape once.
Tally counted_otherwise() {
  Tally apart;
  for (const auto joining : {Joining::sum, Joining::concatenation})
    for (std::uint64_t v = 1; v <= 3; ++v)
      for (std::uint64_t positions = 1; positions <= 3; ++positions)
        for (std::uint64_t d_t = 1; d_t <= 5; ++d_t)
          for (std::uint64_t d_p = 1; d_p <= 5; ++d_p) {
            if (joining == Joining::sum && d_p != d_t) continue;
            const Shape shape{joining, v, positions, d_t, d_p};
            apart.evaluate([&] { return !(primitives.costs(shape) == counted_costs(shape)); });
          }
  return apart;
}

/// Every d_p of a width.
void measure_savings(Section& s, const Points& at) {
  Tally not_as_stated, no_saving, saving;
  at.for_each([&](std::uint64_t d, std::uint64_t v, std::uint64_t length) {
    for (std::uint64_t d_p = 1; d_p < d; ++d_p) {
      const Family family = family_of(v, length, d, d_p);
      const auto parameters = [](const Shape& of) { return primitives.costs(of).parameters(); };
      const auto of_sum = parameters(family.sum);
      not_as_stated.evaluate([&] { return !differ_as_stated(family, primitives); });
      no_saving.evaluate([&] { return parameters(family.equal_width) >= of_sum; });
      saving.evaluate([&] { return parameters(family.equal_tokens) < of_sum; });
    }
  });
  constexpr const char* method = "exhaustive: every d_p < d";
  s.decide_none("count_disagreements", {{"what", "differences to the sum"}}, not_as_stated,
                Part::statement, method);
  s.decide_none("shapes_that_do_not_save", {{"width", "d_t + d_p = d"}}, no_saving, Part::belief,
                method);
  s.decide_none("shapes_that_save", {{"width", "d_t = d"}}, saving, Part::necessity, method);
}

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
                  primitives.costs(shape));
  const Costs sum = primitives.costs(family.sum), width = primitives.costs(family.equal_width),
              tokens = primitives.costs(family.equal_tokens);
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
void measure_shares(Section& s, const Points& at) {
  const auto one_of = [](const std::vector<std::uint64_t>& all, std::uint64_t preferred) {
    return std::ranges::count(all, preferred) > 0 ? preferred : all[0];
  };
  const std::uint64_t d = one_of(at.widths, 512), v = one_of(at.vocabularies, paper_vocabulary);
  std::vector<std::uint64_t> widths;
  for (std::uint64_t k = 1; k < 32; ++k)
    if (const std::uint64_t d_p = d * k / 32; d_p > (widths.empty() ? 0 : widths.back()))
      widths.push_back(d_p);
  const auto share = [d](std::uint64_t d_p) {
    return static_cast<double>(d_p) / static_cast<double>(d);
  };
  s.sweep("exact", {{"d_model", d}, {"vocabulary", v}}, axis("position_share", widths, share),
          axis("width", std::array{"d_t + d_p = d", "d_t = d"}),
          [&](std::uint64_t d_p, std::string_view width) {
            const Family family = family_of(v, at.lengths[0], d, d_p);
            const Costs sum = primitives.costs(family.sum),
                        own = primitives.costs(width == "d_t = d" ? family.equal_tokens
                                                                  : family.equal_width);
            const auto over_sum = [](std::uint64_t cost, std::uint64_t of) {
              return static_cast<double>(cost) / static_cast<double>(of);
            };
            return Values{{"parameters_over_sum", over_sum(own.parameters(), sum.parameters())},
                          {"operations_over_sum", over_sum(own.operations(), sum.operations())}};
          });
}

}  // namespace

void costs(Section& s, const Options& options) {
  s.decide_none("count_disagreements", {{"what", "every number, small shapes"}},
                counted_otherwise(), Part::statement,
                "exhaustive: each operation done and counted");
  const Points at{points(options.widths, own_widths), points(options.vocabulary, own_vocabularies),
                  points(options.positions, std::array{usual_length})};
  measure_savings(s, at);
  at.for_each([&](std::uint64_t d, std::uint64_t v, std::uint64_t length) {
    if (d > 1) measure_family(s, d, v, length);
  });
  measure_shares(s, at);
  s.measure("equal_cost", {}, 1);
}

}  // namespace embedscale::concatenation_analysis
