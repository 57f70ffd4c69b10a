// The page of a topic follows its measurements: each cell is that of its place, a change
// of one reaches the cells, points and fields that rest on it, and nothing else. What is expected
// of it stands in its known_values.txt: see known_values.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "known_values.hpp"

namespace embedscale {
namespace {

using report::Measurement;
using report::Section;
using report::Selection;
using report::Standing;

/// The tables that are shown, and those that are files.
std::vector<report::TableView> tables_of(const Section& section, const report::Words& words) {
  std::vector<report::TableView> all;
  for (auto& [part, table] : section.table_views(words)) all.push_back(std::move(table));
  for (auto& file : section.data_views(words)) all.push_back(std::move(file.table));
  return all;
}

/// What is shown of a section, by where it is shown: text or number, and what it rests on.
struct Shown {
  std::string text;
  Selection sources;
};
std::map<std::string, Shown> all_shown(const Section& section, const report::Words& words) {
  std::map<std::string, Shown> all;
  for (const auto& [name, found] : section.fields(words))
    all["field " + name] = {found.text, found.sources};
  int tables = 0;
  for (const auto& view : tables_of(section, words)) {
    for (std::size_t i = 0; i < view.rows.size(); ++i)
      for (std::size_t j = 0; j < view.columns.size(); ++j) {
        const auto& cell = view.rows[i].cells[j];
        // By its place: a change may move a row of a sorted table.
        const auto& row = view.rows[i];
        const auto where = row.place.size() > 0 ? row.place.text() : row.cells[0].text;
        all["table " + std::to_string(tables) + " row " + where + " column " +
            view.columns[j].heading] = {cell.text, cell.sources};
      }
    ++tables;
  }
  for (const auto& view : section.figure_views(words))
    for (std::size_t k = 0; k < view.figure.series.size(); ++k)
      for (std::size_t i = 0; i < view.figure.series[k].y.size(); ++i)
        if (!std::isnan(view.figure.series[k].y[i]))
          all["figure " + view.figure.name + " series " + view.figure.series[k].label + " point " +
              std::to_string(i)] = {std::to_string(view.figure.series[k].y[i]),
                                    {view.sources[k][i]}};
  return all;
}

TEST_P(page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& one : the().sections)
    verdicts[std::string(one.claim().id)] = name_of(one.judgement().verdict);
  EXPECT_EQ(verdicts, known.verdicts);
}

TEST_P(page, has_the_known_values) {
  for (const auto& one : known.values) {
    const auto found = report::LookUp(one.look_up).in(section(one.claim).all());
    ASSERT_TRUE(found.number) << one.look_up;
    EXPECT_NEAR(*found.number, one.value, one.tolerance) << one.claim << " " << one.look_up;
  }
}

TEST_P(page, shows_the_known_texts) {
  for (const auto& [claim, where, text] : known.texts) {
    const auto all = all_shown(section(claim), the().words);
    const auto found = all.find(where);
    ASSERT_NE(found, all.end()) << claim << " " << where;
    EXPECT_EQ(found->second.text, text) << claim << " " << where;
  }
}

/// Lines `keyword "label" = look-up [by axis]` of the words: label and look-up, `label` ones aside.
using Lines = std::vector<std::pair<std::string, std::string>>;
Lines lines_of(const std::string& block) {
  Lines all;
  for (const auto& line : split(block, "\n")) {
    const auto open = line.find('"'), close = line.find("\" = ", open + 1);
    if (open == line.npos || close == line.npos || line.starts_with("label ")) continue;
    all.emplace_back(line.substr(open + 1, close - open - 1),
                     split(line.substr(close + 4), " by ")[0]);
  }
  return all;
}

/// All of a section.
Lines lines_of(const Section& section, const report::Words& words) {
  const auto& look_ups = words.look_ups(section.claim().id);
  Lines lines(look_ups.begin(), look_ups.end());
  for (const auto& [part, block] : words.blocks(section.claim().id))
    std::ranges::copy(lines_of(block), std::back_inserter(lines));
  return lines;
}

bool has_word(std::string text, const std::string& word) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x80 && !std::isalnum(c); }, ' ');
  return (" " + text + " ").find(" " + word + " ") != text.npos;
}

