// What cannot be ported is refused in one line that says what is needed.
#include "port/test/ports.hpp"

namespace embedscale::port {
namespace {

std::string refusal(const std::string& from, const Changes& of_from, const std::string& to,
                    const Changes& of_to, std::optional<FactorPlace> place = {}) {
  return audit::message_of<ContentError>([&] { port_between(from, of_from, to, of_to, place); });
}
std::string refusal(const Configuration& from, const Configuration& to) {
  return audit::message_of<ContentError>([&] { port_of(from, to); });
}

TEST(port_refuses, what_is_not_told) {
  auto without = system_named("tensor2tensor");
  const auto whole = without;
  without.token.multiplier.reset();
  EXPECT_EQ(refusal(without, whole),
            "port: FROM (tensor2tensor) does not tell token.multiplier: say it with --set "
            "from.token.multiplier=VALUE");
  EXPECT_EQ(refusal(whole, without),
            "port: TO (tensor2tensor) does not tell token.multiplier: say it with --set "
            "to.token.multiplier=VALUE");
  auto no_width = whole, no_base = whole, no_tie = whole, no_k = whole;
  no_width.model.d_model.reset();
  no_base.position.base.reset();
  no_tie.output.tied.reset();
  no_k.position.multiplier.reset();
  for (const auto& [c, field] : {std::pair(no_width, "model.d_model"),
                                 {no_base, "position.base"},
                                 {no_tie, "output.tied"},
                                 {no_k, "position.multiplier"}})
    EXPECT_EQ(refusal(c, whole), fmt::format("port: FROM (tensor2tensor) does not tell {0}: say it "
                                             "with --set from.{0}=VALUE",
                                             field));
}

TEST(port_refuses, tables_that_no_step_makes_of_each_other) {
  const Changes narrow = {{"token.width", "64"},
                          {"token.projection", "normal"},
                          {"token.projection_standard_deviation", "0.1"}},
                of_sum = with(narrow, {{"token.projected", "sum"}}),
                features = {
                    {"token.kind", "features"}, {"output.tied", "false"}, {"output.sharing", ""}};
  EXPECT_EQ(
      refusal("gpt2_openai", narrow, "gpt2_openai", {}),
      "port: FROM (gpt2_openai) has a token table of 64 channels, projected, TO (gpt2_openai) "
      "a token table of d_model channels: no step makes the one from the other");
  EXPECT_NE(refusal("gpt2_openai", narrow, "gpt2_openai", of_sum)
                .find("64 channels, projected with "
                      "the positions"),
            std::string::npos);
  EXPECT_NE(refusal("tensor2tensor", narrow, "tensor2tensor", narrow).find("with sinusoids"),
            std::string::npos);
  EXPECT_NE(refusal("gpt2_openai", {}, "gpt2_openai", features).find("there is no table to move"),
            std::string::npos);
  // A factor of the table is one of what is projected.
  const auto port = port_between("gpt2_openai", with(of_sum, {{"token.multiplier", "2"}}),
                                 "gpt2_openai", with(of_sum, {{"output.multiplier", "1"}}));
  EXPECT_EQ(names(port), "multiply token table, set_logit_factor logit factor");
  EXPECT_TRUE(port.keeps_function());
  // An output of TO's own would have d_model channels.
  EXPECT_EQ(refusal("gpt2_openai", narrow, "gpt2_openai",
                    with(narrow, {{"output.sharing", "optional"},
                                  {"output.tied", "false"},
                                  {"output.law", "zeros"}})),
            "port: FROM (gpt2_openai)'s output is its token table, of 64 channels, and one of TO's "
            "(gpt2_openai) own would have d_model: no copy fits");
  EXPECT_NE(refusal("gpt2_openai", narrow, "gpt2_openai",
                    with(narrow, {{"output.sharing", "optional"}}), FactorPlace::own_table)
                .find("no copy fits"),
            std::string::npos);
  const auto no_gain = with(of_sum, {{"final_norm.gain", "none"}, {"output.multiplier", ""}});
  EXPECT_NE(names(port_between("gpt2_openai", with(no_gain, {{"token.multiplier", "2"}}),
                               "gpt2_openai", with(no_gain, {{"output.sharing", "optional"}}))
                      .obstacles)
                .find("factor_has_no_place"),
            std::string::npos);
}

TEST(port_refuses, a_factor_of_0) {
  for (const char* field : {"token.multiplier", "position.multiplier", "output.multiplier"})
    EXPECT_EQ(refusal("tensor2tensor", {}, "tensor2tensor", {{field, "0"}}),
              fmt::format("port: TO (tensor2tensor) has {} = 0: what it multiplies is lost, so no "
                          "port brings it back",
                          field));
  // Rounded to 0, and to infinity.
  const auto in_bfloat16 = [](const char* m) {
    return refusal("tensor2tensor", {}, "tensor2tensor",
                   {{"token.multiplier", m}, {"token.multiplier_format", "binary16"}});
  };
  EXPECT_NE(in_bfloat16("1e-9").find("token.multiplier, as rounded, = 0"), std::string::npos);
  EXPECT_EQ(in_bfloat16("1e9"), "port: TO's token.multiplier leaves the range of binary16");
}

TEST(port_refuses, factors_whose_squares_are_no_numbers) {
  EXPECT_EQ(refusal("tensor2tensor", {}, "tensor2tensor",
                    {{"token.multiplier", "1e-200"}, {"token.multiplier_format", "binary64"}}),
            "port: a parameter would be multiplied by 2.26e+201: the two codes' factors are too "
            "far apart");
}

TEST(port_refuses, a_place_that_there_is_not) {
  const auto asked = [](FactorPlace place, const Changes& to) {
    return refusal("tensor2tensor", {}, "tensor2tensor", to, place);
  };
  EXPECT_EQ(asked(FactorPlace::logit_factor, without_factor),
            "port: --place logit_factor: TO gives none; if its code has one, say so with --set "
            "to.output.multiplier=1");
  EXPECT_EQ(asked(FactorPlace::final_norm, with(without_factor, {{"final_norm.gain", "none"}})),
            "port: --place final_norm: TO's last norm has no gain");
  EXPECT_EQ(asked(FactorPlace::own_table, with(without_factor, {{"output.sharing", "always"}})),
            "port: --place own_table: TO always ties; if its code can untie, say so with --set "
            "to.output.sharing=by_default");
  EXPECT_EQ(refusal("fairseq_transformer", {}, "fairseq_transformer", {}, FactorPlace::final_norm),
            "port: --place: only where both outputs are tied do logits need a place for the "
            "factor");
}

}  // namespace
}  // namespace embedscale::port
