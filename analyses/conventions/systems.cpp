// The page's part about all systems: made by hand, as it is of no claim's measurements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "conventions/sections.hpp"
#include "properties/conventions/scale.hpp"

namespace embedscale::conventions_analysis {
namespace {

std::string brief(const audit::Quantity& q) { return q.value ? significant(*q.value, 3) : "—"; }

std::string entropy_share(const System& s) {
  const auto& entropy = s.scales.first_layer.entropy;
  const auto& positions = s.configuration.model.positions;
  if (!entropy.value || *positions < 2) return "—";
  return significant(*entropy.value / std::log(static_cast<double>(*positions)), 3);
}

std::string excess_loss(const System& s) {
  const auto& loss = s.scales.output.initial_loss;
  if (!loss.value) return "—";
  const double uniform = std::log(static_cast<double>(*s.configuration.model.vocabulary));
  return significant(*loss.value - uniform, 3);
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
    out.row({linked(c), integer(c.model.d_model), brief(input.entry_rms),
             brief(s.scales.scaled_down.factor), brief(input.token_rms),
             std::string(audit::name_of(c.position.kind)), brief(input.position_rms),
             brief(input.token_to_position), brief(s.scales.first_layer.input_rms),
             brief(s.scales.first_layer.logit_std_over_keys), entropy_share(s), excess_loss(s)});
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
  out.series.push_back(
      {.label = "balance", .x = {low, high}, .y = {low, high}, .mark = Series::Mark::line});
  for (const auto& [label, factor] : {std::pair("tokens twice as large", 2.0), {"half", 0.5}})
    out.series.push_back({.label = label,
                          .x = {low, high},
                          .y = {low * factor, high * factor},
                          .mark = Series::Mark::line});
  return out;
}

using Fields = std::map<std::string, std::string, std::less<>>;

/// Puts <name>_low, <name>_low_name, <name>_high, <name>_high_name and <name>_count of a figure,
/// over the systems that have it.
template <class Value>
void extremes(const Systems& all, const std::string& name, Value value, Fields& fields) {
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

template <class Test>
std::string count_if(const Systems& all, Test test) {
  return count(static_cast<std::uint64_t>(std::ranges::count_if(all, test)));
}

bool has_ratio(const System& s) { return s.scales.input.token_to_position.value.has_value(); }
bool adds(const System& s) { return audit::adds_positions(s.configuration.position.kind); }
bool normed_before_attention(const System& s) {
  return s.configuration.embedding_norm || s.configuration.block.where == audit::BlockNorm::pre;
}
/// Of m·(e + p/m) and m·e + p, in the multiplier's own format.
bool same_bits(const System& s) {
  return s.scales.scaled_down.rounds_identically.back().value == true;
}

void counts(const Systems& all, Fields& fields) {
  const auto ratio = [](const System& s) { return s.scales.input.token_to_position.value; };
  fields["systems"] = count(all.size());
  fields["adding"] = count_if(all, adds);
  fields["with_ratio"] = count_if(all, has_ratio);
  fields["balanced"] = count_if(all, [&](const System& s) {
    return has_ratio(s) && properties::conventions::is_balanced(*ratio(s));
  });
  fields["balanced_unscaled"] = count_if(all, [&](const System& s) {
    return has_ratio(s) && properties::conventions::is_balanced(*ratio(s)) &&
           s.configuration.token.multiplier == 1.0;
  });
  fields["learned_scaled"] = count_if(all, [&](const System& s) {
    return has_ratio(s) && multiplies_by_root_d(s) &&
           s.configuration.position.kind == audit::PositionKind::learned;
  });
  fields["scaling_nothing"] = count_if(
      all, [](const System& s) { return !adds(s) && s.configuration.token.multiplier != 1.0; });
  const auto moves = [](const System& s) {
    return adds(s) && s.configuration.token.multiplier && *s.configuration.token.multiplier != 1;
  };
  fields["movable"] = count_if(all, moves);
  fields["same_bits"] = count_if(all, [&](const System& s) { return moves(s) && same_bits(s); });
  fields["told_norm"] =
      count_if(all, [](const System& s) { return s.configuration.block.where.has_value(); });
  fields["normed"] = count_if(all, normed_before_attention);
}

Fields fields_of(const Systems& all) {
  Fields fields;
  counts(all, fields);
  const auto ratio = [](const System& s) { return s.scales.input.token_to_position.value; };
  extremes(all, "ratio", ratio, fields);
  extremes(
      all, "learned_scaled_ratio",
      [&](const System& s) {
        const bool learned = s.configuration.position.kind == audit::PositionKind::learned;
        return learned && multiplies_by_root_d(s) ? ratio(s) : std::nullopt;
      },
      fields);
  extremes(
      all, "bare_logits",
      [](const System& s) {
        return normed_before_attention(s) ? std::nullopt
                                          : s.scales.first_layer.logit_std_over_keys.value;
      },
      fields);
  extremes(
      all, "normed_logits",
      [](const System& s) {
        return normed_before_attention(s) ? s.scales.first_layer.logit_std_over_keys.value
                                          : std::nullopt;
      },
      fields);
  extremes(
      all, "constant",
      [](const System& s) {
        const bool sinusoids = s.configuration.position.kind == audit::PositionKind::sinusoidal;
        return sinusoids ? s.scales.input.constant_share.value : std::nullopt;
      },
      fields);
  extremes(
      all, "loss",
      [](const System& s) -> std::optional<double> {
        if (!s.scales.output.initial_loss.value) return std::nullopt;
        return *s.scales.output.initial_loss.value -
               std::log(static_cast<double>(*s.configuration.model.vocabulary));
      },
      fields);
  extremes(
      all, "shrinkage",
      [](const System& s) -> std::optional<double> {
        const auto& down = s.scales.scaled_down.epsilon_shrinkage_down.value;
        return down && s.configuration.token.multiplier != 1.0 ? std::optional(100 * *down)
                                                               : std::nullopt;
      },
      fields);
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
