// The committed record of the exhaustive runs, against the runs; and what makes and keeps it.
#include <embedscale/embedding.hpp>

#include "exhaustive/record.hpp"
#include "exhaustive/run.hpp"
#include "properties/exact/decimal50.hpp"
#include "properties/precision/difference.hpp"
#include "properties/precision/every_entry.hpp"
#include "properties/precision/every_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "report/file.hpp"
#include "report/source_hash.hpp"

namespace embedscale::exhaustive {
namespace {

namespace fs = std::filesystem;

const Record& committed() {
  static const Record record(fs::path(EMBEDSCALE_SOURCE_DIR) / "properties/exhaustive.json");
  return record;
}

/// A directory of the test's own, empty.
fs::path scratch() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const auto own = fs::path(testing::TempDir()) / (std::string("exhaustive_") + test->name());
  fs::remove_all(own);
  return own;
}

TEST(exhaustive, record_is_of_these_runs_and_these_sources) {
  for (const auto& run : runs()) {
    ASSERT_TRUE(committed().runs.contains(run.name)) << "./dev exhaustive " << run.name;
    EXPECT_EQ(committed().of(run.name).hash,
              report::hash_of_sources(EMBEDSCALE_SOURCE_DIR, run.source))
        << "the sources of " << run.name << " changed: ./dev exhaustive";
  }
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

TEST(exhaustive, entries_that_are_rounded_once_are_as_near_as_stated) {
  for (const auto d : properties::precision::position_table::exhausted_widths)
    for (const std::string format : {"binary64", "binary32", "binary16", "bfloat16"})
      EXPECT_LE(committed()
                    .of("position_table/" + std::to_string(d))
                    .found.greatest.at(format + " once, ulps")
                    .value,
                format == "binary64" ? 0.508 : 0.501);
}

// An entry is where it is said to be: its error there, of the sine or cosine to 100 digits that is
// rounded to binary32, in units in the last place. By way of binary64 that is off by 2^−30 of one.
TEST(exhaustive, the_entry_that_is_the_farthest_off_is_at_its_position_and_channel) {
  using properties::exact::Decimal100;
  for (const auto d : properties::precision::position_table::exhausted_widths) {
    const auto name = "position_table/" + std::to_string(d);
    const auto all = runs();
    const auto run = std::ranges::find(all, name, &Run::name);
    const auto worst = run->evaluate(committed().of(name).part).greatest.at("binary32 once, ulps");
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

TEST(exhaustive, record_comes_back_from_its_text) {
  const auto file = scratch() / "exhaustive.json";
  Record record(file);
  record.runs["counting/all"] = evaluated("sources", 100, [](std::uint64_t part) {
    Found found;
    found.count("parts", 1);
    found.raise("part", 0.1 * static_cast<double>(part % 50), std::to_string(part));
    return found;
  });
  report::write_file(file, record.text());
  const Record back(file);
  EXPECT_EQ(back.text(), record.text());
  const auto& all = back.of("counting/all");
  EXPECT_EQ(all.greatest("part", "parts").value(), 0.1 * 49);
  EXPECT_EQ(all.greatest("part", "parts").samples(), 100u);
  EXPECT_EQ(all.at("part"), "49") << "the first of equal ones";
}

TEST(exhaustive, sources_are_all_that_is_included) {
  const auto project = scratch();
  const auto write = [&](const char* path, const char* text) {
    report::write_file(project / path, text);
  };
  const auto hash = [&] { return report::hash_of_sources(project, "analyses/exhaustive/a.cpp"); };
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

}  // namespace
}  // namespace embedscale::exhaustive
