// The committed record of the training study, against its design and its sources; how it is put
// together; and which runs the second study's design asks for, given what is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "report/file.hpp"
#include "report/source_hash.hpp"
#include "scratch.hpp"
#include "training/recipes/runs.hpp"
#include "training/study/record.hpp"
#include "training/study/runs.hpp"

namespace embedscale::training {
namespace {

namespace fs = std::filesystem;
namespace study = properties::training;

const fs::path file = fs::path(EMBEDSCALE_SOURCE_DIR) / "analyses/training/record.json";

const Record& committed() {
  static const Record record(file);
  return record;
}

TEST(training_record, is_of_these_sources) {
  EXPECT_EQ(committed().provenance().sources,
            report::hash_of_sources(EMBEDSCALE_SOURCE_DIR, "analyses/training/study/train.cpp"))
      << "what a run is compiled from changed: ./dev reports training";
}

TEST(training_record, has_the_runs_of_the_design_and_no_other) {
  std::set<std::string> wanted;
  for (const auto& cell : study::cells()) {
    EXPECT_EQ(missing_runs(cell, committed()), 0u) << name_of(cell.setting);
    for (const auto& runs :
         {swept_runs(cell), refined_runs(cell, committed()), compared_runs(cell, committed())})
      for (const auto& run : runs) wanted.insert(name_of(run));
  }
  EXPECT_EQ(committed().size(), wanted.size());
}

const Record& committed_recipes() {
  static const Record record(file.parent_path() / "recipe_record.json");
  return record;
}

TEST(training_record, of_recipes_is_of_these_sources) {
  EXPECT_EQ(committed_recipes().provenance().sources,
            report::hash_of_sources(EMBEDSCALE_SOURCE_DIR, "analyses/training/recipes/train.cpp"))
      << "what a run is compiled from changed: ./dev train recipes";
}

TEST(training_record, of_recipes_has_the_runs_of_the_design_and_no_other) {
  for (const auto& cell : study::recipe_cells())
    EXPECT_EQ(next_runs(cell, committed_recipes()).size(), 0u) << cell.name;
  EXPECT_EQ(committed_recipes().size(), finished_recipes(committed_recipes()).size());
}

/// The runs of the first setting's sweep, with made-up outcomes.
std::vector<std::pair<Run, Outcome>> some_runs() {
  std::vector<std::pair<Run, Outcome>> all;
  for (const auto& run : swept_runs(study::cells().front())) {
    const double x = 4 + 1e-3 * static_cast<double>(all.size());
    all.push_back({run, {.loss = x, .curve = {6.25, x}, .ratio = {1.41, 1.5}, .bits = all.size()}});
  }
  return all;
}

TEST(training_record, outcomes_that_come_back_from_their_text_have_the_same_bytes) {
  const Provenance provenance{"sources", "text", "libtorch"};
  Record one(provenance), back(provenance);
  for (auto [run, outcome] : some_runs()) {
    outcome.loss += 1e-9;
    one.keep(name_of(run), {outcome, {0.5, 1 / 3.0, 2}});
    back.keep(name_of(run), outcome_in(text_of({outcome, {0.5, 1 / 3.0, 2}})));
  }
  EXPECT_EQ(back.size(), one.size());
  EXPECT_EQ(back.text(), one.text());
  EXPECT_EQ(outcome_in(text_of({.outcome = {.bits = ~0ull}})).outcome.bits, ~0ull);
}

/// The seeds of each rate.
using Asked = std::map<double, std::set<std::uint64_t>>;

/// The runs that a cell asks for until it is whole, which its losses answer; each once.
template <class Loss>
std::vector<RecipeRun> answered(const RecipeCell& cell, const Loss& loss_at, Record& record) {
  std::vector<RecipeRun> all;
  for (auto runs = next_runs(cell, record); !runs.empty(); runs = next_runs(cell, record))
    for (const auto& run : runs) {
      if (record.find(name_of(run)) != nullptr) throw std::logic_error("asked for twice");
      const double of_seed = 0.01 * static_cast<double>(run.seed % 100);
      record.keep(name_of(run), {.outcome = {.loss = loss_at(run.rate) + of_seed}});
      all.push_back(run);
    }
  return all;
}

/// Of a recipe at 0.012 with two seeds that choose and three that count.
template <class Loss>
Asked asked(study::Question question, const Loss& loss_at) {
  Record record(Provenance{});
  Asked all;
  const RecipeCell cell{"made up", question, {{"up", study::up_recipe({})}}, 0.012, 2, 3, 1};
  for (const auto& run : answered(cell, loss_at, record)) all[run.rate].insert(run.seed);
  return all;
}

/// 3 nats at `best`, `bend` more at an octave, four times that at two.
auto bowl(double best, double bend) {
  return [=](double rate) { return 3 + bend * std::pow(std::log2(rate / best), 2); };
}

/// From octave `first` about 0.012 to octave `last`.
Asked sweep(int first, int last, const std::set<std::uint64_t>& seeds) {
  Asked all;
  for (int i = first; i <= last; ++i) all[std::ldexp(0.012, i)] = seeds;
  return all;
}

TEST(recipe_runs, compare_at_the_vertex_and_go_on_at_an_end) {
  const auto expect = [](const auto& loss_at, int first, int last, double chosen) {
    Asked meant = sweep(first, last, {0, 1});
    meant[chosen].insert({100, 101, 102});
    EXPECT_EQ(asked(study::Question::compared, loss_at), meant) << chosen;
  };
  expect(bowl(0.015, 0.1), -1, 1, 0.015);
  expect(bowl(0.05, 0.1), -1, 3, 0.05);
  expect(bowl(0.001, 0.1), -5, 1, 0.001);
  expect(bowl(1e-5, 0.1), -5, 1, 0.000375);  // none below 0.0003
  expect(bowl(10, 0.1), -1, 4, 0.192);       // none above 0.2
  // Beyond a cliff: 3 nats more are taken for the half of one that the other neighbour has.
  expect([](double rate) { return rate > 0.012 ? 6 : rate < 0.012 ? 3.5 : 3; }, -1, 1, 0.012);
}

TEST(recipe_runs, sweep_until_both_ends_are_worse_by_a_tenth_and_move_at_one_rate) {
  const std::set<std::uint64_t> seeds{100, 101, 102};
  EXPECT_EQ(asked(study::Question::swept, bowl(0.012, 0.02)), sweep(-3, 3, seeds));  // 0.08, 0.18
  EXPECT_EQ(asked(study::Question::swept, bowl(0.012, 0.11)), sweep(-1, 1, seeds));
  EXPECT_EQ(asked(study::Question::swept, bowl(0.012, 0)), sweep(-5, 4, seeds));
  EXPECT_EQ(asked(study::Question::moved, bowl(0.1, 1)), sweep(0, 0, seeds));
}

TEST(recipe_runs, are_finished_where_a_cell_is_whole) {
  const auto cells = study::recipe_cells();
  Record record(Provenance{"sources", "text", "libtorch"}), other(record);
  const auto whole = answered(cells[0], bowl(0.01, 0.1), record).size();
  const auto runs = answered(cells[1], bowl(0.01, 0.1), other);
  const auto keep = [&](const RecipeRun& run) {
    record.keep(name_of(run), *other.find(name_of(run)));
  };
  std::for_each(runs.begin(), runs.end() - 1, keep);
  record.keep(name_of({study::up_recipe({}), 0.5, 0}), {});  // of no sweep
  EXPECT_EQ(finished_recipes(record).size(), whole);
  keep(runs.back());
  EXPECT_EQ(finished_recipes(record).size(), whole + runs.size());
}

}  // namespace
}  // namespace embedscale::training
