// The programs as their users meet them: options, exit codes, what goes to which stream.
#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <thread>

#include "programs.hpp"
#include "report/json.hpp"
#include "report/project.hpp"
#include "report/row.hpp"
#include "scratch.hpp"

namespace embedscale::commands_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path systems = EMBEDSCALE_SYSTEMS_DIR;

class Commands : public testing::Test {
 protected:
  void SetUp() override { report::write_file(words, plain_words()); }
  /// What the build measured, for the answer to merge.
  void take_rows() {
    fs::create_directories(scratch / "reports");
    fs::copy(fs::path(EMBEDSCALE_SITE) / "reports/data", scratch / "reports/data",
             fs::copy_options::recursive);
  }
  Ended answer(const std::string& readme =
                   "<!-- answer:begin --><!-- answer:end -->\n"
                   "<!-- claims:begin --><!-- claims:end -->\n",
               const std::string& sentence = "{claim combination.rounds_identically}") {
    std::string text = "# A\n## in short\n### sentences\n- " + sentence +
                       "\n## drawing\n### title\n### text\n### alternative text\n";
    for (const char* section : {"terms", "failing", "open", "claims", "read on"})
      text += "## " + std::string(section) + "\n### text\nIts text.\n";
    text += "## topics\n### names\n";
    report::write_file(scratch / "in.md", readme);
    report::write_file(scratch / "answer.md", text);
    report::write_file(scratch / "folklore.md",
                       "# F\n## C1\n### said\nIt is.\n### heard\nhere\n### not here\nno.\n");
    std::string decide = "# D\n";
    for (const char* part : {"short", "systems", "positions", "blocks", "output"})
      decide += "## " + std::string(part) +
                "\n### title\n### text\n### verdicts\n### sentences\n### list\n";
    report::write_file(scratch / "decide.md", decide);
    report::write_file(scratch / "port.md", "# P\n");
    report::write_file(scratch / "schema.json", "{}\n");
    return run(program::answer,
               {"--readme", scratch / "in.md", "--words", scratch / "answer.md", "--folklore",
                scratch / "folklore.md", "--decide", scratch / "decide.md", "--port",
                scratch / "port.md", "--schema", scratch / "schema.json", "--release",
                scratch / "release.json", "--out", scratch.path()});
  }
  Scratch scratch;
  const fs::path results = EMBEDSCALE_SITE "/reports/results.json";
  const fs::path words = scratch / "words.md";
};
using commands = Commands;

TEST_F(commands, answer_help_and_version) {
  for (const auto& name :
       {program::analyses, program::answer, program::publish, program::embedscale}) {
    const auto help = run(name, {"--help"}), version = run(name, {"--version"});
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_NE(help.out.find("Usage: "), std::string::npos) << name << help.out;
    EXPECT_EQ(version.code, 0) << name;
    EXPECT_TRUE(is_one_line_with(version.out, project::version)) << name << version.out;
    EXPECT_EQ(help.err + version.err, "") << name;
  }
  for (const char* command : {"list", "show", "audit", "compare", "port"})
    EXPECT_EQ(run(program::embedscale, {command, "--help"}).code, 0) << command;
}

