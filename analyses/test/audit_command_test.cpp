// `embedscale audit` as its users meet it: options, exit codes, what goes to which stream.
#include "audit/manual.hpp"
#include "audit_text.hpp"
#include "child.hpp"
#include "report/file.hpp"
#include "scratch.hpp"

#include <chrono>

namespace embedscale::audit {
namespace {

/// `embedscale audit` with these arguments.
Ended audit(std::vector<std::string> arguments, const Circumstances& in = {}) {
  arguments.insert(arguments.begin(), "audit");
  return run(EMBEDSCALE_COMMAND, arguments, in);
}
nlohmann::ordered_json parsed(const std::string& line) {
  return nlohmann::ordered_json::parse(line);
}
/// Each line of JSON.
std::vector<nlohmann::ordered_json> lines(const std::string& out) {
  std::vector<nlohmann::ordered_json> all;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) all.push_back(parsed(line));
  return all;
}

class AuditCommand : public testing::Test {
 protected:
  std::string written(const std::string& toml, const std::string& name = "f.toml") {
    report::write_file(scratch / name, toml);
    return scratch / name;
  }
  Scratch scratch;
};
using audit_command = AuditCommand;

TEST_F(audit_command, prints_a_summary_or_one_object_a_line_and_a_file) {
  const auto gemma = system_file("hf_gemma"), bert = system_file("bert_google");
  const Ended text = audit({gemma});
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_EQ(text.out, summary_of(audit_of(read_configuration(gemma))));
  const auto json = lines(audit({"--json", gemma, bert}).out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "hf_gemma");
  EXPECT_EQ(json[1]["name"], "bert_google");
  EXPECT_EQ(json[1]["file"], bert);
}

TEST_F(audit_command, reads_standard_input_once) {
  const Ended piped = audit({"--json", "-"}, {.input = report::read_file(system_file("hf_gemma"))});
  EXPECT_EQ(parsed(piped.out)["file"], "-");
  const Ended twice = audit({"-", "-"}, {.input = report::read_file(system_file("hf_gemma"))});
  EXPECT_EQ(twice.code, 2);
  EXPECT_TRUE(is_one_line_with(twice.err, "standard input can be read once only")) << twice.err;
  EXPECT_EQ(twice.out, "");
}

TEST_F(audit_command, takes_systems_by_their_names) {
  const auto named =
      lines(audit({"--json", "--system", "tensor2tensor", "--system", "hf_gemma"}).out);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0]["name"], "tensor2tensor");
  EXPECT_EQ(named[1]["name"], "hf_gemma");
  // A file behind a name is a file; files come first.
  const auto both =
      lines(audit({"--json", "--system", "hf_gemma", written(whole, "mine.toml")}).out);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0]["name"], "mine");
  EXPECT_EQ(both[1]["name"], "hf_gemma");
}

TEST_F(audit_command, names_the_nearest_of_the_systems) {
  for (const char* name : {"tensor2tensr", "", "../systems/tensor2tensor", "tensor2tensor.toml"}) {
    const Ended unknown = audit({"--system", name});
    EXPECT_EQ(unknown.code, 2) << name;
    EXPECT_EQ(unknown.out, "") << name;
    EXPECT_TRUE(is_one_line_with(unknown.err, std::string("no system named '") + name))
        << unknown.err;
  }
  EXPECT_NE(audit({"--system", "tensor2tensr"}).err.find("nearest is tensor2tensor;"),
            std::string::npos);
}

TEST_F(audit_command, answers_what_if_as_an_edited_file_does) {
  const std::string toml = whole + "multiplier = 3\n";
  const auto set = audit({"--json", "--set", "token.multiplier=7", "--set",
                          "position.multiplier=", "--set", "block.norm=pre", written(toml)});
  const auto edited = audit({"--json", written(model + token + "multiplier = 7\n" + position +
                                               "[block]\nnorm = 'pre'\n")});
  EXPECT_EQ(set.out, edited.out);
  EXPECT_EQ(set.code, 0) << set.err;
}

TEST_F(audit_command, says_of_a_change_what_is_wrong_with_it) {
  for (const auto& [change, what] :
       {std::pair<std::string, std::string>{"token.multiplier=abc", "--set token.multiplier=abc: "},
        {"token.multiplier", "must be PATH=VALUE"},
        {"token.mult=1", "nearest is token.multiplier"},
        {"token.law=gauss", "must be one of normal, uniform"},
        {"name=a\nb", "--set name=a\\x0ab: "}}) {
    const Ended ended = audit({"--system", "tensor2tensor", "--set", change});
    EXPECT_EQ(ended.code, 2) << change;
    EXPECT_EQ(ended.out, "") << change;
    EXPECT_TRUE(is_one_line_with(ended.err, what)) << ended.err;
  }
}

