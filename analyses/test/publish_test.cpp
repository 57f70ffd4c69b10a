// publish puts the generated tree in the committed one's place, and with --check shows where the
// committed one is stale or was edited.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <embedscale/random.hpp>

#include <nlohmann/json.hpp>

#include "programs.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::publish_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string results(const std::string& verdict) {
  const Json row = {
      {"id", "topic.one"}, {"status", "evaluated"}, {"verdict", verdict}, {"condition", nullptr}};
  return Json{{"version", "0.1.0"}, {"claims", {row}}}.dump(1) + "\n";
}

/// A generated tree, and a repository that has published it, with sources of its own.
class Publishing : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& root : {site, repository}) {
      report::write_file(root / "README.md", "# One\n");
      report::write_file(root / "CITATION.cff", "cff\n");
      report::write_file(root / "reports/topic.md", "# Topic\n\nIt holds.\n");
      report::write_file(root / "reports/figures/topic.svg", "<svg></svg>\n");
      report::write_file(root / "reports/results.json", results("true"));
    }
    report::write_file(site / "reports/provenance.json", "\"this machine\"\n");
    report::write_file(repository / "reports/provenance.json", "\"another machine\"\n");
    report::write_file(repository / "analyses/topic.md", "words\n");
  }
  Ended publish() const { return run(program::publish, {site, repository}); }
  Ended check() const { return run(program::publish, {site, repository, "--check"}); }
  std::string published(const fs::path& file) const { return report::read_file(repository / file); }

  Scratch scratch;
  const fs::path site = scratch / "site", repository = scratch / "repository";
  const fs::path page = "reports/topic.md";
};
using publishing = Publishing;

TEST_F(publishing, is_content_with_a_current_tree) {
  const auto before = tree(repository);
  const auto checked = check();
  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.out + checked.err, "");
  const auto published_again = publish();
  EXPECT_EQ(published_again.code, 0);
  EXPECT_EQ(published_again.out, "");
  EXPECT_EQ(tree(repository), before);
}

TEST_F(publishing, check_shows_what_was_edited_and_changes_nothing) {
  report::write_file(repository / page, "# Topic\n\nIt holds, surely.\n");
  const auto before = tree(repository);
  const auto checked = check();
  EXPECT_EQ(checked.code, 1);
  EXPECT_TRUE(contains(checked.out, "-It holds, surely.\n+It holds.\n")) << checked.out;
  EXPECT_TRUE(contains(checked.out, page.string())) << checked.out;
  EXPECT_FALSE(contains(checked.out, "figures/topic.svg")) << checked.out;
  EXPECT_TRUE(is_one_line_with(checked.err, "./dev reports")) << checked.err;
  EXPECT_EQ(tree(repository), before);
}

TEST_F(publishing, check_compares_every_generated_file) {
  for (const auto& [file, bytes] : tree(site)) {
    report::write_file(repository / file, bytes + " ");
    EXPECT_EQ(check().code, file == "reports/provenance.json" ? 0 : 1) << file;
    report::write_file(repository / file, bytes);
  }
  EXPECT_EQ(check().code, 0);
}

TEST_F(publishing, repairs_what_was_edited_or_lost) {
  report::write_file(repository / page, "edited\n");
  fs::remove(repository / "reports/figures/topic.svg");
  const auto ended = publish();
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "reports/figures/topic.svg\nreports/topic.md\n");
  EXPECT_EQ(published(page), "# Topic\n\nIt holds.\n");
  EXPECT_EQ(check().code, 0);
}

TEST_F(publishing, reports_and_removes_what_nothing_generates) {
  report::write_file(repository / "reports/figures/old.svg", "<svg/>\n");
  const auto checked = check();
  EXPECT_EQ(checked.code, 1);
  EXPECT_TRUE(is_one_line_with(checked.out, "reports/figures/old.svg")) << checked.out;
  EXPECT_EQ(publish().out, "reports/figures/old.svg (removed)\n");
  EXPECT_FALSE(fs::exists(repository / "reports/figures/old.svg"));
  EXPECT_EQ(published("analyses/topic.md"), "words\n");
}

TEST_F(publishing, prints_the_verdicts_that_changed) {
  report::write_file(repository / "reports/results.json", results("false"));
  EXPECT_TRUE(contains(check().out, "topic.one: false → true\n"));
  EXPECT_TRUE(contains(publish().out, "verdicts changed:\ntopic.one: false → true\n"));
  EXPECT_FALSE(contains(publish().out, "verdicts changed"));
}

TEST_F(publishing, leaves_the_provenance_alone_unless_something_changed) {
  publish();
  EXPECT_EQ(published("reports/provenance.json"), "\"another machine\"\n");
  report::write_file(repository / page, "edited\n");
  publish();
  EXPECT_EQ(published("reports/provenance.json"), "\"this machine\"\n");
}

