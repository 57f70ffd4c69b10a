// A configuration at fault is refused in one line that says where, what, and what is allowed.
#include "audit_text.hpp"

#include <sstream>

namespace embedscale::audit {
namespace {

std::string refusal(const std::string& toml) {
  std::istringstream in(toml);
  return message_of<ContentError>([&] { read_configuration(in, "f.toml"); });
}

struct Fault {
  std::string name, toml, message;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
class content : public testing::TestWithParam<Fault> {};

TEST_P(content, is_refused_in_one_line) {
  EXPECT_EQ(refusal(GetParam().toml), GetParam().message);
  EXPECT_EQ(GetParam().message.find('\n'), std::string::npos);
}

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
              "f.toml:9: position.base = nan: must be a finite number >= 1"},
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
              "f.toml:10: marks.token.law = \"guessed\": must be one of read, inferred, assumed, "
              "absent"},
        Fault{"mark_without_a_mark", whole + "[marks]\n'token.law' = { source = 'x' }\n",
              "f.toml:10: marks.\"token.law\" has no mark: must be one of read, inferred, assumed, "
              "absent"},
        Fault{"unknown_mark_in_a_table", whole + "[marks]\n'token.law' = { mark = 'guessed' }\n",
              "f.toml:10: mark = \"guessed\": must be one of read, inferred, assumed, absent"},
        Fault{"unknown_key_in_a_mark",
              whole + "[marks]\n'token.law' = { mark = 'read', url = '' }\n",
              "f.toml:10: unknown key url: nearest is mark"},
        Fault{"absent_and_given", whole + "[marks]\n'token.law' = 'absent'\n",
              "f.toml:10: token.law is given, so it is not absent"},
        Fault{"absent_but_required", whole + "[marks]\n'position.kind' = 'absent'\n",
              "f.toml:10: position.kind cannot be absent"},
        Fault{"unquoted_word", with("'normal'", "normal"),
              "f.toml:5: is not TOML: Error while parsing floating-point: expected 'nan', saw 'no' "
              "(words and formulas stand in quotes)"},
        Fault{"unquoted_formula", with("deviation = 1", "deviation = d_model^-0.5"),
              "f.toml:6: is not TOML: Error while parsing value: could not determine value type "
              "(words and formulas stand in quotes)"},
        Fault{
            "power_of_another_language", with("deviation = 1", "deviation = 'd_model**-0.5'"),
            "f.toml:6: token.standard_deviation = \"d_model**-0.5\": a power is written ^, not **"},
        Fault{"formula_that_does_not_parse", with("deviation = 1", "deviation = '1 +'"),
              "f.toml:6: token.standard_deviation = \"1 +\": Unexpected end of expression at "
              "position 4"},
        Fault{"formula_that_divides_by_zero", whole + "multiplier = '1/(heads - 8)'\n",
              "f.toml:9: position.multiplier = \"1/(heads - 8)\": is inf, must be finite"},
        Fault{"formula_that_is_no_number", whole + "multiplier = 'sqrt(-1)'\n",
              "f.toml:9: position.multiplier = \"sqrt(-1)\": is not a number, must be finite"},
        Fault{"huge_formula", with("512", "'2^40'"),
              "f.toml:2: model.d_model = \"2^40\": " + width_words},
        Fault{"short_key_std", with("standard_deviation", "std"),
              "f.toml:6: unknown key token.std: nearest is token.standard_deviation"},
        Fault{"short_key_eps", whole + "[block]\neps = 1e-6\n",
              "f.toml:10: unknown key block.eps: nearest is block.epsilon"},
        Fault{"short_key_vocab", with("heads = 8", "heads = 8\nvocab = 9"),
              "f.toml:4: unknown key model.vocab: nearest is model.vocabulary"},
        Fault{"key_below_another_section", whole + "name = 'mine'\n",
              "f.toml:9: unknown key position.name: nearest is name"},
        Fault{"zero_heads", with("heads = 8", "heads = 0"),
              "f.toml:3: model.heads = 0: must be an integer from 1 to 16777216"},
        Fault{"negative_epsilon", whole + "[block]\nnorm = 'pre'\nepsilon = -1e-6\n",
              "f.toml:11: block.epsilon = -1e-06: must be a finite number >= 0"},
        Fault{"norm_without_its_place", whole + "[block]\nepsilon = 1e-6\n",
              "f.toml:9: block.norm is missing: must be one of pre, post, none"},
        Fault{"negative_sigma_that_does_not_count", whole + "[output]\nstandard_deviation = -1\n",
              "f.toml:10: output.standard_deviation = -1: must be a finite number > 0"},
        Fault{"untied_output_without_a_law", whole + "[output]\ntied = false\n",
              "f.toml:9: output.law is missing: must be one of normal, uniform, truncated_normal, "
              "xavier_uniform, xavier_normal, zeros"},
        Fault{"learned_without_a_law", with("'sinusoidal'", "'learned'"),
              "f.toml:7: position.law is missing: " + law_words},
        Fault{"parameter_of_no_projection", whole + "[attention]\nprojection_q_half_range = 1\n",
              "f.toml:10: attention.projection_q_half_range = 1: must be absent unless "
              "attention.projection_q is given"},
        Fault{"width_without_concatenation", with("law =", "width = 8\nlaw ="),
              "f.toml:5: token.width = 8: must be absent unless position.combine is concatenation"},
        Fault{"whole_width_for_tokens",
              with("law =", "width = 512\nlaw =") + "combine = 'concatenation'\n",
              "f.toml:5: token.width = 512: must be an integer from 1 to 511"},
        Fault{
            "odd_rest_for_sinusoids",
            with("law =", "width = 3\nlaw =") + "combine = 'concatenation'\n",
            "f.toml:5: token.width = 3: must be even where position.kind is sinusoidal: sines and "
            "cosines come in pairs"},
        Fault{"extra_as_one_table", whole + "[extra]\nlaw = 'normal'\n",
              "f.toml:9: extra = a table: must be an array of tables, each [[extra]]"},
        Fault{"extra_without_its_law", whole + "[[extra]]\nname = 'segment'\n",
              "f.toml:9: extra[0].law is missing: " + law_words},
        Fault{"unknown_key_of_an_extra", whole + "[[extra]]\nlow = 'normal'\n",
              "f.toml:10: unknown key extra[].low: nearest is extra[].law"},
        Fault{"fault_in_the_second_extra",
              whole +
                  "[[extra]]\nlaw = 'xavier_normal'\n[[extra]]\nlaw = 'xavier_normal'\nrows = 0\n",
              "f.toml:13: extra[1].rows = 0: must be an integer from 1 to 4294967296"}),
    [](const auto& tested) { return tested.param.name; });

TEST(extra, tables_are_at_most_sixteen) {
  std::string many = whole;
  for (int i = 0; i < 17; ++i) many += "[[extra]]\nlaw = 'xavier_normal'\n";
  EXPECT_EQ(refusal(many), "f.toml:9: has 17 [[extra]] tables: must be at most 16");
}

}  // namespace
}  // namespace embedscale::audit
