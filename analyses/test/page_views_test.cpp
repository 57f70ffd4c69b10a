// The page of a topic follows its measurements: each cell, point and field is that of its key, a
// change of one reaches verdict, cells, points and fields, and nothing else. What is expected of it
// stands in its known_values.txt: see known_values.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "cli/analysis.hpp"
#include "known_values.hpp"
#include "report/digits.hpp"
#include "report/file.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace embedscale {
namespace {

using report::Measurement;
using report::Section;
using report::Selection;
using report::Standing;

const std::filesystem::path rooms = EMBEDSCALE_ANALYSES_DIR;

report::Page measured(const std::string& topic, const cli::Options& options) {
  return cli::page_of(cli::analysis_of(topic), options,
                      report::Words::read(rooms / topic / "words.md"));
}

/// Of the topic that is the parameter: measured once, as its tests are one test of CTest.
class page : public testing::TestWithParam<std::string> {
 protected:
  const Expected known = expected(rooms / GetParam() / "known_values.txt");
  report::Page& the() {
    static std::map<std::string, report::Page> all;
    const auto found = all.find(GetParam());
    return found != all.end()
               ? found->second
               : all.emplace(GetParam(), measured(GetParam(), known.options)).first->second;
  }
  const Section& section(std::string_view id) {
    for (const auto& one : the().sections)
      if (one.claim().id == id) return one;
    throw std::invalid_argument("no such section: " + std::string(id));
  }
  /// Some measurements of each quantity: the first, one amid, the last.
  static std::vector<Measurement*> some_of(Section& section) {
    std::map<std::string, std::vector<Measurement*>> all;
    for (auto& m : section.measurements()) all[m.quantity].push_back(&m);
    std::vector<Measurement*> some;
    for (const auto& [quantity, of] : all)
      for (const auto i : {std::size_t{0}, of.size() / 2, of.size() - 1})
        if (std::ranges::find(some, of[i]) == some.end()) some.push_back(of[i]);
    return some;
  }
};

/// All but the page about the checks.
std::vector<std::string> topics_with_claims() {
  auto all = cli::topics();
  std::erase(all, "trust");
  return all;
}

/// A table that is shown, or a file: the part of the words that declares it, and what is seen.
struct TableOf {
  std::string part, block;
  report::TableView view;
};
std::vector<TableOf> tables_of(const Section& section, const report::Words& words) {
  const auto shown = section.table_views(words);
  const auto files = section.data_views(words);
  auto next = shown.begin();
  auto file = files.begin();
  std::vector<TableOf> all;
  for (const auto& [part, block] : words.blocks(section.claim().id)) {
    if (part.starts_with("table")) all.push_back({part, block, *next++});
    if (part.starts_with("data ")) all.push_back({part, block, (file++)->table});
  }
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
  for (const auto& [part, block, view] : tables_of(section, words)) {
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
        all["figure " + view.figure.name + " series " + view.figure.series[k].label + " point " +
            std::to_string(i)] = {std::to_string(view.figure.series[k].y[i]), {view.sources[k][i]}};
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

TEST_P(page, leaves_no_field_of_its_words) {
  const auto text = markdown(the());
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    ADD_FAILURE() << text.substr(at, 60);
}

TEST_P(page, has_finding_and_summary_of_the_results_once_each) {
  const auto text = markdown(the());
  for (const auto& row : results(the())) {
    const auto finding = row.at("finding").get<std::string>();
    const auto summary = row.at("summary").get<std::string>();
    const auto listed = "\n- [" + finding + "](#" + row.at("id").get<std::string>() + ")\n";
    EXPECT_NE(text.find(listed), text.npos) << listed;
    EXPECT_NE(text.find("\n## " + finding + "\n"), text.npos) << finding;
    EXPECT_NE(text.find(summary + "\n"), text.npos) << summary;
    EXPECT_EQ(text.find(summary), text.rfind(summary)) << summary;
  }
}

/// "quantity axis=coordinate …", read by this test alone; what says more is no key.
struct Key {
  std::string quantity;
  std::map<std::string, std::string> at;
};
std::optional<Key> key_of(const std::string& look_up) {
  const auto words = report::tokens_of(look_up);
  Key key{words.at(0), {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto parts = split(words[i], "=");
    if (parts.size() != 2 || parts[0].find_first_of("!<>") != parts[0].npos ||
        parts[1].find('|') != parts[1].npos ||
        std::ranges::count(std::array{"least", "greatest", "first", "last"}, parts[1]) > 0)
      return std::nullopt;
    key.at[parts[0]] = parts[1];
  }
  return key;
}
/// All there, near a place as far as the key names no axis of it.
Selection of_key(const Section& section, const Key& key, const report::Place& near = {}) {
  Selection found;
  for (const auto& m : section.measurements()) {
    const bool is_at = std::ranges::all_of(key.at, [&](const auto& wanted) {
      const auto* own = m.at.find(wanted.first);
      return own != nullptr && own->text() == wanted.second;
    });
    const bool is_near = std::ranges::all_of(near, [&](const auto& wanted) {
      const auto* own = m.at.find(wanted.first);
      return own == nullptr || key.at.contains(wanted.first) || *own == wanted.second;
    });
    if (m.quantity == key.quantity && is_at && is_near) found.push_back(&m);
  }
  return found;
}
std::string text_of(const Measurement& m) {
  if (m.unit == report::counted) return report::count(static_cast<std::uint64_t>(m.value));
  return report::significant(m.value, std::min(m.digits, report::most_digits_shown));
}

/// A line `keyword "label" = look-up [by axis]` of the words, with the section that it is of.
struct ViewLine {
  std::string keyword, label, look_up, by;
};
std::vector<ViewLine> lines_of(const std::string& block) {
  std::vector<ViewLine> all;
  for (const auto& line : split(block, "\n")) {
    const auto open = line.find('"'), close = line.find("\" = ", open + 1);
    if (open == line.npos || close == line.npos) continue;
    const auto sides = split(line.substr(close + 4), " by ");
    ViewLine one{line.substr(0, line.find(' ')), line.substr(open + 1, close - open - 1), sides[0],
                 sides.size() > 1 ? sides[1] : ""};
    one.look_up.erase(0, one.look_up.find_first_not_of(' '));
    all.push_back(std::move(one));
  }
  return all;
}
/// How a coordinate is called there.
std::string called(const report::Coordinate& coordinate, const std::vector<ViewLine>& lines) {
  for (const auto& line : lines)
    if (line.keyword == "label" && line.label == coordinate.text())
      return report::tokens_of(line.look_up).at(0);
  return report::grouped(coordinate);
}
/// A heading's or a curve's own measurements: those of the key, of the coordinate that it names.
std::optional<Selection> own(const Section& section, const ViewLine& line, const Key& key,
                             const std::vector<ViewLine>& lines, const std::string& label,
                             const report::Place& near = {}) {
  const auto all = of_key(section, key, near);
  if (line.by.empty()) return line.label == label ? std::optional(all) : std::nullopt;
  const auto hole = line.label.find("{}");
  std::optional<Selection> found;
  for (const auto* m : all) {
    const auto* on_axis = m->at.find(line.by);
    if (on_axis == nullptr) continue;
    auto named = line.label;
    if (hole != named.npos) named.replace(hole, 2, called(*on_axis, lines));
    if (named != label) continue;
    if (!found) found.emplace();
    found->push_back(m);
  }
  return found;
}

TEST_P(page, has_in_each_field_the_measurement_of_its_key) {
  for (const auto& one : the().sections) {
    const auto fields = one.fields(the().words);
    for (const auto& [name, look_up] : the().words.look_ups(one.claim().id))
      if (const auto key = key_of(look_up)) {
        const auto all = of_key(one, *key);
        ASSERT_EQ(all.size(), 1u) << look_up;
        EXPECT_EQ(fields.at(name).text, text_of(*all[0])) << one.claim().id << " " << name;
      }
  }
}

TEST_P(page, has_in_each_cell_the_measurement_of_its_key) {
  for (const auto& one : the().sections) {
    for (const auto& [part, block, view] : tables_of(one, the().words)) {
      auto lines = lines_of(block);
      for (std::size_t j = 0; j < view.columns.size(); ++j) {
        const auto& heading = view.columns[j].heading;
        for (auto& line : lines) {
          const auto key = key_of(line.look_up);
          if (!line.keyword.starts_with("column")) continue;
          bool is_its = line.label == heading;
          for (const auto& row : view.rows) {
            if (!key) break;
            const auto all = own(one, line, *key, lines, heading, row.place);
            if (!all || all->size() != 1) continue;
            is_its = true;
            EXPECT_EQ(row.cells[j].text, called(text_of(*all->at(0)), lines))
                << one.claim().id << " " << heading << " " << row.place.text();
          }
          if (!is_its) continue;
          if (line.by.empty()) line.label += " (done)";  // the next of this heading is another's
          break;
        }
      }
    }
  }
}

TEST_P(page, has_in_each_curve_the_measurements_of_its_key) {
  for (const auto& one : the().sections) {
    auto views = one.figure_views(the().words);
    auto view = views.begin();
    for (const auto& [part, block] : the().words.blocks(one.claim().id)) {
      if (!part.starts_with("figure ")) continue;
      const auto lines = lines_of(block);
      const auto at_x = block.find("\nx ") + 3;
      const auto x = block.substr(at_x, block.find(' ', at_x) - at_x);
      for (const auto& series : view->figure.series)
        for (const auto& line : lines) {
          const auto key = key_of(line.look_up);
          if (line.keyword == "label" || line.keyword == "level" || !key) continue;
          const auto all = own(one, line, *key, lines, series.label);
          if (!all) continue;
          ASSERT_EQ(series.y.size(), all->size()) << part << " " << series.label;
          for (std::size_t i = 0; i < all->size(); ++i) {
            const auto& m = *all->at(i);
            const auto* there = m.at.find(x);
            EXPECT_TRUE(!std::isfinite(series.y[i]) || series.y[i] == m.value) << part;
            EXPECT_TRUE(there == nullptr || series.x[i] == there->number()) << part;
          }
        }
      ++view;
    }
  }
}

/// What is called by one coordinate of an axis looks at no other: "up = rms_error way=down" is
/// wrong, whatever the measurements are.
TEST_P(page, calls_nothing_by_another_coordinate_than_it_looks_at) {
  const auto has_word = [](std::string text, const std::string& word) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x80 && !std::isalnum(c); }, ' ');
    return (" " + text + " ").find(" " + word + " ") != text.npos;
  };
  for (const auto& one : the().sections) {
    std::vector<ViewLine> lines;
    for (const auto& [part, block] : the().words.blocks(one.claim().id))
      for (const auto& line : lines_of(block)) lines.push_back(line);
    for (const auto& [name, look_up] : the().words.look_ups(one.claim().id))
      lines.push_back({"field", name, look_up, ""});
    for (const auto& line : lines) {
      const auto words =
          line.keyword == "label" ? std::vector<std::string>{} : report::tokens_of(line.look_up);
      for (const auto& word : words) {
        const auto parts = split(word, "=");
        if (parts.size() != 2 || has_word(line.label, parts[1])) continue;
        for (const auto& m : one.measurements()) {
          const auto* other = m.at.find(parts[0]);
          if (other == nullptr || std::ranges::count(words, m.quantity) == 0 ||
              has_word(parts[1], other->text()))
            continue;
          EXPECT_FALSE(std::isalpha(other->text()[0]) && has_word(line.label, other->text()))
              << one.claim().id << ": \"" << line.label << "\" = " << line.look_up;
        }
      }
    }
  }
}

TEST_P(page, has_in_each_cell_the_measurement_of_its_place) {
  for (const auto& one : the().sections)
    for (const auto& [part, block, view] : tables_of(one, the().words))
      for (const auto& row : view.rows)
        for (const auto& cell : row.cells)
          for (const auto* m : cell.sources)
            for (const auto& [axis, coordinate] : row.place)
              if (const auto* own = m->at.find(axis)) {
                EXPECT_EQ(own->text(), coordinate.text()) << m->quantity << " " << m->at.text();
              }
}

/// By one factor, itself two roundings off as a quotient of a product; times it is one more.
TEST_P(page, has_in_each_point_the_measurement_of_its_place) {
  constexpr double rounded = 3 * 0x1p-53;
  for (const auto& one : the().sections)
    for (const auto& view : one.figure_views(the().words))
      for (std::size_t k = 0; k < view.figure.series.size(); ++k) {
        const auto& y = view.figure.series[k].y;
        ASSERT_EQ(y.size(), view.sources[k].size());
        double scale = 0;  // one for all points: per cent, for instance
        for (std::size_t i = 0; i < y.size(); ++i) {
          const double value = view.sources[k][i]->value;
          if (value == 0 || !std::isfinite(y[i])) continue;
          if (scale == 0) scale = y[i] / value;
          EXPECT_NEAR(y[i], scale * value, rounded * std::abs(y[i])) << view.figure.name;
        }
        EXPECT_TRUE(scale == 0 || scale == 1 || std::abs(scale - 100) <= rounded * 100) << scale;
      }
}

/// A change of one measurement is seen where it is named as a source, and nowhere else.
TEST_P(page, changes_with_its_measurements_alone) {
  for (auto& one : the().sections) {
    const auto before = all_shown(one, the().words);
    for (auto* m : some_of(one)) {
      const double value = m->value;
      m->value = std::isfinite(value) ? 3 * value + 7 : 1;
      for (const auto& [where, shown] : all_shown(one, the().words)) {
        const auto old = before.find(where);
        const bool changed = old == before.end() || old->second.text != shown.text;
        const bool is_source =
            std::ranges::count(shown.sources, m) > 0 ||
            (old != before.end() && std::ranges::count(old->second.sources, m) > 0);
        EXPECT_TRUE(!changed || is_source) << one.claim().id << " " << where;
      }
      m->value = value;
    }
    for (const auto& [where, shown] : before)
      if (shown.sources.empty() && where.starts_with("field")) {
        EXPECT_TRUE(shown.text.find_first_of("123456789") == std::string::npos)
            << one.claim().id << " " << where << " rests on nothing: " << shown.text;
      }
  }
}

TEST_P(page, says_how_sure_it_is_of_what_another_seed_changes) {
  auto options = known.options;
  ++options.seed;
  const auto other = measured(GetParam(), options);
  const auto what_of = [](const Measurement& m) { return m.quantity + " at " + m.at.text(); };
  for (std::size_t k = 0; k < other.sections.size(); ++k) {
    std::map<std::string, const Measurement*> all;
    for (const auto& m : the().sections[k].measurements()) all[what_of(m)] = &m;
    for (const auto& b : other.sections[k].measurements()) {
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

INSTANTIATE_TEST_SUITE_P(topics, page, testing::ValuesIn(topics_with_claims()),
                         [](const auto& topic) { return topic.param; });

}  // namespace
}  // namespace embedscale
