// `embedscale compare`.
#include "audit/test/commands.hpp"
#include "compare/compare.hpp"

namespace embedscale::compare {
namespace {

Comparison of(const std::string& file, const std::vector<audit::Change>& changes = {}) {
  return compared(audit::read_configuration(file, changes));
}

TEST(compare_command, prints_what_it_is_asked_for) {
  const auto gemma = audit::system_file("hf_gemma"), bert = audit::system_file("bert_google");
  audit::expect_printed(
      {{{"compare", gemma, bert}, words_of(of(gemma)) + "\n" + words_of(of(bert))},
       {{"compare", "--json", "--set", "token.multiplier=7", "--set", "block.norm=pre", gemma,
         bert},
        json_line(of(gemma, {{"token.multiplier", "7"}, {"block.norm", "pre"}})) + "\n" +
            json_line(of(bert, {{"token.multiplier", "7"}, {"block.norm", "pre"}})) + "\n"}});
}

TEST(compare_command, refuses_what_an_audit_refuses) {
  const Scratch scratch;
  const std::string broken = scratch / "broken.toml", none = scratch / "none.toml";
  report::write_file(broken, "name = \n");
  audit::expect_refused(
      {{{"compare"}, "compare: name a FILE, or a system with --system NAME", 2},
       {{"compare", "-", "-"}, "compare: standard input can be read once only", 2},
       {{"compare", "--system", "tensor2tensr"}, "nearest is tensor2tensor;", 2},
       {{"compare", audit::system_file("hf_gemma"), broken}, "is not TOML", 2},
       {{"compare", none}, ": cannot be read: ", 3}});
  EXPECT_EQ(audit::run_command({"compare", "--fail-on", "warning"}).code, 2);
  audit::expect_full({"compare", "--system", "hf_gemma"});
}

}  // namespace
}  // namespace embedscale::compare
