// What is read from a configuration, what stands where nothing is, and what --set makes of it.
#include "configurations.hpp"

namespace embedscale::audit {
namespace {

/// The defaults that count: "field=default", in the order of reading.
std::string defaults_of(const Configuration& c) {
  std::string all;
  for (const auto& [field, words] : c.defaults) all += " " + field + "=" + words;
  return all;
}

TEST(configuration, has_its_defaults) {
  const Configuration c = parse_configuration(whole, "dir/mine.toml");
  EXPECT_EQ(c.name, "mine");
  EXPECT_EQ(c.file, "dir/mine.toml");
  EXPECT_EQ(c.model.d_k, 64);
  EXPECT_FALSE(c.model.vocabulary.has_value());
  EXPECT_FALSE(c.model.positions.has_value());
  EXPECT_EQ(c.token.multiplier, 1);
  EXPECT_EQ(c.token.format, NumberFormat::binary32);
  EXPECT_EQ(c.token.width, 512);
  EXPECT_EQ(c.position.frequencies, FrequencyRule::paper);
  EXPECT_EQ(c.position.layout, SinusoidalLayout::interleaved);
  EXPECT_EQ(c.position.combine, Combine::sum);
  EXPECT_EQ(c.position.base, 10000);
  EXPECT_EQ(c.position.first, 0);
  EXPECT_EQ(c.position.multiplier, 1);
  EXPECT_FALSE(c.embedding_norm.has_value());
  EXPECT_EQ(c.block.where, BlockNorm::none);
  EXPECT_EQ(c.attention.scale, 0.125);
  EXPECT_EQ(c.attention.projection_q->kind, LawKind::xavier_uniform);
  EXPECT_EQ(c.attention.projection_k->kind, LawKind::xavier_uniform);
  EXPECT_EQ(c.output.tied, true);
  EXPECT_EQ(c.output.multiplier, 1);
  EXPECT_TRUE(c.extras.empty());
  EXPECT_EQ(c.mark_of("token.law"), Mark::read);
}

TEST(configuration, lists_the_defaults_that_count) {
  // Without a norm there is no ε, and 1 is 1 in every format.
  const std::string sines = " position.frequencies=paper position.layout=interleaved",
                    more = " position.base=10000 position.multiplier=1",
                    one = " token.multiplier=1",
                    rest =
                        " attention.scale=1/sqrt(d_k) attention.projection=xavier_uniform "
                        "output.tied=true output.multiplier=1";
  EXPECT_EQ(defaults_of(configured(whole)), sines + one + more + " block.norm=none" + rest);
  EXPECT_EQ(defaults_of(configured(whole + "[block]\nnorm = 'pre'\nkind = 'rms_norm'\n")),
            sines + one + more + " block.epsilon=1e-5 block.epsilon_added_to=variance" + rest);
  EXPECT_EQ(defaults_of(configured(model + token + "[position]\nkind = 'rotary'\n")),
            one + " block.norm=none" + rest);
}

TEST(configuration, evaluates_formulas_in_its_own_fields) {
  const Configuration c = parse_configuration(
      "[model]\nd_model = 64\nheads = 3\nd_k = 'd_model/4'\nvocabulary = '2^10'\n[token]\n"
      "law = 'uniform'\nhalf_range = '1/vocabulary'\nmultiplier = 'd_k + heads'\n[position]\n"
      "kind = 'none'\n[attention]\nscale = '1/d_k'\n[[extra]]\nlaw = 'normal'\n"
      "standard_deviation = '1/heads'\n",
      "-");
  EXPECT_EQ(c.name, "standard input");
  EXPECT_EQ(c.model.d_k, 16);
  EXPECT_EQ(c.token.law->parameter, 1.0 / 1024);
  EXPECT_EQ(c.token.law->written, "1/vocabulary");
  EXPECT_EQ(c.token.multiplier, 19);
  EXPECT_EQ(c.attention.scale, 0.0625);
  EXPECT_EQ(c.extras[0].law.parameter, 1.0 / 3);
}

TEST(configuration, is_read_from_a_stream) {
  std::istringstream in("name = 'piped'\n" + whole);
  EXPECT_EQ(read_configuration(in, "-").name, "piped");
}

TEST(configuration, has_the_norm_on_the_sum_if_its_section_stands_there) {
  const auto norm = configured(whole + "[embedding_norm]\nepsilon = 3\n").embedding_norm;
  ASSERT_TRUE(norm.has_value());
  EXPECT_EQ(norm->kind, expected::Norm::Kind::layer_norm);
  EXPECT_EQ(norm->epsilon, 3);
  EXPECT_EQ(norm->placement, EpsilonPlacement::variance);
  EXPECT_TRUE(configured(whole + "[embedding_norm]\n").embedding_norm.has_value());
}

TEST(configuration, may_have_laws_of_its_own_for_q_and_k) {
  const std::string normal = "projection = 'normal'\nprojection_standard_deviation = 2\n";
  const Attention one = configured(whole + "[attention]\n" + normal +
                                   "projection_k = 'uniform'\nprojection_k_half_range = 3\n")
                            .attention;
  EXPECT_EQ(one.projection_q->kind, LawKind::normal);
  EXPECT_EQ(one.projection_q->parameter, 2);
  EXPECT_EQ(one.projection_k->kind, LawKind::uniform);
  EXPECT_EQ(one.projection_k->parameter, 3);
  const Attention both = configured(whole +
                                    "[attention]\nprojection_q = 'zeros'\nprojection_k = "
                                    "'packed_xavier_uniform'\n")
                             .attention;
  EXPECT_EQ(both.projection_q->kind, LawKind::zeros);
  EXPECT_EQ(both.projection_k->kind, LawKind::packed_xavier_uniform);
}

TEST(configuration, reads_further_tables_in_their_order) {
  const auto extras = configured(whole +
                                 "[[extra]]\nname = 'segment'\nlaw = 'normal'\n"
                                 "standard_deviation = 1\n[[extra]]\nlaw = 'xavier_normal'\n"
                                 "rows = 2\nmultiplier = 'sqrt(d_model)'\n")
                          .extras;
  ASSERT_EQ(extras.size(), 2u);
  EXPECT_EQ(extras[0].name, "segment");
  EXPECT_EQ(extras[0].multiplier, 1);
  EXPECT_EQ(extras[1].rows, 2);
  EXPECT_EQ(extras[1].multiplier, std::sqrt(512.0));
}

TEST(configuration, gives_a_concatenated_position_what_the_tokens_leave) {
  const Configuration c = configured(
      "[model]\nd_model = 10\nheads = 2\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n"
      "width = 6\n[position]\nkind = 'sinusoidal'\ncombine = 'concatenation'\n");
  EXPECT_EQ(c.token.width, 6);
  EXPECT_EQ(c.model.d_k, 5);
}

TEST(marks, are_words_or_tables_with_a_source) {
  const Configuration c = configured(whole +
                                     "[marks]\n'token.law' = 'inferred'\n"
                                     "'model.heads' = { mark = 'assumed', source = 'x' }\n");
  EXPECT_EQ(c.mark_of("token.law"), Mark::inferred);
  EXPECT_EQ(c.marks.at("token.law").source, "");
  EXPECT_EQ(c.mark_of("model.heads"), Mark::assumed);
  EXPECT_EQ(c.marks.at("model.heads").source, "x");
  EXPECT_EQ(c.mark_of("model.d_model"), Mark::read);
}

/// All but what kind of position is marked absent.
std::string nothing_told() {
  std::string toml = "[position]\nkind = 'sinusoidal'\n[marks]\n";
  for (const char* field : {"model.d_model", "model.heads", "model.d_k", "token.law",
                            "token.multiplier", "position.base", "position.multiplier",
                            "block.norm", "attention.scale", "attention.projection", "output.tied"})
    toml += fmt::format("'{}' = 'absent'\n", field);
  return toml;
}

TEST(absent, fields_have_no_default) {
  const Configuration c = configured(nothing_told());
  EXPECT_FALSE(c.model.d_model || c.model.d_k || c.token.law || c.token.multiplier ||
               c.position.base || c.position.multiplier || c.block.where || c.attention.scale ||
               c.attention.projection_q || c.output.tied);
  EXPECT_EQ(defaults_of(c),
            " position.frequencies=paper position.layout=interleaved "
            "token.multiplier_format=binary32 output.multiplier=1");
}

TEST(absent, fields_leave_all_that_hangs_on_them_missing_and_nothing_else) {
  const Scales none = scales_of(configured(nothing_told()));
  for (const Quantity& q : quantities(none))
    EXPECT_EQ(q.value.has_value(), q.path == "extra.rms") << q.path;
  for (const Verdict& v : verdicts(none)) EXPECT_FALSE(v.value.has_value()) << v.path;
  const Scales only_base = scales_of(configured(
      whole + "[block]\nnorm = 'pre'\nkind = 'rms_norm'\n[marks]\n'position.base' = 'absent'\n",
      {{"model.positions", "9"}}));
  EXPECT_TRUE(only_base.first_layer.logit_std.value.has_value());  // ‖p‖ is the same at any base
  for (const Quantity* q :
       {&only_base.input.constant_share, &only_base.first_layer.logit_std_over_keys,
        &only_base.first_layer.entropy})
    EXPECT_EQ(q->missing, "needs position.base, which is not told");
  const Scales no_length = scales_of(configured(whole + "[block]\nnorm = 'pre'\n"));
  EXPECT_EQ(no_length.first_layer.input_rms.missing, "needs model.positions, which is not told");
}

TEST(absent, d_k_is_not_worked_out_from_d_model_and_heads) {
  const Configuration c = configured(whole + "[marks]\n'model.d_k' = 'absent'\n");
  EXPECT_FALSE(c.model.d_k.has_value());
  EXPECT_FALSE(c.attention.scale.has_value());
}

TEST(absent, fields_make_formulas_of_them_absent) {
  const Scales s = scales_of(configured(
      "[token]\nlaw = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 3\n" + position +
      "[marks]\n'model.d_model' = { mark = 'absent', source = 'any' }\n"
      "'model.heads' = 'absent'\n"));
  EXPECT_EQ(s.input.token_rms.missing, "needs what \"d_model^-0.5\" is computed from");
  EXPECT_EQ(s.scaled_down.factor.value, 3.0);
  EXPECT_EQ(s.input.position_rms.value, std::sqrt(0.5));
  EXPECT_EQ(s.output.own_logit.missing, "does not apply: block.norm is not pre");
}

Configuration changed(const std::vector<std::string>& texts, const std::string& toml = whole) {
  std::vector<Change> changes;
  for (const std::string& text : texts) changes.push_back(change_from(text));
  return configured(toml, changes);
}

TEST(set, takes_numbers_words_formulas_and_truths) {
  EXPECT_EQ(changed({"token.multiplier=-2.5e3"}).token.multiplier, -2500);
  EXPECT_EQ(changed({"model.d_model=0x400"}).model.d_model, 1024);
  for (const char* rotary :
       {"position.kind=rotary", "position.kind=\"rotary\"", "position.kind='rotary'"})
    EXPECT_EQ(changed({rotary}).position.kind, PositionKind::rotary);
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
  const std::string set = json_line(audited(whole, {{"model.positions", "9"},
                                                    {"token.multiplier", "sqrt(d_model)"},
                                                    {"position.kind", "learned"},
                                                    {"position.law", "uniform"},
                                                    {"position.half_range", "2"},
                                                    {"embedding_norm.kind", "rms_norm"},
                                                    {"block.norm", "pre"}}));
  EXPECT_EQ(set, json_line(audited(edited)));
  EXPECT_NE(set, json_line(audited(whole)));
}

TEST(set, takes_a_field_away_where_the_value_is_empty) {
  const std::string toml = whole + "multiplier = 3\n[block]\nnorm = 'pre'\nepsilon = 0.5\n";
  EXPECT_EQ(configured(toml).position.multiplier, 3);
  EXPECT_EQ(changed({"position.multiplier="}, toml).position.multiplier, 1);
  EXPECT_EQ(changed({"block.epsilon="}, toml).block.norm.epsilon, 1e-5);
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

TEST(set, works_in_the_order_given_and_lets_formulas_follow) {
  EXPECT_EQ(changed({"token.multiplier=2", "token.multiplier=3"}).token.multiplier, 3);
  EXPECT_EQ(changed({"token.multiplier=3", "token.multiplier="}).token.multiplier, 1);
  EXPECT_EQ(changed({"model.d_model=64"}, whole + "multiplier = 'd_model'\n").position.multiplier,
            64);
}

TEST(set, reaches_into_further_tables) {
  const std::string normal = "[[extra]]\nlaw = 'normal'\nstandard_deviation = 1\n";
  const auto extras = changed({"extra[1].standard_deviation=5", "extra[0].law=xavier_uniform",
                               "extra[0].standard_deviation="},
                              whole + normal + normal)
                          .extras;
  EXPECT_EQ(extras[0].law.kind, LawKind::xavier_uniform);
  EXPECT_EQ(extras[1].law.parameter, 5);
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

}  // namespace
}  // namespace embedscale::audit
