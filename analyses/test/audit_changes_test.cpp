// "What if": fields that are changed from outside, as --set does.
#include "audit_text.hpp"

namespace embedscale::audit {
namespace {

Configuration changed(const std::vector<std::string>& texts, const std::string& toml = whole) {
  std::vector<Change> changes;
  for (const std::string& text : texts) changes.push_back(change_from(text));
  return configured(toml, changes);
}
std::string refusal(const std::vector<std::string>& texts, const std::string& toml = whole) {
  return message_of<ContentError>([&] { changed(texts, toml); });
}

TEST(set, takes_numbers_words_formulas_and_truths) {
  EXPECT_EQ(changed({"token.multiplier=-2.5e3"}).token.multiplier, -2500);
  EXPECT_EQ(changed({"model.d_model=0x400"}).model.d_model, 1024);
  EXPECT_EQ(changed({"position.kind=rotary"}).position.kind, PositionKind::rotary);
  EXPECT_EQ(changed({"position.kind=\"rotary\""}).position.kind, PositionKind::rotary);
  EXPECT_EQ(changed({"position.kind='rotary'"}).position.kind, PositionKind::rotary);
  EXPECT_EQ(changed({"token.multiplier=sqrt(d_model)"}).token.multiplier, std::sqrt(512.0));
  EXPECT_EQ(changed({"token.multiplier='2^3'"}).token.multiplier, 8);
  EXPECT_EQ(changed({"token.multiplier=d_model == 512 ? 3 : 4"}).token.multiplier, 3);
  EXPECT_EQ(changed({"output.tied=true"}).output.tied, true);
  EXPECT_EQ(changed({"output.tied=false", "output.law=zeros"}).output.tied, false);
  EXPECT_EQ(changed({"name=a b"}).name, "a b");
}

TEST(set, equals_editing_the_file) {
  const std::string edited = model + "positions = 9\n" + token + "multiplier = 'sqrt(d_model)'\n" +
                             "[position]\nkind = 'learned'\nlaw = 'uniform'\nhalf_range = 2\n"
                             "[embedding_norm]\nkind = 'rms_norm'\n[block]\nnorm = 'pre'\n";
  const auto json = json_from(whole, {{"model.positions", "9"},
                                      {"token.multiplier", "sqrt(d_model)"},
                                      {"position.kind", "learned"},
                                      {"position.law", "uniform"},
                                      {"position.half_range", "2"},
                                      {"embedding_norm.kind", "rms_norm"},
                                      {"block.norm", "pre"}});
  EXPECT_EQ(json, json_from(edited));
  EXPECT_NE(json, json_from(whole));
}

TEST(set, takes_a_field_away_where_the_value_is_empty) {
  const std::string toml = whole + "multiplier = 3\n[block]\nnorm = 'pre'\nepsilon = 0.5\n";
  EXPECT_EQ(configured(toml).position.multiplier, 3);
  EXPECT_EQ(changed({"position.multiplier="}, toml).position.multiplier, 1);
  EXPECT_EQ(changed({"block.epsilon="}, toml).block.norm.epsilon, 1e-5);
  EXPECT_TRUE(
      refusal({"token.law="}).starts_with("--set token.law=: token.law is missing: must be"));
  // From one law to another.
  EXPECT_EQ(changed({"token.law=uniform", "token.standard_deviation=", "token.half_range=1"})
                .token.law->kind,
            LawKind::uniform);
}

TEST(set, takes_a_section_away_with_its_last_field) {
  const std::string toml = whole + "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 1\n";
  EXPECT_TRUE(changed({"embedding_norm.kind="}, toml).embedding_norm.has_value());
  EXPECT_FALSE(changed({"embedding_norm.kind=", "embedding_norm.epsilon="}, toml)
                   .embedding_norm.has_value());
  EXPECT_FALSE(changed({"embedding_norm.epsilon="}).embedding_norm.has_value());
}

TEST(set, works_in_the_order_given) {
  EXPECT_EQ(changed({"token.multiplier=2", "token.multiplier=3"}).token.multiplier, 3);
  EXPECT_EQ(changed({"token.multiplier=3", "token.multiplier="}).token.multiplier, 1);
}

TEST(set, lets_formulas_follow) {
  EXPECT_EQ(changed({"model.d_model=64"}, whole + "multiplier = 'd_model'\n").position.multiplier,
            64);
}

TEST(set, reaches_into_further_tables) {
  const std::string toml = whole +
                           "[[extra]]\nlaw = 'normal'\nstandard_deviation = 1\n[[extra]]\n"
                           "law = 'normal'\nstandard_deviation = 2\n";
  const auto extras = changed({"extra[1].standard_deviation=5", "extra[0].law=xavier_uniform",
                               "extra[0].standard_deviation="},
                              toml)
                          .extras;
  EXPECT_EQ(extras[0].law.kind, LawKind::xavier_uniform);
  EXPECT_EQ(extras[1].law.parameter, 5);
  EXPECT_EQ(refusal({"extra[2].law=normal"}, toml),
            "--set extra[2].law=normal: there are 2 [[extra]] tables, counted from 0");
  EXPECT_EQ(refusal({"extra[0].law=normal"}),
            "--set extra[0].law=normal: there are 0 [[extra]] tables, counted from 0");
  EXPECT_EQ(refusal({"extra[].law=normal"}, toml),
            "--set extra[].law=normal: there is no field extra[].law: nearest is extra[0].law");
  EXPECT_TRUE(
      refusal({"extra[1].law=gauss"}, toml)
          .starts_with("--set extra[1].law=gauss: extra[1].law = \"gauss\": must be one of"));
  for (const char* path : {"extra[99999999999999999999].law=1", "extra[-1].law=1", "extra[1.law=1",
                           "extra]1[.law=1", "extra[a].law=1", "model[0].heads=1"})
    EXPECT_NE(refusal({path}, toml).find(": there is no field "), std::string::npos) << path;
}

TEST(set, tells_what_was_marked_absent) {
  const std::string toml =
      model +
      "[position]\nkind = 'none'\n[marks]\n'token.law' = { mark = 'absent', source = 'x' }\n"
      "'model.vocabulary' = 'absent'\n";
  const Configuration c = changed({"token.law=normal", "token.standard_deviation=2"}, toml);
  EXPECT_EQ(c.token.law->parameter, 2);
  EXPECT_EQ(c.mark_of("token.law"), Mark::read);
  EXPECT_EQ(c.mark_of("model.vocabulary"), Mark::absent);
  // What is taken away is not marked absent, but not given: it has its default.
  EXPECT_EQ(changed({"token.law=normal", "token.standard_deviation=2", "model.vocabulary=5",
                     "model.vocabulary="},
                    toml)
                .mark_of("model.vocabulary"),
            Mark::read);
}

TEST(set, refuses_a_path_that_is_not_there_and_names_the_nearest) {
  EXPECT_EQ(refusal({"token.multiplyer=1"}),
            "--set token.multiplyer=1: there is no field token.multiplyer: nearest is "
            "token.multiplier");
  EXPECT_EQ(refusal({"nmae=1"}), "--set nmae=1: there is no field nmae: nearest is name");
  for (const char* path : {"token=1", "marks=1", "marks.token.law=read", "a.b.c=1", ".=1", "é=1"})
    EXPECT_NE(refusal({path}).find(": there is no field "), std::string::npos) << path;
}

TEST(set, refuses_a_value_of_another_type_in_its_own_words) {
  EXPECT_EQ(refusal({"token.multiplier=abc"}),
            "--set token.multiplier=abc: token.multiplier = \"abc\": abc is not known; known are "
            "d_model, heads, d_k");
  EXPECT_EQ(refusal({"token.multiplier=true"}),
            "--set token.multiplier=true: token.multiplier = true: must be a finite number");
  EXPECT_EQ(refusal({"token.multiplier=[1]"}),
            "--set token.multiplier=[1]: token.multiplier = an array: must be a finite number");
  EXPECT_EQ(refusal({"token.multiplier=2020-01-01"}),
            "--set token.multiplier=2020-01-01: token.multiplier = 2020-01-01: must be a finite "
            "number");
  EXPECT_EQ(refusal({"model.heads=7.5"}),
            "--set model.heads=7.5: model.heads = 7.5: must be an integer from 1 to 16777216");
  EXPECT_EQ(refusal({"output.tied=yes"}),
            "--set output.tied=yes: output.tied = \"yes\": must be true or false");
  EXPECT_EQ(refusal({"token.law=3"}),
            "--set token.law=3: token.law = 3: must be one of normal, uniform, truncated_normal, "
            "xavier_uniform, xavier_normal");
  EXPECT_EQ(refusal({"token.multiplier=nan"}),
            "--set token.multiplier=nan: token.multiplier = nan: must be a finite number");
}

TEST(set, takes_no_line_break_for_more_of_the_file) {
  EXPECT_EQ(refusal({"token.multiplier=1\n[block]\nnorm='pre'"}),
            "--set token.multiplier=1\\x0a[block]\\x0anorm='pre': token.multiplier = "
            "\"1\\x0a[block]\\x0anorm='pre'\": must be a formula in printable ASCII");
  EXPECT_EQ(refusal({"na\nme=1"}),
            "--set na\\x0ame=1: there is no field na\\x0ame: nearest is name");
}

TEST(set, needs_a_path_and_a_value) {
  const std::string allowed = ": must be PATH=VALUE, such as token.multiplier=1";
  for (const std::string text : {"token.multiplier", "=1", "", "="})
    EXPECT_EQ(refusal({text}), "--set " + text + allowed);
  EXPECT_EQ(change_from("a.b=c=d").path, "a.b");
  EXPECT_EQ(change_from("a.b=c=d").value, "c=d");
}

TEST(set, is_bounded_like_the_file) {
  EXPECT_NE(refusal({"token.multiplier=" + std::string(100000, '[')}).find("nested"),
            std::string::npos);
  EXPECT_NE(refusal({"token.multiplier=" + std::string(100000, '(')}).find("at most 1000"),
            std::string::npos);
}

TEST(set, blames_the_file_for_what_then_does_not_fit_in_it) {
  EXPECT_EQ(refusal({"model.d_model=100"}),
            "test.toml:3: model.heads = 8: must be a divisor of model.d_model = 100, unless "
            "model.d_k is given (after --set model.d_model=100)");
  EXPECT_EQ(refusal({"token.law=uniform"}),
            "test.toml:6: token.standard_deviation = 1: must be absent: the law uniform takes "
            "half_range (after --set token.law=uniform)");
}

}  // namespace
}  // namespace embedscale::audit
