// The page's part about all systems: made by hand, as it is of no claim's measurements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conventions/sections.hpp"
#include "properties/conventions/scale.hpp"

namespace embedscale::conventions_analysis {
namespace {

/// To three digits, or that there is none.
std::string brief(const std::optional<double>& x) { return x ? significant(*x, 3) : "—"; }
std::string brief(const audit::Quantity& q) { return brief(q.value); }

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

std::string integer(const audit::Integer& n) {
  return n ? count(static_cast<std::uint64_t>(*n)) : "—";
}

Table table(const Systems& all, Family family) {
  Table out({{"System"},
             {"d_model", Table::Align::right},
             {"σ", Table::Align::right},
             {"m", Table::Align::right},
             {"Token RMS", Table::Align::right},
             {"Position"},
             {"Position RMS", Table::Align::right},
             {"Token / position", Table::Align::right},
             {"Attention input", Table::Align::right},
             {"Logits over keys", Table::Align::right},
             {"Entropy / ln L", Table::Align::right},
             {"Loss − ln V", Table::Align::right}});
  for (const System& s : all) {
    const auto& c = s.configuration;
    const auto& input = s.scales.input;
    if (family_of(c) != family) continue;
    out.row({linked(c), integer(c.model.d_model), brief(input.entry_rms), brief(multiplier_of(s)),
             brief(input.token_rms), std::string(audit::name_of(c.position.kind)),
             brief(input.position_rms), brief(input.token_to_position),
             brief(s.scales.first_layer.input_rms), brief(s.scales.first_layer.logit_std_over_keys),
             brief(entropy_share(s)), brief(excess_loss(s))});
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
             .y_scale = Figure::Scale::log10,
             .series = {},
             .levels = {}};
  double low = std::numeric_limits<double>::infinity(), high = 0;  // of position RMS
  for (const auto& [family, title, label] : families) {
    Series series{.label = label, .x = {}, .y = {}, .mark = Series::Mark::points};
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

bool adds(const System& s) { return audit::adds_positions(s.configuration.position.kind); }
bool has_learned_positions(const System& s) {
  return s.configuration.position.kind == audit::PositionKind::learned;
}
bool is_balanced(const System& s) {
  return ratio_of(s) && properties::conventions::is_balanced(*ratio_of(s));
}
bool normed_before_attention(const System& s) {
  return s.configuration.embedding_norm || s.configuration.block.where == audit::BlockNorm::pre;
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
    {"same_bits",
     [](const System& s) {
       return is_movable(s) && s.scales.scaled_down.rounds_identically.back().value == true;
     }},
    {"told_norm", [](const System& s) { return s.configuration.block.where.has_value(); }},
    {"normed", normed_before_attention}};

/// A figure of those systems that have it.
struct Ranged {
  const char* name;
  std::optional<double> (*value)(const System& s);
};
constexpr Ranged ranged[] = {
    {"ratio", [](const System& s) -> std::optional<double> { return ratio_of(s); }},
    {"learned_scaled_ratio",
     [](const System& s) {
       return has_learned_positions(s) && multiplies_by_root_d(s) ? ratio_of(s) : std::nullopt;
     }},
    {"bare_logits",
     [](const System& s) {
       const auto& deviation = s.scales.first_layer.logit_std_over_keys.value;
       return normed_before_attention(s) ? std::nullopt : deviation;
     }},
    {"normed_logits",
     [](const System& s) {
       const auto& deviation = s.scales.first_layer.logit_std_over_keys.value;
       return normed_before_attention(s) ? deviation : std::nullopt;
     }},
    {"constant",
     [](const System& s) {
       const bool sinusoids = s.configuration.position.kind == audit::PositionKind::sinusoidal;
       return sinusoids ? s.scales.input.constant_share.value : std::nullopt;
     }},
    {"loss", excess_loss},
    {"shrinkage", [](const System& s) {
       const auto& down = s.scales.scaled_down.epsilon_shrinkage_down.value;
       return down && multiplier_of(s) != 1.0 ? std::optional(100 * *down) : std::nullopt;
     }}};

/// The counts; and <name>_low, <name>_low_name, <name>_high, <name>_high_name and <name>_count of
/// each figure that ranges over systems.
std::map<std::string, std::string, std::less<>> fields_of(const Systems& all) {
  std::map<std::string, std::string, std::less<>> fields;
  for (const auto& [field, test] : counts)
    fields[field] = count(static_cast<std::uint64_t>(std::ranges::count_if(all, test)));
  for (const auto& [figure, value] : ranged) {
    const std::string name = figure;
    std::vector<std::pair<double, std::string>> found;
    for (const System& s : all)
      if (const auto x = value(s)) found.emplace_back(*x, s.configuration.name);
    if (found.empty()) throw std::invalid_argument("no system of the atlas has " + name);
    const auto [low, high] = std::ranges::minmax_element(found);
    fields[name + "_low"] = significant(low->first, 3);
    fields[name + "_low_name"] = low->second;
    fields[name + "_high"] = significant(high->first, 3);
    fields[name + "_high_name"] = high->second;
    fields[name + "_count"] = count(found.size());
  }
  return fields;
}

/// "token.law (the framework's file)": the fields of one mark, each with its source.
std::string resting_on(const audit::Configuration& c, audit::Mark mark) {
  std::string out;
  for (const auto& [field, basis] : c.marks)
    if (basis.mark == mark)
      out += fmt::format("{}`{}`{}", out.empty() ? "" : "; ", field,
                         basis.source.empty() ? "" : " (" + basis.source + ")");
  return out;
}

std::string bases(const Systems& all) {
  std::string out;
  for (const System& s : all) {
    const auto& c = s.configuration;
    std::string files;
    for (const std::string& file : c.source.files)
      files += fmt::format("{}`{}`", files.empty() ? "" : ", ", file);
    out += fmt::format("- **{}**, {} at `{}`: {}", linked(c), c.source.repository,
                       c.source.commit.substr(0, 12), files);
    for (const audit::Mark mark :
         {audit::Mark::inferred, audit::Mark::assumed, audit::Mark::absent})
      if (const std::string list = resting_on(c, mark); !list.empty())
        out += fmt::format(". *{}:* {}", audit::name_of(mark), list);
    out += ".\n";
  }
  return out;
}

}  // namespace

void describe(const Systems& all, Page& page) {
  page.fields = fields_of(all);
  page.figures = {figure(all)};
  const auto words = [&](std::string_view part) {
    return fill(page.words.part("atlas", part), [&](std::string_view field) {
      const auto found = page.fields.find(field);
      if (found == page.fields.end())
        throw std::invalid_argument(fmt::format("atlas: no field named {{{}}}", field));
      return found->second;
    });
  };
  page.body = fmt::format("## What stands out\n\n{}\n\n## The systems\n\n{}\n\n",
                          words("stands out"), words("table"));
  for (const auto& [family, title, label] : families)
    if (const Table rows = table(all, family); rows.size() > 0)
      page.body += fmt::format("### {}\n\n{}\n", title, rows.markdown());
  page.body += figure_markdown(page.figures[0], words("figure conventions_balance"));
  page.body += fmt::format(
      "\n\n## What each system rests on\n\n{}\n\n<details><summary>Sources and marks of all "
      "systems</summary>\n\n{}\n</details>\n",
      words("bases"), bases(all));
}

}  // namespace embedscale::conventions_analysis
