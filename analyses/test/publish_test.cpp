// publish puts the generated tree in the committed one's place, and with --check shows where the
// committed one is stale or was edited. page.sh measures a page, or copies the committed one.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <embedscale/random.hpp>

#include "programs.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::publish_test {
namespace {

namespace fs = std::filesystem;
using report::Json;

std::string results(const std::string& verdict) {
  const Json row = {
      {"id", "topic.one"}, {"status", "evaluated"}, {"verdict", verdict}, {"condition", nullptr}};
  return Json{{"version", "0.1.0"}, {"claims", {row}}}.dump(1) + "\n";
}

/// A generated tree, and a repository that has published it, with sources of its own; and a page
/// that takes minutes, made apart and published before.
class publishing : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& root : {site, repository}) {
      report::write_file(root / "README.md", "# One\n");
      report::write_file(root / page, "# Topic\n\nIt holds.\n");
      report::write_file(root / "reports/figures/topic.svg", "<svg></svg>\n");
      report::write_file(root / "reports/results.json", results("true"));
    }
    report::write_file(site / "reports/provenance.json", "\"this machine\"\n");
    report::write_file(repository / "reports/provenance.json", "\"another machine\"\n");
    report::write_file(repository / "analyses/topic.md", "words\n");
    make_inputs("1");
    for (const auto& root : {apart, repository}) make(root, "# Trust\n", "1");
  }
  void make_inputs(const std::string& hash) const {
    report::write_file(apart / "inputs.json", Json{{"hashes", {{"a.hpp", hash}}}}.dump());
  }
  static void make(const fs::path& root, const std::string& page, const std::string& hash) {
    const Json data{{"inputs", {{"a.hpp", hash}}},
                    {"page", fmt::format("{:016x}", hash_of(page + "Draws.\n"))}};
    report::write_file(root / "reports/trust.md", page);
    report::write_file(root / "reports/evidence/trust.md", "Draws.\n");
    report::write_file(root / "reports/data/trust.json", data.dump());
    report::write_file(root / "reports/figures/trust_rates.svg", "<svg/>\n");
  }
  Ended publish(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {site, repository, "--apart", apart});
    return run(program::publish, more);
  }
  /// What --check prints of a tree that is not current, or nothing; it changes nothing.
  std::string stale(const char* advice = "./dev reports") const {
    const auto before = tree(repository);
    const auto checked = publish({"--check"});
    EXPECT_EQ(tree(repository), before);
    EXPECT_EQ(checked.code, checked.out.empty() ? 0 : 1);
    EXPECT_TRUE(checked.out.empty() || is_one_line_with(checked.err, advice)) << checked.err;
    return checked.out;
  }
  std::string published(const fs::path& file) const { return report::read_file(repository / file); }

  Scratch scratch;
  const fs::path site = scratch / "site", repository = scratch / "repository",
                 apart = scratch / "apart/trust", page = "reports/topic.md";
};

TEST_F(publishing, leaves_a_current_tree_and_its_provenance_alone) {
  make(apart, "# Another\n", "1");  // is not named
  const auto before = tree(repository);
  EXPECT_EQ(stale(), "");
  const auto again = publish();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(tree(repository), before);
}

TEST_F(publishing, check_compares_every_generated_file) {
  for (const auto& [file, bytes] : tree(site)) {
    report::write_file(repository / file, bytes + " ");
    EXPECT_EQ(stale().empty(), file == "reports/provenance.json") << file;
    report::write_file(repository / file, bytes);
  }
  report::write_file(repository / page, "# Topic\n\nIt holds, surely.\n");
  const auto shown = stale();
  EXPECT_TRUE(contains(shown, "-It holds, surely.\n+It holds.\n")) << shown;
  EXPECT_TRUE(contains(shown, page.string())) << shown;
  EXPECT_FALSE(contains(shown, "figures/topic.svg")) << shown;
}

TEST_F(publishing, repairs_what_was_edited_lost_or_is_generated_no_more) {
  report::write_file(repository / page, "edited\n");
  fs::remove(repository / "reports/figures/topic.svg");
  report::write_file(repository / "reports/figures/old.svg", "<svg/>\n");
  EXPECT_TRUE(contains(stale(), "reports/figures/old.svg"));
  const auto ended = publish();
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out,
            "reports/figures/topic.svg\nreports/topic.md\nreports/figures/old.svg (removed)\n");
  EXPECT_EQ(published(page), "# Topic\n\nIt holds.\n");
  EXPECT_EQ(published("analyses/topic.md"), "words\n");
  EXPECT_EQ(published("reports/provenance.json"), "\"this machine\"\n");
  EXPECT_EQ(stale(), "");
}

