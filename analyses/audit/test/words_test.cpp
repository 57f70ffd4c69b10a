// The bytes of a configuration, the formulas in it, and the texts that errors are made of.
#include "audit/document.hpp"
#include "audit/entry.hpp"
#include "configurations.hpp"
#include "report/nearest.hpp"
#include "test/scratch.hpp"

#include <chrono>
#include <fstream>

namespace embedscale::audit {
namespace {

TEST(file, is_read_up_to_one_megabyte_or_said_to_be_unreadable) {
  const Scratch scratch;
  const std::string file = scratch / "f.toml", sparse = scratch / "sparse.toml",
                    padding(largest_source - whole.size(), '\n');
  const auto write = [](const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  };
  write(file, whole + padding);
  EXPECT_EQ(read_configuration(file).model.d_model, 512);
  write(file, whole + padding + "\n");
  write(sparse, "x");
  std::filesystem::resize_file(sparse, 100'000'000);
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& endless : {file, sparse, std::string("/dev/zero")})
    EXPECT_EQ(message_of<ContentError>([&] { read_configuration(endless); }),
              endless + ": is larger than 1000000 bytes, which no configuration needs");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 10);  // some milliseconds where this was written
  const std::string none = scratch / "none.toml", directory = scratch.path();
  for (const auto& [path, why] :
       {std::pair(none, "No such file or directory"), std::pair(directory, "is a directory"),
        std::pair(file + "/below.toml", "Not a directory")})
    EXPECT_EQ(message_of<InputError>([&, path = path] { read_configuration(path); }),
              path + ": cannot be read: " + why);
}

TEST(formula, has_the_given_variables_and_muparsers_functions) {
  const Variable variables[] = {{"d_model", 512}, {"d_k", 64}};
  EXPECT_EQ(evaluate("sqrt(d_k)", variables), 8);
  EXPECT_EQ(evaluate("d_model > 500 ? d_model/2^2 : 0", variables), 128);
  EXPECT_EQ(evaluate("max(1, -d_k)", variables), 1);
  const std::string open(499, '('), close(499, ')');  // of full length, nested to its end
  EXPECT_EQ(evaluate(open + "17" + close, {}), 17);
}

TEST(formula, at_fault_is_named) {
  const Variable d_model[] = {{"d_model", 512}};
  for (const auto& [formula, why] : std::vector<std::pair<std::string, std::string>>{
           {"sqrt(d_modl)", "\"sqrt(d_modl)\": d_modl is not known; known are d_model"},
           {"1, 2", "\"1, 2\": must be one formula, not a list of them"},
           {"√2", "\"√2\": must be a formula in printable ASCII"},
           {{"1\0+1", 4}, "\"1\\x00+1\": must be a formula in printable ASCII"},
           {"d_model = 3", "\"d_model = 3\": "},
           {std::string(100000, '('),
            "\"" + std::string(59, '(') + "…\": has 100000 characters, must have at most 1000"}}) {
    const std::string said =
        message_of<std::invalid_argument>([&, formula = formula] { evaluate(formula, d_model); });
    EXPECT_EQ(why.ends_with(": ") ? said.substr(0, why.size()) : said, why);
  }
}

TEST(nearest, is_the_same_key_in_another_section_or_the_key_of_a_short_form) {
  const std::vector<std::string> some = {"name", "head", "model.heads", "token.multiplier",
                                         "position.multiplier"},
                                 others = {"token.law", "token.standard_deviation", "block.epsilon",
                                           "model.vocabulary", "block.norm"};
  for (const auto& [path, nearest] : std::vector<std::pair<std::string, std::string>>{
           {"position.multiplyer", "position.multiplier"},
           {"attention.heads", "model.heads"},
           {"heads", "model.heads"},
           {"haeds", "model.heads"},
           {"nmae", "name"},
           {"multiplier.name", "name"}})
    EXPECT_EQ(report::nearest(path, some, ""), "nearest is " + nearest);
  for (const auto& [path, nearest] :
       std::vector<std::pair<std::string, std::string>>{{"token.std", "token.standard_deviation"},
                                                        {"block.eps", "block.epsilon"},
                                                        {"model.vocab", "model.vocabulary"},
                                                        {"model.vcb", "model.vocabulary"},
                                                        {"token.lav", "token.law"}})
    EXPECT_EQ(report::nearest(path, others, ""), "nearest is " + nearest);
}

TEST(nearest, is_none_where_all_are_far) {
  EXPECT_EQ(report::nearest("url", std::vector<std::string>{"mark", "source"}, "see --keys"),
            "there are mark, source");
  std::vector<std::string> many{"model.d_model", "position.layout"};
  for (int i = 0; i < 20; ++i) many.push_back("key_" + std::to_string(i));
  for (const std::string far : {"decoder", "layers", ""})
    EXPECT_EQ(report::nearest(far, many, "see --keys"), "see --keys") << far;
  EXPECT_EQ(report::nearest(std::string(1'000'000, 'x') + ".key_1", many, "see --keys"),
            "see --keys");
}

TEST(printable, fits_in_a_line_of_the_terminal) {
  EXPECT_EQ(printable("a\x1b[2J\n", 20), "a\\x1b[2J\\x0a");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2J",
                      20),
            "a\\xc2\\x9b2J");  // U+009B, as good as ESC [
  EXPECT_LE(printable(std::string(1'000'000, '\x80'), 20).size(), 100u);
  EXPECT_EQ(printable("√√√√", 4), "√√√√");
  EXPECT_EQ(printable("√√√√√", 4), "√√√…");
}

}  // namespace
}  // namespace embedscale::audit
