// The ledger's budget, that what spends an entry is its own kind of check, and that it fails where
// it should.
#include "../ledger.hpp"

#include <cmath>
#include <string>

#include "../evidence/normal.hpp"
#include "../testing/statistical.hpp"
#include "../testing/test/planted.hpp"

namespace embedscale::properties::self_test {
namespace {

using namespace evidence;
using testing::Assertion, testing::recorded, testing::Spending;

TEST(ledger, entries_that_cannot_stand_are_seen) {
  using ledger::Entry;
  constexpr auto flawed = [](Entry first, Entry second) {
    return ledger::flaw(std::array{first, second}) != nullptr;
  };
  constexpr Entry good{"a.a", "kind", 1, "words"};
  static_assert(!flawed(good, {"a.b", "kind", 1, "words"}));
  static_assert(flawed(good, good));
  static_assert(flawed(good, {"a.b", "kind", 0, "words"}));
  static_assert(flawed(good, {"a.b", "kind", 1, ""}));
  static_assert(flawed(good, {"a.b", "kind", 1, "words", 0}));
  static_assert(flawed(good, {"a.b", "kind", 1, "words", 1e-10, 1}));
  static_assert(ledger::sum_of_rates(std::array{good, good}).alpha == 2 * good.alpha);
}

// What is not in the ledger, or is there for another kind of check, does not compile.
template <ledger::Id id, class Kind>
concept Compiles = requires {
  sizeof(Assertion<id, Kind>);
};
static_assert(Compiles<"random.normal_has_mean_0", NormalMean>);
static_assert(!Compiles<"random.normal_has_mean_1", NormalMean>);
static_assert(!Compiles<"random.normal_has_mean_0", NormalVariance>);

// Planted entries, which no test outside of this file can make.
struct Planted : Spending {
  explicit Planted(std::string_view id, std::uint64_t cases = 1, Side side = Side::null,
                   std::uint64_t grid = 1, double effect = 1)
      : Spending({id, NormalMean::name, effect, "planted"}, cases, grid, side), effect(effect) {}
  void judge(double z, std::uint64_t n = 1000, std::string_view which = "planted") {
    const NormalMean::Data data{n, z * std::sqrt(real(n))};
    note(testing::judgement_of<NormalMean>(data, rates(), which), effect, "planted.cpp", 1);
  }
  double effect;
};

TEST(ledger, a_null_passes_and_records_its_power) {
  { Planted("planted.null").judge(0.5); }
  auto found = recorded();
  EXPECT_EQ(found["ledger"], "planted.null");
  EXPECT_EQ(found["kind"], NormalMean::name);
  EXPECT_EQ(found["alpha"], "1e-10");
  EXPECT_EQ(found["beta"], "1e-07");
  EXPECT_EQ(found["effect"], "1");
  EXPECT_EQ(found["draws"], "1000");
  EXPECT_EQ(found["statistic"], "0.5");
  EXPECT_EQ(found["smallest_effect"], "0.3689");  // (6.4670 + 5.1993)/√1000
  EXPECT_FALSE(found.contains("mutants"));
}
TEST(ledger, mutants_are_recorded_by_name_and_effect) {
  {
    Planted mutants("planted.named", 2, Spending::Side::mutants);
    mutants.judge(9, 1000, "off by 1");
    mutants.judge(9, 1000, "clamped");
  }
  EXPECT_EQ(recorded()["mutants"], "off by 1 (1); clamped (1)");
}
TEST(ledger, a_mutant_without_a_name_in_ascii_fails) {
  Planted mutants("planted.nameless", 3, Spending::Side::mutants);
  for (const char* which : {"", "β ignored", "two; mutants"})
    EXPECT_NONFATAL_FAILURE(mutants.judge(9, 1000, which), "a mutant needs a name in ASCII");
}
TEST(ledger, a_rejected_null_fails_and_says_how_to_repeat_it) {
  EXPECT_NONFATAL_FAILURE(Planted("planted.rejected").judge(7),
                          "--gtest_filter=ledger.a_rejected_null_fails_and_says_how_to_repeat_it");
}
TEST(ledger, a_check_that_could_not_see_the_effect_fails) {
  EXPECT_NONFATAL_FAILURE(Planted("planted.weak").judge(0.5, 100), "too weak: 100 draws show");
}
TEST(ledger, a_grid_of_no_cases_fails) {
  EXPECT_NONFATAL_FAILURE(Planted("planted.empty", 0), "0 cases judged of 0");
}
TEST(ledger, a_grid_with_a_case_left_out_fails) {
  EXPECT_NONFATAL_FAILURE(Planted("planted.short", 2).judge(0), "1 cases judged of 2");
}
TEST(ledger, a_second_spending_fails) {
  { Planted("planted.twice").judge(0); }
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(&failures);
    Planted("planted.twice").judge(0);
  }
  ASSERT_EQ(failures.size(), 2);
  EXPECT_NE(std::string(failures.GetTestPartResult(0).message()).find("second time"),
            std::string::npos);
  EXPECT_NE(std::string(failures.GetTestPartResult(1).message()).find("spends a second entry"),
            std::string::npos);
}
TEST(ledger, a_mutant_is_to_be_rejected_at_the_level_of_the_grid) {
  Planted mutants("planted.mutants", 2, Spending::Side::mutants, 10);
  EXPECT_DOUBLE_EQ(mutants.rates().alpha, 1e-11);
  EXPECT_DOUBLE_EQ(mutants.rates().beta, 0.5e-7);
  mutants.judge(7);
  EXPECT_NONFATAL_FAILURE(mutants.judge(6.5), "the mutant is not rejected");
}
TEST(ledger, a_mutant_too_small_for_the_draws_fails_although_it_is_rejected) {
  EXPECT_NONFATAL_FAILURE(Planted("planted.small", 1, Spending::Side::mutants, 1, 0.1).judge(9),
                          "too weak");
}

TEST(ledger, a_mutant_of_less_than_no_effect_fails_beside_one_that_has_some) {
  EXPECT_NONFATAL_FAILURE(
      {
        Planted mutants("planted.none", 2, Spending::Side::mutants);
        mutants.judge(9);
        mutants.effect = -1;
        mutants.judge(9);
      },
      "too weak");
}

// A property's cases, of any σ, add to one pivot; none is judged alone.
TEST(ledger, a_pool_is_judged_once) {
  Assertion<"ledger.a_pool_is_judged_once", NormalVariance> variance;
  const Stream stream = variance.stream();
  NormalVariance::Data pool;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double sigma = std::exp2(static_cast<double>(stream.below(40, i)) - 20);
    NormalVariance::Data one;
    for (std::uint64_t j = 0; j < 20; ++j) one.add(sigma * stream.normal(20 * i + j, 1) / sigma);
    pool += one;
  }
  variance.judge(pool);
}

}  // namespace
}  // namespace embedscale::properties::self_test