TEST_F(audit_command, fails_on_warnings_if_asked_and_prints_the_same) {
  for (const auto& [name, code] : {std::pair("d2l_pytorch", 1), std::pair("tensor2tensor", 0)}) {
    const Ended quiet = audit({"--system", name}),
                strict = audit({"--system", name, "--fail-on", "warning"});
    EXPECT_EQ(quiet.code, 0) << name;
    EXPECT_EQ(strict.code, code) << name;
    EXPECT_EQ(strict.out, quiet.out) << name;
    EXPECT_EQ(strict.err, "") << name;
  }
  // A warning in any of the files counts.
  EXPECT_EQ(audit({"--fail-on", "warning", "--system", "d2l_pytorch", "--system", "hf_gemma"}).code,
            1);
  const Ended unknown = audit({"--system", "hf_gemma", "--fail-on", "note"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
}

TEST_F(audit_command, lists_the_keys) {
  const Ended keys = audit({"--keys"});
  EXPECT_EQ(keys.code, 0);
  EXPECT_EQ(keys.out, manual());
}

TEST_F(audit_command, needs_a_file_or_a_system) {
  const Ended none = audit({});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(is_one_line_with(none.err, "name a FILE, or a system with --system NAME"))
      << none.err;
}

TEST_F(audit_command, prints_all_files_or_nothing) {
  const std::string good = system_file("hf_gemma"), broken = written("name = \n");
  for (const auto& [files, code] :
       {std::pair(std::vector<std::string>{good, broken}, 2),
        std::pair(std::vector<std::string>{broken, good}, 2),
        std::pair(std::vector<std::string>{good, scratch / "none.toml"}, 3)}) {
    const Ended ended = audit(files);
    EXPECT_EQ(ended.code, code);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST_F(audit_command, ends_with_3_where_a_file_cannot_be_read) {
  const std::vector<std::string> unreadable = {scratch / "none.toml", scratch.path(), "",
                                               written(whole) + "/below"};
  for (const auto& file : unreadable) {
    const Ended ended = audit({"--json", file});
    EXPECT_EQ(ended.code, 3) << file;
    EXPECT_EQ(ended.out, "") << file;
    EXPECT_TRUE(is_one_line_with(ended.err, file + ": cannot be read: ")) << ended.err;
  }
}

TEST_F(audit_command, refuses_content_at_fault_in_one_line_and_soon) {
  const std::string sparse = written("x");
  std::filesystem::resize_file(sparse, 100'000'000);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::pair<std::string, std::string>> files = {
      {sparse, "is larger than 1000000 bytes"}};
  for (const auto& [content, what] :
       {std::pair<std::string, std::string>{std::string(1, '\0'), "is not TOML"},
        {"\x7f"
         "ELF\x02\x01",
         "is not TOML"},
        {" \n\t", "is empty"},
        {"name = '\xff'\n", "utf-8"},
        {"\xff\xfe"
         "n\0a\0",
         "is not TOML"},
        {"x = " + std::string(100'000, '['), "is nested more than 16 deep"},
        {"x = " + std::string(100'000, '\''), "is not TOML"},
        {with("deviation = 1", "deviation = '" + std::string(100'000, '(') + "'"),
         "has 100000 characters, must have at most 1000"},
        {with("deviation = 1", "deviation = '" + std::string(999, '(') + "'"),
         ":6: token.standard"},
        {with("512", "'" + std::string(999, '-') + "1'"), ":2: model.d_model"}})
    files.emplace_back(written(content, fmt::format("{}.toml", files.size())), what);
  for (const auto& [file, what] : files) {
    const Ended ended = audit({file});
    EXPECT_EQ(ended.code, 2) << what;
    EXPECT_EQ(ended.out, "") << what;
    EXPECT_TRUE(is_one_line_with(ended.err, what)) << ended.err;
    EXPECT_NE(ended.err.find(file), std::string::npos) << ended.err;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 10);  // 0.1 s where this was written
}

TEST_F(audit_command, prints_json_for_a_file_whose_name_is_not_utf_8) {
  const Ended ended = audit({"--json", written(whole, "caf\xe9.toml")});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(parsed(ended.out)["name"], "caf\xef\xbf\xbd");
}

TEST_F(audit_command, audits_the_whole_atlas_in_one_call_at_once) {
  std::vector<std::string> arguments = {"--json"};
  for (const auto& name : systems()) arguments.push_back(system_file(name));
  const auto start = std::chrono::steady_clock::now();
  const Ended ended = audit(arguments);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(lines(ended.out).size(), systems().size());
  EXPECT_LT(taken.count(), 5);  // 0.1 s where this was written
}

TEST_F(audit_command, says_so_when_standard_output_is_full) {
  const Ended ended = audit({"--system", "hf_gemma"}, {.out = "/dev/full"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_TRUE(is_one_line_with(ended.err, "standard output")) << ended.err;
}

}  // namespace
}  // namespace embedscale::audit