/// What is called by one coordinate of an axis looks at no other: "up = rms_error way=down" is
/// wrong, whatever the measurements are.
TEST_P(page, calls_nothing_by_another_coordinate_than_it_looks_at) {
  for (const auto& one : the().sections)
    for (const auto& [label, look_up] : lines_of(one, the().words)) {
      const auto words = report::tokens_of(look_up);
      for (const auto& word : words) {
        const auto parts = split(word, "=");
        if (parts.size() != 2 || has_word(label, parts[1])) continue;
        for (const auto& m : one.measurements()) {
          const auto* other = m.at.find(parts[0]);
          if (other == nullptr || std::ranges::count(words, m.quantity) == 0 ||
              has_word(parts[1], other->text()))
            continue;
          EXPECT_FALSE(std::isalpha(other->text()[0]) && has_word(label, other->text()))
              << one.claim().id << ": \"" << label << "\" = " << look_up;
        }
      }
    }
}

TEST_P(page, has_in_each_cell_the_measurement_of_its_place) {
  for (const auto& one : the().sections)
    for (const auto& view : tables_of(one, the().words))
      for (const auto& row : view.rows)
        for (const auto& cell : row.cells)
          for (const auto* m : cell.sources)
            for (const auto& [axis, coordinate] : row.place)
              if (const auto* own = m->at.find(axis)) {
                EXPECT_EQ(own->text(), coordinate.text()) << m->quantity << " " << m->at.text();
              }
}

/// A change of measurements is seen where one of them is named as a source, and nowhere else: of
/// those whose number has a digit, and of the others, so that any two are told apart.
TEST_P(page, changes_with_its_measurements_alone) {
  for (auto& one : the().sections) {
    const auto before = all_shown(one, the().words);
    auto& all = one.measurements();
    std::map<const Measurement*, std::size_t> number;
    std::vector<double> kept;
    for (const auto& m : all) number.emplace(&m, number.size()), kept.push_back(m.value);
    const auto is_changed = [&](const Selection& sources, auto changes) {
      return std::ranges::any_of(sources, [&](const auto* m) { return changes(number.at(m)); });
    };
    for (std::size_t digit = 1; digit <= all.size(); digit *= 2)
      for (const bool has_digit : {true, false}) {
        const auto changes = [=](std::size_t i) { return ((i & digit) != 0) == has_digit; };
        for (std::size_t i = 0; i < all.size(); ++i)
          if (double& value = all[i].value; changes(i))
            value = std::isfinite(value) ? 3 * value + 7 : 1;
        for (const auto& [where, shown] : all_shown(one, the().words)) {
          const auto old = before.find(where);
          if (old != before.end() && old->second.text == shown.text) continue;
          EXPECT_TRUE(is_changed(shown.sources, changes) ||
                      (old != before.end() && is_changed(old->second.sources, changes)))
              << one.claim().id << " " << where;
        }
        for (std::size_t i = 0; i < all.size(); ++i) all[i].value = kept[i];
      }
    for (const auto& [where, shown] : before)
      if (shown.sources.empty() && where.starts_with("field")) {
        EXPECT_TRUE(shown.text.find_first_of("123456789") == std::string::npos)
            << one.claim().id << " " << where << " rests on nothing: " << shown.text;
      }
  }
}

/// Of the sections that draw: what another seed changes has intervals that meet, also those of
/// fewer draws.
TEST_P(page, says_how_sure_it_is_of_what_another_seed_changes) {
  auto analysis = cli::analysis_of(GetParam());
  auto options = known.options;
  ++options.seed;
  options.samples =
      std::max(options.samples / 16, static_cast<std::uint64_t>(analysis.samples.least));
  std::erase_if(analysis.sections, [&](const auto& one) {
    return std::ranges::none_of(section(one.claim->id).measurements(),
                                [](const Measurement& m) { return m.confidence.has_value(); });
  });
  const auto what_of = [](const Measurement& m) { return m.quantity + " at " + m.at.text(); };
  for (const auto& other : cli::page_of(analysis, options, the().words).sections) {
    std::map<std::string, const Measurement*> all;
    for (const auto& m : section(other.claim().id).measurements()) all[what_of(m)] = &m;
    for (const auto& b : other.measurements()) {
      const auto what = what_of(b);
      if (!all.contains(what) || b.unit == report::counted) continue;
      const auto& a = *all.at(what);
      if (a.value == b.value) continue;
      if (a.standing == Standing::greatest || a.standing == Standing::example) continue;
      ASSERT_TRUE(a.lower && a.upper && b.lower && b.upper) << what;
      EXPECT_LE(std::max(*a.lower, *b.lower), std::min(*a.upper, *b.upper)) << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(topics, page, testing::ValuesIn(cli::topics()),
                         [](const auto& topic) { return topic.param; });

}  // namespace
}  // namespace embedscale
