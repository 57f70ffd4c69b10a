// A configuration at fault is refused in one line that says where, what, and what is allowed.
#include "configurations.hpp"

namespace embedscale::audit {
namespace {

/// In `whole`, `before` is replaced by `after`; before it is a whole text of its own where that is
/// "all", and it comes last where that is "". Then comes "f.toml", `message`, and what must be.
struct Fault {
  std::string_view before, after, message, must_be = {};
};

constexpr auto
    width = "an integer from 2 to 16777216",
    some = "a finite number",
    held = "a finite number that binary64 has: it lacks some integers above 2^53, such as this one",
    above_0 = "a finite number > 0",
    laws = "one of normal, uniform, truncated_normal, xavier_uniform, xavier_normal",
    marks = "one of read, inferred, assumed, absent",
    pairs = "even where position.kind is sinusoidal: sines and cosines come in pairs";

using namespace std::string_view_literals;
constexpr Fault faults[] = {
    // Not TOML, or not that of a configuration.
    {"all", " \n", ": is empty"},
    {"all", "# 1\n", ": model.d_model is missing", width},
    {"all", "[model]\nd_model = \n",
     ":2: is not TOML: Error while parsing key-value pair: expected value, saw '\\n'"},
    {"all", "# fine\nname = '\xff'\n", ":2: is not TOML: Encountered invalid utf-8 sequence"},
    {"all", "\x7f\x45LF\0\0"sv,
     ":1: is not TOML: Error while parsing root table: expected keys, tables, whitespace or "
     "comments, saw '\\u007F'"},
    {"all", "name = 'a'\nname = 'b'\n",
     ":2: is not TOML: Error while parsing key-value pair: cannot redefine existing string 'name'"},
    {"'normal'", "normal",
     ":5: is not TOML: Error while parsing floating-point: expected 'nan', saw 'no' (words and "
     "formulas stand in quotes)"},
    {"deviation = 1", "deviation = d_model^-0.5",
     ":6: is not TOML: Error while parsing value: could not determine value type (words and "
     "formulas stand in quotes)"},
    {"all", "model = 3\n[token]\nlaw = 'normal'\n", ":1: model = 3", "a table, [model]"},
    {"", "[extra]\nlaw = 'normal'\n", ":9: extra = a table", "an array of tables, each [[extra]]"},
    // Missing.
    {"[model]\nd_model = 512\nheads = 8\n", "", ": model.d_model is missing", width},
    {"kind = 'sinusoidal'\n", "", ":7: position.kind is missing",
     "one of sinusoidal, learned, rotary, relative, none"},
    {"standard_deviation = 1", "", ":4: token.standard_deviation is missing", above_0},
    {"", "[block]\nepsilon = 1e-6\n", ":9: block.norm is missing", "one of pre, post, none"},
    {"", "[output]\ntied = false\n", ":9: output.law is missing",
     "one of normal, uniform, truncated_normal, xavier_uniform, xavier_normal, zeros"},
    {"'sinusoidal'", "'learned'", ":7: position.law is missing", laws},
    {"", "[[extra]]\nname = 'segment'\n", ":9: extra[0].law is missing", laws},
    // Unknown.
    {"heads = 8", "haeds = 8", ":3: unknown key model.haeds: nearest is model.heads"},
    {"law =", "heads = 8\nlaw =", ":5: unknown key token.heads: nearest is model.heads"},
    {"[model]", "[tokens]\n[model]", ":1: unknown key tokens: nearest is token"},
    {"standard_deviation", "std", ":6: unknown key token.std: nearest is token.standard_deviation"},
    {"", "name = 'mine'\n", ":9: unknown key position.name: nearest is name"},
    {"", "[[extra]]\nlow = 'normal'\n", ":10: unknown key extra[].low: nearest is extra[].law"},
    // Of another type, or out of range.
    {"512", "true", ":2: model.d_model = true", width},
    {"512", "[512]", ":2: model.d_model = an array", width},
    {"512", "0", ":2: model.d_model = 0", width},
    {"512", "1099511627776", ":2: model.d_model = 1099511627776", width},
    {"512", "512.5", ":2: model.d_model = 512.5", width},
    {"512", "9007199254740993", ":2: model.d_model = 9007199254740993", width},
    {"", "multiplier = -9007199254740993\n", ":9: position.multiplier = -9007199254740993", held},
    {"", "multiplier = '9007199254740993'\n", ":9: position.multiplier = \"9007199254740993\"",
     held},
    {"512", "'2^40'", ":2: model.d_model = \"2^40\"", width},
    {"'normal'", "3", ":5: token.law = 3", laws},
    {"'normal'", "'gauss'", ":5: token.law = \"gauss\"", laws},
    {"[model]", "name = \"a\\nb\"\n[model]", ":1: name = \"a\\x0ab\"",
     "a text of 1 to 60 bytes without control characters"},
    {"", "base = nan\n", ":9: position.base = nan", "a finite number >= 1"},
    {"", "multiplier = -inf\n", ":9: position.multiplier = -inf", some},
    {"standard_deviation = 1", "standard_deviation = -0.02", ":6: token.standard_deviation = -0.02",
     above_0},
    {"deviation = 1", "deviation = '1 - d_model'", ":6: token.standard_deviation = \"1 - d_model\"",
     above_0},
    {"", "[block]\nnorm = 'pre'\nepsilon = -1e-6\n", ":11: block.epsilon = -1e-06",
     "a finite number >= 0"},
    {"", "[[extra]]\nlaw = 'xavier_normal'\n[[extra]]\nlaw = 'xavier_normal'\nrows = 0\n",
     ":13: extra[1].rows = 0", "an integer from 1 to 4294967296"},
    // At odds with each other.
    {"512\nheads = 8", "7\nheads = 1", ":2: model.d_model = 7", pairs},
    {"512\nheads = 8\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n[position]\n",
     "2\nheads = 1\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n[position]\n"
     "frequencies = 'tensor2tensor'\n",
     ":2: model.d_model = 2",
     ">= 4 where position.frequencies is tensor2tensor: they divide by d/2 - 1"},
    {"", "[output]\nsharing = 'never'\ntied = true\n", ":10: output.sharing = \"never\"",
     "other than never where output.tied is true"},
    {"", "[output]\nsharing = 'always'\ntied = false\nlaw = 'zeros'\n",
     ":10: output.sharing = \"always\"", "other than always where output.tied is false"},
    {"", "[output]\nsharing = 'sometimes'\n", ":10: output.sharing = \"sometimes\"",
     "one of always, by_default, on_request, optional, never"},
    {"heads = 8", "heads = 7", ":3: model.heads = 7",
     "a divisor of model.d_model = 512, unless model.d_k is given"},
    {"'normal'", "'xavier_normal'", ":6: token.standard_deviation = 1",
     "absent: the law xavier_normal takes no parameter"},
    {"", "[attention]\nprojection_q_half_range = 1\n", ":10: attention.projection_q_half_range = 1",
     "absent unless attention.projection_q is given"},
    {"law =", "width = 8\nlaw =", ":5: token.width = 8",
     "absent unless position.combine is concatenation"},
    {"law = 'normal'\nstandard_deviation = 1\n[position]\n",
     "width = 512\nlaw = 'normal'\nstandard_deviation = 1\n[position]\ncombine = 'concatenation'\n",
     ":5: token.width = 512", "an integer from 1 to 511"},
    {"law = 'normal'\nstandard_deviation = 1\n[position]\n",
     "width = 3\nlaw = 'normal'\nstandard_deviation = 1\n[position]\ncombine = 'concatenation'\n",
     ":5: token.width = 3", pairs},
    // Formulas.
    {"deviation = 1", "deviation = '1/vocabulary'",
     ":6: token.standard_deviation = \"1/vocabulary\": vocabulary is not known; known are d_model, "
     "heads, d_k"},
    {"deviation = 1", "deviation = 'd_model**-0.5'",
     ":6: token.standard_deviation = \"d_model**-0.5\": a power is written ^, not **"},
    {"deviation = 1", "deviation = '1 +'",
     ":6: token.standard_deviation = \"1 +\": Unexpected end of expression at position 4"},
    {"", "multiplier = '1/(heads - 8)'\n",
     ":9: position.multiplier = \"1/(heads - 8)\": is inf, must be finite"},
    {"", "multiplier = 'sqrt(-1)'\n",
     ":9: position.multiplier = \"sqrt(-1)\": is not a number, must be finite"},
    // Marks.
    {"", "[marks]\n'token.lau' = 'read'\n",
     ":10: unknown field \"token.lau\" in [marks]: nearest is \"token.law\""},
    {"", "[marks]\n'token.law' = 'guessed'\n", ":10: marks.token.law = \"guessed\"", marks},
    {"", "[marks]\n'token.law' = { source = 'x' }\n", ":10: marks.\"token.law\" has no mark",
     marks},
    {"", "[marks]\n'token.law' = { mark = 'guessed' }\n", ":10: mark = \"guessed\"", marks},
    {"", "[marks]\n'token.law' = { mark = 'read', url = '' }\n",
     ":10: unknown key url: nearest is mark"},
    {"", "[marks]\n'token.law' = 'absent'\n", ":10: token.law is given, so it is not absent"},
    {"", "[marks]\n'position.kind' = 'absent'\n", ":10: position.kind cannot be absent"},
};

TEST(content, at_fault_is_refused_in_one_line) {
  for (const auto& [before, after, message, must_be] : faults) {
    const std::string toml = before == "all" ? std::string(after)
                             : before == ""  ? whole + std::string(after)
                                             : with(before, after);
    const std::string expected =
        fmt::format("f.toml{}{}{}", message, must_be.empty() ? "" : ": must be ", must_be);
    EXPECT_EQ(refusal(toml), expected) << toml;
    EXPECT_EQ(expected.find('\n'), std::string::npos);
  }
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

/// Changes, one a line, and what is said of them; "…" where it goes on.
struct Refused {
  const char *changes, *message;
};

TEST(set, at_fault_is_refused_in_its_own_words) {
  constexpr Refused refused[] = {
      {"token.multiplyer=1", "there is no field token.multiplyer: nearest is token.multiplier"},
      {"nmae=1", "there is no field nmae: nearest is name"},
      {"extra[].law=normal", "there is no field extra[].law: nearest is extra[0].law"},
      {"extra[2].law=normal", "there are 2 [[extra]] tables, counted from 0"},
      {"token.multiplier=abc",
       "token.multiplier = \"abc\": abc is not known; known are d_model, heads, d_k"},
      {"token.multiplier=true", "token.multiplier = true: must be a finite number"},
      {"token.multiplier=[1]", "token.multiplier = an array: must be a finite number"},
      {"token.multiplier=2020-01-01", "token.multiplier = 2020-01-01: must be a finite number"},
      {"token.multiplier=nan", "token.multiplier = nan: must be a finite number"},
      {"model.heads=7.5", "model.heads = 7.5: must be an integer from 1 to 16777216"},
      {"output.tied=yes", "output.tied = \"yes\": must be true or false"},
      {"token.law=3",
       "token.law = 3: must be one of normal, uniform, truncated_normal, xavier_uniform, "
       "xavier_normal"},
      {"token.law=",
       "token.law is missing: must be one of normal, uniform, truncated_normal, "
       "xavier_uniform, xavier_normal"},
      {"extra[1].law=gauss",
       "extra[1].law = \"gauss\": must be one of normal, uniform, "
       "truncated_normal, xavier_uniform, xavier_normal"},
  };
  const std::string extras =
      whole + "[[extra]]\nlaw = 'xavier_normal'\n[[extra]]\nlaw = 'xavier_normal'\n";
  for (const auto& [change, message] : refused)
    EXPECT_EQ(refusal(extras, changes_from(change)), fmt::format("--set {}: {}", change, message));
  EXPECT_EQ(refusal(whole, changes_from("extra[0].law=normal")),
            "--set extra[0].law=normal: there are 0 [[extra]] tables, counted from 0");
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

TEST(set, blames_the_file_for_what_then_does_not_fit_in_it) {
  EXPECT_EQ(refusal(whole, {{"model.d_model", "100"}}),
            "f.toml:3: model.heads = 8: must be a divisor of model.d_model = 100, unless "
            "model.d_k is given (after --set model.d_model=100)");
  EXPECT_EQ(refusal(whole, {{"token.law", "uniform"}}),
            "f.toml:6: token.standard_deviation = 1: must be absent: the law uniform takes "
            "half_range (after --set token.law=uniform)");
}

}  // namespace
}  // namespace embedscale::audit
