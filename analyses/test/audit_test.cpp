// What an audit computes, against other formulas and against the library's own arithmetic.
#include "audit/scales.hpp"
#include "audit/summary.hpp"
#include "report/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/initializer.hpp>

#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

namespace embedscale::audit {
namespace {

constexpr double u32 = 0x1p-24, u64 = 0x1p-53;

const std::vector<std::string> systems = {"annotated_transformer",
                                          "d2l_jax",
                                          "d2l_mxnet",
                                          "d2l_pytorch",
                                          "d2l_tensorflow",
                                          "fairseq",
                                          "gemma",
                                          "pytorch_transformer_tutorial",
                                          "pytorch_translation_tutorial",
                                          "tensor2tensor",
                                          "tf_text_tutorial"};

Configuration system_named(const std::string& name) {
  return read_configuration(std::string(EMBEDSCALE_SYSTEMS_DIR) + "/" + name + ".toml");
}
Scales scales_of_system(const std::string& name) { return scales_of(system_named(name)); }

/// The scales of a model of width d and 1 head, with these [token] and [position] keys.
Scales scales(int d, const std::string& token, const std::string& position) {
  return scales_of(parse_configuration(
      fmt::format("[model]\nd_model = {}\nheads = 1\n[token]\n{}\n[position]\n{}\n", d, token,
                  position),
      "test.toml"));
}
const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\n"
    "multiplier = 'sqrt(d_model)'\n";

/// |got − expected| is within `ulps` roundings of binary64: each of *, /, sqrt and pow costs one.
void expect_within(const Quantity& got, double expected, double ulps) {
  ASSERT_TRUE(got.value.has_value()) << got.missing;
  EXPECT_LE(std::abs(*got.value - expected), ulps * 2 * u64 * std::abs(expected))
      << got.path << " = " << *got.value << ", expected " << expected;
}

TEST(systems, all_are_read_and_have_their_files_name) {
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(EMBEDSCALE_SYSTEMS_DIR))
    if (file.path().extension() == ".toml") found.insert(file.path().stem());
  for (const std::string& name : systems) EXPECT_EQ(found.count(name), 1u) << name;
  for (const std::string& name : found) EXPECT_EQ(system_named(name).name, name);
}

TEST(systems, name_a_repository_a_full_commit_and_files) {
  for (const std::string& name : systems) {
    const Source source = system_named(name).source;
    EXPECT_NE(source.repository.find('/'), std::string::npos) << name;
    EXPECT_EQ(source.commit.size(), 40u) << name;
    EXPECT_EQ(source.commit.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
    EXPECT_FALSE(source.files.empty()) << name;
  }
}

TEST(systems, mark_framework_defaults) {
  EXPECT_EQ(system_named("d2l_pytorch").mark_of("token.law"), Mark::inferred);
  EXPECT_EQ(system_named("pytorch_transformer_tutorial").mark_of("model.d_k"), Mark::assumed);
  EXPECT_EQ(system_named("tensor2tensor").mark_of("token.law"), Mark::read);
}

TEST(token_rms, is_one_for_tensor2tensor_but_for_the_rounded_root) {
  const Scales s = scales_of_system("tensor2tensor");
  // fl32(√512)·512^-½: one rounding to binary32, then pow, squaring, root, product in binary64.
  EXPECT_LE(std::abs(*s.token_rms.value - 1), u32 + 8 * u64);
  expect_within(s.token_rms, static_cast<double>(std::sqrt(512.0f)) / std::sqrt(512.0), 6);
}

TEST(token_rms, parts_the_four_programs_of_one_book) {
  // √256 = 16 is exact. For a uniform law Simpson's rule gives E e² = (a² + 4·0² + a²)/6 exactly.
  const auto uniform = [](double a) { return 16 * std::sqrt((a * a + 4 * 0 + a * a) / 6); };
  expect_within(scales_of_system("d2l_pytorch").token_rms, 16, 4);
  expect_within(scales_of_system("d2l_mxnet").token_rms, uniform(0.07), 8);
  expect_within(scales_of_system("d2l_tensorflow").token_rms, uniform(0.05), 8);
  expect_within(scales_of_system("d2l_jax").token_rms, 1, 4);
  EXPECT_EQ(report::significant(*scales_of_system("d2l_mxnet").token_rms.value, 2), "0.65");
  EXPECT_EQ(report::significant(*scales_of_system("d2l_tensorflow").token_rms.value, 2), "0.46");
}

TEST(token_rms, of_a_cut_normal_is_what_draws_give) {
  const Scales s = scales(4, "law = 'truncated_normal'\nstandard_deviation = 1", "kind = 'none'");
  const Stream stream(20, "audit_test.truncated");
  constexpr std::uint64_t n = 1 << 18;
  double sum = 0, sum_of_squares = 0;
  for (std::uint64_t drawn = 0, i = 0; drawn < n; ++i) {
    const double z = stream.normal(i);
    if (std::abs(z) > 2) continue;
    sum += z * z;
    sum_of_squares += z * z * z * z;
    ++drawn;
  }
  const double mean = sum / n, variance = sum_of_squares / n - mean * mean;
  // Six standard errors: a false alarm of 2·10⁻⁹. Uncut, or cut by clamping, it is off by 0.2,
  // 0.03.
  const double rms = *s.token_rms.value;
  EXPECT_LE(std::abs(rms * rms - mean), 6 * std::sqrt(variance / n));
}

TEST(token_rms, of_a_xavier_table_needs_the_vocabulary) {
  const Scales s = scales_of_system("annotated_transformer");
  EXPECT_FALSE(s.token_rms.value.has_value());
  EXPECT_EQ(
      s.token_rms.missing,
      "token.rms needs model.vocabulary: xavier_uniform on a (V, d_model) table depends on it");
  EXPECT_EQ(s.input_rms.missing, "input.rms needs token.rms");
  Configuration c = system_named("annotated_transformer");
  c.model.vocabulary = 37000;
  // √512·√(2/(V+d)), with √512 in binary32.
  EXPECT_NEAR(*scales_of(c).token_rms.value, std::sqrt(1024.0 / 37512.0), u32);
}

TEST(token_rms, is_missing_where_the_multiplier_overflows_its_format) {
  const Scales s = scales(4,
                          "law = 'normal'\nstandard_deviation = 1\nmultiplier = 65520\n"
                          "multiplier_format = 'binary16'",
                          "kind = 'none'");
  EXPECT_EQ(s.scaled_down.factor.missing,
            "scaled_down.factor: token.multiplier = 65520 overflows binary16");
  EXPECT_EQ(s.token_rms.missing, "token.rms needs scaled_down.factor");
}

TEST(position_rms, is_what_the_library_encodes) {
  for (const auto& [name, rule] : {std::pair("tensor2tensor", FrequencyRule::tensor2tensor),
                                   std::pair("tf_text_tutorial", FrequencyRule::paper)}) {
    const Configuration c = system_named(name);
    ASSERT_EQ(c.position.frequencies, rule);
    const auto d = static_cast<std::size_t>(c.model.d_model);
    const auto w = sinusoidal_frequencies<double>(d, rule, c.position.base);
    std::vector<double> p(d);
    double sum = 0, terms = 0;
    for (std::int64_t l = 0; l < 64; ++l) {
      encode_position<double>(l, w, c.position.layout, p);
      for (const double x : p) sum += x * x, ++terms;
    }
    // Adding n terms errs by n·u at most, relatively; each square by 4 u (sine, twice; product).
    EXPECT_LE(std::abs(*scales_of(c).position_rms.value - std::sqrt(sum / terms)),
              (terms + 8) * u64);
  }
}

TEST(position_rms, of_sinusoids_carries_their_multiplier) {
  expect_within(scales(6, root_d, "kind = 'sinusoidal'\nmultiplier = -3").position_rms,
                std::sqrt(4.5), 3);
}

TEST(position_rms, of_a_learned_table_carries_its_own_multiplier) {
  const Scales s =
      scales(6, root_d, "kind = 'learned'\nlaw = 'uniform'\nhalf_range = 3\nmultiplier = '-1/2'");
  expect_within(s.position_rms, std::sqrt(3.0) / 2, 4);
  expect_within(s.token_to_position, *s.token_rms.value / *s.position_rms.value, 1);
}

TEST(position_rms, is_missing_where_nothing_is_added) {
  for (const std::string kind : {"rotary", "relative", "none"}) {
    const Scales s = scales(8, root_d, "kind = '" + kind + "'");
    EXPECT_EQ(s.position_rms.missing,
              "position.rms does not apply: position.kind " + kind + " adds nothing to the tokens");
    EXPECT_FALSE(s.token_to_position.value.has_value());
    EXPECT_EQ(s.input_rms.value, s.token_rms.value);
  }
}

TEST(input_rms, adds_the_parts_squares) {
  const Scales s = scales(16, "law = 'normal'\nstandard_deviation = 2\nmultiplier = 3",
                          "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 2.5");
  expect_within(s.input_rms, 6.5, 4);  // 6² + 2.5² = 6.5²
  expect_within(s.scaled_down.input_rms, 6.5 / 3, 5);
}

TEST(scaled_down, factor_of_gemma_is_rounded_to_55_5) {
  const ScaledDown down = scales_of_system("gemma").scaled_down;
  EXPECT_EQ(down.factor.value, 55.5);
  // 1.0013 − 1: one rounding of the quotient is up to 1/0.0013 < 800 of the difference.
  expect_within(down.rounding_error, 55.5 / std::sqrt(3072.0) - 1, 3 * 800);
  ASSERT_EQ(down.rounds_identically.size(), 2u);
  EXPECT_EQ(down.rounds_identically[1].path, "scaled_down.rounds_identically.bfloat16");
  EXPECT_EQ(down.rounds_identically[1].value, false);
}

/// Whether m·down has the bits of up in `Real` for 4096 drawn pairs.
template <class Real>
bool agrees_on_draws(int d) {
  const Stream stream(7, "audit_test.pairs");
  const Real m = root_multiplier<Real>(static_cast<std::uint64_t>(d));
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const auto e = static_cast<Real>(stream.normal(2 * i) / std::sqrt(d));
    const auto p = static_cast<Real>(stream.normal(2 * i + 1));
    if (up(e, p, m) != m * down(e, p, m)) return false;
  }
  return true;
}

TEST(scaled_down, rounds_identically_exactly_where_the_arithmetic_does) {
  const auto verdict = [](int d, const std::string& format) {
    const Scales s = scales(d, root_d + "multiplier_format = '" + format + "'", "kind = 'none'");
    return *s.scaled_down.rounds_identically.back().value;
  };
  for (const int d : {4, 64, 200, 256, 257, 258, 512, 768, 1021, 1024}) {
    EXPECT_EQ(verdict(d, "binary32"), agrees_on_draws<float>(d)) << d;
    EXPECT_EQ(verdict(d, "binary64"), agrees_on_draws<double>(d)) << d;
    EXPECT_EQ(verdict(d, "bfloat16"), agrees_on_draws<bfloat16>(d)) << d;
  }
  EXPECT_TRUE(verdict(256, "binary32"));
  EXPECT_FALSE(verdict(512, "binary32"));
  EXPECT_TRUE(verdict(257, "bfloat16"));  // fl(√257) = 16, though √257 is not
}

TEST(summary, fits_in_79_columns_and_shows_every_path) {
  for (const std::string& name : systems) {
    const Configuration c = system_named(name);
    const std::string text = summary_of(c, scales_of(c));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(report::width_of(line), 79u) << name << ": " << line;
    for (const Quantity& q : quantities(scales_of(c)))
      EXPECT_NE(text.find(q.path), std::string::npos) << name << ": " << q.path;
  }
}

TEST(summary, of_gemma_says_that_nothing_is_added) {
  const Configuration c = system_named("gemma");
  EXPECT_NE(summary_of(c, scales_of(c)).find("rotary: nothing is added to the tokens"),
            std::string::npos);
}

TEST(json, has_a_number_or_a_reason_at_every_path) {
  for (const std::string& name : systems) {
    const Configuration c = system_named(name);
    const Scales s = scales_of(c);
    const std::string line = json_line(c, s);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["name"], name);
    const auto missing = json["missing"];
    for (const Quantity& q : quantities(s)) {
      auto at = json;
      std::istringstream parts(q.path);
      for (std::string part; std::getline(parts, part, '.');) at = at.at(part);
      EXPECT_EQ(at.is_number(), q.value.has_value()) << name << ": " << q.path;
      EXPECT_EQ(at.is_null(), missing.contains(q.path)) << name << ": " << q.path;
      if (q.value) {
        EXPECT_EQ(at.get<double>(), *q.value);
      }
    }
  }
}

TEST(json, keeps_what_is_not_read_apart) {
  const Configuration c = system_named("d2l_mxnet");
  const auto json = json_of(c, scales_of(c));
  EXPECT_EQ(json["marks"]["token.half_range"], "inferred");
  EXPECT_FALSE(json["marks"].contains("model.d_model"));
  EXPECT_EQ(json["scaled_down"]["rounds_identically"]["binary32"], true);
}

}  // namespace
}  // namespace embedscale::audit
