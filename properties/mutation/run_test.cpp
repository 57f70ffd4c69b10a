// The tool itself, on a project so small that all of its mutants can be judged: what it finds, what
// it shows and keeps, and how it goes on when it was interrupted.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <thread>

#include "../../analyses/report/file.hpp"
#include "../../analyses/report/process.hpp"
#include "judge.hpp"

namespace embedscale::properties::mutation {
namespace {

using namespace std::chrono_literals;
using report::read_file, report::write_file;

void expect_told(const std::string& text, const char* what) {
  EXPECT_NE(text.find(what), std::string::npos) << what << "\nin: " << text;
}

/// A project of a header, a source that is compiled as a part of a joined one, and two test
/// programs, the one in need of a part of an archive. They need no GoogleTest and link it, by which
/// they are known.
class MutationRun : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "mutation.XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    project = pattern;
    write_file(project / "lib/embedscale/tiny.hpp",
               "#pragma once\ninline int twice(int x) {\n  return x * 2;\n}\n"
               "inline int same(int x) {\n  return x + 0;\n}\n");
    write_file(project / "lib/embedscale/root.cpp", "int root(int x) {\n  return x / 2;\n}\n");
    write_file(project / "properties/part.cpp",
               "#include <embedscale/tiny.hpp>\nint part(int x) { return twice(x); }\n");
    write_file(project / "properties/unused.cpp",
               "#include <embedscale/tiny.hpp>\nint unused(int x) { return twice(x); }\n");
    write_file(project / "properties/other_test.cpp",
               "#include <embedscale/tiny.hpp>\nint main() { return 0; }\n");
    write_file(project / "properties/tiny_test.cpp",
               "#include <embedscale/tiny.hpp>\n#include <stdio.h>\n#include <unistd.h>\n"
               "int part(int), root(int);\nint main() {\n  usleep(200000);\n"
               "  if (part(3) == 6 && same(3) == 3 && root(12) == 6) return 0;\n"
               "  puts(\"[  FAILED  ] tiny.part (0 ms)\");\n  return 1;\n}\n");
    write_file(project / "properties/mutation/equivalent.txt", "");
    write_file(project / "build/unity_0_cxx.cxx",
               "#include \"" + (project / "lib/embedscale/root.cpp").string() + "\"\n");
    write_file(project / "build/build.ninja", ninja());
    build();
  }
  void TearDown() override { fs::remove_all(project); }

  std::string ninja() const {
    std::string text = "rule c\n  command = c++ -I" + (project / "lib").string() +
                       " -MD -MT $out -MF $out.d -o $out -c $in\n  deps = gcc\n  depfile = $out.d\n"
                       "rule ar\n  command = : && rm -f $out && ar qc $out $in && :\n"
                       "rule link\n  command = : && c++ $in -o $out $lib -lgtest && :\n"
                       "build properties/parts.a: ar properties/part.o properties/unused.o root.o\n"
                       "build root.o: c " +
                       (project / "build/unity_0_cxx.cxx").string() + "\n";
    for (const std::string name : {"part", "unused", "tiny_test", "other_test"})
      text += "build properties/" + name + ".o: c " + project.string() + "/properties/" + name +
              ".cpp\n";
    return text +
           "build bin/tiny_test: link properties/tiny_test.o | properties/parts.a\n"
           "  lib = properties/parts.a\n"
           "build bin/other_test: link properties/other_test.o\n";
  }
  void build() const {
    const auto ended = report::run({.words = {"ninja"}, .folder = project / "build"});
    ASSERT_EQ(ended.code, 0) << ended.out;
  }
  report::Command mutate(Words options) const {
    Words words{EMBEDSCALE_MUTATE, "--project", project, "--build",
                project / "build", "--jobs",    "1"};
    words.insert(words.end(), options.begin(), options.end());
    return {.words = words};
  }
  std::vector<Json> results() const {
    std::vector<Json> lines;
    std::ifstream in(kept());
    for (std::string line; std::getline(in, line);)
      if (auto json = Json::parse(line, nullptr, false); !json.is_discarded())
        lines.push_back(json.at("result"));
    return lines;
  }
  /// Half a minute at most.
  void wait_for_more_than(std::size_t count) const {
    for (int i = 0; i < 3000 && results().size() <= count; ++i) std::this_thread::sleep_for(10ms);
  }
  fs::path kept() const { return project / "build/parts/mutation/1-of-1.jsonl"; }

