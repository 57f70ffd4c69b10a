#include "trained/trained.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "audit/configuration.hpp"
#include "checkpoint/fingerprint.hpp"
#include "checkpoint/rows.hpp"
#include "inputs/inputs.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::trained {
namespace {

using checkpoint::Bands, checkpoint::Fingerprint, report::Table;

std::string number(double x) { return report::significant(x, 3); }

std::string table_of_sizes(const Fingerprint& f) {
  auto table = Table::headed("Had it begun with|RMS then:|RMS now over that:");
  for (const auto& [what, deviation] : f.beginnings)
    table.row({what == "unit" ? "1" : "d^−½", number(deviation), number(f.table.rms / deviation)});
  return table.markdown();
}

std::string table_of_rows(const Fingerprint& f) {
  auto table = Table::headed("Of the rows|RMS:");
  for (std::size_t i = 0; i < f.table.quantiles.size(); ++i)
    table.row({fmt::format("{} % are smaller", 100 * checkpoint::quantile_shares[i]),
               number(f.table.quantiles[i])});
  return table.markdown();
}

template <class Values>
void add_row(Table& table, const std::string& label, const Values& values) {
  std::vector<std::string> cells{label};
  for (const double one : values) cells.push_back(number(one));
  table.row(cells);
}

constexpr std::string_view eighths = "|1st:|2nd:|3rd:|4th:|5th:|6th:|7th:|8th:";

std::string table_of_bands(const Fingerprint& f, const Bands& gains) {
  auto table = Table::headed(fmt::format("Eighth of the channels{}", eighths));
  add_row(table, "tokens", f.tokens);
  add_row(table, "gain of the first norm", gains);
  for (const auto& one : f.ratios)
    add_row(table, fmt::format("tokens over {} positions", one.positions), one.by_band);
  return table.markdown();
}

Bands gains_of(const std::vector<checkpoint::Tensor>& tensors, const Fingerprint& f) {
  auto gain = *checkpoint::tensor_named(tensors, "gain", {{"gain", "gain.weight"}});
  gain.shape.insert(gain.shape.begin(), 1);
  std::vector<double> sizes;
  checkpoint::for_rows(gain, 0, 1, [&](std::uint64_t, std::span<const float> row) {
    for (const float one : row) sizes.push_back(std::abs(one));
  });
  return checkpoint::medians_by_band(sizes, f.channels);
}

/// What the words say of these numbers without naming any.
void require_as_told(const Fingerprint& f, const Bands& gains) {
  const auto grow = [](const Bands& all) { return all.back() > all.front(); };
  const bool is_between =
      f.table.rms > 1 / std::sqrt(static_cast<double>(f.width)) && f.table.rms < 1;
  if (is_between && grow(f.tokens) && grow(gains) && grow(f.ratios.back().by_band) &&
      f.table.by_id.front() > f.table.by_id.back())
    return;
  throw std::invalid_argument("trained: the table is not as its words say");
}

}  // namespace

Page page(const std::filesystem::path& directory) {
  const auto words = report::Words::read(directory / "page.md");
  const auto tensors = checkpoint::tensors_of(directory / "use_lite.safetensors");
  const auto code = inputs::read_configuration((directory / "use_lite.toml").string());
  const auto f = checkpoint::fingerprint_of(tensors, {}, {8, 16, 32, 128}, code);
  const auto gains = gains_of(tensors, f);
  require_as_told(f, gains);
  const std::map<std::string, std::string, std::less<>> fields{
      {"equal_rows", report::count(f.equal.rows)},
      {"rows_together", report::count(f.together.rows)},
      {"rows", report::count(f.rows)},
      {"all_rows", report::count(static_cast<std::uint64_t>(*code.model.vocabulary))},
      {"channels", report::count(f.width)},
      {"rms", number(f.table.rms)},
      {"positions", std::to_string(f.ratios.back().positions)},
      {"global_ratio", number(f.table.rms / std::sqrt(0.5))},
      {"short", std::to_string(f.ratios.front().positions)},
      {"exceed_short", report::significant(100 * f.ratios.front().tokens_exceed, 2)},
      {"exceed_long", report::significant(100 * f.ratios.back().tokens_exceed, 2)},
      {"mean_share", report::significant(100 * f.table.mean_share, 2)},
      {"frequent", number(f.table.by_id.front() / f.table.by_id.back())}};
  const auto filled = [&](const std::string& text) {
    return report::fill(text, [&](std::string_view name) {
      const auto found = fields.find(name);
      if (found == fields.end())
        throw std::invalid_argument(fmt::format("trained: no field '{}'", name));
      return found->second;
    });
  };
  Page made;
  made.figures = checkpoint::figures_of(f, "trained");
  auto by_id = Table::headed(fmt::format("Eighth of the ids{}", eighths));
  add_row(by_id, "RMS of the rows", f.table.by_id);
  const std::map<std::string, std::string, std::less<>> shown{
      {"size", table_of_sizes(f)},
      {"rows", table_of_rows(f)},
      {"ids", by_id.markdown()},
      {"channels", table_of_bands(f, gains)}};
  made.markdown = fmt::format("{}# {}\n\n{}\n", report::generated_note, words.title(),
                              filled(words.introduction()));
  for (const char* name : {"size", "rows", "ids", "channels", "limits"}) {
    made.markdown +=
        fmt::format("\n## {}\n\n{}\n", words.part(name, "title"), filled(words.part(name, "text")));
    if (const auto table = shown.find(name); table != shown.end())
      made.markdown += "\n" + table->second;
    for (const auto& figure : made.figures)
      if (figure.name == fmt::format("trained_{}", name))
        made.markdown +=
            "\n" + report::figure_markdown(figure, filled(words.part(name, "caption")));
  }
  return made;
}

}  // namespace embedscale::trained
