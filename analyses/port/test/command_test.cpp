// `embedscale port` as its users meet it: options, exit codes, what goes to which stream.
#include "port/test/ports.hpp"
#include "report/file.hpp"
#include "test/child.hpp"
#include "test/scratch.hpp"

namespace embedscale::port {
namespace {

using Arguments = std::vector<std::string>;

Ended ended(Arguments arguments, const report::Command& in = {}) {
  arguments.insert(arguments.begin(), "port");
  return run(EMBEDSCALE_COMMAND, arguments, in);
}

TEST(port_command, prints_what_it_is_asked_for) {
  const Scratch scratch;
  const std::string gemma = audit::system_file("hf_gemma"), mine = scratch / "mine.toml";
  report::write_file(mine, audit::whole);
  struct Call {
    Arguments arguments;
    std::string out;
    int code = 0;
  };
  for (const auto& [arguments, out, code] : std::vector<Call>{
           {{gemma, gemma}, words_of(port_between("hf_gemma", "hf_gemma"))},
           {{mine, mine, "--set", "to.token.multiplier=4", "--json"},
            json_line(port_of(audit::read_configuration(mine),
                              audit::read_configuration(mine, {{"token.multiplier", "4"}}))) +
                "\n"},
           {{"hf_gemma", "hf_gemma", "--set", "to.token.multiplier=1", "--place", "own_table"},
            words_of(
                port_between("hf_gemma", "hf_gemma token.multiplier=1", FactorPlace::own_table))},
           // What stops the function is told, and by the exit code as well.
           {{"hf_gemma", "hf_gemma", "--set", "from.block.epsilon=1e-5"},
            words_of(port_between("hf_gemma block.epsilon=1e-5", "hf_gemma")),
            1},
       }) {
    const Ended one = ended(arguments);
    EXPECT_EQ(one.out, out);
    EXPECT_EQ(one.err, "");
    EXPECT_EQ(one.code, code) << out;
  }
  const Ended piped = ended({"-", gemma}, {.input = report::read_file(gemma)});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_NE(piped.out.find("None: no value changes"), std::string::npos);
}

TEST(port_command, says_in_one_line_what_is_wrong_and_prints_nothing_else) {
  const Scratch scratch;
  const std::string gemma = audit::system_file("hf_gemma"), none = scratch / "none.toml";
  struct Call {
    Arguments arguments;
    int code;
    std::string says;
  };
  for (const auto& [arguments, code, says] : std::vector<Call>{
           {{"tensor2tensr", gemma},
            2,
            "no system named 'tensor2tensr': nearest is tensor2tensor;"},
           {{none, gemma}, 3, none + ": cannot be read: "},
           {{"-", "-"}, 2, "standard input can be read once only"},
           {{"hf_gemma", "gpt2_openai"}, 2, "a checkpoint keeps its width"},
           {{gemma, gemma, "--set", "token.multiplier=1"}, 2, "must be from.PATH=VALUE or to."},
           {{gemma, gemma, "--set", "from.token.mult=1"},
            2,
            "--set from.token.mult=1: there is no"},
           {{gemma, gemma, "--set", "to.token.multiplier=1", "--place", "logit_factor"},
            2,
            "--place logit_factor: TO gives none"},
       }) {
    const Ended one = ended(arguments);
    EXPECT_EQ(one.code, code) << says << one.err;
    EXPECT_EQ(one.out, "") << says;
    EXPECT_TRUE(is_one_line_with(one.err, says)) << one.err;
  }
  for (const auto& arguments : {Arguments{}, Arguments{gemma}, Arguments{gemma, gemma, gemma},
                                Arguments{gemma, gemma, "--place", "nowhere"}}) {
    const Ended one = ended(arguments);
    EXPECT_EQ(one.code, 2);
    EXPECT_EQ(one.out, "");
    EXPECT_NE(one.err, "");
  }
  const Ended full = ended({gemma, gemma}, {.out = "/dev/full"});
  EXPECT_EQ(full.code, 3);
}

}  // namespace
}  // namespace embedscale::port
