// The check of a subject: what is right holds, each planted defect is found, and what is no subject
// is told so.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../checked.hpp"
#include "../program.hpp"
#include "../report.hpp"

namespace embedscale::properties::subject {
namespace {

using std::chrono::milliseconds;

const std::string here = EMBEDSCALE_SUBJECT_DIR "/test/";

/// Few cases: what is planted shows in the first ones.
class check_of : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("EMBEDSCALE_CASES", "100", 1); }
  void TearDown() override { ::unsetenv("EMBEDSCALE_CASES"); }

  static std::unique_ptr<Subject> python(const std::string& file, const std::string& name = "") {
    std::vector<std::string> command{EMBEDSCALE_PYTHON, here + file};
    if (!name.empty()) command.push_back(name);
    return program(command, milliseconds(20000));
  }
  static Checked checked(Subject& subject, const std::string& claims = "*",
                         const std::string& format = "") {
    return check(subject, {.claims = claims, .format = format, .requests = 1000});
  }
  /// The properties that do not hold, with the report below.
  static std::string ill(const Checked& checked) {
    std::string all;
    for (const auto& finding : checked.findings)
      if (finding.verdict != Finding::Verdict::holds) all += finding.name() + "\n";
    return all.empty() ? "" : all + text_of(checked);
  }
};

TEST_F(check_of, the_library_itself_holds_and_is_asked_all_operations) {
  const auto own = library();
  const auto all = checked(*own);
  EXPECT_EQ(ill(all), "");
  EXPECT_EQ(all.exit_code(), 0);
  EXPECT_TRUE(all.not_applicable.empty());
  EXPECT_GE(all.findings.size(), 85u);
  for (const auto& operation : described()) {
    const bool is_asked = std::ranges::any_of(all.findings, [&](const Finding& f) {
      return std::ranges::any_of(f.asked, [&](const auto& asked) {
        return asked.first.starts_with(std::string(operation.name) + " ");
      });
    });
    EXPECT_TRUE(is_asked) << operation.name;
  }
}

TEST_F(check_of, a_right_subject_in_python_holds) {
  const auto right = python("right.py");
  for (const auto* claims : {"normalization.*", "precision.*", "primitives.*"}) {
    const auto all = checked(*right, claims);
    EXPECT_EQ(ill(all), "") << claims;
    EXPECT_EQ(all.exit_code(), 0);
  }
}

/// A defect that was real, and a claim that has to be violated by it.
struct Planted {
  const char *name, *claim;
};
class planted : public check_of, public ::testing::WithParamInterface<Planted> {};

