// The page of a topic follows its measurements: each cell, point and field is that of its key, a
// change of one reaches verdict, cells, points and fields, and nothing else. What is expected of it
// stands in its known_values.txt:
//
//   run widths=64,512 samples=50         where it is measured here, small and quick
//   verdict CLAIM = holds
//   value CLAIM | LOOK-UP | number | tolerance | where the number comes from, if not from here
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "cli/analysis.hpp"
#include "report/file.hpp"
#include "report/json.hpp"

namespace embedscale {
namespace {

using report::Measurement;
using report::Section;
using report::Selection;

const std::filesystem::path folder =
    std::filesystem::path(EMBEDSCALE_ANALYSES_DIR) / analysis().topic;

struct KnownValue {
  std::string claim, look_up;
  double value, tolerance;
};
struct Expected {
  cli::Options options;
  std::map<std::string, std::string> verdicts;
  std::vector<KnownValue> values;
};

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  for (auto end = text.find(at); end != text.npos; end = text.find(at, begin)) {
    all.push_back(text.substr(begin, end - begin));
    begin = end + at.size();
  }
  all.push_back(text.substr(begin));
  return all;
}

void set(cli::Options& options, const std::string& name, const std::string& list) {
  const std::map<std::string, std::vector<std::uint64_t>*> lists{
      {"widths", &options.widths},           {"keys", &options.keys},
      {"head_widths", &options.head_widths}, {"heads", &options.heads},
      {"vocabulary", &options.vocabulary},   {"positions", &options.positions}};
  if (name == "samples") {
    options.samples = std::stoull(list);
    return;
  }
  for (const auto& number : split(list, ","))
    if (name == "deviations")
      options.deviations.push_back(std::stod(number));
    else
      lists.at(name)->push_back(std::stoull(number));
}

Expected expected() {
  Expected all;
  std::istringstream in(report::read_file(folder / "known_values.txt"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("run "))
      for (const auto& told : split(line.substr(4), " "))
        if (const auto parts = split(told, "="); parts.size() == 2)
          set(all.options, parts[0], parts[1]);
    if (line.starts_with("verdict ")) {
      const auto equal = line.find(" = ");
      all.verdicts[line.substr(8, equal - 8)] = line.substr(equal + 3);
    }
    if (line.starts_with("value ")) {
      const auto parts = split(line.substr(6), " | ");
      all.values.push_back(
          {parts.at(0), parts.at(1), std::stod(parts.at(2)), std::stod(parts.at(3))});
    }
  }
  return all;
}

report::Page measured(const cli::Options& options) {
  return cli::page_of(analysis(), options, report::Words::read(folder / "words.md"));
}

class page : public testing::Test {
 protected:
  static void SetUpTestSuite() { measured_ = new report::Page(measured(expected().options)); }
  static void TearDownTestSuite() { delete measured_; }

  report::Page& the() { return *measured_; }
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

  static report::Page* measured_;
};
report::Page* page::measured_ = nullptr;

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
  for (const auto& view : section.table_views(words)) {
    for (std::size_t i = 0; i < view.rows.size(); ++i)
      for (std::size_t j = 0; j < view.columns.size(); ++j) {
        const auto& cell = view.rows[i].cells[j];
        all["table " + std::to_string(tables) + " row " + std::to_string(i) + " column " +
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

TEST_F(page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& one : the().sections)
    verdicts[std::string(one.claim().id)] = one.verdict(the().words);
  EXPECT_EQ(verdicts, expected().verdicts);
}

TEST_F(page, has_the_known_values) {
  for (const auto& known : expected().values) {
    const auto found = report::LookUp(known.look_up).in(section(known.claim).all());
    ASSERT_TRUE(found.number) << known.look_up;
    EXPECT_NEAR(*found.number, known.value, known.tolerance) << known.claim << " " << known.look_up;
  }
}

TEST_F(page, leaves_no_field_of_its_words) {
  const auto text = markdown(the());
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    ADD_FAILURE() << text.substr(at, 60);
}

TEST_F(page, says_in_the_list_what_it_says_in_the_results) {
  const auto text = markdown(the());
  for (const auto& row : results(the())) {
    const auto link = text.find("](#" + row.at("id").get<std::string>() + ")");
    const auto begin = text.rfind('\n', link) + 1;
    const auto line = text.substr(begin, text.find('\n', link) - begin);
    EXPECT_TRUE(line.starts_with("- **" + row.at("verdict").get<std::string>())) << line;
    EXPECT_TRUE(line.ends_with(row.at("summary").get<std::string>())) << line;
  }
}

TEST_F(page, has_in_each_cell_the_measurement_of_its_place) {
  for (const auto& one : the().sections)
    for (const auto& view : one.table_views(the().words))
      for (const auto& row : view.rows)
        for (const auto& cell : row.cells)
          for (const auto* m : cell.sources)
            for (const auto& [axis, coordinate] : row.place)
              if (const auto* own = m->at.find(axis)) {
                EXPECT_EQ(own->text(), coordinate.text()) << m->quantity << " " << m->at.text();
              }
}

TEST_F(page, has_in_each_point_the_measurement_of_its_place) {
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
          EXPECT_NEAR(y[i], scale * value, 1e-12 * std::abs(y[i])) << view.figure.name;
        }
        EXPECT_TRUE(scale == 0 || scale == 1 || std::abs(scale - 100) < 1e-9) << scale;
      }
}

/// A change of one measurement is seen where it is named as a source, and nowhere else.
TEST_F(page, changes_with_its_measurements_alone) {
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

/// An obligation that is not met any more takes the verdict with it.
TEST_F(page, changes_its_verdict_with_an_obligation) {
  for (auto& one : the().sections) {
    const auto before = one.judgement().verdict;
    for (auto* m : some_of(one)) {
      if (!m->rule || !m->met()) continue;
      const double value = m->value;
      m->value = m->rule->relation == report::Relation::at_least ? m->rule->reference - 1
                                                                 : m->rule->reference + 1;
      const auto after = one.judgement().verdict;
      if (m->rule->part != properties::Part::belief) {
        EXPECT_EQ(after, properties::Verdict::open) << m->quantity;
      } else if (before != properties::Verdict::fails) {
        EXPECT_EQ(after, properties::Verdict::fails) << m->quantity;
      }
      m->value = value;
      --m->samples;
      EXPECT_EQ(one.judgement().verdict, properties::Verdict::open) << m->quantity;
      ++m->samples;
    }
  }
}

TEST_F(page, draws_by_the_seed_alone) {
  auto other = expected().options;
  EXPECT_EQ(results(measured(other)), results(the()));
}

}  // namespace
}  // namespace embedscale
