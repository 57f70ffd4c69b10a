// What cases.txt has no line for: bytes, sizes, line breaks, and the texts that errors are made of.
#include "audit/config_json.hpp"
#include "audit/expression.hpp"
#include "audit/test/configurations.hpp"
#include "report/file.hpp"
#include "test/scratch.hpp"

#include <fstream>

namespace embedscale::audit {
namespace {

TEST(content, that_is_no_configuration_is_refused_in_one_line) {
  using namespace std::string_literals;
  const std::string header = R"({"wte.weight": {}})";
  const std::string length{static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0},
      weights =
          "weights do not tell how they were drawn and what the code multiplies; write that "
          "into a configuration, which is TOML (embedscale audit --keys tells all keys)";
  std::string many = whole;
  for (int i = 0; i < 17; ++i) many += "[[extra]]\nlaw = 'xavier_normal'\n";
  for (const auto& [bytes, says] : {
           std::pair(" \n"s, ": is empty"s),
           {"# fine\nname = '\xff'\n", ":2: is not TOML: Encountered invalid utf-8 sequence"},
           {many, ":9: has 17 [[extra]] tables: must be at most 16"},
           {length + header + std::string(2'000'000, '\0'), ": is a safetensors file: " + weights},
           {"\x93NUMPY\1\0v\0"s, ": is a NumPy array: " + weights},
           {"PK\3\4\0\0"s, ": is a zip archive, as PyTorch and NumPy write them: " + weights},
           {"GGUF\3\0\0\0"s, ": is a GGUF file: " + weights},
       })
    EXPECT_EQ(refusal(bytes), "f.toml" + says);
}

// Of brackets, of dots, and of formulas, before a parser recurses.
TEST(content, is_bounded_in_nesting_and_refused_soon) {
  const std::string quotes(100'000, '\''), brackets(100'000, '['), open(100'000, '(');
  std::string dotted = "a";
  for (int i = 0; i < 200000; ++i) dotted += ".a";
  for (const auto& [toml, what] : std::vector<std::pair<std::string, std::string>>{
           {"x = " + brackets, "is nested more than 16 deep"},
           {dotted + " = 1", "is nested more than 16 deep"},
           {"a = ['', 'x', \"\\\"\", " + brackets, "is nested more than 16 deep"},
           {"x = " + quotes, ":1: has a string in three quotes"},
           {model + "[token]\nlaw = 'normal'\nstandard_deviation = '" + open + "'\n" + position,
            "has 100000 characters, must have at most 1000"},
       }) {
    const std::string said = refusal(toml);
    EXPECT_NE(said.find(what), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  // Dots and brackets in texts and comments are not nesting.
  const std::string text(60, '.');
  EXPECT_EQ(configured("name = '" + text + "'  # " + brackets + "\n" + whole).name, text);
  const std::string quoted = '"' + brackets.substr(0, 50);
  EXPECT_EQ(configured("name = \"\\" + quoted + "\"\n" + whole).name, quoted);
}

TEST(set, is_of_one_field_and_no_more_of_the_file) {
  EXPECT_EQ(refusal(whole, {{"token.multiplier", "1\n[block]\nnorm='pre'"}}),
            "--set token.multiplier=1\\x0a[block]\\x0anorm='pre': token.multiplier = "
            "\"1\\x0a[block]\\x0anorm='pre'\": must be a formula in printable ASCII");
  for (const std::string text : {"token.multiplier", "=1"})
    EXPECT_EQ(embedscale::refusal<ContentError>([&] { change_from(text); }),
              "--set " + text + ": must be PATH=VALUE, such as token.multiplier=1");
  EXPECT_EQ(change_from("a.b=c=d").value, "c=d");
}

TEST(file, is_read_up_to_one_megabyte_or_said_to_be_unreadable) {
  const Scratch scratch;
  const std::string file = scratch / "f.toml", none = scratch / "none.toml",
                    directory = scratch.path(), padding(largest_source - whole.size(), '\n');
  std::ofstream(file) << whole << padding;
  EXPECT_EQ(inputs::read_configuration(file).model.d_model, 512);
  std::ofstream(file) << whole << padding << "\n";
  for (const std::string& endless : {file, std::string("/dev/zero")})
    EXPECT_EQ(embedscale::refusal<ContentError>([&] { inputs::read_configuration(endless); }),
              endless + ": is larger than 1000000 bytes, which no configuration needs");
  for (const auto& [path, why] :
       {std::pair(none, "No such file or directory"), std::pair(directory, "is a directory"),
        std::pair(file + "/below.toml", "Not a directory")})
    EXPECT_EQ(embedscale::refusal<report::FileError>(
                  [&, path = path] { inputs::read_configuration(path); }),
              path + ": cannot be read: " + why);
  EXPECT_EQ(embedscale::refusal<report::FileError>([] { inputs::model_types("/none"); }),
            "/none: has no model types");
}

TEST(formula, has_the_given_variables_and_muparsers_functions) {
  const Variable variables[] = {{"d_model", 512}, {"d_k", 64}};
  EXPECT_EQ(evaluate("d_model > 500 ? d_model/2^2 : 0", variables), 128);
  EXPECT_EQ(evaluate("max(1, -d_k)", variables), 1);
  const std::string open(499, '('), close(499, ')');  // of full length, nested to its end
  EXPECT_EQ(evaluate(open + "17" + close, {}), 17);
  for (const auto& [formula, why] : std::vector<std::pair<std::string, std::string>>{
           {"1, 2", "\"1, 2\": must be one formula, not a list of them"},
           {{"1\0+1", 4}, "\"1\\x00+1\": must be a formula in printable ASCII"}})
    EXPECT_EQ(embedscale::refusal([&, text = formula] { evaluate(text, variables); }), why);
}

TEST(printable, fits_in_a_line_of_the_terminal) {
  EXPECT_EQ(printable("a\x1b[2J\n", 20), "a\\x1b[2J\\x0a");
  EXPECT_LE(printable(std::string(1'000'000, '\x80'), 20).size(), 100u);
  EXPECT_EQ(printable("√√√√", 4), "√√√√");
  EXPECT_EQ(printable("√√√√√", 4), "√√√…");
}

}  // namespace
}  // namespace embedscale::audit
