// The paper's own code beside the paper: what it does with its table (section 3.4), and which
// frequencies it and other systems have (3.5), with what that does to position vectors.
#include "properties/conventions/frequencies.hpp"

#include <set>

#include "conventions/sections.hpp"

namespace embedscale::conventions_analysis {
namespace {

void measure_its_table(Section& s, const System& code) {
  const auto row = [&](const char* what, const char* paper, const std::string& has) {
    s.measure("beside_the_paper", {{"what", what}, {"paper", paper}, {"code", has}}, 1);
  };
  Tally departures;
  for (const auto& [what, paper, agrees, otherwise] : section_3_4(code)) {
    departures.evaluate([agrees = agrees] { return !agrees; });
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

constexpr std::array<std::int64_t, 5> positions{100, 200, 511, 1023, 4095};

void measure_systems(Section& s, const Systems& all) {
  Tally others;
  for (const System& system : all) {
    const auto& c = system.configuration;
    if (c.position.kind != audit::PositionKind::sinusoidal) continue;
    const bool other =
        others.evaluate([&] { return c.position.frequencies != FrequencyRule::paper; });
    s.measure("sinusoidal_system",
              {{"system", c.name}, {"rule", other ? "tensor2tensor" : "paper"}}, 1);
  }
  s.measure("systems_without_the_papers_frequencies", {{"systems", others.cases()}}, others,
            read_in_sources);
}

/// At the width of the paper's own code: how many frequencies are not the paper's.
void measure_its_frequencies(Section& s, const System& code) {
  const auto& position = code.configuration.position;
  const auto d = static_cast<std::size_t>(*code.configuration.model.d_model);
  const auto of_rule = [&](FrequencyRule rule) {
    return primitives.of<double>().frequencies(d, rule, *position.base);
  };
  const auto its = of_rule(position.frequencies), papers = of_rule(FrequencyRule::paper);
  const auto off = over<Tally>(its.size(), [&](std::uint64_t i) { return its[i] != papers[i]; });
  const Place at{{"system", code.configuration.name}, {"d_model", d}};
  s.measure("frequencies_off_the_paper", at, off, "every frequency, binary64");
  if (off.hits() > 0) s.measure("code_off_the_paper", at, 1);
}

/// By position, at up to five of the widths.
void measure_curves(Section& s, const std::vector<std::uint64_t>& widths) {
  std::vector<std::uint64_t> some;
  const std::size_t step = std::max<std::size_t>(1, widths.size() / 4);
  for (std::size_t k = 0; k < widths.size() && some.size() < 5; k += step)
    some.push_back(widths[k]);
  std::set<std::int64_t> at;  // a quarter of an octave apart
  for (int quarter = 0; quarter <= 13 * 4; ++quarter)
    at.insert(std::llround(std::exp2(quarter / 4.0)));
  s.sweep("closed form", axis("d_model", some), axis("position", at),
          [](std::uint64_t d, std::int64_t p) {
            return Values{{"difference_by_position", frequency_rule_rms_difference(d, p)}};
          });
  s.measure("rms_of_a_vector", {}, std::sqrt(0.5));
}

/// What a converter does that takes one rule for the other, at the width of the paper.
void measure_converter(Section& s) {
  const double apart = frequency_rule_rms_difference(512, 511);
  s.measure("converters_difference", {{"d_model", 512}, {"position", 511}}, apart);
  s.measure("converters_share", {{"d_model", 512}, {"position", 511}}, apart / std::sqrt(0.5));
  for (const auto& [name, rule] :
       {std::pair("paper", FrequencyRule::paper), {"tensor2tensor", FrequencyRule::tensor2tensor}})
    s.measure("last_frequency", {{"d_model", 512}, {"rule", name}},
              1e4 * static_cast<double>(stated_frequencies(512, rule).back()));
}

}  // namespace

void paper_and_code_agree(Section& s, const Options&) {
  measure_its_table(s, papers_code());
  s.measure_failures("table_disagreements", {}, "one_table_serves_both_ends");
}

void code_uses_the_papers_frequencies(Section& s, const Options& options) {
  measure_systems(s, atlas::installed());
  measure_its_frequencies(s, papers_code());
  const auto widths = even_widths(options);
  s.sweep("closed form", axis("d_model", widths), [](std::uint64_t d) {
    return Values{{"effective_base", effective_base<double>(d, 10000)}};
  });
  s.sweep("closed form", axis("d_model", widths), axis("position", positions),
          [](std::uint64_t d, std::int64_t p) {
            return Values{{"frequency_rule_rms_difference", frequency_rule_rms_difference(d, p)}};
          });
  s.measure_worst("worst_share_of_bound", {{"of", "frequencies"}},
                  "raised_base_gives_the_codes_frequencies");
  s.measure_worst("worst_share_of_bound", {{"of", "vectors"}}, "vectors_differ_as_in_closed_form");
  measure_curves(s, widths);
  measure_converter(s);
}

}  // namespace embedscale::conventions_analysis
