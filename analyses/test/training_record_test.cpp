// The committed record of the training study, against its design and its sources; and how it is
// put together.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "report/file.hpp"
#include "report/source_hash.hpp"
#include "scratch.hpp"
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
    one.keep(run, outcome);
    back.keep(run, outcome_in(text_of(outcome)));
  }
  EXPECT_EQ(back.size(), one.size());
  EXPECT_EQ(back.text(), one.text());
  EXPECT_EQ(outcome_in(text_of({.diverged = true, .bits = ~0ull})).bits, ~0ull);
}

}  // namespace
}  // namespace embedscale::training
