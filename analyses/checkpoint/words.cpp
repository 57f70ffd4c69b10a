// A fingerprint for people, for programs, and as figures.
#include <fmt/format.h>

#include <cmath>

#include "audit/error.hpp"
#include "audit/summary.hpp"
#include "checkpoint/fingerprint.hpp"
#include "report/json_once.hpp"
#include "report/table.hpp"

namespace embedscale::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

std::string number(double x) { return report::significant(x, 3); }

template <class Values>
std::string row(std::string_view label, const Values& values) {
  std::string cells;
  for (const double value : values) cells += fmt::format(" {:>6}", number(value));
  return fmt::format("  {:<20}{}\n", label, cells);
}

std::string group(std::string_view label, const RowGroup& group, std::string_view what) {
  if (group.rows < 2) return "";
  return audit::paragraph(label,
                          fmt::format("{} {}, row {} among them", group.rows, what, group.row));
}

const std::vector<std::string> eighths{"1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"};

std::string headings(const std::vector<std::string>& columns, std::string_view label) {
  std::string out = fmt::format("  {:<20}", label);
  for (const auto& column : columns) out += fmt::format(" {:>6}", column);
  return out + "\n";
}

// A number that JSON has: what is not finite is null.
Json json_of(double x) { return std::isfinite(x) ? Json(report::rounded(x, 6)) : Json(); }
template <class Values>
Json list_of(const Values& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_of(value));
  return list;
}
Json json_of(const RowGroup& group) { return {{"rows", group.rows}, {"row", group.row}}; }

std::string positions_words(const Fingerprint& f) {
  std::string out = "\n" + audit::paragraph("positions", f.positions);
  if (f.ratios.empty()) return out;
  out += audit::paragraph(
      "", fmt::format("Tokens, times {}, over what changes with the position, in eighths of the "
                      "channels{}:",
                      number(f.multiplier), f.has_sinusoids ? ", fast to slow" : ""));
  out += headings(eighths, "over positions") + row("tokens alone", f.tokens);
  for (const auto& one : f.ratios) out += row(report::count(one.positions), one.by_band);
  for (const auto& one : f.ratios)
    out +=
        audit::paragraph("", fmt::format("Over {} positions tokens exceed in {} of the channels.",
                                         report::count(one.positions), number(one.tokens_exceed)));
  return out;
}

}  // namespace

std::string words_of(const Fingerprint& f) {
  const auto& t = f.table;
  std::string out =
      fmt::format("{}\n", audit::printable(f.file + (f.name.empty() ? "" : ": " + f.name), 79));
  out += audit::paragraph(
      "table",
      fmt::format("{} rows of {} channels, {}{}", report::count(f.rows), report::count(f.width),
                  f.dtype,
                  f.left_out == 0
                      ? ""
                      : fmt::format("; {} rows are left out: not finite, or their squares are not",
                                    f.left_out)));
  out += audit::paragraph(
      "size", fmt::format("RMS {} over all entries, {} without the mean row, which has {} of the "
                          "squares",
                          number(t.rms), number(t.centred), number(t.mean_share)));
  for (const auto& [what, deviation] : f.beginnings)
    out += audit::paragraph("beside", fmt::format("{} times {}: {}", number(t.rms / deviation),
                                                  number(deviation), what));
  out += group("equal rows", f.equal, "rows are the same: never trained, or filling");
  out += group("rows together", f.together,
               "rows are closer together than a quarter of the size without the mean row: never "
               "trained apart");
  out +=
      "\n" + headings({"least", "1 %", "10 %", "median", "90 %", "99 %", "most"}, "RMS of a row");
  out += row("over the rows", t.quantiles);
  out += "\n" + headings(eighths, "eighths of the ids");
  out += row("RMS", t.by_id);
  return out + audit::paragraph("", "From frequent to rare where ids are in that order.") +
         positions_words(f);
}

std::string json_line(const Fingerprint& f) {
  const auto& t = f.table;
  Json json = {{"file", f.file},
               {"tensor", f.name},
               {"dtype", f.dtype},
               {"rows", f.rows},
               {"width", f.width},
               {"left_out", f.left_out},
               {"multiplier", json_of(f.multiplier)},
               {"rms", json_of(t.rms)},
               {"centred", json_of(t.centred)},
               {"mean_share", json_of(t.mean_share)},
               {"quantile_shares", list_of(quantile_shares)},
               {"quantiles", list_of(t.quantiles)},
               {"by_id", list_of(t.by_id)},
               {"equal", json_of(f.equal)},
               {"together", json_of(f.together)},
               {"beginnings", Json::array()},
               {"positions", f.positions},
               {"tokens", list_of(f.tokens)},
               {"ratios", Json::array()}};
  for (const auto& [what, deviation] : f.beginnings)
    json["beginnings"].push_back(
        {{"what", what}, {"deviation", json_of(deviation)}, {"ratio", json_of(t.rms / deviation)}});
  for (const auto& one : f.ratios)
    json["ratios"].push_back({{"positions", one.positions},
                              {"deviation", json_of(one.deviation)},
                              {"tokens_exceed", json_of(one.tokens_exceed)},
                              {"by_band", list_of(one.by_band)}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<report::Figure> figures_of(const Fingerprint& f) {
  using report::Scale, report::Series;
  constexpr std::size_t most_points = 500;
  Series sizes{"", {}, {}, Series::Mark::line};
  const std::size_t n = std::min(most_points, f.row_rms.size());
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = n == 1 ? 0 : i * (f.row_rms.size() - 1) / (n - 1);
    if (f.row_rms[at] <= 0) continue;
    sizes.x.push_back(double(at + 1) / double(f.row_rms.size()));
    sizes.y.push_back(f.row_rms[at]);
  }
  std::vector<report::Figure> figures;
  if (!sizes.x.empty()) {
    figures.push_back({"fingerprint_rows",
                       "Sizes of the rows, from the least to the greatest",
                       "share of the rows",
                       "RMS of a row",
                       Scale::linear,
                       Scale::log10,
                       {sizes},
                       {}});
    for (const auto& [what, deviation] : f.beginnings)
      figures.back().levels.push_back({what, deviation});
  }
  // A sine and its cosine together, and no more points than a picture can show: geometric means.
  const std::size_t together =
      std::max<std::size_t>(f.has_sinusoids ? 2 : 1, f.channels.size() / most_points * 2);
  report::Figure ratios{"fingerprint_channels",
                        "Tokens beside what changes with the position",
                        f.has_sinusoids ? "channel, fast to slow" : "channel",
                        "ratio of deviations",
                        Scale::linear,
                        Scale::log10,
                        {},
                        {{"alike", 1}}};
  for (const auto& one : f.ratios) {
    Series series{
        fmt::format("over {} positions", report::count(one.positions)), {}, {}, Series::Mark::line};
    for (std::size_t k = 0; k + together <= f.channels.size(); k += together) {
      double logs = 0;
      for (std::size_t i = k; i < k + together; ++i)
        logs += std::log(one.by_channel[f.channels[i]]);
      if (const double y = std::exp(logs / double(together)); std::isfinite(y) && y > 0)
        series.x.push_back(double(k + 1)), series.y.push_back(y);
    }
    if (!series.x.empty() && ratios.series.size() < 8) ratios.series.push_back(series);
  }
  if (!ratios.series.empty()) figures.push_back(ratios);
  return figures;
}

}  // namespace embedscale::checkpoint
