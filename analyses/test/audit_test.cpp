// The atlas of systems, and what an audit computes of the sum that enters the first block, against
// other formulas and against the library's own arithmetic.
#include "audit_text.hpp"
#include "report/table.hpp"

#include <embedscale/initializer.hpp>
#include <embedscale/properties/evidence/bounded.hpp>
#include <embedscale/properties/testing/statistical.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numbers>
#include <utility>

namespace embedscale::audit {
namespace {

const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'\n";

TEST(systems, are_at_least_forty_and_have_their_files_names) {
  EXPECT_GE(systems().size(), 40u);
  for (const std::string& name : systems()) EXPECT_EQ(system_named(name).name, name);
}

TEST(systems, name_a_repository_a_full_commit_and_files) {
  for (const std::string& name : systems()) {
    const Source source = system_named(name).source;
    EXPECT_NE(source.repository.find('/'), std::string::npos) << name;
    EXPECT_EQ(source.commit.size(), 40u) << name;
    EXPECT_EQ(source.commit.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
    EXPECT_FALSE(source.files.empty()) << name;
  }
}

TEST(systems, tell_what_is_assumed_or_absent_rests_on) {
  for (const std::string& name : systems())
    for (const auto& [field, basis] : system_named(name).marks)
      EXPECT_TRUE(basis.mark == Mark::read || !basis.source.empty()) << name << ": " << field;
}

TEST(systems, take_no_default_for_what_decides_a_figure) {
  // What is not told is marked absent, so that no default of the audit's own stands in for it.
  for (const std::string& name : systems())
    for (const auto& [field, words] : system_named(name).defaults)
      for (const char* decides : {"token.law", "block.norm", "block.epsilon", "attention.scale",
                                  "attention.projection", "embedding_norm.epsilon"})
        EXPECT_NE(field, decides) << name << " has the default " << words;
}

TEST(systems, are_written_in_ascii) {
  for (const std::string& name : systems()) {
    std::ifstream in(system_file(name), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_FALSE(text.empty()) << name;
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << name;
  }
}

TEST(systems, mark_framework_defaults) {
  EXPECT_EQ(system_named("d2l_pytorch").mark_of("token.law"), Mark::assumed);
  EXPECT_EQ(system_named("gemma_pytorch").mark_of("token.law"), Mark::absent);
  EXPECT_EQ(system_named("gemma_pytorch").mark_of("output.tied"), Mark::inferred);
  EXPECT_EQ(system_named("tensor2tensor").mark_of("token.law"), Mark::read);
}

TEST(token_rms, is_one_for_tensor2tensor_but_for_the_rounded_root) {
  const InputScales s = scales_of_system("tensor2tensor").input;
  // fl32(√512)·512^-½: one rounding to binary32, then pow, squaring, root, product in binary64.
  EXPECT_LE(std::abs(*s.token_rms.value - 1), u32 + 8 * u64);
  expect_within(s.token_rms, static_cast<double>(std::sqrt(512.0f)) / std::sqrt(512.0), 6);
}

TEST(token_rms, parts_the_four_programs_of_one_book) {
  // √256 = 16 is exact. For a uniform law Simpson's rule gives E e² = (a² + 4·0² + a²)/6 exactly.
  const auto uniform = [](double a) { return 16 * std::sqrt((a * a + 4 * 0 + a * a) / 6); };
  const auto rms = [](const char* name) { return scales_of_system(name).input.token_rms; };
  expect_within(rms("d2l_pytorch"), 16, 4);
  expect_within(rms("d2l_mxnet"), uniform(0.07), 8);
  expect_within(rms("d2l_tensorflow"), uniform(0.05), 8);
  expect_within(rms("d2l_jax"), 1, 4);
  EXPECT_EQ(report::significant(*rms("d2l_mxnet").value, 2), "0.65");
  EXPECT_EQ(report::significant(*rms("d2l_tensorflow").value, 2), "0.46");
}

// z² of a normal z cut at ±2 is in [0, 4].
TEST(token_rms, of_a_cut_normal_is_what_draws_give) {
  using properties::evidence::BoundedMean;
  properties::testing::Assertion<"audit.cut_normal", BoundedMean> mean;
  const Scales s = scales(4, "law = 'truncated_normal'\nstandard_deviation = 1", "kind = 'none'");
  const double expected = std::pow(*s.input.token_rms.value, 2) / 4;
  const Stream stream = mean.stream();
  BoundedMean::Data data{{expected, expected}};
  for (std::uint64_t i = 0; data.n < 1 << 20; ++i)
    if (const double z = stream.normal(i); std::abs(z) <= 2) data.add(z * z / 4);
  mean.judge(data);
}

// Audits that state another E z² than that of the cut are off by the difference, of 4. A clamped
// normal has 2Φ(−2) = erfc(√2) of its draws at 4, and the cut law's for the rest.
TEST(token_rms, of_a_normal_that_is_cut_wrongly_is_seen) {
  using properties::evidence::BoundedMean;
  properties::testing::Rejection<"audit.cut_normal", BoundedMean> mutants(4);
  const double v = variance(TruncatedNormal{1}), beyond = std::erfc(std::numbers::sqrt2);
  const double high = v * 1.02 * 1.02, third = 4.0 / 3;
  const auto stated = [](double square) { return BoundedMean::Data{{square / 4, square / 4}}; };
  BoundedMean::Data clamped = stated(v), faint = stated(high), nominal = stated(1),
                    uniform = stated(third);
  const Stream stream = mutants.stream();
  for (std::uint64_t i = 0; i < 1 << 20; ++i) {
    const double z = draw(TruncatedNormal{1}, stream, i);
    for (auto* data : {&faint, &nominal, &uniform}) data->add(z * z / 4);
    clamped.add(std::pow(std::clamp(stream.normal(i), -2.0, 2.0) / 2, 2));
  }
  mutants.judge(faint, (high - v) / 4, "sigma 2 percent high");
  mutants.judge(clamped, beyond * (4 - v) / 4, "clamped in the place of cut");
  mutants.judge(nominal, (1 - v) / 4, "nominal sigma taken for that of the cut law");
  mutants.judge(uniform, (third - v) / 4, "uniform on the interval of the cut");
}

TEST(token_rms, of_a_xavier_table_needs_the_vocabulary) {
  const std::string xavier = "[token]\nlaw = 'xavier_uniform'\nmultiplier = 'sqrt(d_model)'\n";
  const InputScales s = audited(model + xavier + position).scales.input;
  EXPECT_FALSE(s.token_rms.value.has_value());
  EXPECT_EQ(s.token_rms.missing,
            "needs model.vocabulary, which is not told (xavier_uniform depends on the matrix's "
            "shape)");
  EXPECT_EQ(s.input_rms.missing, s.token_rms.missing);
  // √512·√(2/(V+d)), with √512 in binary32.
  const std::string sized = model + "vocabulary = 37000\n" + xavier + position;
  EXPECT_NEAR(*audited(sized).scales.input.token_rms.value, std::sqrt(1024.0 / 37512.0), u32);
}

TEST(token_rms, of_a_xavier_table_has_the_width_of_the_tokens) {
  // Concatenated, the table is V by 6, and not V by 8: √(2/(100+6)).
  const Scales s = scales(8, "law = 'xavier_normal'\nwidth = 6",
                          "kind = 'sinusoidal'\ncombine = 'concatenation'");
  expect_within(s.input.token_rms, std::sqrt(2.0 / 106), 4);
}

TEST(token_rms, is_missing_where_the_multiplier_overflows_its_format) {
  const Scales s = scales(4,
                          "law = 'normal'\nstandard_deviation = 1\nmultiplier = 65520\n"
                          "multiplier_format = 'binary16'",
                          "kind = 'none'");
  EXPECT_EQ(s.scaled_down.factor.missing, "token.multiplier = 65520 overflows binary16");
  EXPECT_EQ(s.input.token_rms.missing, s.scaled_down.factor.missing);
}

TEST(token_rms, has_the_size_of_a_negative_multiplier) {
  const std::string law = "law = 'normal'\nstandard_deviation = 2\nmultiplier = -3";
  expect_within(scales(4, law, "kind = 'none'").input.token_rms, 6, 3);
}

TEST(position_rms, is_what_the_library_encodes) {
  for (const auto& [name, rule] : {std::pair("tensor2tensor", FrequencyRule::tensor2tensor),
                                   std::pair("tf_text_tutorial", FrequencyRule::paper)}) {
    const Configuration c = system_named(name);
    ASSERT_EQ(c.position.frequencies, rule);
    const auto d = static_cast<std::size_t>(*c.model.d_model);
    const auto w = sinusoidal_frequencies<double>(d, rule, *c.position.base);
    std::vector<double> p(d);
    double sum = 0, terms = 0;
    for (std::int64_t l = 0; l < 64; ++l) {
      encode_position<double>(l, w, c.position.layout, p);
      for (const double x : p) sum += x * x, ++terms;
    }
    // Adding n terms errs by n·u at most, relatively; each square by 4 u (sine, twice; product).
    EXPECT_LE(std::abs(*scales_of(c).input.position_rms.value - std::sqrt(sum / terms)),
              (terms + 8) * u64);
  }
}

TEST(position_rms, of_sinusoids_carries_their_multiplier) {
  expect_within(scales(6, root_d, "kind = 'sinusoidal'\nmultiplier = -3").input.position_rms,
                std::sqrt(4.5), 3);
}

TEST(position_rms, of_a_learned_table_carries_its_own_multiplier) {
  const InputScales s = scales(6, root_d,
                               "kind = 'learned'\nlaw = 'uniform'\nhalf_range = 3\n"
                               "multiplier = '-1/2'")
                            .input;
  expect_within(s.position_rms, std::sqrt(3.0) / 2, 4);
  expect_within(s.token_to_position, *s.token_rms.value / *s.position_rms.value, 1);
}

TEST(position_rms, of_a_xavier_table_depends_on_the_positions) {
  // 12 positions by 6 channels: √(2/(12+6)) = 1/3.
  const Scales s = scales(6, root_d, "kind = 'learned'\nlaw = 'xavier_uniform'");
  expect_within(s.input.position_rms, 1.0 / 3, 5);
}

TEST(position_rms, is_missing_where_nothing_is_added) {
  for (const std::string kind : {"rotary", "relative", "none"}) {
    const InputScales s = scales(8, root_d, "kind = '" + kind + "'").input;
    EXPECT_EQ(s.position_rms.missing,
              "does not apply: position.kind " + kind + " adds nothing to the tokens");
    EXPECT_FALSE(s.token_to_position.value.has_value());
    EXPECT_FALSE(s.constant_share.value.has_value());
    EXPECT_EQ(s.input_rms.value, s.token_rms.value);
  }
}

TEST(token_to_position, of_positions_times_zero_is_missing) {
  const InputScales s = scales(8, root_d, "kind = 'sinusoidal'\nmultiplier = 0").input;
  EXPECT_EQ(s.token_to_position.missing, "divides by position.rms, which is 0");
  EXPECT_EQ(s.position_rms.value, 0.0);
}

TEST(input_rms, adds_the_parts_squares) {
  const Scales s = scales(16, "law = 'normal'\nstandard_deviation = 2\nmultiplier = 3",
                          "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 2.5");
  expect_within(s.input.input_rms, 6.5, 4);  // 6² + 2.5² = 6.5²
}

TEST(input_rms, counts_further_tables_and_their_multipliers) {
  const Scales s = scales(16, "law = 'normal'\nstandard_deviation = 2",
                          "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 5",
                          "[[extra]]\nlaw = 'normal'\nstandard_deviation = 2\nmultiplier = -4\n"
                          "[[extra]]\nlaw = 'xavier_normal'\nrows = 34\nmultiplier = 70\n");
  expect_within(s.input.extra_rms, std::sqrt(64 + 4900 * (2.0 / (34 + 16))), 6);  // 64 + 196
  expect_within(s.input.input_rms, 17, 8);  // 4 + 25 + 260 = 289
}

TEST(input_rms, of_a_concatenation_weighs_the_parts_by_their_widths) {
  const Scales s = scales(16, "law = 'normal'\nstandard_deviation = 5\nwidth = 4",
                          "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 3\n"
                          "combine = 'concatenation'");
  expect_within(s.input.input_rms, std::sqrt((4 * 25 + 12 * 9) / 16.0), 6);
  expect_within(s.input.token_to_position, 5.0 / 3, 3);
}

TEST(constant_share, is_that_of_the_means_over_positions) {
  // tensor2tensor: from 1 to 1/base in equal ratios; over the positions 3 … 14.
  double constant = 0, whole_energy = 0;
  for (int i = 0; i < 4; ++i) {
    double sine = 0, cosine = 0;
    for (int l = 3; l < 15; ++l) {
      sine += std::sin(l * std::pow(50.0, -i / 3.0)) / 12;
      cosine += std::cos(l * std::pow(50.0, -i / 3.0)) / 12;
    }
    constant += sine * sine + cosine * cosine;
    whole_energy += 1;
  }
  const Scales s = scales(8, root_d,
                          "kind = 'sinusoidal'\nfrequencies = 'tensor2tensor'\nbase = 50\n"
                          "first = 3\nmultiplier = 7");
  // The least of the four kernels is sin(6w)/(12·sin(w/2)) at w = 1: terms of size 1/12 add up to
  // 0.05 of theirs. 12 of them, with angles to 14 rounded to 14 u.
  expect_within(s.input.constant_share, constant / whole_energy, 12 + 14 + 20);
}

TEST(constant_share, of_a_learned_table_is_one_in_the_number_of_positions) {
  const Scales s = scales(8, root_d, "kind = 'learned'\nlaw = 'xavier_uniform'");
  expect_within(s.input.constant_share, 1.0 / 12, 1);
}

TEST(optimizer, takes_steps_relative_to_the_tables_own_deviation) {
  const std::string law = "law = 'uniform'\nhalf_range = 0.25\nmultiplier = 100";
  expect_within(scales(8, law, "kind = 'none'").adam_relative_step, 4 * std::sqrt(3.0), 4);
}

}  // namespace
}  // namespace embedscale::audit
