// `embedscale compare` as its users meet it: options, exit codes, what goes to which stream.
#include "audit/test/configurations.hpp"
#include "compare/compare.hpp"
#include "report/file.hpp"
#include "test/child.hpp"
#include "test/scratch.hpp"

namespace embedscale::compare {
namespace {

using Arguments = std::vector<std::string>;

/// `embedscale audit` or `embedscale compare` with these arguments.
Ended ended(const std::string& command, Arguments arguments, const report::Command& in = {}) {
  arguments.insert(arguments.begin(), command);
  return run(EMBEDSCALE_COMMAND, arguments, in);
}

Comparison of(const std::string& file, const std::vector<audit::Change>& changes = {}) {
  return compared(audit::read_configuration(file, changes));
}

TEST(compare_command, prints_what_it_is_asked_for) {
  const Scratch scratch;
  const auto gemma = audit::system_file("hf_gemma"), bert = audit::system_file("bert_google");
  const std::string mine = scratch / "mine.toml";
  report::write_file(mine, audit::whole);
  const std::string installed =
      std::filesystem::path(EMBEDSCALE_COMMAND).parent_path().parent_path() /
      "share/embedscale/systems/hf_gemma.toml";
  struct Call {
    Arguments arguments;
    std::string out;
  };
  for (const auto& [arguments, out] : std::vector<Call>{
           {{gemma}, words_of(of(gemma))},
           {{gemma, bert}, words_of(of(gemma)) + "\n" + words_of(of(bert))},
           {{"--json", mine, "--system", "hf_gemma"},
            json_line(of(mine)) + "\n" + json_line(of(installed)) + "\n"},
           {{"--json", "--set", "token.multiplier=7", "--set", "block.norm=pre", mine},
            json_line(of(mine, {{"token.multiplier", "7"}, {"block.norm", "pre"}})) + "\n"},
       }) {
    const Ended one = ended("compare", arguments);
    EXPECT_EQ(one.out, out);
    EXPECT_EQ(one.err, "");
    EXPECT_EQ(one.code, 0);
  }
  EXPECT_NE(ended("compare", {"-"}, {.input = report::read_file(gemma)}).out, "");
}

TEST(compare_command, refuses_what_an_audit_refuses_in_the_same_words) {
  const Scratch scratch;
  const std::string broken = scratch / "broken.toml", none = scratch / "none.toml";
  report::write_file(broken, "name = \n");
  for (const Arguments& arguments :
       std::vector<Arguments>{{},
                              {"-", "-"},
                              {"--system", "tensor2tensr"},
                              {"--system", "tensor2tensor", "--set", "token.multiplier=abc"},
                              {"--system", "tensor2tensor", "--set", "token.mult=1"},
                              {broken},
                              {audit::system_file("hf_gemma"), broken},
                              {"--json", none}}) {
    const Ended one = ended("compare", arguments), other = ended("audit", arguments);
    EXPECT_EQ(one.out, "");
    EXPECT_EQ(one.code, other.code);
    EXPECT_NE(one.code, 0);
    std::string expected = other.err;
    if (const auto at = expected.find("audit: name"); at != std::string::npos)
      expected.replace(at, 5, "compare");
    if (const auto at = expected.find("audit: standard"); at != std::string::npos)
      expected.replace(at, 5, "compare");
    EXPECT_EQ(one.err, expected);
  }
  EXPECT_EQ(ended("compare", {"--fail-on", "warning"}).code, 2);
  const Ended full = ended("compare", {"--system", "hf_gemma"}, {.out = "/dev/full"});
  EXPECT_EQ(full.code, 3);
  EXPECT_TRUE(is_one_line_with(full.err, "standard output")) << full.err;
}

}  // namespace
}  // namespace embedscale::compare
