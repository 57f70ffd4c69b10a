// A configuration at fault is refused in one line that says where, what, and what is allowed.
#include "audit/configuration.hpp"
#include "audit/error.hpp"
#include "audit/expression.hpp"
#include "audit/known_keys.hpp"
#include "audit/source.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace embedscale::audit {
namespace {

const std::string model = "[model]\nd_model = 512\nheads = 8\n";
const std::string token = "[token]\nlaw = 'normal'\nstandard_deviation = 1\n";
const std::string position = "[position]\nkind = 'sinusoidal'\n";
const std::string whole = model + token + position;

/// `whole` with `before` replaced by `after`.
std::string with(const std::string& before, const std::string& after) {
  std::string text = whole;
  return text.replace(text.find(before), before.size(), after);
}

template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}
std::string refusal(const std::string& toml) {
  std::istringstream in(toml);
  return message_of<ContentError>([&] { read_configuration(in, "f.toml"); });
}

TEST(configuration, has_its_defaults) {
  const Configuration c = parse_configuration(whole, "dir/mine.toml");
  EXPECT_EQ(c.name, "mine");
  EXPECT_EQ(c.model.d_k, 64);
  EXPECT_FALSE(c.model.vocabulary.has_value());
  EXPECT_EQ(c.token.multiplier, 1);
  EXPECT_EQ(c.token.format, NumberFormat::binary32);
  EXPECT_EQ(c.position.frequencies, FrequencyRule::paper);
  EXPECT_EQ(c.position.layout, SinusoidalLayout::interleaved);
  EXPECT_EQ(c.position.base, 10000);
}

TEST(configuration, evaluates_formulas_in_its_own_fields) {
  const Configuration c = parse_configuration(
      "[model]\nd_model = 64\nheads = 3\nd_k = 'd_model/4'\nvocabulary = '2^10'\n[token]\n"
      "law = 'uniform'\nhalf_range = '1/vocabulary'\nmultiplier = 'd_k + heads'\n[position]\n"
      "kind = 'none'\n",
      "-");
  EXPECT_EQ(c.name, "standard input");
  EXPECT_EQ(c.model.d_k, 16);
  EXPECT_EQ(c.token.law.parameter, 1.0 / 1024);
  EXPECT_EQ(c.token.multiplier, 19);
}

TEST(configuration, is_read_from_a_stream) {
  std::istringstream in("name = 'piped'\n" + whole);
  EXPECT_EQ(read_configuration(in, "-").name, "piped");
}

