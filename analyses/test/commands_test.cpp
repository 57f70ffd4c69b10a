// The programs as their users meet them: options, exit codes, what goes to which stream.
#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include <algorithm>
#include <map>

#include "programs.hpp"
#include "report/json.hpp"
#include "report/json_once.hpp"
#include "report/project.hpp"
#include "report/results.hpp"
#include "scratch.hpp"

namespace embedscale::commands_test {
namespace {

namespace fs = std::filesystem;

const fs::path source = EMBEDSCALE_SOURCE_DIR, systems = EMBEDSCALE_SYSTEMS_DIR;

class commands : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file :
         {"README.md", "analyses/answer.md", "analyses/certainty.md", "analyses/folklore.md",
          "analyses/decide.md", "analyses/port.md", "analyses/report/results.schema.json",
          "properties/mutation/score.json"})
      report::write_file(project / file, report::read_file(source / file));
  }
  /// What the build measured, for the answer to merge.
  void take_rows() {
    fs::create_directories(scratch / "reports");
    fs::copy(fs::path(EMBEDSCALE_SITE) / "reports/data", scratch / "reports/data",
             fs::copy_options::recursive);
  }
  Ended answer() const {
    return run(program::answer, {"--project", project, "--out", scratch.path()});
  }
  Scratch scratch;
  const fs::path results = EMBEDSCALE_SITE "/reports/results.json";
  const fs::path project = scratch / "project";
};

TEST_F(commands, answer_help_and_version_and_refuse_what_they_do_not_know) {
  for (const auto& name :
       {program::analyses, program::answer, program::publish, program::embedscale}) {
    const auto help = run(name, {"--help"}), version = run(name, {"--version"});
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_NE(help.out.find("Usage: "), std::string::npos) << name << help.out;
    EXPECT_TRUE(is_one_line_with(version.out, project::version)) << name << version.out;
    EXPECT_EQ(help.err + version.err, "") << name;
    const auto unknown = run(name, {"--no-such-option"});
    EXPECT_EQ(unknown.code, 2) << name;
    EXPECT_EQ(unknown.out, "") << name;
    EXPECT_NE(unknown.err, "") << name;
    EXPECT_EQ(run(name, {}).code, 2) << name;
  }
  for (const char* command : {"list", "show", "audit", "compare", "port"})
    EXPECT_EQ(run(program::embedscale, {command, "--help"}).code, 0) << command;
  EXPECT_EQ(run(program::analyses, {"combinations", "--json"}).code, 2);
  EXPECT_EQ(measure({"--help"}).code, 0);
  EXPECT_TRUE(is_one_line_with(measure({"--widths", "64", "--out", scratch / "out"}).err, "--out"));
}

