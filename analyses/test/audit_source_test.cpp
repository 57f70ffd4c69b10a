// The bytes of a configuration, the formulas in it, and the texts that errors are made of.
#include "audit/document.hpp"
#include "audit/expression.hpp"
#include "audit_text.hpp"
#include "scratch.hpp"

#include <fstream>
#include <sstream>

namespace embedscale::audit {
namespace {

std::string refusal(const std::string& toml) {
  std::istringstream in(toml);
  return message_of<ContentError>([&] { read_configuration(in, "f.toml"); });
}

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
  std::string written(const std::string& content) {
    const std::string path = scratch / "f.toml";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  Scratch scratch;
};
using file = Files;

TEST_F(file, that_is_missing_is_an_input_error) {
  const std::string path = scratch / "none.toml";
  EXPECT_EQ(message_of<InputError>([&] { read_configuration(path); }),
            path + ": cannot be read: No such file or directory");
}

TEST_F(file, that_is_a_directory_is_an_input_error) {
  const std::string directory = scratch.path();
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
  EXPECT_EQ(nearest_path("multiplier.name", known), "name");
  EXPECT_EQ(nearest_path(std::string(1'000'000, 'x') + ".heads", known), "name");
}

TEST(nearest_path, takes_a_key_that_leaves_letters_out_for_a_short_form) {
  const std::vector<std::string> known = {"token.law", "token.standard_deviation", "block.epsilon",
                                          "model.vocabulary", "block.norm"};
  EXPECT_EQ(nearest_path("token.std", known), "token.standard_deviation");
  EXPECT_EQ(nearest_path("block.eps", known), "block.epsilon");
  EXPECT_EQ(nearest_path("model.vocab", known), "model.vocabulary");
  EXPECT_EQ(nearest_path("model.vcb", known), "model.vocabulary");
  EXPECT_EQ(nearest_path("token.lav", known), "token.law");
}

TEST(shown, fits_in_a_line_of_the_terminal) {
  EXPECT_EQ(shown("a\x1b[2J\n", 20), "a\\x1b[2J\\x0a");
  EXPECT_EQ(shown("a\xc2\x9b"
                  "2J",
                  20),
            "a\\xc2\\x9b2J");  // U+009B, as good as ESC [
  EXPECT_LE(shown(std::string(1'000'000, '\x80'), 20).size(), 100u);
  EXPECT_EQ(shown("√√√√", 4), "√√√√");
  EXPECT_EQ(shown("√√√√√", 4), "√√√…");
}

}  // namespace
}  // namespace embedscale::audit
