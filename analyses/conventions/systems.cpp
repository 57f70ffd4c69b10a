// The page's part about all systems: made by hand, as it is of no claim's measurements.
#include <fmt/format.h>

#include <functional>
#include <limits>

#include "conventions/sections.hpp"
#include "properties/conventions/scale.hpp"

namespace embedscale::conventions_analysis {
namespace {

std::optional<double> entropy_share(const System& s) {
  const auto& entropy = s.scales.first_layer.entropy.value;
  const auto& positions = s.configuration.model.positions;
  if (!entropy || *positions < 2) return std::nullopt;
  return *entropy / std::log(static_cast<double>(*positions));
}

/// Over that of uniform predictions.
std::optional<double> excess_loss(const System& s) {
  const auto& loss = s.scales.output.initial_loss.value;
  if (!loss) return std::nullopt;
  return *loss - std::log(static_cast<double>(*s.configuration.model.vocabulary));
}

std::optional<double> width(const System& s) {
  const auto& d = s.configuration.model.d_model;
  return d ? std::optional(static_cast<double>(*d)) : std::nullopt;
}

/// A number of each system that has it.
struct Figured {
  const char* name;
  std::optional<double> (*value)(const System& s);
};
constexpr Figured figured[] = {
    {"d_model", width},
    {"sigma", [](const System& s) { return s.scales.input.entry_rms.value; }},
    {"multiplier", [](const System& s) { return multiplier_of(s); }},
    {"token_rms", [](const System& s) { return s.scales.input.token_rms.value; }},
    {"position_rms", [](const System& s) { return s.scales.input.position_rms.value; }},
    {"token_to_position", [](const System& s) { return ratio_of(s); }},
    {"constant_share", [](const System& s) { return s.scales.input.constant_share.value; }},
    {"attention_input_rms", [](const System& s) { return s.scales.first_layer.input_rms.value; }},
    {"logit_std_over_keys",
     [](const System& s) { return s.scales.first_layer.logit_std_over_keys.value; }},
    {"entropy_over_ln_l", entropy_share},
    {"loss_less_ln_v", excess_loss},
    {"epsilon_shrinkage_up",
     [](const System& s) { return s.scales.scaled_down.epsilon_shrinkage_up.value; }},
    {"epsilon_shrinkage_down",
     [](const System& s) { return s.scales.scaled_down.epsilon_shrinkage_down.value; }}};

bool adds(const System& s) { return audit::adds_positions(s.configuration.position.kind); }

/// "hf_marian (class default; …)": its name, with what the words have to say of it.
std::string named(const std::string& name, const System& s, const Words& words) {
  const std::string part = "note " + s.configuration.name;
  return words.has_part("atlas", part) ? name + " (" + words.part("atlas", part) + ")" : name;
}

/// By ratio, the largest first; then those without one.
Table table(const Systems& all, const Words& words) {
  const auto brief = [](const std::optional<double>& x) {
    return x ? significant(*x, 3) : "not recorded";
  };
  std::vector<const System*> sorted;
  for (const System& s : all) sorted.push_back(&s);
  std::ranges::stable_sort(sorted, std::greater{}, [](const System* s) {
    return ratio_of(*s).value_or(adds(*s) ? 0 : -1);
  });
  auto out = Table::headed("System|Multiplier:|Token RMS:|Positions|Token / position:");
  for (const System* s : sorted) {
    const auto& c = s->configuration;
    out.row({named(linked(c), *s, words), brief(multiplier_of(*s)),
             brief(s->scales.input.token_rms.value), std::string(audit::name_of(c.position.kind)),
             adds(*s) ? brief(ratio_of(*s)) : "nothing added"});
  }
  return out;
}

/// Every system that has both, by family, and where they balance.
Figure figure(const Systems& all) {
  Figure out{.name = "conventions_balance",
             .title = "Token RMS against position RMS at initialisation",
             .x_label = "position RMS",
             .y_label = "token RMS",
             .x_scale = Figure::Scale::log10,
             .y_scale = Figure::Scale::log10};
  double low = std::numeric_limits<double>::infinity(), high = 0;  // of position RMS
  for (const auto& [family, title, label] : families) {
    Series series{.label = label, .mark = Series::Mark::points};
    for (const System& s : all) {
      const auto& input = s.scales.input;
      if (family_of(s.configuration) != family || !input.token_to_position.value) continue;
      series.x.push_back(*input.position_rms.value);
      series.y.push_back(*input.token_rms.value);
      low = std::min({low, series.x.back()});
      high = std::max({high, series.x.back()});
    }
    if (!series.x.empty()) out.series.push_back(std::move(series));
  }
  for (const auto& [label, factor] :
       {std::pair("balance", 1.0), {"tokens twice as large", 2.0}, {"half", 0.5}})
    out.series.push_back({.label = label,
                          .x = {low, high},
                          .y = {low * factor, high * factor},
                          .mark = Series::Mark::line});
  return out;
}

bool has_learned_positions(const System& s) {
  return s.configuration.position.kind == audit::PositionKind::learned;
}
bool is_balanced(const System& s) {
  return ratio_of(s) && properties::conventions::is_balanced(*ratio_of(s));
}
/// Whether its multiplier could as well divide the positions.
bool is_movable(const System& s) {
  const auto& m = multiplier_of(s);
  return adds(s) && m && *m != 1;
}

/// How many systems are so.
struct Count {
  const char* field;
  bool (*test)(const System& s);
};
constexpr Count counts[] = {
    {"systems", [](const System&) { return true; }},
    {"adding", adds},
    {"with_ratio", [](const System& s) { return ratio_of(s).has_value(); }},
    {"balanced", is_balanced},
    {"balanced_unscaled",
     [](const System& s) { return is_balanced(s) && multiplier_of(s) == 1.0; }},
    {"learned_scaled",
     [](const System& s) {
       return ratio_of(s) && multiplies_by_root_d(s) && has_learned_positions(s);
     }},
    {"scaling_nothing", [](const System& s) { return !adds(s) && multiplier_of(s) != 1.0; }},
    {"movable", is_movable},
    // Of m·(e + p/m) and m·e + p, in the multiplier's own format.
    {"same_bits", [](const System& s) {
       return is_movable(s) && s.scales.scaled_down.rounds_identically.back().value == true;
     }}};

/// The counts; and <name>_low, <name>_low_name, <name>_high and <name>_high_name of what ranges
/// over systems.
std::map<std::string, std::string, std::less<>> fields_of(const Systems& all, const Words& words) {
  std::map<std::string, std::string, std::less<>> fields;
  for (const auto& [field, test] : counts)
    fields[field] = count(static_cast<std::uint64_t>(std::ranges::count_if(all, test)));
  const auto range = [&](const std::string& name, auto value) {
    std::vector<std::pair<double, std::string>> found;
    for (const System& s : all)
      if (const auto x = value(s)) found.emplace_back(*x, named(s.configuration.name, s, words));
    if (found.empty()) throw std::invalid_argument("no system of the atlas has " + name);
    const auto [low, high] = std::ranges::minmax_element(found);
    fields[name + "_low"] = significant(low->first, 3);
    fields[name + "_low_name"] = low->second;
    fields[name + "_high"] = significant(high->first, 3);
    fields[name + "_high_name"] = high->second;
  };
  range("ratio", ratio_of);
  range("learned_scaled_ratio", [](const System& s) {
    return has_learned_positions(s) && multiplies_by_root_d(s) ? ratio_of(s) : std::nullopt;
  });
  return fields;
}

/// "token.law (the framework's file)": the fields of one mark, each with its source.
std::string resting_on(const audit::Configuration& c, audit::Mark mark) {
  std::string out;
  for (const auto& [field, basis] : c.marks)
    if (basis.mark == mark)
      out += fmt::format("{}{}{}", out.empty() ? "" : "; ", field,
                         basis.source.empty() ? "" : " (" + basis.source + ")");
  return out;
}

}  // namespace

void measure_atlas(Section& s, const Systems& all) {
  for (const System& system : all) {
    const auto& c = system.configuration;
    const auto family = std::ranges::find(families, family_of(c), &atlas::FamilyName::family);
    s.measure("system_record",
              {{"system", c.name},
               {"repository", c.source.repository},
               {"commit", c.source.commit},
               {"files", fmt::format("{}", fmt::join(c.source.files, "; "))},
               {"law", family->title},
               {"positions", std::string(audit::name_of(c.position.kind))},
               {"inferred", resting_on(c, audit::Mark::inferred)},
               {"assumed", resting_on(c, audit::Mark::assumed)},
               {"absent", resting_on(c, audit::Mark::absent)}},
              1);
    for (const auto& [name, value] : figured)
      if (const auto x = value(system))
        s.measure("system_figure", {{"system", c.name}, {"of", name}}, *x, by_audit);
  }
}

void describe(const Systems& all, Page& page) {
  page.fields = fields_of(all, page.words);
  page.figures = {figure(all)};
  const auto words = [&](std::string_view part) {
    return fill(page.words.part("atlas", part), [&](std::string_view field) {
      const auto found = page.fields.find(field);
      if (found == page.fields.end())
        throw std::invalid_argument(fmt::format("atlas: no field named {{{}}}", field));
      return found->second;
    });
  };
  page.body = fmt::format("## What stands out\n\n{}\n\n## The systems\n\n{}\n\n{}\n{}\n\n",
                          words("stands out"), words("table"), table(all, page.words).markdown(),
                          figure_markdown(page.figures[0], words("figure conventions_balance")));
}

}  // namespace embedscale::conventions_analysis