/// With the range, before anything is measured; a number as it was written, not as it would come
/// out of 64 bits.
TEST_F(commands, refuse_parameters_out_of_range) {
  for (const auto& [option, said] : std::vector<std::pair<std::string, std::string>>{
           {"--widths=2097152", "--widths: from 1 to 1048576"},
           {"--widths=64,64", "--widths: each value once"},
           {"--widths=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "from 1 to 16 values, not 17"},
           {"--widths=-80", "--widths: -80 is negative"},
           {"--widths=1,2,,3", "'--widths=1,2,,3' has an empty place between its commas"},
           {"--widths=1,", "'--widths=1,' has an empty place between its commas"},
           {"--seed=18446744073709551616", "'18446744073709551616' is no whole number"},
           {"--widths=18446744073709551616", "'18446744073709551616' is no whole number"},
           {"--positions=1048576",
            "--widths times --positions: at most 2.684e+08, not 1.416e+10: ask for fewer or "
            "smaller"},
           {"--samples=0", "--samples"},
           {"--samples=1e3", "--samples"},
           {"--seed=x", "--seed"}}) {
    const auto ended = measure({option});
    EXPECT_EQ(ended.code, 2) << option;
    EXPECT_EQ(ended.out, "") << option;
    EXPECT_NE(ended.err.find(said), std::string::npos) << ended.err;
    EXPECT_LT(ended.processor_seconds, 0.5) << option;
  }
}

TEST_F(commands, say_which_claims_do_not_take_an_option) {
  const auto said = [&](const std::string& option) {
    auto options = quick;
    options.push_back(option);
    const auto ended = measure(options);
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::map<std::string, std::string> summaries;
    for (const auto& row : report::parsed(ended.out)) summaries[row.at("id")] = row.at("summary");
    return summaries;
  };
  const auto expect = [](const std::string& text, const char* what) {
    EXPECT_NE(text.find(what), text.npos) << text;
  };
  const std::string faint = "combination.down_makes_positions_too_faint";
  const auto some = said("--widths=63,64");
  expect(some.at(faint), "even numbers from 2 to 16384, so 63 is left out.");
  expect(some.at("combination.rounds_identically"), "`--positions` means nothing");
  expect(some.at("combination.rounds_identically"), "parameters of your own");
  EXPECT_FALSE(said("--widths=63").contains(faint));
}

TEST_F(commands, print_the_page_that_they_write_whatever_is_said_on_the_other_stream) {
  const auto printed = run(program::analyses, {"training", "--jobs", "1"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.err, "");
  const auto narrated =
      run(program::analyses, {"training", "--progress", "--out", scratch / "out"});
  EXPECT_EQ(report::read_file(scratch / "out/training.md"), printed.out);
  EXPECT_NE(narrated.err.find("training.up_equals_down"), std::string::npos);
}

TEST_F(commands, say_so_when_standard_output_is_full) {
  const report::Command full{.out = "/dev/full"};
  for (const auto& ended :
       {measure(quick, full), run(program::embedscale, {"list", "--results", results}, full),
        run(program::embedscale, {"audit", systems / "hf_gemma.toml"}, full),
        run(program::embedscale, {"compare", "--system", "hf_gemma"}, full),
        run(program::embedscale, {"port", "hf_gemma", "hf_gemma"}, full)}) {
    EXPECT_EQ(ended.code, 3);
    EXPECT_TRUE(is_one_line_with(ended.err, "standard output")) << ended.err;
  }
}

TEST_F(commands, list_every_claim_with_its_verdict) {
  const auto ended = run(program::embedscale, {"list", "--results", results});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(std::ranges::count(ended.out, '\n'), std::ssize(properties::catalogue()));
  for (const auto& claim : properties::catalogue())
    EXPECT_NE(ended.out.find(std::string(claim.id) + " "), std::string::npos) << claim.id;
}

TEST_F(commands, show_the_claims_asked_for) {
  const auto ended = run(program::embedscale, {"show", "combination.rounds_identically",
                                               "training.up_equals_down", "--results", results});
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(ended.out.starts_with("combination.rounds_identically\n")) << ended.out;
  EXPECT_NE(ended.out.find("verdict      true if √d_model"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("\n\ntraining.up_equals_down\n"), std::string::npos) << ended.out;
  const auto unknown = run(program::embedscale, {"show", "combination.rounds_identically",
                                                 "combination.none", "--results", results});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_TRUE(is_one_line_with(unknown.err, "'combination.none'")) << unknown.err;
  EXPECT_NE(unknown.err.find("embedscale list"), std::string::npos) << unknown.err;
  const auto part = run(program::embedscale, {"show", "rounds_identically", "--results", results});
  EXPECT_TRUE(is_one_line_with(part.err, "nearest is combination.rounds_identically;")) << part.err;
}

TEST_F(commands, name_files_that_are_missing_or_broken) {
  for (const char* option : {"--words", "--evidence", "--out"}) {
    report::write_file(scratch / "bad", "# T\n### why\n");
    const auto ended = run(program::analyses, {"training", option, scratch / "bad"});
    EXPECT_EQ(ended.code, option == std::string("--out") ? 3 : 2) << option;
    EXPECT_TRUE(is_one_line_with(ended.err, "bad")) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
  const auto missing = run(program::embedscale, {"list", "--results", scratch / "none.json"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(is_one_line_with(missing.err, scratch / "none.json")) << missing.err;
  report::write_file(scratch / "broken.json", "{\"claims\": [");
  const auto broken = run(program::embedscale, {"list", "--results", scratch / "broken.json"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_EQ(broken.out, "");
  EXPECT_TRUE(is_one_line_with(broken.err, scratch / "broken.json")) << broken.err;
}

/// What ./dev release and ./dev reports do: citations name the commit of the record.
TEST_F(commands, merge_the_answer_and_cite_what_was_released) {
  const std::string commit(40, 'a');
  take_rows();
  const auto released =
      run(program::release, {"--results", results, "--commit", commit, "--date", "2025-03-04",
                             "--out", project / "reports/release.json"});
  EXPECT_EQ(released.err, "");
  ASSERT_EQ(answer().err, "");
  EXPECT_NE(report::read_file(scratch / "reports/claims.bib").find("/blob/" + commit + "/"),
            std::string::npos);
  EXPECT_EQ(report::read_file(scratch / "reports/release.json"),
            report::read_file(project / "reports/release.json"));
  const auto rows = report::read_json(scratch / "reports/results.json");
  EXPECT_EQ(rows.at("claims").size(), properties::catalogue().size());
  EXPECT_NE(report::read_file(scratch / "README.md").find("](reports/combination.md#combination."),
            std::string::npos);
}

TEST_F(commands, refuse_to_merge_what_is_incomplete_or_not_so) {
  const auto refuse = [&](const Ended& ended, const char* why) {
    EXPECT_EQ(ended.code, 2);
    EXPECT_TRUE(is_one_line_with(ended.err, why)) << ended.err;
  };
  refuse(answer(), "no analysis has measured it");
  take_rows();
  report::write_file(project / "README.md", "# No marks\n");
  refuse(answer(), "README.md: needs <!-- answer:begin -->");
  report::write_file(project / "README.md", report::read_file(source / "README.md"));
  auto text = report::read_file(source / "analyses/answer.md");
  text.replace(text.find("{true combination."), 5, "{false");
  report::write_file(project / "analyses/answer.md", text);
  refuse(answer(), "is 'false', but its verdict is 'true'");
  EXPECT_FALSE(fs::exists(scratch / "reports/results.json"));
}

}  // namespace
}  // namespace embedscale::commands_test