/// The same with a page that takes minutes, made apart and published before.
class PublishingApart : public Publishing {
 protected:
  void SetUp() override {
    Publishing::SetUp();
    report::write_file(apart / "inputs.json", inputs("1"));
    for (const auto& root : {apart, repository}) make(root, "# Trust\n", "1");
  }
  static std::string inputs(const std::string& hash) {
    return Json{{"hashes", {{"a.hpp", hash}}}}.dump();
  }
  static void make(const fs::path& root, const std::string& page, const std::string& hash) {
    const Json data{{"inputs", {{"a.hpp", hash}}},
                    {"page", fmt::format("{:016x}", hash_of(page + "Draws.\n"))}};
    report::write_file(root / "reports/trust.md", page);
    report::write_file(root / "reports/evidence/trust.md", "Draws.\n");
    report::write_file(root / "reports/data/trust.json", data.dump());
    report::write_file(root / "reports/data/trust_rates.csv", "x\n");
    report::write_file(root / "reports/figures/trust_rates.svg", "<svg/>\n");
  }
  Ended publish(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {site, repository, "--apart", apart});
    return run(program::publish, more);
  }
  Ended check() const { return publish({"--check"}); }
  const fs::path apart = scratch / "apart/trust";
};
using publishing_apart = PublishingApart;

TEST_F(publishing_apart, leaves_the_committed_page_alone_unless_it_is_named) {
  make(apart, "# Another\n", "1");
  const auto before = tree(repository);
  const auto ended = publish();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(tree(repository), before);
}

TEST_F(publishing_apart, puts_a_named_page_in_place_with_its_figures) {
  make(apart, "# Another\n", "2");
  report::write_file(repository / "reports/figures/trust_old.svg", "<svg/>\n");
  const auto ended = publish({"--named", "trust"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(published("reports/trust.md"), "# Another\n");
  EXPECT_EQ(published("reports/evidence/trust.md"), "Draws.\n");
  EXPECT_FALSE(fs::exists(repository / "reports/figures/trust_old.svg"));
  EXPECT_TRUE(fs::exists(repository / "reports/figures/trust_rates.svg"));
  EXPECT_EQ(publish({"--named", "trust", "--check"}).code, 0);
}

TEST_F(publishing_apart, check_compares_what_it_was_made_of) {
  const auto current = check();
  EXPECT_EQ(current.code, 0) << current.out << current.err;
  const auto stale = [&](const std::string& why) {
    const auto before = tree(repository);
    const auto checked = check();
    EXPECT_EQ(checked.code, 1) << why;
    EXPECT_TRUE(contains(checked.out, "reports/trust.md: " + why)) << checked.out;
    EXPECT_TRUE(is_one_line_with(checked.err, "./dev reports trust")) << checked.err;
    EXPECT_EQ(tree(repository), before);
  };
  report::write_file(apart / "inputs.json", inputs("2"));
  stale("a.hpp has changed");
  report::write_file(apart / "inputs.json", R"({"hashes": {"a.hpp": "1", "b.hpp": "1"}})");
  stale("b.hpp was added");
  report::write_file(apart / "inputs.json", R"({"hashes": {}})");
  stale("a.hpp is gone");
  report::write_file(apart / "inputs.json", inputs("1"));
  report::write_file(repository / "reports/trust.md", "# Trust us\n");
  stale("it, or reports/evidence/trust.md, is not as it was made");
  report::write_file(repository / "reports/trust.md", "# Trust\n");
  EXPECT_EQ(check().code, 0);
  report::write_file(repository / "reports/evidence/trust.md", "Drawn.\n");
  stale("it, or reports/evidence/trust.md, is not as it was made");
  fs::remove(repository / "reports/evidence/trust.md");
  stale("reports/evidence/trust.md is not there");
  fs::remove(repository / "reports/trust.md");
  stale("reports/trust.md is not there");
}

TEST_F(publishing, replaces_results_that_are_broken_and_names_them) {
  report::write_file(repository / "reports/results.json", "{");
  const auto ended = publish();
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(is_one_line_with(ended.err, "reports/results.json")) << ended.err;
  EXPECT_EQ(report::read_file(repository / "reports/results.json"),
            report::read_file(site / "reports/results.json"));
}

TEST_F(publishing, says_so_when_it_cannot_write) {
  report::write_file(repository / page, "edited\n");
  report::write_file(site / page, std::string(10000, 'x'));
  const auto limited = run(program::publish, {site, repository}, {.largest_file = 4096});
  EXPECT_EQ(limited.code, 3);
  EXPECT_TRUE(is_one_line_with(limited.err, page.string())) << limited.err;
  EXPECT_EQ(published(page), "edited\n");
  EXPECT_EQ(tree(repository).size(), 7u);
}

}  // namespace
}  // namespace embedscale::publish_test
