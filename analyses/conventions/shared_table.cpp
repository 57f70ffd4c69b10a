// What the paper's own code does with its table, beside what section 3.4 of the paper says of it.
#include "properties/conventions/shared_table.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "conventions/sections.hpp"
#include "properties/domain/rationals.hpp"

namespace embedscale::conventions_analysis {
namespace {

using namespace properties::conventions;

const Primitives primitives;

bool is_one(double x) { return std::abs(x - 1) < rounding_of_formulas; }

/// A part of section 3.4, and what the code has there.
struct Requirement {
  const char* what;
  const char* paper;
  bool agrees;
  const char* otherwise;  ///< what the code would have if it does not agree
};

void measure_code(Section& s, const System& code) {
  const auto& output = code.configuration.output;
  const std::array<Requirement, 3> asked{{
      {"tables for tokens and logits", "one", output.tied == true, "two"},
      {"a looked-up row times", "√d_model", multiplies_by_root_d(code), "another factor"},
      {"a logit times", "no factor", output.multiplier == 1.0, "a factor"},
  }};
  const auto row = [&](const char* what, const char* paper, const std::string& has) {
    s.measure("beside_the_paper", {{"what", what}, {"paper", paper}, {"code", has}}, 1);
  };
  Tally departures;
  for (const auto& [what, paper, agrees, otherwise] : asked) {
    departures.evaluate([&] { return !agrees; });
    row(what, paper, agrees ? paper : otherwise);
  }
  const Place at{{"system", code.configuration.name},
                 {"d_model", *code.configuration.model.d_model}};
  s.decide_none("departures_from_section_3_4", at, departures, Part::belief, read_in_sources);
  const bool as_meant = departures.hits() == 0;
  s.measure("papers_code",
            {{"does", as_meant ? "multiplies by √d_model and shares its table with the output, as "
                                 "section 3.4 specifies"
                               : "does not do what section 3.4 specifies"}},
            1);
  const double sigma = *code.scales.input.entry_rms.value;
  const bool falls =
      is_one(sigma * std::sqrt(static_cast<double>(*code.configuration.model.d_model)));
  row("σ of the table", "not given", falls ? "d_model^−½" : significant(sigma, 3));
  s.measure("token_rms", at, *code.scales.input.token_rms.value);
  s.measure("logit_std", at, *code.scales.output.logit_std.value);
}

}  // namespace

const System& papers_code_of(const Systems& all) {
  for (const System& s : all)
    if (s.configuration.name == "tensor2tensor") return s;
  throw std::invalid_argument("the atlas lacks the paper's own code");
}

void paper_and_code_agree(Section& s, const Options& options, const Systems& all) {
  measure_code(s, papers_code_of(all));
  const properties::domain::RationalDraws draws(options.seed, s.claim().id, 32);
  s.decide("table_disagreements", none_of(Part::statement, options.samples),
           "exact rationals, d = 1, 4 and 9", [&](std::uint64_t i) {
             const int root = 1 + static_cast<int>(i % 3);
             const auto d = static_cast<std::size_t>(root * root);
             const SharedTable at(root, draws.channels(i, 0, 2 * d), i % 2,
                                  draws.channels(i, 18, d));
             return !one_table_serves_both_ends(at, draws.any(i, 27), primitives) ||
                    !unit_mean_square(row_of_the_codes_law(root, i), primitives);
           });
}

}  // namespace embedscale::conventions_analysis
