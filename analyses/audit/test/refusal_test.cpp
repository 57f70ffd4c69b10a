// Configurations and changes at fault that are no lines of cases.txt: bytes, sizes, line breaks.
#include "configurations.hpp"

namespace embedscale::audit {
namespace {

TEST(content, that_is_no_text_is_refused_in_one_line) {
  using namespace std::string_literals;
  for (const auto& [toml, message] :
       {std::pair(" \n"s, ": is empty"s),
        {"# fine\nname = '\xff'\n", ":2: is not TOML: Encountered invalid utf-8 sequence"},
        {"\x7f\x45LF\0\0"s,
         ":1: is not TOML: Error while parsing root table: expected keys, tables, whitespace or "
         "comments, saw '\\u007F'"}})
    EXPECT_EQ(refusal(toml), "f.toml" + message);
}

TEST(content, of_another_format_is_named_with_what_to_do) {
  using namespace std::string_literals;
  const std::string json = R"({"hidden_size": 768})", header = R"({"wte.weight": {}})";
  const std::string length{static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0},
      weights =
          "weights do not tell how they were drawn and what the code multiplies; write that "
          "into a configuration, which is TOML",
      keys = " (embedscale audit --keys tells all keys)";
  for (const auto& [bytes, says] : {
           std::pair(" \n" + json,
                     "JSON: a configuration is TOML; write its values into one, "
                     "hidden_size as model.d_model and so on"s),
           {length + header, "a safetensors file: " + weights},
           {length + header + std::string(2'000'000, '\0'), "a safetensors file: " + weights},
           {"\x93NUMPY\1\0v\0"s, "a NumPy array: " + weights},
           {"PK\3\4\0\0"s, "a zip archive, as PyTorch and NumPy write them: " + weights},
           {"GGUF\3\0\0\0"s, "a GGUF file: " + weights},
       })
    EXPECT_EQ(refusal(bytes), "f.toml: is " + says + keys);
}

TEST(content, has_at_most_sixteen_further_tables) {
  std::string many = whole;
  for (int i = 0; i < 17; ++i) many += "[[extra]]\nlaw = 'xavier_normal'\n";
  EXPECT_EQ(refusal(many), "f.toml:9: has 17 [[extra]] tables: must be at most 16");
}

TEST(content, is_bounded_in_nesting_before_the_parser_recurses) {
  std::string dotted = "a", brackets = "a = ", hidden = "a = [\"\"\"x\"\"\"\", ";
  for (int i = 0; i < 200000; ++i) dotted += ".a", brackets += "[", hidden += "{c=";
  for (const std::string& deep : {dotted + " = 1", brackets, hidden})
    EXPECT_NE(refusal(deep).find("f.toml:1: is nested more than 16 deep"), std::string::npos);
  // Dots and brackets in texts and comments are not nesting.
  const std::string dots(60, '.'), opening(100, '[');
  EXPECT_EQ(configured("name = '" + dots + "'  # " + opening + "\n" + whole).name, dots);
  const std::string quoted = '"' + opening.substr(0, 50);
  EXPECT_EQ(configured("name = \"\\" + quoted + "\"\n" + whole).name, quoted);
}

TEST(content, at_fault_is_refused_soon_however_large) {
  const std::string hundred_thousand(100'000, '\''), brackets(100'000, '['), open(100'000, '(');
  for (const auto& [toml, what] : std::vector<std::pair<std::string, std::string>>{
           {std::string(1, '\0'), "is not TOML"},
           {"\xff\xfe"
            "n\0a\0",
            "is not TOML"},
           {"x = " + brackets, "is nested more than 16 deep"},
           {"x = " + hundred_thousand, "is not TOML"},
           {with("deviation = 1", "deviation = '" + open + "'"),
            "has 100000 characters, must have at most 1000"},
           {with("deviation = 1", "deviation = '" + open.substr(0, 999) + "'"),
            ":6: token.standard"},
           {with("512", "'" + std::string(999, '-') + "1'"), ":2: model.d_model"}}) {
    const std::string said = refusal(toml);
    EXPECT_NE(said.find(what), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(set, takes_no_path_that_is_none) {
  const std::string extras =
      whole + "[[extra]]\nlaw = 'xavier_normal'\n[[extra]]\nlaw = 'xavier_normal'\n";
  for (const char* path :
       {"token", "marks", "marks.token.law", "a.b.c", ".", "é", "extra[99999999999999999999].law",
        "extra[-1].law", "extra[1.law", "extra]1[.law", "extra[a].law", "model[0].heads"})
    EXPECT_NE(refusal(extras, {{path, "1"}}).find(": there is no field "), std::string::npos)
        << path;
}

TEST(set, takes_no_line_break_for_more_of_the_file) {
  EXPECT_EQ(refusal(whole, {{"token.multiplier", "1\n[block]\nnorm='pre'"}}),
            "--set token.multiplier=1\\x0a[block]\\x0anorm='pre': token.multiplier = "
            "\"1\\x0a[block]\\x0anorm='pre'\": must be a formula in printable ASCII");
  EXPECT_EQ(refusal(whole, {{"na\nme", "1"}}),
            "--set na\\x0ame=1: there is no field na\\x0ame: nearest is name");
}

TEST(set, needs_a_path_and_a_value) {
  for (const std::string text : {"token.multiplier", "=1", "", "="})
    EXPECT_EQ(message_of<ContentError>([&] { change_from(text); }),
              "--set " + text + ": must be PATH=VALUE, such as token.multiplier=1");
  EXPECT_EQ(change_from("a.b=c=d").path, "a.b");
  EXPECT_EQ(change_from("a.b=c=d").value, "c=d");
}

TEST(set, is_bounded_like_the_file) {
  const auto said = [](char c) {
    return refusal(whole, {{"token.multiplier", std::string(100'000, c)}});
  };
  EXPECT_NE(said('[').find("nested"), std::string::npos);
  EXPECT_NE(said('(').find("at most 1000"), std::string::npos);
}

}  // namespace
}  // namespace embedscale::audit