TEST_F(commands, refuse_options_they_do_not_know) {
  for (const auto& name :
       {program::analyses, program::answer, program::publish, program::embedscale}) {
    const auto ended = run(name, {"--no-such-option"});
    EXPECT_EQ(ended.code, 2) << name;
    EXPECT_EQ(ended.out, "") << name;
    EXPECT_NE(ended.err, "") << name;
  }
  for (const auto& name :
       {program::analyses, program::answer, program::publish, program::embedscale})
    EXPECT_EQ(run(name, {}).code, 2) << name;
  const auto unknown = run(program::analyses, {"combinations", "--json"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(measure({"--help"}).code, 0);
  EXPECT_EQ(measure({"--no-such-option"}).code, 2);
}

TEST_F(commands, refuse_parameters_out_of_range) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> refused = {
      {"--widths",
       {"0", "abc", "1099511627776", "64,0", "64,x", "-8", "1.5", "64,64", "64,", ",64", "1,2,,3"}},
      {"--samples", {"0", "-1", "1e3"}},
      {"--positions", {"0", "1048577"}},
      {"--jobs", {"-1", "two"}},
      {"--seed", {"-1", "x"}}};
  for (const auto& [option, values] : refused)
    for (const auto& value : values) {
      const auto ended =
          measure({"--words", words, "--samples", "16", "--positions", "1", option + "=" + value});
      EXPECT_EQ(ended.code, 2) << option << " " << value;
      EXPECT_TRUE(ended.out.empty()) << option << " " << value;
      EXPECT_NE(ended.err, "") << option << " " << value;
    }
}

TEST_F(commands, name_the_range_of_what_they_refuse_before_they_measure) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"--widths=2097152", "--widths: from 1 to 1048576"},
      {"--widths=64,0", "not 0"},
      {"--widths=64,64", "--widths: each value once"},
      {"--widths=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "from 1 to 16 values, not 17"},
      {"--positions=1048576",
       "--widths times --positions: at most 2.684e+08, not 1.416e+10: ask for fewer or smaller"}};
  for (const auto& [option, range] : refused) {
    const auto ended = measure({"--words", words, option});
    EXPECT_EQ(ended.code, 2) << option;
    EXPECT_TRUE(is_one_line_with(ended.err, range)) << ended.err;
    EXPECT_LT(ended.processor_seconds, 0.5) << option;
  }
}

/// As it was written, not as it would come out of 64 bits.
TEST_F(commands, quote_the_number_that_they_refuse) {
  for (const auto& [option, said] : std::vector<std::pair<std::string, std::string>>{
           {"--widths=-80", "--widths: -80 is negative"},
           {"--samples=-80", "--samples: -80 is negative"},
           {"--widths=1,2,,3", "--widths: '1,2,,3' has an empty place between its commas"},
           {"--widths=1.5", "--widths: '1.5' is no whole number"},
           {"--widths=18446744073709551616", "'18446744073709551616' is no whole number"}})
    EXPECT_NE(measure({option}).err.find(said), std::string::npos) << option;
}

TEST_F(commands, say_which_claims_do_not_take_an_option) {
  const auto said = [&](const std::string& option) {
    auto options = quick(words, {"--json"});
    options.push_back(option);
    const auto ended = measure(options);
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::map<std::string, std::string> summaries;
    for (const auto& row : Json::parse(ended.out)) summaries[row.at("id")] = row.at("summary");
    return summaries;
  };
  const auto has = [](const std::string& text, const std::string& what) {
    return text.find(what) != text.npos;
  };
  const std::string faint = "combination.down_makes_positions_too_faint";
  const auto some = said("--widths=63,64");
  EXPECT_TRUE(has(some.at(faint), "even numbers from 2 to 16384, so 63 is left out."));
  EXPECT_TRUE(has(some.at("combination.rounds_identically"), "`--positions` means nothing"));
  EXPECT_TRUE(has(some.at("combination.rounds_identically"), "parameters of your own"));
  EXPECT_FALSE(has(some.at("combination.only_the_ratio_sets_direction"), "of your own"));
  EXPECT_FALSE(said("--widths=63").contains(faint));
  const auto page = measure(quick(words, {"--widths=63"})).out;
  EXPECT_TRUE(has(page, "`" + faint + "` is not measured here. `--widths`: this claim takes even"));
}

TEST_F(commands, tell_how_long_it_takes) {
  const auto slow = of_combination(quick(words, {"--progress", "--samples", "100000000"}));
  Child child(command(program::analyses, slow));
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  child.send(SIGKILL);
  const auto told = child.wait().err;
  EXPECT_NE(told.find("combination.up_is_down_times_root_d (1 of 6): "), told.npos) << told;
  EXPECT_NE(told.find(" left of this step\n"), told.npos) << told;
}

TEST_F(commands, print_the_page_that_they_write) {
  const auto printed = measure(quick(words));
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(measure(quick(words, {"--out", scratch / "out"})).code, 0);
  EXPECT_EQ(report::read_file(scratch / "out/combination.md"), printed.out);
}

