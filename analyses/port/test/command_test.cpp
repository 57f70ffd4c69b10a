// `embedscale port`.
#include "audit/test/commands.hpp"
#include "port/test/ports.hpp"

namespace embedscale::port {
namespace {

TEST(port_command, prints_what_it_is_asked_for) {
  const Scratch scratch;
  const std::string gemma = audit::system_file("hf_gemma"), mine = scratch / "mine.toml";
  report::write_file(mine, audit::whole);
  audit::expect_printed(
      {{{"port", gemma, gemma}, words_of(port_between("hf_gemma", "hf_gemma"))},
       {{"port", mine, mine, "--set", "to.token.multiplier=4", "--json"},
        json_line(port_of(audit::read_configuration(mine),
                          audit::read_configuration(mine, {{"token.multiplier", "4"}}))) +
            "\n"},
       {{"port", "hf_gemma", "hf_gemma", "--set", "to.token.multiplier=1", "--place", "own_table"},
        words_of(port_between("hf_gemma", "hf_gemma token.multiplier=1", FactorPlace::own_table))},
       // What stops the function is told, and by the exit code as well.
       {{"port", "hf_gemma", "hf_gemma", "--set", "from.block.epsilon=1e-5"},
        words_of(port_between("hf_gemma block.epsilon=1e-5", "hf_gemma")),
        1}});
  const Ended piped = audit::run_command({"port", "-", gemma}, {.input = report::read_file(gemma)});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_NE(piped.out.find("None: no value changes"), std::string::npos);
}

TEST(port_command, says_in_one_line_what_is_wrong_and_prints_nothing_else) {
  const Scratch scratch;
  const std::string gemma = audit::system_file("hf_gemma"), none = scratch / "none.toml";
  audit::expect_refused(
      {{{"port", "tensor2tensr", gemma}, "no system named 'tensor2tensr': nearest is tensor2", 2},
       {{"port", none, gemma}, none + ": cannot be read: ", 3},
       {{"port", "-", "-"}, "standard input can be read once only", 2},
       {{"port", "hf_gemma", "gpt2_openai"}, "a checkpoint keeps its width", 2},
       {{"port", gemma, gemma, "--set", "token.multiplier=1"}, "must be from.PATH=VALUE or to.", 2},
       {{"port", gemma, gemma, "--set", "from.token.mult=1"},
        "--set from.token.mult=1: there is no",
        2},
       {{"port", gemma, gemma, "--set", "to.token.multiplier=1", "--place", "logit_factor"},
        "--place logit_factor: TO gives none",
        2}});
  for (const auto& arguments :
       {audit::Arguments{"port", gemma}, {"port", gemma, gemma, "--place", "nowhere"}}) {
    const Ended one = audit::run_command(arguments);
    EXPECT_EQ(one.code, 2);
    EXPECT_EQ(one.out, "");
    EXPECT_NE(one.err, "");
  }
  audit::expect_full({"port", gemma, gemma});
}

}  // namespace
}  // namespace embedscale::port
