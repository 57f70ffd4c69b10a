// `embedscale audit` as its users meet it: options, exit codes, what goes to which stream.
#include "audit/fields.hpp"
#include "configurations.hpp"
#include "report/file.hpp"
#include "test/child.hpp"
#include "test/scratch.hpp"

#include <chrono>

namespace embedscale::audit {
namespace {

using Arguments = std::vector<std::string>;

/// `embedscale audit` with these arguments.
Ended audit(Arguments arguments, const report::Command& in = {}) {
  arguments.insert(arguments.begin(), "audit");
  return run(EMBEDSCALE_COMMAND, arguments, in);
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

/// What it is to print of a file, and of a system behind its name: a file of the installed atlas.
std::string line_of(const std::string& file) {
  return json_line(audit_of(read_configuration(file))) + "\n";
}
std::string installed(const std::string& name) {
  const std::filesystem::path program = EMBEDSCALE_COMMAND;
  return program.parent_path().parent_path() / "share/embedscale/systems" / (name + ".toml");
}

TEST_F(audit_command, prints_what_it_is_asked_for) {
  const auto gemma = system_file("hf_gemma"), bert = system_file("bert_google"),
             mine = written(whole, "mine.toml"), latin = written(whole, "caf\xe9.toml"),
             three = written(whole + "multiplier = 3\n", "three.toml");
  std::string names;
  for (const std::string& name : systems()) names += name + "\n";
  const std::string set = json_line(audit_of(read_configuration(three, {{"token.multiplier", "7"},
                                                                        {"position.multiplier", ""},
                                                                        {"block.norm", "pre"}}))) +
                          "\n";
  struct Call {
    Arguments arguments;
    std::string out;
    int code = 0;
  };
  for (const auto& [arguments, out, code] : std::vector<Call>{
           {{gemma}, summary_of(audit_of(read_configuration(gemma)))},
           {{gemma, bert},
            summary_of(audit_of(read_configuration(gemma))) + "\n" +
                summary_of(audit_of(read_configuration(bert)))},
           {{"--json", gemma, bert}, line_of(gemma) + line_of(bert)},
           {{"--json", latin}, line_of(latin)},
           {{"--json", "--system", "tensor2tensor", "--system", "hf_gemma"},
            line_of(installed("tensor2tensor")) + line_of(installed("hf_gemma"))},
           // Files come first.
           {{"--json", "--system", "hf_gemma", mine},
            line_of(mine) + line_of(installed("hf_gemma"))},
           {{"--json", "--set", "token.multiplier=7", "--set", "position.multiplier=", "--set",
             "block.norm=pre", three},
            set},
           {{"--keys"}, manual()},
           {{"--systems"}, names},
           // A warning in any of the files counts, if asked, and what is printed is the same.
           {{"--json", "--system", "d2l_pytorch"}, line_of(installed("d2l_pytorch"))},
           {{"--json", "--system", "d2l_pytorch", "--fail-on", "warning"},
            line_of(installed("d2l_pytorch")),
            1},
           {{"--json", "--system", "tensor2tensor", "--fail-on", "warning"},
            line_of(installed("tensor2tensor"))},
           {{"--json", "--fail-on", "warning", "--system", "d2l_pytorch", "--system", "hf_gemma"},
            line_of(installed("d2l_pytorch")) + line_of(installed("hf_gemma")),
            1},
       }) {
    const Ended ended = audit(arguments);
    EXPECT_EQ(ended.out, out);
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(ended.code, code) << out;
  }
  Configuration piped = read_configuration(gemma);
  piped.file = "-";
  EXPECT_EQ(audit({"--json", "-"}, {.input = report::read_file(gemma)}).out,
            json_line(audit_of(piped)) + "\n");
}

TEST_F(audit_command, says_in_one_line_what_is_wrong_and_prints_nothing_else) {
  const std::string good = system_file("hf_gemma"), broken = written("name = \n", "broken.toml"),
                    none = scratch / "none.toml", below = broken + "/below",
                    directory = scratch.path();
  const auto system = [](const char* name) { return Arguments{"--system", name}; };
  const auto set = [](const char* change) {
    return Arguments{"--system", "tensor2tensor", "--set", change};
  };
  struct Call {
    Arguments arguments;
    int code;
    std::string says;
  };
  for (const auto& [arguments, code, says] : std::vector<Call>{
           {{}, 2, "name a FILE, or a system with --system NAME"},
           {{"-", "-"}, 2, "standard input can be read once only"},
           {system("tensor2tensr"), 2, "no system named 'tensor2tensr': nearest is tensor2tensor;"},
           {system(""), 2, "no system named ''"},
           {system("../systems/tensor2tensor"), 2, "no system named '../systems/tensor2tensor'"},
           {system("tensor2tensor.toml"), 2, "no system named 'tensor2tensor.toml'"},
           {set("token.multiplier=abc"), 2, "--set token.multiplier=abc: "},
           {set("token.multiplier"), 2, "must be PATH=VALUE"},
           {set("token.mult=1"), 2, "nearest is token.multiplier"},
           {set("token.law=gauss"), 2, "must be one of normal, uniform"},
           {set("name=a\nb"), 2, "--set name=a\\x0ab: "},
           {{broken}, 2, broken + ":1: is not TOML"},
           // All files or nothing.
           {{good, broken}, 2, broken},
           {{broken, good}, 2, broken},
           {{good, none}, 3, none + ": cannot be read: "},
           {{"--json", none}, 3, none + ": cannot be read: "},
           {{"--json", directory}, 3, directory + ": cannot be read: "},
           {{"--json", ""}, 3, ": cannot be read: "},
           {{"--json", below}, 3, below + ": cannot be read: "},
       }) {
    const Ended ended = audit(arguments, {.input = report::read_file(good)});
    EXPECT_EQ(ended.code, code) << says;
    EXPECT_EQ(ended.out, "") << says;
    EXPECT_TRUE(is_one_line_with(ended.err, says)) << ended.err;
  }
  const Ended unknown = audit({"--system", "hf_gemma", "--fail-on", "note"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.out, "");
  const Ended full = audit({"--system", "hf_gemma"}, {.out = "/dev/full"});
  EXPECT_EQ(full.code, 3);
  EXPECT_TRUE(is_one_line_with(full.err, "standard output")) << full.err;
}

TEST_F(audit_command, audits_the_whole_atlas_in_one_call_at_once) {
  Arguments arguments = {"--json"};
  std::string lines;
  for (const auto& name : systems()) {
    arguments.push_back(system_file(name));
    lines += line_of(system_file(name));
  }
  const auto start = std::chrono::steady_clock::now();
  const Ended ended = audit(arguments);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ended.out, lines);
  EXPECT_LT(taken.count(), 5);  // 0.1 s where this was written
}

}  // namespace
}  // namespace embedscale::audit