TEST_F(publishing, puts_a_named_page_in_place_and_prints_the_verdicts_that_changed) {
  make(apart, "# Another\n", "2");
  report::write_file(repository / "reports/results.json", results("false"));
  report::write_file(repository / "reports/figures/trust_old.svg", "<svg/>\n");
  const auto ended = publish({"--named", "trust"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(contains(ended.out, "verdicts changed:\ntopic.one: false → true\n"));
  EXPECT_EQ(published("reports/trust.md"), "# Another\n");
  EXPECT_FALSE(fs::exists(repository / "reports/figures/trust_old.svg"));
  EXPECT_TRUE(fs::exists(repository / "reports/figures/trust_rates.svg"));
}

TEST_F(publishing, check_compares_what_a_page_was_made_of) {
  const auto expect_stale = [&](const std::string& why) {
    const auto shown = stale("./dev reports trust");
    EXPECT_TRUE(contains(shown, "reports/trust.md: " + why)) << shown;
  };
  make_inputs("2");
  expect_stale("a.hpp has changed");
  report::write_file(apart / "inputs.json", R"({"hashes": {"a.hpp": "1", "b.hpp": "1"}})");
  expect_stale("b.hpp was added");
  report::write_file(apart / "inputs.json", R"({"hashes": {}})");
  expect_stale("a.hpp is gone");
  make_inputs("1");
  report::write_file(repository / "reports/evidence/trust.md", "Drawn.\n");
  expect_stale("it, or reports/evidence/trust.md, is not as it was made");
  fs::remove(repository / "reports/trust.md");
  expect_stale("reports/trust.md is not there");
}

TEST_F(publishing, says_so_when_it_cannot_write) {
  report::write_file(repository / page, "edited\n");
  report::write_file(site / page, std::string(10000, 'x'));
  const auto files = tree(repository).size();
  const auto limited =
      run("/bin/sh", {"-c", "ulimit -f 8; \"$@\"", "sh", program::publish, site, repository});
  EXPECT_EQ(limited.code, 3);
  EXPECT_TRUE(is_one_line_with(limited.err, page.string())) << limited.err;
  EXPECT_EQ(published(page), "edited\n");
  EXPECT_EQ(tree(repository).size(), files);
}

/// A project with a topic that is measured by a command, which counts how often.
class a_page : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder :
         {"atlas", "audit", "cli", "exhaustive", "other", "report", "systems", "topic"})
      fs::create_directories(project / "analyses" / folder);
    for (const char* file :
         {"lib/a.hpp", "properties/record.json", "analyses/training/record.json",
          "analyses/topic/words.md", "analyses/topic/sections.cpp", "analyses/other/cases.hpp",
          "CMakePresets.json", "cmake/floating_point.cmake"})
      report::write_file(project / file, "1");
    fs::copy(fs::path(EMBEDSCALE_ANALYSES_DIR) / "cli/page.sh", project / "analyses/cli/page.sh");
    make();
    fs::copy(site / "reports", reports, fs::copy_options::recursive);
  }
  /// Whether it was measured.
  bool make(const std::string& with = "A=1") {
    fs::remove(scratch / "ran");
    const auto ended = run(
        "/usr/bin/env",
        {with, project / "analyses/cli/page.sh", "topic", site / "reports", site / "copied",
         "/bin/sh", "-c",
         "cd \"$0\" && touch ran && mkdir -p site/reports/data site/reports/evidence && cd "
         "site/reports && for f in topic.md evidence/topic.md data/topic.json data/topic_a.csv; "
         "do echo measured > $f; done",
         scratch.path()});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    const bool ran = fs::exists(scratch / "ran");
    EXPECT_EQ(fs::exists(site / "copied"), !ran);
    EXPECT_EQ(tree(site / "reports").size(), 5u);
    return ran;
  }

  Scratch scratch;
  const fs::path project = scratch / "project", site = scratch / "site",
                 reports = project / "reports";
};

TEST_F(a_page, is_copied_where_the_same_sources_measured_what_is_committed) {
  EXPECT_FALSE(make());
  EXPECT_EQ(tree(site / "reports"), tree(reports));
  EXPECT_TRUE(make("EMBEDSCALE_MEASURE=1"));
}

TEST_F(a_page, is_measured_where_any_of_them_is_another) {
  for (const char* file :
       {"lib/a.hpp", "properties/record.json", "analyses/training/record.json",
        "analyses/topic/words.md", "analyses/topic/sections.cpp", "analyses/other/cases.hpp",
        "CMakePresets.json", "reports/topic.md", "reports/data/topic_a.csv"}) {
    const auto was = report::read_file(project / file);
    report::write_file(project / file, "2");
    EXPECT_TRUE(make()) << file;
    report::write_file(project / file, was);
    EXPECT_FALSE(make()) << file;
  }
  for (const char* added : {"analyses/systems/new.toml", "reports/figures/topic_new.svg"}) {
    report::write_file(project / added, "1");
    EXPECT_TRUE(make()) << added;
    fs::remove(project / added);
  }
  fs::remove(reports / "evidence/topic.md");
  EXPECT_TRUE(make());
}

}  // namespace
}  // namespace embedscale::publish_test
