// The real systems: how large tokens and positions start, and what would change if the multiplier
// stood at the positions instead. Configurations in systems/, computed by the audit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "audit/configuration.hpp"
#include "audit/error.hpp"
#include "audit/scales.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"
#include "report/table.hpp"

namespace embedscale {
namespace {

using report::Figure;
using report::Table;

struct System {
  audit::Configuration configuration;
  audit::Scales scales;
};

std::vector<System> systems(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw report::FileError(fmt::format("{}: no such directory", directory.string()));
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  std::vector<System> all;
  for (const auto& file : files) {
    auto configuration = audit::read_configuration(file.string());
    const auto scales = audit::scales_of(configuration);
    all.push_back({std::move(configuration), scales});
  }
  return all;
}

std::string shown(const audit::Quantity& q) {
  return q.value ? report::significant(*q.value, 4) : "—";
}

/// Of the sum in the multiplier's own format; no question where nothing is added.
std::string same_bits(const audit::Scales& s) {
  const auto& verdict = s.scaled_down.rounds_identically.back();
  if (!verdict.value || !s.position_rms.value) return "—";
  return *verdict.value ? "yes" : "no";
}

/// What a configuration does not take from the system's own source, "token.law: inferred".
std::string marks(const audit::Configuration& c) {
  std::string out;
  for (const auto& [field, mark] : c.marks)
    if (mark != audit::Mark::read &&
        (field.starts_with("token.") || field.starts_with("position.")))
      out += fmt::format("{}{} {}", out.empty() ? "" : "; ", field,
                         mark == audit::Mark::inferred ? "inferred" : "assumed");
  return out.empty() ? "all read" : out;
}

Table table(const std::vector<System>& all) {
  Table out({{"System"},
             {"d_model", Table::Align::right},
             {"Multiplier", Table::Align::right},
             {"Token RMS", Table::Align::right},
             {"Position RMS", Table::Align::right},
             {"Token / position", Table::Align::right},
             {"Input RMS", Table::Align::right},
             {"Same bits if scaled down"},
             {"Rests on"}});
  for (const auto& [c, s] : all)
    out.row({fmt::format("[{}](https://github.com/{}/tree/{})", c.name, c.source.repository,
                         c.source.commit),
             report::count(std::uint64_t(c.model.d_model)), shown(s.scaled_down.factor),
             shown(s.token_rms), shown(s.position_rms), shown(s.token_to_position),
             shown(s.input_rms), same_bits(s), marks(c)});
  return out;
}

/// Token RMS against position RMS would be one column of points: all sinusoids have one RMS. The
/// ratio by width shows what differs, with the line of balance.
Figure figure(const std::vector<System>& all) {
  Figure out{.name = "conventions_ratio",
             .title = "Token RMS over position RMS at initialisation",
             .x_label = "d_model",
             .y_label = "token RMS over position RMS",
             .x_scale = Figure::Scale::log2,
             .y_scale = Figure::Scale::log2,
             .series = {},
             .levels = {{.label = "balance", .y = 1.0}}};
  constexpr std::pair<audit::LawKind, const char*> families[] = {
      {audit::LawKind::normal, "normal"},
      {audit::LawKind::uniform, "uniform, fixed range"},
      {audit::LawKind::truncated_normal, "truncated normal"},
      {audit::LawKind::xavier_uniform, "Xavier uniform"},
      {audit::LawKind::xavier_normal, "Xavier normal"}};
  for (const auto& [kind, label] : families) {
    report::Series series{.label = label, .x = {}, .y = {}, .mark = report::Series::Mark::points};
    for (const auto& [c, s] : all)
      if (c.token.law.kind == kind && s.token_to_position.value) {
        series.x.push_back(double(c.model.d_model));
        series.y.push_back(*s.token_to_position.value);
      }
    if (!series.x.empty()) out.series.push_back(std::move(series));
  }
  return out;
}

report::Page page(const std::filesystem::path& directory, report::Words words) {
  const auto all = systems(directory);
  report::Page page{.topic = "conventions", .words = std::move(words), .sections = {}};
  std::vector<std::pair<double, std::string>> ratios;
  std::size_t balanced = 0, identical = 0, adding = 0;
  std::string unknown;
  for (const auto& [c, s] : all) {
    identical += same_bits(s) == "yes" ? 1 : 0;
    adding += s.position_rms.value ? 1 : 0;
    if (s.token_to_position.value) {
      ratios.emplace_back(*s.token_to_position.value, c.name);
      balanced += std::abs(std::log2(*s.token_to_position.value)) <= 1.0 ? 1 : 0;
    } else {
      const auto& reason = s.token_rms.value ? s.position_rms.missing : s.token_rms.missing;
      unknown += fmt::format("- {}: {}.\n", c.name, reason);
    }
  }
  if (ratios.empty()) throw std::invalid_argument("no system of the atlas has a ratio");
  std::ranges::sort(ratios);
  page.fields = {{"systems", report::count(all.size())},
                 {"with_ratio", report::count(ratios.size())},
                 {"balanced", report::count(balanced)},
                 {"same_bits", report::count(identical)},
                 {"adding", report::count(adding)},
                 {"smallest", report::significant(ratios.front().first, 3)},
                 {"smallest_name", ratios.front().second},
                 {"largest", report::significant(ratios.back().first, 3)},
                 {"spread", report::significant(ratios.back().first / ratios.front().first, 2)},
                 {"largest_name", ratios.back().second}};
  page.figures = {figure(all)};
  page.body = fmt::format(
      "{}\n{}\n\nNo ratio:\n\n{}", table(all).markdown(),
      figure_markdown(
          page.figures[0],
          fmt::format("Ratios from {} to {}; {} of {} lie within a factor 2 of balance.",
                      page.fields["smallest"], page.fields["largest"], page.fields["balanced"],
                      page.fields["with_ratio"])),
      unknown.empty() ? "none.\n" : unknown);
  return page;
}

}  // namespace

cli::Analysis analysis() {
  return {.topic = "conventions",
          .about = "What real systems do: token, position and input scale at initialisation",
          .page = [](const cli::Options&, report::Words words) {
            try {
              return page(cli::share("systems"), std::move(words));
            } catch (const audit::InputError& error) {
              throw report::FileError(error.what());
            }
          }};
}

}  // namespace embedscale
