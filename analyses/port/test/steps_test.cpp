// The steps of ports whose numbers are computed by hand.
#include "port/test/ports.hpp"

namespace embedscale::port {
namespace {

// √512 = 22.62741699797 in binary32, the format of the multiplier where none is told.
constexpr double root_512 = 22.627416610717773;

TEST(port_steps, fairseq_to_itself_without_the_factor) {
  const auto port =
      port_between("fairseq_transformer", tied, "fairseq_transformer", with(tied, without_factor));
  EXPECT_TRUE(port.keeps_function());
  EXPECT_EQ(names(port), "multiply token table, multiply gain, multiply bias");
  EXPECT_EQ(port.steps[0].factor, root_512);
  EXPECT_EQ(port.steps[1].factor, 1 / root_512);
  EXPECT_EQ(port.steps[2].factor, 1 / root_512);
  EXPECT_EQ(names(port.obstacles), "global_clipping");
  EXPECT_EQ(names(port.differences), "");
  EXPECT_EQ(port.not_told, "model.vocabulary");
}

TEST(port_steps, an_untied_output_stays_and_so_does_the_last_norm) {
  const auto port = port_between("fairseq_transformer", {}, "fairseq_transformer", without_factor);
  EXPECT_EQ(names(port), "multiply token table");
  EXPECT_TRUE(port.keeps_function());
  const Changes halved = {{"output.multiplier", "0.5"}}, plain = {{"output.multiplier", "1"}};
  const auto factor = port_between("fairseq_transformer", halved, "fairseq_transformer", plain);
  EXPECT_EQ(names(factor), "set_logit_factor logit factor");
  EXPECT_EQ(factor.steps[0].factor, 0.5);
  EXPECT_EQ(names(port_between("fairseq_transformer", halved, "fairseq_transformer", {})),
            "multiply output table");
}

TEST(port_steps, gemma_is_multiplied_by_what_it_was_trained_with) {
  const auto port = port_between("hf_gemma", {}, "hf_llama", as_gemma);
  EXPECT_TRUE(port.keeps_function()) << words_of(port);
  EXPECT_EQ(names(port), "multiply token table, multiply gain");
  EXPECT_EQ(port.steps[0].factor, 55.5);
  EXPECT_NE(port.steps[0].text.find("55.5, √3072 rounded to bfloat16"), std::string::npos);
  // (55.5 − 55.4256258422)/55.5 = 0.00134
  EXPECT_NE(port.steps[0].text.find("with 55.4256258422 every token is 0.134 % too small"),
            std::string::npos)
      << port.steps[0].text;
  EXPECT_EQ(port.steps[0].claims.back(), "porting.rounded_multiplier_is_the_function");
  EXPECT_EQ(port.steps[1].factor, 1 / 55.5);
  EXPECT_NE(port.steps[1].text.find("g′ = 0.018018018018·(1 + w)"), std::string::npos);
  EXPECT_EQ(names(port.obstacles), "decay_pulls_elsewhere global_clipping");
}

TEST(port_steps, a_gain_is_stored_as_its_code_stores_it) {
  const Changes plain = {{"final_norm.gain", "plain"}}, kept = {{"final_norm.gain", "one_plus"}};
  const auto text = [&](const Changes& from, const Changes& to) {
    return port_between("hf_gemma", from, "hf_gemma", with(to, without_factor)).steps[1].text;
  };
  const auto says = [](const std::string& all, const std::string& what) {
    EXPECT_NE(all.find(what), std::string::npos) << all;
  };
  says(text(plain, plain), ", g′ = 0.018018018018·g.");
  says(text(kept, plain),
       ", g′ = 0.018018018018·(1 + w); FROM stores w = g − 1, TO g itself, in all norms as a rule: "
       "g′ = 1 + w in the others.");
  says(text(plain, kept),
       ", w′ = 0.018018018018·g − 1; TO stores w′ = g′ − 1, in all norms as a rule: w′ = g − 1 in "
       "the others; near −1");
  // 2^−9·55.5
  says(text(kept, kept),
       ", w′ = 0.018018018018·(1 + w) − 1; both store w = g − 1; near −1, w′ is not for bfloat16, "
       "where gains around 1 can be up to 11 % off.");
  // Without a factor there is this alone to do.
  const auto alone = port_between("hf_gemma", plain, "hf_gemma", kept);
  EXPECT_EQ(names(alone), "rewrite gain");
  EXPECT_NE(alone.steps[0].text.find("store w′ = g − 1;"), std::string::npos);
  const auto back = port_between("hf_gemma", kept, "hf_gemma", plain);
  EXPECT_NE(back.steps[0].text.find("store g′ = 1 + w;"), std::string::npos);
}

TEST(port_steps, two_spellings_of_one_model_need_no_step_for_the_logits) {
  // T5 has m = 1, c = d^−½; tensor2tensor m = √d, c = 1, which is c/s but for rounding.
  const auto port = port_between("hf_t5", {}, "tensor2tensor", {});
  EXPECT_EQ(names(port), "multiply token table, fill bias, multiply query projection");
  EXPECT_EQ(port.steps[0].factor, 1 / root_512);
  EXPECT_NE(words_of(port).find("The tied logits need no step: TO's factor 1 is FROM's"),
            std::string::npos);
  EXPECT_EQ(names(port.obstacles), "positions_differ global_clipping");
  const auto back = port_between("tensor2tensor", {}, "hf_t5", {});
  EXPECT_EQ(names(back), "multiply token table, multiply query projection");
  EXPECT_EQ(names(back.obstacles), "bias_is_missing positions_differ global_clipping");
}

TEST(port_steps, marian_keeps_its_own_frequencies_in_a_stored_table) {
  const Changes same_size = {{"model.d_model", "512"}, {"model.heads", "8"}};
  const auto port = port_between("marian", {}, "hf_marian", same_size);
  EXPECT_EQ(names(port),
            "multiply token table, multiply gain, multiply bias, store_positions position table");
  EXPECT_EQ(names(port.differences), "model.positions block.epsilon");
  EXPECT_FALSE(port.keeps_function());
  EXPECT_TRUE(port_between("marian", {}, "hf_marian", with(same_size, {{"block.epsilon", "1e-6"}}))
                  .keeps_function());
}

TEST(port_steps, a_stored_table_turns_marians_multiplier_off) {
  const Changes one_model = {{"block.epsilon", "1e-6"}, {"model.positions", "100"}};
  const auto port = port_between("fairseq_transformer", with(tied, one_model), "marian", {});
  EXPECT_TRUE(port.keeps_function()) << words_of(port);
  EXPECT_EQ(names(port),
            "multiply token table, multiply gain, multiply bias, store_positions position table");
  EXPECT_EQ(port.steps[0].factor, root_512);
  // Where it goes on computing them, it multiplies as fairseq does.
  EXPECT_EQ(
      names(port_between("fairseq_transformer",
                         with(with(tied, one_model), {{"position.first", "0"}}), "marian", {})),
      "");
  // A trained table likewise, whoever says so.
  const auto learned =
      audit::read_configuration(audit::system_file("marian"),
                                {{"position.kind", "learned"}, {"position.law", "xavier_uniform"}});
  EXPECT_EQ(learned.token.multiplier, 1);
}

TEST(port_steps, a_factor_of_tied_logits_alone_is_nowhere_else) {
  const Changes untied = {
      {"output.tied", "false"}, {"output.law", "normal"}, {"output.standard_deviation", "1"}};
  const double root = 0.044194173824159223;  // 512^−½
  const auto copied = port_between("t5_mesh_tf", {{"model.d_model", "512"}}, "hf_t5", untied);
  EXPECT_EQ(names(copied), "copy_table output table");
  EXPECT_DOUBLE_EQ(*copied.steps[0].factor, root);
  // 64^−½ goes with the tie: what stays is FROM's factor, 1.
  const Changes small = {{"model.d_model", "64"}};
  const auto own = port_between("hf_t5", with(small, {{"output.multiplier", "1"}}), "hf_t5", small,
                                FactorPlace::own_table);
  EXPECT_EQ(own.steps[0].action, "copy_table");
  EXPECT_EQ(own.steps[0].factor, 1);
  const auto to_llama =
      port_between("hf_t5", untied, "hf_llama", {{"model.d_model", "512"}, {"model.heads", "8"}});
  EXPECT_EQ(names(to_llama), "multiply query projection");  // 1 over 64^−½, and nothing else
  EXPECT_EQ(names(port_between(
                "t5_mesh_tf", {}, "flaxformer_t5",
                {{"model.d_model", "1024"}, {"model.heads", "8"}, {"output.tied", "true"}})),
            "");
  for (const auto* system : {"t5x_t5", "flax_wmt", "jadore801120"})
    EXPECT_EQ(changed(system, untied).output.multiplier, 1) << system;
  EXPECT_NEAR(*changed("hf_t5", {}).output.multiplier, root, 1e-16);
  EXPECT_EQ(names(port_between("hf_t5", untied, "hf_t5", untied)), "");
}

TEST(port_steps, within_the_blocks_are_numbered) {
  const auto scale = port_between("hf_gpt2", {}, "hf_gpt2", {{"attention.scale", "0.5"}});
  EXPECT_EQ(names(scale), "multiply query projection");
  EXPECT_EQ(scale.steps[0].factor, 0.25);  // its own is 64^−½
  EXPECT_EQ(scale.optimizer.at(0).s, 0.25);
  EXPECT_EQ(names(scale.obstacles), "global_clipping");
  const auto branches =
      port_between("hf_granite", {}, "hf_granite", {{"block.residual_multiplier", ""}});
  EXPECT_EQ(names(branches), "multiply branch outputs");
  EXPECT_EQ(branches.steps[0].factor, 0.22);
  const auto heads = port_between("llama_meta", {}, "hf_llama", {{"block.epsilon", "1e-5"}});
  EXPECT_EQ(names(heads), "permute_heads query and key projections");
  EXPECT_NE(heads.steps[0].text.find("2j for j < 64, 2(j − 64) + 1"), std::string::npos);
  const auto tables =
      port_between("bert_google", {}, "bert_google", {{"extra[0].multiplier", "4"}});
  EXPECT_EQ(names(tables), "multiply table of extra[0]");
  EXPECT_EQ(tables.steps[0].factor, 0.25);
  for (const auto& port : {scale, branches, heads, tables})
    EXPECT_TRUE(port.keeps_function()) << words_of(port);
  // Nothing brings back what is multiplied by 0.
  EXPECT_FALSE(port_between("hf_gpt2", {}, "hf_gpt2", {{"attention.scale", "0"}}).keeps_function());
}

TEST(port_steps, positions_move_with_their_offset_layout_and_multiplier) {
  const auto port = [](const Changes& from, const Changes& to) {
    return port_between("fairseq_transformer", from, "fairseq_transformer", to);
  };
  const Changes learned = {{"position.kind", "learned"},
                           {"position.law", "normal"},
                           {"position.standard_deviation", "0.02"}};
  EXPECT_EQ(names(port(learned, with(learned, {{"position.first", "0"}}))),
            "move_position_rows position table");
  const auto multiplied = port(learned, with(learned, {{"position.multiplier", "4"}}));
  EXPECT_EQ(names(multiplied), "multiply position table");
  EXPECT_EQ(multiplied.steps[0].factor, 0.25);
  const auto permuted = port({}, {{"position.layout", "interleaved"}});
  EXPECT_EQ(names(permuted), "permute_channels channels");
  EXPECT_NE(permuted.steps[0].text.find("j/2 for even j, 256 + (j − 1)/2 for odd j"),
            std::string::npos);
  EXPECT_NE(port({{"position.layout", "interleaved"}}, {})
                .steps[0]
                .text.find("2j for j < 256, 2(j − 256) + 1 from there on"),
            std::string::npos);
  EXPECT_EQ(names(port({}, {{"position.first", "0"}})), "store_positions position table");
  EXPECT_EQ(names(port({{"position.multiplier", "2"}}, {})), "store_positions position table");
  EXPECT_EQ(port({{"position.multiplier", "2"}}, {}).steps[0].factor, 2);
  EXPECT_TRUE(port({{"position.multiplier", "2"}}, {}).optimizer.empty());  // not trained
  EXPECT_EQ(port(with(learned, {{"position.multiplier", "2"}}), {}).optimizer[0].s, 2);
  const Changes none = {{"position.kind", "none"}}, rotary = {{"position.kind", "rotary"}};
  EXPECT_EQ(names(port(none, learned)), "fill position table");
  EXPECT_TRUE(port(none, learned).keeps_function());
  EXPECT_EQ(names(port(rotary, learned).differences), "position.kind");
  EXPECT_EQ(names(port(rotary, {}).obstacles), "positions_differ");
  EXPECT_EQ(names(port(rotary, {}).differences), "");
}

TEST(port_steps, tied_logits_go_where_they_are_asked_to) {
  const Changes with_place = {{"token.multiplier", "1"}, {"output.multiplier", "1"}};
  const auto port = [&](const Changes& to, std::optional<FactorPlace> place = {}) {
    return port_between("tensor2tensor", {}, "tensor2tensor", to, place);
  };
  EXPECT_EQ(names(port(with_place)), "multiply token table, set_logit_factor logit factor");
  EXPECT_EQ(port(with_place).steps[1].factor, 1 / root_512);
  EXPECT_EQ(names(port(with_place, FactorPlace::final_norm)),
            "multiply token table, multiply gain, multiply bias");
  EXPECT_EQ(names(port(with_place, FactorPlace::own_table)),
            "copy_table output table, multiply token table");
  EXPECT_EQ(names(port(with_place, FactorPlace::own_table).obstacles),
            "table_trains_apart global_clipping");
  const Changes bare = {
      {"token.multiplier", "1"}, {"final_norm.gain", "none"}, {"output.sharing", "always"}};
  const auto stuck =
      port_between("tensor2tensor", {{"final_norm.gain", "none"}}, "tensor2tensor", bare);
  EXPECT_EQ(names(stuck.obstacles), "factor_has_no_place global_clipping");
  EXPECT_FALSE(stuck.keeps_function());
}

TEST(port_steps, the_optimiser_follows_by_powers_of_s) {
  // s = 4: all of these are exact.
  const auto [of, s, adam, sgd] = followed("gain", 4);
  EXPECT_EQ(adam.first_moment, 0.25);
  EXPECT_EQ(adam.second_moment, 0.0625);
  EXPECT_EQ(adam.epsilon, 0.25);
  EXPECT_EQ(adam.rate, 4);
  EXPECT_EQ(adam.decay, 0.25);
  EXPECT_EQ(adam.l2, 0.0625);
  EXPECT_EQ(sgd.buffer, 0.25);
  EXPECT_EQ(sgd.rate, 16);
  EXPECT_EQ(sgd.l2, 0.0625);
  // A sign is the state's alone.
  const auto negative = followed("gain", -4);
  EXPECT_EQ(negative.adam.first_moment, -0.25);
  EXPECT_EQ(negative.adam.rate, 4);
  EXPECT_EQ(negative.sgd.rate, 16);
}

TEST(port_differences, are_named_with_what_makes_up_for_them) {
  const auto port = [](const Changes& to) {
    const Changes words = {{"model.vocabulary", "50257"}};
    return port_between("gpt2_openai", words, "gpt2_openai", with(words, to));
  };
  const auto alone = [&](const Changes& to) {
    const auto made = port(to);
    EXPECT_EQ(made.differences.size(), 1u) << words_of(made);
    EXPECT_EQ(made.keeps_function(), !made.differences.at(0).stops_function);
    return made.differences.at(0);
  };
  EXPECT_EQ(alone({{"block.epsilon", "1e-6"}}).name, "block.epsilon");
  EXPECT_NE(alone({{"block.epsilon", "1e-6"}}).text.find("--set to.block.epsilon=1e-05"),
            std::string::npos);
  EXPECT_EQ(alone({{"block.norm", "post"}}).name, "block.norm");
  EXPECT_EQ(alone({{"block.epsilon_added_to", "standard_deviation"}}).name,
            "block.epsilon_added_to");
  EXPECT_EQ(alone({{"embedding_norm.kind", "layer_norm"}}).name, "embedding_norm.kind");
  EXPECT_FALSE(alone({{"model.vocabulary", "60000"}}).stops_function);
  EXPECT_TRUE(alone({{"model.vocabulary", "50000"}}).stops_function);
  EXPECT_FALSE(alone({{"model.positions", "512"}}).stops_function);
  EXPECT_FALSE(alone({{"model.positions", "2048"}}).stops_function);
  EXPECT_EQ(names(port({{"model.heads", "16"}, {"attention.scale", "0.125"}}).differences),
            "model.heads model.d_k");
  EXPECT_EQ(
      names(port_between("hf_gemma", {}, "hf_gemma", {{"position.base", "500000"}}).differences),
      "position.base");
  EXPECT_EQ(
      names(port_between("hf_gemma", {}, "hf_gemma", {{"position.kind", "none"}}).differences),
      "position.kind");
  EXPECT_EQ(names(port_between("bert_google", {}, "gpt2_openai", {}).differences),
            "model.positions extra embedding_norm.kind block.norm block.epsilon");
}

}  // namespace
}  // namespace embedscale::port
