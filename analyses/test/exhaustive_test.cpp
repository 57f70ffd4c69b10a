// The exhaustive runs: with --every-case this makes properties/exhaustive.json; and tests of that
// record, against a part of each run.
#include <fmt/format.h>
#include <embedscale/embedding.hpp>

#include "exhaustive/record.hpp"
#include "properties/exact/decimal50.hpp"
#include "properties/precision/difference.hpp"
#include "properties/precision/every_entry.hpp"
#include "properties/precision/every_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "parts/parts.hpp"
#include "report/file.hpp"
#include "report/loops.hpp"
#include "report/source_hash.hpp"
#include "scratch.hpp"

namespace embedscale::exhaustive {
namespace {

namespace fs = std::filesystem;

const fs::path project = EMBEDSCALE_SOURCE_DIR, file = project / "properties/exhaustive.json";

const Record& committed() {
  static const Record record(file);
  return record;
}

/// All of them, in the order in which they are run.
std::vector<Run> runs() {
  auto all = difference_runs();
  for (auto& run : position_table_runs()) all.push_back(std::move(run));
  return all;
}

const std::string& hash_of(const Run& run) {
  static std::map<std::string, std::string> known;
  const auto [place, is_new] = known.try_emplace(run.source);
  if (is_new) place->second = report::hash_of_sources(project, run.source);
  return place->second;
}

bool is_current(const Record& record, const Run& run) {
  return record.runs.contains(run.name) && record.of(run.name).hash == hash_of(run);
}

/// What is found in all parts, from what is found in each.
Recorded merged(const Run& run, const std::vector<Found>& each) {
  Recorded all{.hash = hash_of(run)};
  for (const auto& found : each) all.found += found;
  const auto& [name, greatest] = *all.found.greatest.begin();
  const auto told =
      std::ranges::find_if(each, [&name = name, &greatest = greatest](const Found& found) {
        const auto own = found.greatest.find(name);
        return own != found.greatest.end() && own->second == greatest;
      });
  all.part = static_cast<std::uint64_t>(told - each.begin());
  all.found_in_part = *told;
  return all;
}

/// Evaluates every case of those runs whose record is not current, and keeps each run in the record
/// once all of it is there.
int evaluate(const std::vector<Run>& chosen, parts::Parts& parts) {
  Record record(file);
  std::vector<parts::Part> list;
  std::vector<std::pair<const Run*, std::uint64_t>> places;
  for (const auto& run : chosen)
    for (std::uint64_t part = 0; part < run.parts && !is_current(record, run); ++part) {
      list.push_back({fmt::format("{}/{}", run.name, part), hash_of(run)});
      places.emplace_back(&run, part);
    }
  if (list.empty() && parts.is_first())
    fmt::print(stderr, "every case was evaluated, of these sources\n");
  const auto progress = parts.is_first() ? cli::shown_progress({}) : std::jthread();
  cli::narrate({}, "exhaustive");
  report::Loop loop(list.size());
  const auto results = parts.make(
      list, [&](std::size_t i) { return text_of(places[i].first->evaluate(places[i].second)); },
      {.found = [&](std::size_t, const std::string&) { loop.step(); }});
  std::map<const Run*, std::vector<Found>> found;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (results[i]) found[places[i].first].push_back(found_in(*results[i]));
  const auto all = runs();
  std::erase_if(record.runs, [&](const auto& row) {
    return std::ranges::count(all, row.first, &Run::name) == 0;
  });
  for (const auto& [run, each] : found)
    if (each.size() == run->parts) record.runs[run->name] = merged(*run, each);
  if (parts.is_first()) report::write_file(file, record.text());
  return parts::stop() ? parts::interrupted : cli::done;
}

TEST(exhaustive, record_is_of_these_runs_and_these_sources) {
  for (const auto& run : runs())
    EXPECT_TRUE(is_current(committed(), run))
        << "the sources of " << run.name << " changed: ./dev exhaustive";
  EXPECT_EQ(committed().runs.size(), runs().size()) << "some run is no more: ./dev exhaustive";
}

// The one that attains a greatest value: a wrong kernel finds another, a made-up record has none.
TEST(exhaustive, a_part_of_each_run_finds_what_is_recorded) {
  for (const auto& run : runs()) {
    const auto& recorded = committed().of(run.name);
    EXPECT_EQ(run.evaluate(recorded.part), recorded.found_in_part) << run.name;
    auto all = recorded.found;
    all += recorded.found_in_part;
    EXPECT_EQ(all.greatest, recorded.found.greatest) << run.name;
    for (const auto& [name, cases] : recorded.found_in_part.counts)
      EXPECT_LE(cases, recorded.found.counts.at(name)) << run.name;
  }
}

TEST(exhaustive, difference_leaves_no_pair_out_is_symmetric_and_within_its_bound) {
  using namespace properties::precision::difference;
  const auto expect = []<class Real>(std::uint64_t infinity) {
    for (const auto d : exhausted_widths<Real>) {
      const auto& found =
          committed()
              .of("difference/" + std::string(FormatTraits<Real>::name) + "/" + std::to_string(d))
              .found;
      EXPECT_EQ(found.counts.at("pairs"), 4 * infinity * infinity);
      EXPECT_EQ(found.counts.at("in range") + found.counts.at("left out"),
                found.counts.at("pairs"));
      EXPECT_EQ(found.counts.at("asymmetric"), 0u);
      const double f = properties::significand(static_cast<double>(root_multiplier<Real>(d)));
      EXPECT_LE(found.greatest.at("error in u").value, bound_in_u(f));
    }
  };
  expect.template operator()<bfloat16>(0x7f80);
  expect.template operator()<binary16>(0x7c00);
}

// And no sine or cosine, but for that of 0, is below 2^−26, as the header of the tables says.
TEST(exhaustive, entries_that_are_rounded_once_are_as_near_as_stated) {
  for (const auto d : properties::precision::position_table::exhausted_widths) {
    const auto& greatest = committed().of("position_table/" + std::to_string(d)).found.greatest;
    for (const std::string format : {"binary64", "binary32", "binary16", "bfloat16"})
      EXPECT_LE(greatest.at(format + " once, ulps").value, format == "binary64" ? 0.508 : 0.501);
    EXPECT_LT(greatest.at("places before the first digit").value, 26);
  }
}

// An entry is where it is said to be: its error there, of the sine or cosine to 100 digits that is
// rounded to binary32, in units in the last place. By way of binary64 that is off by 2^−30 of one.
TEST(exhaustive, the_entry_that_is_the_farthest_off_is_at_its_position_and_channel) {
  using properties::exact::Decimal100;
  for (const auto d : properties::precision::position_table::exhausted_widths) {
    const auto& worst = committed()
                            .of("position_table/" + std::to_string(d))
                            .found.greatest.at("binary32 once, ulps");
    unsigned position = 0, channel = 0;
    ASSERT_EQ(std::sscanf(worst.at.c_str(), "position %u, channel %u", &position, &channel), 2);
    ASSERT_LT(channel, d);
    const Decimal100 w = pow(Decimal100(10000), -Decimal100(channel / 2 * 2) / Decimal100(d));
    const Decimal100 exact = channel % 2 == 0 ? sin(position * w) : cos(position * w);
    const auto entry = static_cast<float>(static_cast<double>(exact));
    int exponent = 0;
    std::frexp(entry, &exponent);
    const auto off = static_cast<double>(ldexp(abs(entry - exact), 24 - exponent));
    EXPECT_NEAR(off, worst.value, 1e-6) << worst.at;
  }
}

// The pairs of a small format as the claim says it, one by one, both signs.
TEST(exhaustive, every_pair_is_judged_as_the_claim_does) {
  using namespace properties;
  using Small = Format<5, 3>;
  const auto& library = combination::library<Small>;
  for (const int eighths : {8, 9, 12, 15}) {
    const Small m(2.0 * eighths);
    precision::difference::OfPairs<Small> found;
    const precision::difference::Positions<Small> positions(m);
    std::uint64_t in_range = 0, agreeing = 0;
    double error = 0.0;
    for (std::uint64_t i = 0; i < domain::Encoding<Small>::infinity; ++i) {
      positions.add(domain::encoded<Small>(i, 0), up<Small>, down<Small>, found);
      for (const std::uint64_t signs : {0, 1, 2, 3})
        for (std::uint64_t j = 0; j < domain::Encoding<Small>::infinity; ++j) {
          const auto e = domain::encoded<Small>(i, signs & 1);
          const auto p = domain::encoded<Small>(j, signs & 2);
          if (!combination::stays_in_range(e, p, m, combination::Division::by_m)) continue;
          ++in_range;
          agreeing +=
              combination::two_ways(e, p, m, combination::Division::by_m, library).agree() ? 1 : 0;
          error = std::max(error, precision::difference::error_in_u(e, p, m, library));
        }
    }
    EXPECT_EQ(found.pairs,
              4 * domain::Encoding<Small>::infinity * domain::Encoding<Small>::infinity);
    EXPECT_EQ(found.in_range, in_range);
    EXPECT_EQ(found.agreeing, agreeing);
    EXPECT_EQ(found.asymmetric, 0u);
    EXPECT_EQ(found.error.value, error);
  }
}

TEST(exhaustive, what_is_found_is_merged_in_order_and_comes_back_from_its_text) {
  const exhaustive::Run run{
      "counting/all", "analyses/exhaustive/run.hpp", 100, [](std::uint64_t part) {
        Found found;
        found.count("parts", 1);
        found.raise("part", 0.1 * static_cast<double>(part % 50), std::to_string(part));
        return found;
      }};
  const Scratch scratch;
  Record record(scratch / "none.json");
  std::vector<Found> each;
  for (std::uint64_t part = 0; part < run.parts; ++part)
    each.push_back(found_in(text_of(run.evaluate(part))));
  record.runs[run.name] = merged(run, each);
  report::write_file(scratch / "exhaustive.json", record.text());
  const Record back(scratch / "exhaustive.json");
  const auto& all = back.of(run.name);
  EXPECT_TRUE(is_current(back, run));
  EXPECT_EQ(all.greatest("part", "parts").value(), 0.1 * 49);
  EXPECT_EQ(all.greatest("part", "parts").samples(), 100u);
  EXPECT_EQ(all.at("part"), "49") << "the first of equal ones";
  EXPECT_EQ(all.part, 49u);
}

TEST(exhaustive, sources_are_all_that_is_included) {
  const Scratch scratch;
  const auto write = [&](const char* path, const char* text) {
    report::write_file(scratch / path, text);
  };
  const auto hash = [&] {
    return report::hash_of_sources(scratch.path(), "analyses/exhaustive/a.cpp");
  };
  write("analyses/exhaustive/a.cpp", "#include <vector>\n#include \"exhaustive/b.hpp\"\n");
  write("analyses/exhaustive/b.hpp", "#include \"properties/c.hpp\"");  // no line's end
  write("properties/c.hpp", "#include <embedscale/d.hpp>\n");
  write("lib/embedscale/d.hpp", "1\n");
  const auto before = hash();
  write("lib/embedscale/e.hpp", "nobody's\n");
  EXPECT_EQ(hash(), before);
  write("lib/embedscale/d.hpp", "2\n");
  const auto after = hash();
  EXPECT_NE(after, before);
  write("properties/c.cpp", "its functions\n");
  EXPECT_NE(hash(), after);
}

/// Those whose name begins so, with _ for /.
///
/// Errors    std::invalid_argument: none.
std::vector<Run> named(const std::string& beginning) {
  auto all = runs();
  std::string names;
  for (const auto& run : all) names += " " + run.name;
  std::ranges::replace(names, '/', '_');
  std::erase_if(all, [&](const Run& run) {
    std::string name = run.name;
    std::ranges::replace(name, '/', '_');
    return !name.starts_with(beginning);
  });
  if (all.empty())
    throw std::invalid_argument(
        fmt::format("no run is named '{}'; there are:{}", beginning, names));
  return all;
}

}  // namespace
}  // namespace embedscale::exhaustive

int main(int argc, char** argv) {
  using namespace embedscale;
  testing::InitGoogleTest(&argc, argv);
  cli::Arguments arguments("The tests of exhaustive runs; with --every-case, these runs",
                           "exhaustive_test");
  std::string name;
  bool every_case = false;
  parts::Options options;
  arguments.option("name", name, "the beginning of the names of runs (default: all)");
  arguments.option("--every-case", every_case, "write what the runs find into the record");
  parts::add_options(arguments, options);
  return arguments.run(argc, argv, [&] {
    if (!every_case) return RUN_ALL_TESTS();
    const auto chosen = exhaustive::named(name);
    parts::Parts parts(options, cli::share("../../parts/exhaustive").lexically_normal());
    return exhaustive::evaluate(chosen, parts);
  });
}