struct Fault {
  std::string name, toml, message;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
class content : public testing::TestWithParam<Fault> {};

TEST_P(content, is_refused_in_one_line) { EXPECT_EQ(refusal(GetParam().toml), GetParam().message); }

const std::string width_words = "must be an integer from 2 to 16777216";
const std::string law_words =
    "must be one of normal, uniform, truncated_normal, xavier_uniform, xavier_normal";

INSTANTIATE_TEST_SUITE_P(
    audit, content,
    testing::Values(
        Fault{"empty", " \n", "f.toml: is empty"},
        Fault{"only_a_comment", "# 1\n", "f.toml: model.d_model is missing: " + width_words},
        Fault{
            "syntax", "[model]\nd_model = \n",
            "f.toml:2: is not TOML: Error while parsing key-value pair: expected value, saw '\\n'"},
        Fault{"not_utf8", "# fine\nname = '\xff'\n",
              "f.toml:2: is not TOML: Encountered invalid utf-8 sequence"},
        Fault{"binary",
              std::string("\x7f"
                          "ELF\0\0",
                          6),
              "f.toml:1: is not TOML: Error while parsing root table: expected keys, tables, "
              "whitespace or comments, saw '\\u007F'"},
        Fault{"duplicate_key", "name = 'a'\nname = 'b'\n",
              "f.toml:2: is not TOML: Error while parsing key-value pair: cannot redefine existing "
              "string 'name'"},
        Fault{"missing_key", token + position, "f.toml: model.d_model is missing: " + width_words},
        Fault{"missing_in_section", with("kind = 'sinusoidal'\n", ""),
              "f.toml:7: position.kind is missing: must be one of sinusoidal, learned, rotary, "
              "relative, none"},
        Fault{"missing_parameter", with("standard_deviation = 1", ""),
              "f.toml:4: token.standard_deviation is missing: must be a finite number > 0"},
        Fault{"unknown_key", with("heads = 8", "haeds = 8"),
              "f.toml:3: unknown key model.haeds: nearest is model.heads"},
        Fault{"key_of_another_section", with("law =", "heads = 8\nlaw ="),
              "f.toml:5: unknown key token.heads: nearest is model.heads"},
        Fault{"unknown_section", "[tokens]\n" + whole,
              "f.toml:1: unknown key tokens: nearest is token"},
        Fault{"section_that_is_a_number", "model = 3\n" + token,
              "f.toml:1: model = 3: must be a table, [model]"},
        Fault{"wrong_type", with("512", "true"), "f.toml:2: model.d_model = true: " + width_words},
        Fault{"array_for_a_number", with("512", "[512]"),
              "f.toml:2: model.d_model = an array: " + width_words},
        Fault{"number_for_a_word", with("'normal'", "3"), "f.toml:5: token.law = 3: " + law_words},
        Fault{"unknown_word", with("'normal'", "'gauss'"),
              "f.toml:5: token.law = \"gauss\": " + law_words},
        Fault{"control_character", "name = \"a\\nb\"\n" + whole,
              "f.toml:1: name = \"a\\x0ab\": must be a text of 1 to 60 bytes without control "
              "characters"},
        Fault{"zero_width", with("512", "0"), "f.toml:2: model.d_model = 0: " + width_words},
        Fault{"width_of_one", with("512", "1"), "f.toml:2: model.d_model = 1: " + width_words},
        Fault{"negative_width", with("512", "-8"), "f.toml:2: model.d_model = -8: " + width_words},
        Fault{"huge_width", with("512", "1099511627776"),
              "f.toml:2: model.d_model = 1099511627776: " + width_words},
        Fault{"broken_width", with("512", "512.5"),
              "f.toml:2: model.d_model = 512.5: " + width_words},
        Fault{"odd_width", with("512\nheads = 8", "7\nheads = 1"),
              "f.toml:2: model.d_model = 7: must be even where position.kind is sinusoidal: sines "
              "and cosines come in pairs"},
        Fault{"narrow_tensor2tensor",
              with("512\nheads = 8", "2\nheads = 1") + "frequencies = 'tensor2tensor'\n",
              "f.toml:2: model.d_model = 2: must be >= 4 where position.frequencies is "
              "tensor2tensor: they divide by d/2 - 1"},
        Fault{"heads_that_do_not_divide", with("heads = 8", "heads = 7"),
              "f.toml:3: model.heads = 7: must be a divisor of model.d_model = 512, unless "
              "model.d_k is given"},
        Fault{"nan", whole + "base = nan\n",
              "f.toml:9: position.base = nan: must be a finite number > 0"},
        Fault{"infinity", whole + "multiplier = -inf\n",
              "f.toml:9: position.multiplier = -inf: must be a finite number"},
        Fault{"negative_sigma", with("standard_deviation = 1", "standard_deviation = -0.02"),
              "f.toml:6: token.standard_deviation = -0.02: must be a finite number > 0"},
        Fault{"negative_formula", with("deviation = 1", "deviation = '1 - d_model'"),
              "f.toml:6: token.standard_deviation = \"1 - d_model\": must be a finite number > 0"},
        Fault{"another_laws_parameter", with("'normal'", "'xavier_normal'"),
              "f.toml:6: token.standard_deviation = 1: must be absent: the law xavier_normal takes "
              "no parameter"},
        Fault{"formula_with_an_unknown", with("deviation = 1", "deviation = '1/vocabulary'"),
              "f.toml:6: token.standard_deviation = \"1/vocabulary\": vocabulary is not known; "
              "known are d_model, heads, d_k"},
        Fault{"mark_of_no_field", whole + "[marks]\n'token.lau' = 'read'\n",
              "f.toml:10: unknown field \"token.lau\" in [marks]: nearest is \"token.law\""},
        Fault{"unknown_mark", whole + "[marks]\n'token.law' = 'guessed'\n",
              "f.toml:10: marks.token.law = \"guessed\": must be one of read, inferred, assumed"}),
    [](const auto& tested) { return tested.param.name; });

TEST(nesting, is_bounded_before_the_parser_recurses) {
  const std::string deep = "is nested more than 16 deep";
  std::string dotted = "a", brackets = "a = ", hidden = "a = [\"\"\"x\"\"\"\", ";
  for (int i = 0; i < 200000; ++i) dotted += ".a", brackets += "[", hidden += "{c=";
  EXPECT_NE(refusal(dotted + " = 1").find("f.toml:1: " + deep), std::string::npos);
  EXPECT_NE(refusal(brackets).find("f.toml:1: " + deep), std::string::npos);
  EXPECT_NE(refusal(hidden).find("f.toml:1: " + deep), std::string::npos);
  // Dots and brackets in texts and comments are not nesting.
  const std::string dots(100, '.'), opening(100, '[');
  EXPECT_EQ(parse_configuration("name = '" + dots.substr(0, 60) + "'  # " + opening + "\n" + whole,
                                "f.toml")
                .name,
            dots.substr(0, 60));
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "embedscale.XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory); }
  std::string written(const std::string& content) {
    std::ofstream(directory + "/f.toml", std::ios::binary) << content;
    return directory + "/f.toml";
  }
  std::string directory;
};
using file = Files;

TEST_F(file, that_is_missing_is_an_input_error) {
  const std::string path = directory + "/none.toml";
  EXPECT_EQ(message_of<InputError>([&] { read_configuration(path); }),
            path + ": cannot be read: No such file or directory");
}

TEST_F(file, that_is_a_directory_is_an_input_error) {
  EXPECT_EQ(message_of<InputError>([&] { read_configuration(directory); }),
            directory + ": cannot be read: is a directory");
}

TEST_F(file, below_a_regular_file_is_an_input_error) {
  const std::string path = written(whole) + "/below.toml";
  EXPECT_EQ(message_of<InputError>([&] { read_configuration(path); }),
            path + ": cannot be read: Not a directory");
}

TEST_F(file, of_one_megabyte_is_read_and_a_larger_one_is_not) {
  const std::string padding(largest_source - whole.size(), '\n');
  EXPECT_EQ(read_configuration(written(whole + padding)).model.d_model, 512);
  const std::string path = written(whole + padding + "\n");
  EXPECT_EQ(message_of<ContentError>([&] { read_configuration(path); }),
            path + ": is larger than 1000000 bytes, which no configuration needs");
}

TEST_F(file, without_end_is_not_read_to_its_end) {
  EXPECT_EQ(message_of<ContentError>([&] { read_configuration("/dev/zero"); }),
            "/dev/zero: is larger than 1000000 bytes, which no configuration needs");
}

TEST(formula, has_the_given_variables_and_muparsers_functions) {
  const Variable variables[] = {{"d_model", 512}, {"d_k", 64}};
  EXPECT_EQ(evaluate("sqrt(d_k)", variables), 8);
  EXPECT_EQ(evaluate("d_model > 500 ? d_model/2^2 : 0", variables), 128);
  EXPECT_EQ(evaluate("max(1, -d_k)", variables), 1);
}

TEST(formula, at_fault_is_named) {
  const Variable d_model[] = {{"d_model", 512}};
  const auto why = [&](const std::string& formula) {
    return message_of<std::invalid_argument>([&] { evaluate(formula, d_model); });
  };
  EXPECT_EQ(why("sqrt(d_modl)"), "\"sqrt(d_modl)\": d_modl is not known; known are d_model");
  EXPECT_EQ(why("1/0"), "\"1/0\": is inf, must be finite");
  EXPECT_EQ(why("sqrt(0-1)").substr(0, 13), "\"sqrt(0-1)\": ");
  EXPECT_EQ(why("1, 2"), "\"1, 2\": must be one formula, not a list of them");
  EXPECT_EQ(why("√2"), "\"√2\": must be a formula in printable ASCII");
  EXPECT_EQ(why(std::string("1\0+1", 4)), "\"1\\x00+1\": must be a formula in printable ASCII");
  EXPECT_EQ(why("d_model = 3").substr(0, 15), "\"d_model = 3\": ");
  EXPECT_EQ(why("(1").substr(0, 6), "\"(1\": ");
  EXPECT_NE(why(std::string(100000, '(')).find("has 100000 characters, must have at most 1000"),
            std::string::npos);
}

TEST(formula, of_full_length_may_be_nested_to_its_end) {
  const std::string open(499, '('), close(499, ')');
  EXPECT_EQ(evaluate(open + "17" + close, {}), 17);
}

TEST(nearest_path, prefers_the_same_key_in_another_section) {
  const std::vector<std::string> known = {"name", "head", "model.heads", "token.multiplier",
                                          "position.multiplier"};
  EXPECT_EQ(nearest_path("position.multiplyer", known), "position.multiplier");
  EXPECT_EQ(nearest_path("attention.heads", known), "model.heads");
  EXPECT_EQ(nearest_path("heads", known), "model.heads");
  EXPECT_EQ(nearest_path(std::string(1'000'000, 'x') + ".heads", known), "name");
}

TEST(shown, fits_in_a_line_of_the_terminal) {
  EXPECT_EQ(shown("a\x1b[2J\n", 20), "a\\x1b[2J\\x0a");
  EXPECT_EQ(shown("√√√√", 4), "√√√√");
  EXPECT_EQ(shown("√√√√√", 4), "√√√…");
}

}  // namespace
}  // namespace embedscale::audit