TEST_F(commands, narrate_on_the_other_stream) {
  const auto still = measure(quick(words));
  const auto narrated = measure(quick(words, {"--progress"}));
  EXPECT_EQ(narrated.out, still.out);
  EXPECT_NE(narrated.err.find("combination.rounds_identically"), std::string::npos);
  EXPECT_EQ(measure(quick(words, {"--progress", "--quiet"})).err, "");
}

TEST_F(commands, give_the_same_for_any_number_of_threads) {
  const auto by = [&](const char* jobs) {
    return measure(quick(words, {"--json", "--jobs", jobs}));
  };
  const auto one = by("1");
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(by("2").out, one.out);
}

TEST_F(commands, measure_exactly_the_widths_asked_for) {
  const auto ended = measure(quick(words, {"--json", "--widths", "64,512"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  std::set<int> widths;
  const auto rows = report::unpacked(Json::parse(ended.out));
  for (const auto& row : rows)
    for (const auto& m : row.at("measurements"))
      if (m.at("at").contains("d_model")) widths.insert(m.at("at").at("d_model").get<int>());
  EXPECT_EQ(widths, (std::set{64, 512}));
  for (const auto& row : rows)
    for (const auto& m : row.at("measurements"))
      EXPECT_TRUE(m.at("quantity") != "worst_share_of_bound" || m.at("samples") == 2) << m;
}

TEST_F(commands, say_so_when_standard_output_is_full) {
  const auto& rows = results;
  const report::Command full{.out = "/dev/full"};
  for (const auto& ended :
       {measure(quick(words), full), measure(quick(words, {"--json"}), full),
        run(program::embedscale, {"list", "--results", rows}, full),
        run(program::embedscale, {"show", "--results", rows, "combination.rounds_identically"},
            full),
        run(program::embedscale, {"audit", systems / "hf_gemma.toml"}, full)}) {
    EXPECT_EQ(ended.code, 3);
    EXPECT_TRUE(is_one_line_with(ended.err, "standard output")) << ended.err;
  }
}

TEST_F(commands, list_every_claim_with_its_verdict) {
  const auto ended = run(program::embedscale, {"list", "--results", results});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(std::ranges::count(ended.out, '\n'), std::ssize(properties::catalogue()));
  for (const auto& claim : properties::catalogue()) {
    const auto at = ended.out.find(std::string(claim.id) + " ");
    ASSERT_NE(at, std::string::npos) << claim.id;
    const auto line = ended.out.substr(at, ended.out.find('\n', at) - at);
    EXPECT_EQ(line.ends_with("planned"), claim.status == properties::Status::planned) << line;
  }
}

TEST_F(commands, list_the_primitives_that_each_property_calls) {
  const std::string file = scratch / "calls.json";
  const Json calls{{"first", "down (binary32); up (binary32, binary64)"}, {"second", "costs"}};
  const Json with{{"id", "a.b"}, {"topic", "a"}, {"calls", calls}};
  const Json without{{"id", "a.c"}, {"topic", "a"}};
  report::write_file(file, Json{{"claims", {with, without}}}.dump());
  const auto ended = run(program::embedscale, {"list", "--primitives", "--results", file});
  EXPECT_EQ(ended.code, 0);
  const std::regex lines(
      "a down +binary32 +a.b  first\na up +binary32, binary64 +a.b  first\n"
      "a costs +no number type +a.b  second\n");
  EXPECT_TRUE(std::regex_match(ended.out, lines)) << ended.out;
}

TEST_F(commands, show_the_claims_asked_for) {
  const auto& rows = results;
  const auto ended = run(program::embedscale, {"show", "combination.rounds_identically",
                                               "training.up_equals_down", "--results", rows});
  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(ended.out.starts_with("combination.rounds_identically\n")) << ended.out;
  EXPECT_NE(ended.out.find("verdict      true if √d_model"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("\n\ntraining.up_equals_down\n"), std::string::npos) << ended.out;
  const auto unknown = run(program::embedscale, {"show", "combination.rounds_identically",
                                                 "combination.none", "--results", rows});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_TRUE(is_one_line_with(unknown.err, "'combination.none'")) << unknown.err;
  EXPECT_NE(unknown.err.find("embedscale list"), std::string::npos) << unknown.err;
  const auto part = run(program::embedscale, {"show", "rounds_identically", "--results", rows});
  EXPECT_TRUE(is_one_line_with(part.err, "nearest is combination.rounds_identically;")) << part.err;
}

TEST_F(commands, name_results_that_are_missing_or_broken) {
  const auto missing = run(program::embedscale, {"list", "--results", scratch / "none.json"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_TRUE(is_one_line_with(missing.err, scratch / "none.json")) << missing.err;
  report::write_file(scratch / "broken.json", "{\"claims\": [");
  const auto broken = run(program::embedscale, {"list", "--results", scratch / "broken.json"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_EQ(broken.out, "");
  EXPECT_TRUE(is_one_line_with(broken.err, scratch / "broken.json")) << broken.err;
}

TEST_F(commands, merge_the_answer_into_what_is_generated) {
  take_rows();
  ASSERT_EQ(answer().err, "");
  const auto rows = report::read_json(scratch / "reports/results.json");
  EXPECT_EQ(rows.at("claims").size(), properties::catalogue().size());
  const auto readme = report::read_file(scratch / "README.md");
  EXPECT_NE(readme.find("](reports/combination.md#combination.rounds_identically)"),
            std::string::npos);
  const auto summary = report::find_claim(rows, "combination.rounds_identically")->at("summary");
  EXPECT_NE(report::read_file(scratch / "reports/README.md")
                .find("- " + summary.get<std::string>() + " <sub>["),
            std::string::npos);
  for (const char* file : {"CITATION.cff", "reports/claims.bib", "reports/provenance.json",
                           "reports/badges/combination.json", "reports/results.schema.json",
                           "reports/badges/combination.rounds_identically.json",
                           "reports/claimreview.jsonld", "reports/decide.md", "reports/folklore.md",
                           "reports/port.md", "reports/figures/equivalence.svg"})
    EXPECT_TRUE(fs::exists(scratch / file)) << file;
}

/// What ./dev release does: citations name the commit for as long as its record is there.
TEST_F(commands, cite_what_was_released) {
  const std::string commit(40, 'a');
  take_rows();
  const auto record = [&](const std::string& of) {
    return run(program::release, {"--results", results, "--commit", of, "--date", "2025-03-04",
                                  "--out", scratch / "release.json"});
  };
  const auto is_cited = [&] {
    EXPECT_EQ(answer().err, "");
    return report::read_file(scratch / "reports/claims.bib").find("/blob/" + commit + "/") !=
           std::string::npos;
  };
  EXPECT_TRUE(is_one_line_with(record("main").err, "commit is to be 40 hexadecimal digits"));
  EXPECT_FALSE(is_cited());
  EXPECT_EQ(record(commit).err, "");
  EXPECT_TRUE(is_cited());
  EXPECT_EQ(report::read_file(scratch / "reports/release.json"),
            report::read_file(scratch / "release.json"));
  fs::remove(scratch / "release.json");
  EXPECT_FALSE(is_cited());
  EXPECT_FALSE(fs::exists(scratch / "reports/release.json"));
}

TEST_F(commands, refuse_to_merge_what_is_incomplete) {
  const auto unmeasured = answer();
  EXPECT_EQ(unmeasured.code, 2);
  EXPECT_TRUE(is_one_line_with(unmeasured.err, "no analysis has measured it")) << unmeasured.err;
  take_rows();
  const auto unmarked = answer("# No marks\n");
  EXPECT_EQ(unmarked.code, 2);
  EXPECT_TRUE(is_one_line_with(unmarked.err, "README.md: needs <!-- answer:begin -->"));
}

TEST_F(commands, refuse_to_say_what_a_claim_did_not_come_to) {
  take_rows();
  report::write_file(scratch / "reports/results.json", "old");
  const auto wrong = answer(
      "<!-- answer:begin --><!-- answer:end --><!-- claims:begin -->"
      "<!-- claims:end -->",
      "It is so. {false combination.rounds_identically}");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(is_one_line_with(wrong.err,
                               "presumes that combination.rounds_identically is "
                               "'false', but its verdict is 'true if"))
      << wrong.err;
  // Nothing was written.
  EXPECT_EQ(report::read_file(scratch / "reports/results.json"), "old");
}

}  // namespace
}  // namespace embedscale::commands_test