TEST_P(planted, is_violated_with_the_call_that_shows_it) {
  const auto& [name, claim] = GetParam();
  const auto wrong = python("wrong.py", name);
  const bool is_drawn = std::string_view(claim) == "primitives.draws_are_of_their_law";
  const auto all = checked(*wrong, claim, is_drawn ? "binary32" : "");  // others take as long
  const auto found = std::ranges::find(all.findings, Finding::Verdict::violated, &Finding::verdict);
  ASSERT_NE(found, all.findings.end()) << text_of(all);
  EXPECT_FALSE(found->calls.empty());
  const auto text = text_of(all);
  EXPECT_TRUE(std::ranges::any_of(std::array{"the library gives", "the library: ", "it raised"},
                                  [&](const char* told) { return text.find(told) != text.npos; }))
      << text;
  EXPECT_EQ(all.exit_code(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    defects, planted,
    ::testing::Values(
        Planted{"positions_in_binary16", "precision.positions_in_low_precision"},
        Planted{"frequencies_in_bfloat16", "precision.positions_in_low_precision"},
        Planted{"base_of_1000", "precision.positions_in_low_precision"},
        Planted{"halves_for_interleaved", "precision.positions_in_low_precision"},
        Planted{"cosine_before_sine", "precision.positions_in_low_precision"},
        Planted{"exponent_of_the_channel", "precision.positions_in_low_precision"},
        Planted{"multiplier_hard_coded", "primitives.multiplier_is_the_rounded_root"},
        Planted{"multiplier_without_root", "primitives.multiplier_is_the_rounded_root"},
        Planted{"multiplied_twice", "primitives.look_up_rounds_once"},
        Planted{"multiplier_forgotten", "primitives.look_up_rounds_once"},
        Planted{"layer_norm_unbiased", "normalization.layer_norm_is_the_standardised_row"},
        Planted{"epsilon_on_the_deviation", "normalization.*"},
        Planted{"rms_norm_less_the_mean", "normalization.*"},
        Planted{"softmax_without_maximum", "attention.weights_are_shares_of_exponentials"},
        Planted{"attention_scaled_by_d_model", "attention.factors_are_roots"},
        Planted{"dropout_unscaled", "combination.*"},
        Planted{"dropout_by_the_rate", "combination.dropout_scales_what_it_keeps"},
        Planted{"xavier_without_brackets", "primitives.draws_are_of_their_law"},
        Planted{"xavier_of_the_sum", "primitives.draws_are_of_their_law"},
        Planted{"uniform_by_its_deviation", "primitives.draws_are_of_their_law"},
        Planted{"mean_for_deviation", "primitives.draws_are_of_their_law"},
        Planted{"truncated_by_clamping", "primitives.draws_are_of_their_law"},
        Planted{"clip_by_value", "porting.clipping_is_by_the_weighted_norm"},
        Planted{"clip_each_part_by_itself", "porting.clipping_is_by_the_weighted_norm"},
        Planted{"adam_without_correction", "optimizer.steps_are_their_formulas"},
        Planted{"adamw_decay_as_penalty", "optimizer.steps_are_their_formulas"}),
    [](const auto& info) { return std::string(info.param.name); });

/// The shared object that a C source with the header of the clients becomes.
std::string built(const std::filesystem::path& source) {
  const auto file = (std::filesystem::path(::testing::TempDir()) / source.stem()).string() + ".so";
  const auto command = "cc -std=c11 -O1 -ffp-contract=off -shared -fPIC -I" + here +
                       "../clients -include embedscale_subject.h " + source.string() + " -o " +
                       file + " -lm";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return file;
}

/// A subject of one operation in binary32: its name and parameters, and its body.
std::unique_ptr<Subject> of_python(const std::string& operation, const std::string& body) {
  return program(
      {EMBEDSCALE_PYTHON, "-B", "-c",
       "import sys; sys.path[:0] = ['" + here + "', '" + here +
           "../clients']\nimport right\nfrom embedscale_subject import operation, serve\n"
           "@operation('binary32')\ndef " +
           operation + ":\n    " + body + "\nserve()"},
      milliseconds(20000));
}

TEST_F(check_of, what_a_subject_lacks_is_not_applicable_and_holds_nothing) {
  const auto sgd_alone = of_python("optimizer_step(kind, **rest)",
                                   "if kind != 'sgd': raise NotImplementedError(kind)\n"
                                   "    return right.optimizer_step(kind, **rest)");
  const auto all = checked(*sgd_alone, "optimizer.steps_are_their_formulas");
  EXPECT_EQ(ill(all), "");
  ASSERT_EQ(all.findings.size(), 1u);
  EXPECT_EQ(all.findings[0].property, "of_gradient_descent_and_momentum");
  EXPECT_EQ(all.findings[0].lacked,
            std::set<std::string>{"optimizer_step (kind momentum) in binary32"});
  EXPECT_NE(text_of(all).find(".of_gradient_descent_and_momentum holds without optimizer_step"),
            std::string::npos);
  for (const char* kind : {"adam", "adamw", "momentum"})
    EXPECT_EQ(std::ranges::count(all.not_applicable,
                                 std::string("optimizer_step (kind ") + kind + ") in binary32"),
              1)
        << kind;
}

TEST_F(check_of, c_functions_say_what_they_lack) {
  const auto source = std::filesystem::path(::testing::TempDir()) / "subject_lacks.c";
  std::ofstream(source) << R"(#include <string.h>
int embedscale_optimizer_step_binary32(const char* kind, int64_t step, size_t n, float* parameter,
                                       const float* gradient, float rate, float penalty,
                                       float momentum, float beta_1, float beta_2, float epsilon,
                                       float decay, float schedule, float* velocity, float* first,
                                       float* second) {
  if (strcmp(kind, "sgd") != 0) return EMBEDSCALE_LACKS;
  for (size_t i = 0; i < n; ++i) parameter[i] -= rate * (gradient[i] + penalty * parameter[i]);
  return 0;
})";
  const auto all = checked(*shared_object(built(source)), "optimizer.steps_are_their_formulas");
  EXPECT_EQ(ill(all), "");
  ASSERT_EQ(all.findings.size(), 1u);
  EXPECT_EQ(all.findings[0].lacked,
            std::set<std::string>{"optimizer_step (kind momentum) in binary32"});
}

TEST_F(check_of, what_has_no_kinds_cannot_be_lacked_in_part) {
  const auto lacks = of_python("softmax(z)", "raise NotImplementedError");
  const auto all = checked(*lacks, "attention.weights_are_shares_of_exponentials");
  EXPECT_EQ(all.exit_code(), 1);
  EXPECT_NE(text_of(all).find("it lacks softmax, which it says that it has"), std::string::npos);
}

TEST_F(check_of, a_baseline_knows_violations_and_tells_which_vanished) {
  const auto wrong = python("wrong.py", "layer_norm_unbiased");
  auto all = checked(*wrong, "normalization.layer*");
  ASSERT_EQ(all.exit_code(), 1);
  Baseline known{{"normalization.layer_norm.gone", "it was wrong once"},
                 {"optimizer.steps.other", "of a claim that is not tried here"}};
  for (const auto& finding : all.findings)
    if (finding.is_ill()) known[finding.name()] = "n − 1, as a paper has it";
  compare(all, known);
  EXPECT_EQ(all.exit_code(), 0);
  EXPECT_EQ(all.vanished, std::vector<std::string>{"normalization.layer_norm.gone"});
}

TEST_F(check_of, reports_for_machines_name_what_is_violated) {
  const auto wrong = python("wrong.py", "layer_norm_unbiased");
  const auto all = checked(*wrong, "normalization.layer*");
  const auto file = std::filesystem::path(::testing::TempDir()) / "subject_junit.xml";
  write_junit(all, file);
  std::ifstream in(file);
  const std::string junit{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(junit.find("<failure message=\"violated\">"), std::string::npos);
  EXPECT_NE(annotations_of(all).find("::error title=normalization."), std::string::npos);
  const auto json = json_of(all);
  EXPECT_EQ(std::ranges::count_if(json["findings"],
                                  [](const auto& one) { return one["verdict"] == "violated"; }),
            std::ranges::count_if(all.findings, &Finding::is_ill));
}

TEST_F(check_of, c_functions_in_a_shared_object_hold_and_others_are_told) {
  const auto file = built(here + "../clients/example.c");
  const auto subject = shared_object(file);
  EXPECT_TRUE(subject->has("layer_norm", "binary32"));
  const auto all = checked(*subject);
  EXPECT_EQ(ill(all), "");
  EXPECT_GE(all.findings.size(), 5u);
  EXPECT_EQ(std::ranges::count(all.not_applicable, "softmax"), 1);
  EXPECT_THROW(shared_object("/no/such/file.so"), std::runtime_error);
  EXPECT_THROW(shared_object(here + "check_test.cpp"), std::runtime_error);
}

/// What a program says that is no subject, or no longer.
std::string failure_of(const std::string& script, milliseconds deadline = milliseconds(3000)) {
  try {
    const auto subject = program({"/bin/sh", "-c", script}, deadline);
    subject->answer({"multiplier", "binary32", {{"d_model", 4}}});
  } catch (const Failed& error) {
    return error.what();
  }
  return "";
}

TEST(no_subject, is_told_by_how_it_fails) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(failure_of("exit 3"), "ended with exit code 3");
  has(failure_of("kill -9 $$"), "ended by signal 9");
  has(failure_of("sleep 20", milliseconds(300)), "no answer in time");
  has(failure_of("echo hello, this is my model; sleep 20"), "no lengths of a message");
  has(failure_of("echo it went wrong >&2; exit 1"), "it went wrong");
  has(failure_of("yes | head -c 100000 >&2; exit 1"), "stderr ends with");
  // A flood without end, and half a character where it is cut.
  has(failure_of("yes >&2", milliseconds(500)), "no answer in time");
  EXPECT_NO_THROW(nlohmann::json(failure_of("printf 'caf\\303' >&2; exit 1")).dump());
  // Lengths of 2^63, of a body that never comes; a header that is no object, of another protocol.
  has(failure_of(R"(printf '\0\0\0\0\0\0\0\200\0\0\0\0\0\0\0\0')"), "no lengths of a message");
  has(failure_of(R"(printf '\2\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0{}')"), "closed its standard output");
  has(failure_of(R"(printf '\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0[]')"), "no JSON object");
  has(failure_of(R"(printf '\16\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0{"protocol":2}')"), "protocol 2");
  EXPECT_THROW(program({"/no/such/program"}, milliseconds(3000)), Failed);
}

TEST(no_subject, leaves_nothing_running) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "subject_child";
  std::filesystem::remove(file);
  failure_of("sleep 30 & echo $! > " + file.string() + "; sleep 30", milliseconds(500));
  std::ifstream in(file);
  int child = 0;
  ASSERT_TRUE(in >> child);
  // Ended with its group; init may take a moment to reap it.
  const auto status = "/proc/" + std::to_string(child) + "/stat";
  bool runs = true;
  for (int i = 0; i < 100 && runs; ++i) {
    std::ifstream stat(status);
    std::string id, name, state;
    runs = bool(stat >> id >> name >> state) && state != "Z" && state != "X";
    if (runs) ::usleep(10000);
  }
  EXPECT_FALSE(runs);
}

}  // namespace
}  // namespace embedscale::properties::subject
