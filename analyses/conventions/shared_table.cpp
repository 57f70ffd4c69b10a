// What the paper's own code does with its table, beside what section 3.4 of the paper says of it.

#include "conventions/papers_code.hpp"
#include "conventions/sections.hpp"

namespace embedscale::conventions_analysis {
namespace {

void measure_code(Section& s, const System& code) {
  const auto row = [&](const char* what, const char* paper, const std::string& has) {
    s.measure("beside_the_paper", {{"what", what}, {"paper", paper}, {"code", has}}, 1);
  };
  Tally departures;
  for (const auto& [what, paper, agrees, otherwise] : section_3_4(code)) {
    departures.evaluate([&] { return !agrees; });
    row(what, paper, agrees ? paper : otherwise);
  }
  const Place at{{"system", code.configuration.name},
                 {"d_model", *code.configuration.model.d_model}};
  s.measure("departures_from_section_3_4", at, departures, read_in_sources);
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

void paper_and_code_agree(Section& s, const Options&, const Systems& all) {
  measure_code(s, papers_code_of(all));
  s.measure_failures("table_disagreements", {}, "one_table_serves_both_ends");
}

}  // namespace embedscale::conventions_analysis