  fs::path project;
};
using mutation_run = MutationRun;

/// Of x * 2 and x / 2 (the operator twice, the number twice, the sign) and x + 0 (once each), which
/// minus leaves as it is.
constexpr std::size_t mutants = 13;

TEST_F(mutation_run, kills_what_a_test_notices_and_names_what_survives) {
  const auto ended = report::run(mutate({"--record"}));
  EXPECT_EQ(ended.code, 1) << ended.err;
  expect_told(ended.out, "killed     12\ntimed_out  0\nsurvived   1\n");
  expect_told(ended.err, "  - return x + 0;\n  + return x - 0;\n");
  const auto score = Json::parse(read_file(project / "properties/mutation/score.json"));
  EXPECT_EQ(score.at("total").at("killed"), 12);
  EXPECT_EQ(score.at("unexplained").size(), 1u);
  EXPECT_FALSE(fs::exists(project / "build/mutation/1-of-1.0"));
  for (const auto& result : results()) {
    // The program of the header's name is tried first, and the one that can notice is learned.
    EXPECT_EQ(result.at("tried")[0][0], "tiny_test") << result;
    const bool survived = result.at("fate") == "survived";
    EXPECT_EQ(result.at("tried").size(), survived ? 2u : 1u) << result;
    EXPECT_EQ(result.at("by"), survived ? "" : "tiny_test tiny.part") << result;
  }
}

TEST_F(mutation_run, passes_where_the_survivor_is_argued_equivalent) {
  report::run(mutate({"--all"}));
  std::string id;
  for (const auto& result : results())
    if (result.at("fate") == "survived") id = result.at("id");
  const auto argued = project / "properties/mutation/equivalent.txt";
  write_file(argued, id + "\n  x - 0 is x.\n");
  const auto ended = report::run(mutate({"--equivalents"}));
  EXPECT_EQ(ended.code, 0) << ended.out;
  expect_told(ended.out, "equivalent 1\n");
}

TEST_F(mutation_run, goes_on_where_it_was_interrupted) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const auto before = results().size();
    report::Child child(mutate({"--all"}));
    wait_for_more_than(before);
    child.send(signal);
    const auto ended = child.wait();
    EXPECT_EQ(signal == SIGKILL ? ended.signal : ended.code, signal == SIGKILL ? SIGKILL : 130)
        << ended.err;
    EXPECT_LT(results().size(), mutants);
    EXPECT_EQ(fs::exists(project / "build/mutation/1-of-1.0"), signal == SIGKILL);
  }
  std::ofstream(kept(), std::ios::app)
      << "{\"part\":\"tiny";  // as a run that is killed while writing
  const auto before = results();
  const auto ended = report::run(mutate({"--all"}));
  expect_told(ended.out, "mutants    13\nkilled     12\n");
  const auto after = results();
  ASSERT_EQ(after.size(), mutants);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  std::set<std::string> ids;
  for (const auto& result : after) ids.insert(result.at("id").get<std::string>());
  EXPECT_EQ(ids.size(), mutants) << "one was judged again";
}

TEST_F(mutation_run, forgets_what_other_sources_were_judged_by) {
  report::run(mutate({"--all"}));
  const auto known = report::run(mutate({"--all", "--minutes", "0"}));
  expect_told(known.out, "mutants    13\n");
  std::ofstream(project / "properties/part.cpp", std::ios::app) << "// Another one.\n";
  build();
  const auto unknown = report::run(mutate({"--all", "--minutes", "0"}));
  EXPECT_EQ(unknown.code, 1);
  expect_told(unknown.out, "mutants    0\n");
}

TEST_F(mutation_run, refuses_tests_that_fail_without_a_mutant_and_a_second_run) {
  const auto test = project / "properties/tiny_test.cpp";
  write_file(test, read_file(test) +
                       "int fails = (puts(\"[  FAILED  ] tiny.always (0 ms)\"), fflush(stdout), "
                       "_exit(1), 0);\n");
  build();
  const auto failing = report::run(mutate({"--all"}));
  EXPECT_EQ(failing.code, 3);
  expect_told(failing.err, "tiny_test fails unmutated: tiny.always");
  write_file(test, std::regex_replace(read_file(test), std::regex("int fails"), "// "));
  build();
  report::Child other(mutate({"--all"}));
  wait_for_more_than(0);
  EXPECT_EQ(report::run(mutate({"--all"})).code, 3);
}

}  // namespace
}  // namespace embedscale::properties::mutation
