// `embedscale audit`, `compare` and `port` as their users meet them: options, exit codes, what goes
// to which stream.
#include "audit/fields.hpp"
#include "compare/compare.hpp"
#include "port/test/ports.hpp"
#include "report/file.hpp"
#include "test/child.hpp"
#include "test/scratch.hpp"

namespace embedscale::audit {
namespace {

using Arguments = std::vector<std::string>;  ///< the command's name for the first

Ended run_command(const Arguments& arguments, const report::Command& in = {}) {
  return run(EMBEDSCALE_COMMAND, arguments, in);
}

/// A call with what it is to print, or to say in one line if it fails.
struct Call {
  Arguments arguments;
  std::string text;
  int code = 0;
};

void expect_printed(const std::vector<Call>& calls) {
  for (const auto& [arguments, out, code] : calls) {
    const Ended ended = run_command(arguments);
    EXPECT_EQ(ended.out, out);
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(ended.code, code) << out;
  }
}
void expect_refused(const std::vector<Call>& calls) {
  for (const auto& [arguments, says, code] : calls) {
    const Ended ended = run_command(arguments);
    EXPECT_EQ(ended.code, code) << says;
    EXPECT_EQ(ended.out, "") << says;
    EXPECT_TRUE(is_one_line_with(ended.err, says)) << ended.err;
  }
}

/// What it is to print of a file, and of a system behind its name: a file of the installed atlas.
std::string line_of(const std::string& file, const std::vector<Change>& changes = {}) {
  return json_line(audit_of(read_configuration(file, changes))) + "\n";
}
std::string installed(const std::string& name) {
  const std::filesystem::path program = EMBEDSCALE_COMMAND;
  return program.parent_path().parent_path() / "share/embedscale/systems" / (name + ".toml");
}

TEST(audit_command, prints_what_it_is_asked_for) {
  const Scratch scratch;
  const std::string gemma = system_file("hf_gemma"), bert = system_file("bert_google"),
                    mine = scratch / "mine.toml";
  report::write_file(mine, whole + "multiplier = 3\n");
  const auto summary = [](const std::string& file) {
    return summary_of(audit_of(read_configuration(file)));
  };
  std::string names;
  Arguments atlas = {"audit", "--json"};
  Call all;
  for (const std::string& name : systems()) {
    names += name + "\n";
    atlas.push_back(system_file(name));
    all.text += line_of(atlas.back());
  }
  all.arguments = atlas;
  expect_printed({
      all,
      {{"audit", gemma}, summary(gemma)},
      {{"audit", gemma, bert}, summary(gemma) + "\n" + summary(bert)},
      // Files come first.
      {{"audit", "--json", "--system", "hf_gemma", mine},
       line_of(mine) + line_of(installed("hf_gemma"))},
      {{"audit", "--json", "--set", "token.multiplier=7", "--set", "position.multiplier=", "--set",
        "block.norm=pre", mine},
       line_of(mine,
               {{"token.multiplier", "7"}, {"position.multiplier", ""}, {"block.norm", "pre"}})},
      {{"audit", "--keys"}, manual()},
      {{"audit", "--systems"}, names},
      // A warning in any of the files counts, if asked, and what is printed is the same.
      {{"audit", "--json", "--system", "d2l_pytorch"}, line_of(installed("d2l_pytorch"))},
      {{"audit", "--json", "--system", "tensor2tensor", "--fail-on", "warning"},
       line_of(installed("tensor2tensor"))},
      {{"audit", "--json", "--fail-on", "warning", "--system", "d2l_pytorch", "--system",
        "hf_gemma"},
       line_of(installed("d2l_pytorch")) + line_of(installed("hf_gemma")),
       1},
  });
  Configuration piped = read_configuration(gemma);
  piped.file = "-";
  EXPECT_EQ(run_command({"audit", "--json", "-"}, {.input = report::read_file(gemma)}).out,
            json_line(audit_of(piped)) + "\n");
}

TEST(compare_command, prints_what_it_is_asked_for) {
  using compare::json_line, compare::words_of;
  const auto of = [](const std::string& file, const std::vector<Change>& changes = {}) {
    return compare::compared(read_configuration(file, changes));
  };
  const auto gemma = system_file("hf_gemma"), bert = system_file("bert_google");
  expect_printed(
      {{{"compare", gemma, bert}, words_of(of(gemma)) + "\n" + words_of(of(bert))},
       {{"compare", "--json", "--set", "token.multiplier=7", "--set", "block.norm=pre", gemma,
         bert},
        json_line(of(gemma, {{"token.multiplier", "7"}, {"block.norm", "pre"}})) + "\n" +
            json_line(of(bert, {{"token.multiplier", "7"}, {"block.norm", "pre"}})) + "\n"}});
}

TEST(port_command, prints_what_it_is_asked_for) {
  using port::json_line, port::port_between, port::port_of, port::words_of;
  const Scratch scratch;
  const std::string gemma = system_file("hf_gemma"), mine = scratch / "mine.toml";
  report::write_file(mine, whole);
  expect_printed(
      {{{"port", gemma, gemma}, words_of(port_between("hf_gemma", "hf_gemma"))},
       {{"port", mine, mine, "--set", "to.token.multiplier=4", "--json"},
        json_line(port_of(read_configuration(mine),
                          read_configuration(mine, {{"token.multiplier", "4"}}))) +
            "\n"},
       {{"port", "hf_gemma", "hf_gemma", "--set", "to.token.multiplier=1", "--place", "own_table"},
        words_of(port_between("hf_gemma", "hf_gemma token.multiplier=1 --place own_table"))},
       // What stops the function is told, and by the exit code as well.
       {{"port", "hf_gemma", "hf_gemma", "--set", "from.block.epsilon=1e-5"},
        words_of(port_between("hf_gemma block.epsilon=1e-5", "hf_gemma")),
        1}});
  const Ended piped = run_command({"port", "-", gemma}, {.input = report::read_file(gemma)});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_NE(piped.out.find("None: no value changes"), std::string::npos);
}

TEST(commands, say_in_one_line_what_is_wrong_and_print_nothing_else) {
  const Scratch scratch;
  const std::string gemma = system_file("hf_gemma"), broken = scratch / "broken.toml",
                    none = scratch / "none.toml";
  report::write_file(broken, "name = \n");
  expect_refused({
      {{"audit"}, "name a FILE, or a system with --system NAME", 2},
      {{"audit", "-", "-"}, "standard input can be read once only", 2},
      {{"compare"}, "compare: name a FILE, or a system with --system NAME", 2},
      {{"audit", "--system", "tensor2tensr"},
       "no system named 'tensor2tensr': nearest is tensor2tensor;",
       2},
      {{"audit", "--system", "../systems/tensor2tensor"},
       "no system named '../systems/tensor2tensor'",
       2},
      {{"audit", gemma, "--set", "name=a\nb"}, "--set name=a\\x0ab: ", 2},
      // All files or nothing.
      {{"audit", gemma, broken}, broken + ":1: is not TOML", 2},
      {{"audit", "--json", gemma, none}, none + ": cannot be read: ", 3},
      {{"port", "tensor2tensr", gemma}, "no system named 'tensor2tensr': nearest is tensor2", 2},
      {{"port", none, gemma}, none + ": cannot be read: ", 3},
      {{"port", "hf_gemma", "gpt2_openai"}, "a checkpoint keeps its width", 2},
      {{"port", gemma, gemma, "--set", "token.multiplier=1"}, "must be from.PATH=VALUE or to.", 2},
      {{"port", gemma, gemma, "--set", "from.token.mult=1"},
       "--set from.token.mult=1: there is no",
       2},
      {{"port", gemma, gemma, "--set", "to.token.multiplier=1", "--place", "logit_factor"},
       "--place logit_factor: the new code is given none",
       2},
  });
  // CLI11 says more than a line.
  for (const auto& arguments : {Arguments{"audit", gemma, "--fail-on", "note"},
                                {"port", gemma},
                                {"port", gemma, gemma, "--place", "nowhere"}}) {
    const Ended one = run_command(arguments);
    EXPECT_EQ(one.code, 2);
    EXPECT_EQ(one.out, "");
    EXPECT_NE(one.err, "");
  }
}

}  // namespace
}  // namespace embedscale::audit
