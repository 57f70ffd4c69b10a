// Who multiplies by √d_model, and who shares the table: a count over the atlas.
#include <fmt/format.h>
#include <embedscale/properties/tied_output_sharing.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tied_output.hpp"

namespace embedscale::tied_output_analysis {
namespace {

namespace claims = properties::tied_output;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

struct Offer {
  audit::Sharing in_atlas;
  claims::Sharing sharing;
  const char* title;
  const char* key;
};
constexpr std::array<Offer, claims::sharings> offers{
    {{audit::Sharing::always, claims::Sharing::always, "always", "always"},
     {audit::Sharing::by_default, claims::Sharing::by_default, "an option, on by default",
      "by_default"},
     {audit::Sharing::on_request, claims::Sharing::on_request, "an option, off by default",
      "on_request"},
     {audit::Sharing::optional, claims::Sharing::optional, "an option, default not recorded",
      "optional"},
     {audit::Sharing::never, claims::Sharing::never, "never", "never"}}};

/// What the rule counts: records that tell d_model, the multiplier and what is offered.
bool is_told(const System& s) {
  const auto& c = s.configuration;
  return c.output.sharing && c.token.multiplier && c.model.d_model;
}

claims::Program program_of(const System& s) {
  const auto& c = s.configuration;
  const auto found =
      std::ranges::find_if(offers, [&](const Offer& o) { return o.in_atlas == *c.output.sharing; });
  return {found->sharing, *c.token.multiplier, static_cast<std::uint64_t>(*c.model.d_model)};
}

/// Equal but for the rounding of the system's √d, in bfloat16 at the coarsest.
bool is_nearly_one(double x) { return std::abs(x - 1) <= 0x1p-8; }

/// One table of deviation d^−½ for both, √d in and a bare output: both scales are 1 by √d alone.
bool has_both_scales_one_by_the_factor(const System& s) {
  const auto& c = s.configuration;
  return c.output.tied == true && c.output.multiplier == 1.0 && s.scales.input.token_rms.value &&
         is_nearly_one(*s.scales.input.token_rms.value) && s.scales.output.logit_std.value &&
         is_nearly_one(*s.scales.output.logit_std.value);
}

}  // namespace

report::Section sharing_is_not_needed(const cli::Options&, const std::vector<System>& all) {
  report::Section section(properties::tied_output::sharing_is_not_needed);
  section.condition("it is said of need alone: that sharing cannot be a reason does not follow");
  const claims::Library library;
  std::vector<claims::Program> told;
  std::vector<std::string> names[2][claims::sharings];  // [multiplies][offer]
  std::vector<std::string> untold, both;
  std::set<std::string> never_repositories;
  for (const System& s : all) {
    const std::string& name = s.configuration.name;
    if (!is_told(s)) {
      untold.push_back(name);
      continue;
    }
    const auto program = program_of(s);
    told.push_back(program);
    const auto multiplies = library.multiplies(program);
    names[multiplies][static_cast<std::size_t>(program.sharing)].push_back(name);
    if (multiplies == 0) continue;
    if (program.sharing == claims::Sharing::never)
      never_repositories.insert(s.configuration.source.repository);
    if (has_both_scales_one_by_the_factor(s)) both.push_back(name);
  }
  const auto census = library.census(told);

  Table table({{"Is the table shared with the output?"},
               {"× √d_model", Table::Align::right},
               {"another factor, or none", Table::Align::right},
               {"Those that multiply by √d_model"}});
  Figure figure{
      .name = "tied_output_sharing",
      .title = "Systems by what they offer about sharing, 1 always … 5 never",
      .x_label = "1 always, 2 on by default, 3 off by default, 4 unknown, 5 never",
      .y_label = "systems",
      .series = {{.label = "multiply by √d_model",
                  .x = {},
                  .y = {},
                  .mark = report::Series::Mark::points},
                 {.label = "do not", .x = {}, .y = {}, .mark = report::Series::Mark::points}},
      .levels = {}};
  std::uint64_t multiplying = 0, apart = 0;
  for (std::size_t k = 0; k < offers.size(); ++k) {
    multiplying += census[k];
    apart += census[k] == names[1][k].size() ? 0 : 1;
    for (const std::size_t scaled : {1u, 0u}) {
      section.measure({.quantity = "systems_by_sharing",
                       .at = {{"sharing", offers[k].key},
                              {"multiplier", scaled == 1 ? "sqrt(d_model)" : "other"}},
                       .value = static_cast<double>(names[scaled][k].size()),
                       .samples = told.size(),
                       .method = "read in their sources",
                       .unit = report::counted,
                       .field = std::string(offers[k].key) + (scaled == 1 ? "" : "_unscaled")});
      figure.series[1 - scaled].x.push_back(static_cast<double>(k + 1));
      figure.series[1 - scaled].y.push_back(static_cast<double>(names[scaled][k].size()));
    }
    table.row({offers[k].title, report::count(census[k]), report::count(names[0][k].size()),
               fmt::format("{}", fmt::join(names[1][k], ", "))});
  }
  section.measure_none("census_disagreements", {{"classes", offers.size()}},
                       static_cast<double>(apart), offers.size(), Part::statement, "two counts");
  section.measure({.quantity = "multiplying_without_sharing",
                   .at = {{"sharing", "never"}},
                   .value = static_cast<double>(census.back()),
                   .samples = told.size(),
                   .method = "read in their sources",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::at_least, 1, told.size()},
                   .field = "without"});
  section.measure({.quantity = "shared_with_both_scales_one",
                   .at = {{"tied", true}},
                   .value = static_cast<double>(both.size()),
                   .samples = told.size(),
                   .method = "closed form, over the atlas",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief_elsewhere, Relation::at_least, 1, told.size()},
                   .field = "both"});
  section.text("multiplying", report::count(multiplying));
  section.text("told", report::count(told.size()));
  section.text("untold", report::count(untold.size()));
  section.text("untold_names", fmt::format("{}", fmt::join(untold, ", ")));
  section.text("both_names", fmt::format("{}", fmt::join(both, ", ")));
  section.text("never_repositories", report::count(never_repositories.size()));
  section.table(table);
  if (!told.empty()) section.figure(figure);
  return section;
}

}  // namespace embedscale::tied_output_analysis
