// `embedscale audit`.
#include "audit/fields.hpp"
#include "audit/test/commands.hpp"

namespace embedscale::audit {
namespace {

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

TEST(audit_command, says_in_one_line_what_is_wrong_and_prints_nothing_else) {
  const Scratch scratch;
  const std::string good = system_file("hf_gemma"), broken = scratch / "broken.toml",
                    none = scratch / "none.toml";
  report::write_file(broken, "name = \n");
  expect_refused({
      {{"audit"}, "name a FILE, or a system with --system NAME", 2},
      {{"audit", "-", "-"}, "standard input can be read once only", 2},
      {{"audit", "--system", "tensor2tensr"},
       "no system named 'tensor2tensr': nearest is tensor2tensor;",
       2},
      {{"audit", "--system", "../systems/tensor2tensor"},
       "no system named '../systems/tensor2tensor'",
       2},
      {{"audit", good, "--set", "name=a\nb"}, "--set name=a\\x0ab: ", 2},
      // All files or nothing.
      {{"audit", good, broken}, broken + ":1: is not TOML", 2},
      {{"audit", "--json", good, none}, none + ": cannot be read: ", 3},
  });
  const Ended unknown = run_command({"audit", good, "--fail-on", "note"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  expect_full({"audit", good});
}

}  // namespace
}  // namespace embedscale::audit
