// An audit as programs and as people read it.
#include "audit_text.hpp"
#include "report/table.hpp"

#include <array>
#include <chrono>
#include <sstream>

namespace embedscale::audit {
namespace {

/// The paths of the figures, in full: programs rely on them.
constexpr std::array paths{"token.rms",
                           "position.rms",
                           "token_to_position",
                           "extra.rms",
                           "input.rms",
                           "position.constant_share",
                           "attention_input.rms",
                           "first_layer.logit_std",
                           "first_layer.logit_std_over_keys",
                           "first_layer.entropy",
                           "first_layer.shares.token_token",
                           "first_layer.shares.token_position",
                           "first_layer.shares.position_token",
                           "first_layer.shares.position_position",
                           "output.logit_std",
                           "output.initial_loss",
                           "output.own_logit",
                           "optimizer.adam_relative_step",
                           "scaled_down.factor",
                           "scaled_down.exact_factor",
                           "scaled_down.rounding_error",
                           "scaled_down.input.rms",
                           "scaled_down.epsilon_shrinkage_up",
                           "scaled_down.epsilon_shrinkage_down",
                           "scaled_down.logit_std"};

TEST(json, has_a_number_or_a_reason_at_every_path) {
  for (const std::string& name : systems()) {
    const Audit audit = audit_of(system_named(name));
    const auto all = quantities(audit.scales);
    ASSERT_TRUE(std::ranges::equal(all, paths, {}, &Quantity::path));
    const std::string line = json_line(audit);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto json = nlohmann::ordered_json::parse(line);
    EXPECT_EQ(json["name"], name);
    EXPECT_EQ(json["file"], system_file(name));
    const auto missing = json["missing"];
    for (const Quantity& q : all) {
      const auto at = at_path(json, q.path);
      EXPECT_EQ(at.is_number(), q.value.has_value()) << name << ": " << q.path;
      EXPECT_EQ(at.is_null(), missing.contains(q.path)) << name << ": " << q.path;
      if (q.value) {
        EXPECT_EQ(at.get<double>(), *q.value);
      } else {
        EXPECT_EQ(missing[q.path], q.missing) << name;
        EXPECT_NE(q.missing, "") << name << ": " << q.path;
      }
    }
    for (const auto& [path, reason] : missing.items())
      EXPECT_TRUE(at_path(json, path).is_null()) << name << ": " << path << ", " << reason;
  }
}

TEST(json, bounds_every_number_by_its_method) {
  for (const std::string& name : systems()) {
    const auto json = json_of(audit_of(system_named(name)));
    for (const char* path : paths) {
      const bool told = at_path(json, path).is_number();
      EXPECT_EQ(json["methods"].contains(path), told) << name << ": " << path;
      if (!told) continue;
      const auto method = json["methods"][path];
      const double value = at_path(json, path).get<double>();
      EXPECT_LE(method["lower"].get<double>(), value) << name << ": " << path;
      EXPECT_GE(method["upper"].get<double>(), value) << name << ": " << path;
      EXPECT_EQ(method["samples"], 0);
      const bool quadrature = std::string_view(path) == "first_layer.entropy" ||
                              std::string_view(path) == "output.initial_loss";
      EXPECT_EQ(method["method"] == "quadrature", quadrature) << path;
    }
    EXPECT_LE(json["methods"].size(), paths.size());
  }
}

TEST(json, says_of_what_is_summed_or_left_out) {
  const auto methods =
      json_from(whole, {{"model.positions", "9"}, {"block.norm", "pre"}})["methods"];
  EXPECT_EQ(methods["attention_input.rms"]["method"], "sum over positions");
  EXPECT_EQ(methods["token.rms"]["method"], "closed form");
  EXPECT_EQ(methods["output.own_logit"]["method"], "closed form, the blocks' branches left out");
}

TEST(json, keeps_what_is_not_read_apart) {
  const auto json = json_of(audit_of(system_named("d2l_mxnet")));
  EXPECT_EQ(json["marks"]["token.half_range"], "assumed");
  EXPECT_EQ(json["marks"]["model.vocabulary"], "absent");
  EXPECT_FALSE(json["marks"].contains("model.d_model"));
  EXPECT_EQ(json["defaults"]["position.multiplier"], "1");
  EXPECT_FALSE(json["defaults"].contains("token.multiplier"));
  EXPECT_EQ(json["scaled_down"]["rounds_identically"]["binary32"], true);
}

TEST(json, quotes_what_an_absent_mark_rests_on) {
  const auto json = json_of(audit_of(system_named("gemma_pytorch")));
  EXPECT_EQ(json["missing"]["token.rms"],
            "needs token.law, which is not told: torch.empty, never initialised: the table is "
            "loaded");
}

TEST(json, has_null_for_a_verdict_that_is_missing) {
  const auto json = json_from(whole, {{"token.multiplier", "1e39"}});
  EXPECT_TRUE(json["scaled_down"]["rounds_identically"]["binary32"].is_null());
  EXPECT_EQ(json["missing"]["scaled_down.rounds_identically.binary32"],
            "token.multiplier = 1e+39 is inf in binary32");
}

TEST(json, is_text_in_utf_8_whatever_the_file_is_called) {
  const Audit audit = audit_of(parse_configuration(whole, "dir/caf\xe9.toml"));
  const auto json = nlohmann::ordered_json::parse(json_line(audit));  // throws where it is not
  EXPECT_EQ(json["name"], "caf\xef\xbf\xbd");
  EXPECT_EQ(json["file"], "dir/caf\xef\xbf\xbd.toml");
}

TEST(json, has_no_number_that_is_not_finite) {
  // JSON knows neither NaN nor infinity: what leaves the range is missing.
  for (const char* multiplier : {"0", "1e-300", "1e300", "-1e160"})
    for (const char* scale : {"0", "1e308", "1e-308"})
      for (const char* norm : {"pre", "none"}) {
        const auto json = json_from(whole, {{"token.multiplier", multiplier},
                                            {"token.multiplier_format", "binary64"},
                                            {"attention.scale", scale},
                                            {"output.multiplier", scale},
                                            {"model.positions", "9"},
                                            {"model.vocabulary", "11"},
                                            {"block.norm", norm},
                                            {"block.epsilon", "0"}});
        for (const char* path : paths) {
          const auto at = at_path(json, path);
          EXPECT_TRUE(at.is_null() ? json["missing"].contains(path)
                                   : std::isfinite(at.get<double>()))
              << path << " with " << multiplier << " and " << scale;
        }
      }
}

TEST(summary, fits_in_79_columns_and_shows_every_path) {
  for (const std::string& name : systems()) {
    const Audit audit = audit_of(system_named(name));
    const std::string text = summary_of(audit);
    EXPECT_TRUE(text.ends_with("\n"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(report::width_of(line), 79u) << name << ": " << line;
    for (const Quantity& q : quantities(audit.scales))
      EXPECT_TRUE(
          text.find(q.path) != std::string::npos || q.path == "extra.rms" ||
          (audit.configuration.token.multiplier == 1.0 && q.path.starts_with("scaled_down.")))
          << name << ": " << q.path;
    for (const Finding& f : audit.findings)
      EXPECT_NE(text.find(f.claim + "]"), std::string::npos) << name << ": " << f.claim;
  }
}

TEST(summary, fits_with_the_longest_texts_that_are_read) {
  const std::string text = summary_of(audited(
      "name = '" + std::string(60, 'n') + "'\n" + whole + "[source]\nrepository = '" +
      std::string(140, 'r') + "'\n[[extra]]\nname = '" + std::string(60, 'e') +
      "'\nlaw = 'normal'\nstandard_deviation = 1\n[marks]\n'model.vocabulary' = { mark = 'absent', "
      "source = '" +
      std::string(1000, 's') + "' }\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(report::width_of(line), 79u) << line;
}

TEST(summary, of_gemma_says_that_nothing_is_added) {
  const std::string text = summary_of(audit_of(system_named("hf_gemma")));
  EXPECT_NE(text.find("rotary: nothing is added to the tokens"), std::string::npos);
}

TEST(summary, lists_what_is_assumed_and_what_defaults_stand_in) {
  const std::string text = summary_of(audit_of(system_named("bert_google")));
  EXPECT_NE(text.find("  assumed        block.epsilon, embedding_norm.epsilon\n"),
            std::string::npos);
  EXPECT_NE(text.find("  absent         model.vocabulary\n"), std::string::npos);
  EXPECT_NE(text.find("  defaults       token.multiplier = 1, position.multiplier = 1,"),
            std::string::npos);
}

TEST(summary, says_what_the_figures_leave_out) {
  const std::string bert = summary_of(audit_of(system_named("bert_google")));
  EXPECT_NE(bert.find("shares         what they leave to 1 is the extra tables' part"),
            std::string::npos);
  EXPECT_NE(bert.find("ln L = 6.238"), std::string::npos);  // ln 512
  const std::string t2t = summary_of(audit_of(system_named("tensor2tensor")));
  EXPECT_NE(t2t.find("the blocks' branches are\n"), std::string::npos);
  EXPECT_NE(t2t.find("ln V = 10.40"), std::string::npos);  // ln 32768
}

TEST(audit, of_the_whole_atlas_takes_far_less_than_a_second_and_so_does_the_largest_loss) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& name : systems()) json_line(audit_of(system_named(name)));
  const auto atlas = std::chrono::steady_clock::now();
  json_from(whole, {{"model.vocabulary", "256000"}, {"output.multiplier", "40/sqrt(d_model)"}});
  const std::chrono::duration<double> first = atlas - start,
                                      second = std::chrono::steady_clock::now() - atlas;
  // 0.1 s and 0.01 s where this was written; sanitizers and a busy machine may take 50 times that.
  EXPECT_LT(first.count(), 5);
  EXPECT_LT(second.count(), 5);
  RecordProperty("atlas_seconds", std::to_string(first.count()));
  RecordProperty("loss_seconds", std::to_string(second.count()));
}

}  // namespace
}  // namespace embedscale::audit
