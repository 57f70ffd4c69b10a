// config.json of each model type, against what its code does, and against the atlas's own files.
#include "audit/config_json.hpp"
#include "audit/expression.hpp"
#include "audit/fields.hpp"
#include "audit/test/configurations.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/table.hpp"
#include "test/scratch.hpp"

#include <fstream>
#include <map>
#include <set>

namespace embedscale::audit {
namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path systems_directory = EMBEDSCALE_SYSTEMS_DIR,
                            model_types = systems_directory.parent_path() / "model_types",
                            tests = systems_directory.parent_path() / "audit/test";

Json config_of(const std::string& type) {
  return Json::parse(report::read_file(tests / "configs" / (type + ".json")));
}

/// Of a side, or of the only input.
std::string toml_of(const Json& json, const std::string& side = "") {
  for (const auto& input : inputs_of_json(json.dump(), "config.json", model_types))
    if (input.side == side) return input.toml;
  throw std::invalid_argument("no input " + side);
}
Audit audit_of_json(const Json& json, const std::string& side = "") {
  return audited(toml_of(json, side));
}

/// "?" of a field that is marked absent; "-" of one that is not told.
std::string told(const Configuration& c, const Field& field) {
  const auto mark = c.marks.find(field.path);
  if (mark != c.marks.end() && mark->second.mark == Mark::absent) return "?";
  return field.value(c).value_or("-");
}
std::string told(const Configuration& c, const std::string& path) {
  const auto field = std::ranges::find(fields(), path, &Field::path);
  return field == fields().end() ? "no field " + path : told(c, *field);
}

/// A number that a formula comes to, as it is told, to 14 digits; else the text itself.
std::string in_digits(const std::string& text) try {
  return text.empty() ? text : fmt::format("{:.14g}", *evaluate(text, {}));
} catch (const std::exception&) {
  return text;
}

struct Line {
  std::string type, side;
  Json changes;
  std::map<std::string, std::string> expected;
};

std::vector<Line> lines() {
  std::vector<Line> all;
  std::ifstream in(tests / "model_types.txt");
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text.starts_with("#")) continue;
    Line line{.type = text.substr(0, text.find_first_of(": ")),
              .side = {},
              .changes = {},
              .expected = {}};
    std::string rest = text.substr(text.find(' '));
    if (text[line.type.size()] == ':')
      line.side = text.substr(line.type.size() + 1, text.find(' ') - line.type.size() - 1);
    if (const std::size_t end = rest.rfind('}'); end != rest.npos) {
      line.changes = Json::parse(rest.substr(0, end + 1));
      rest.erase(0, end + 1);
    }
    for (const std::string& word : words_of(rest))
      line.expected[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    all.push_back(line);
  }
  return all;
}

TEST(config_json, comes_to_what_the_code_of_its_type_does) {
  for (const Line& line : lines()) {
    SCOPED_TRACE(line.type + " " + line.side + " " + line.changes.dump());
    Json json = config_of(line.type);
    if (line.changes.is_object()) json.merge_patch(line.changes);
    const Configuration c = audit_of_json(json, line.side).configuration;
    for (const auto& [path, value] : line.expected)
      EXPECT_EQ(in_digits(told(c, path)), in_digits(value)) << path;
  }
}

/// An audit for programs, without its names and marks.
Json figures_of(const Audit& audit) {
  Json json = Json::parse(json_line(audit));
  for (const auto* key : {"name", "file", "marks"}) json.erase(key);
  return json;
}

std::vector<std::string> types() {
  std::set<std::string> names;
  for (const Line& line : lines()) names.insert(line.type);
  return {names.begin(), names.end()};
}

TEST(config_json, has_the_figures_that_its_class_s_defaults_have) {
  EXPECT_GE(types().size(), 40u);
  for (const std::string& type : types())
    for (const auto& input : inputs_of_json(config_of(type).dump(), "c.json", model_types)) {
      SCOPED_TRACE(type + " " + input.side);
      EXPECT_EQ(figures_of(audited(input.toml)),
                figures_of(audit_of_json({{"model_type", type}}, input.side)));
    }
}

TEST(config_json, has_each_known_type_among_its_tests_and_its_types_in_the_refusal) {
  const std::string said = embedscale::refusal<ContentError>(
      [] { inputs_of_json(R"({"model_type": "lama"})", "c.json", model_types); });
  EXPECT_EQ(said, fmt::format("c.json: model_type = \"lama\": is not known; known are {} (of any "
                              "other, write a TOML configuration: embedscale audit --keys tells "
                              "all keys)",
                              fmt::join(types(), ", ")));
}

/// What the mark of a field says of it.
Basis basis(const Configuration& c, const std::string& field) { return c.marks.at(field); }

TEST(config_json, tells_where_each_value_is_from) {
  for (const std::string& type : types())
    for (const auto& input : inputs_of_json(config_of(type).dump(), "c.json", model_types)) {
      const Configuration c = configured(input.toml);
      SCOPED_TRACE(c.name);
      std::size_t given = 0;
      for (const auto& [field, mark] : c.marks) {
        EXPECT_FALSE(mark.source.empty()) << field;
        given += mark.source.find("config.json (") != std::string::npos;
      }
      EXPECT_GE(given, 4u);
      // What decides a figure is told, or marked absent: no default of the audit's own.
      for (const auto& [field, words] : c.defaults)
        EXPECT_TRUE(field == "token.multiplier_format" || field == "position.multiplier" ||
                    field.ends_with("epsilon_added_to") || field == "output.multiplier")
            << field;
    }
  const Configuration c =
      configured(toml_of({{"model_type", "plbart"}, {"d_model", 1536}}, "decoder"));
  EXPECT_EQ(basis(c, "model.d_model").source, "config.json (d_model)");
  EXPECT_EQ(basis(c, "model.d_model").mark, Mark::read);
  EXPECT_EQ(basis(c, "model.heads").mark, Mark::assumed);
  EXPECT_EQ(basis(c, "model.heads").source,
            "configuration_plbart.py@1001bb00bfee (PLBartConfig), the default of "
            "decoder_attention_heads");
  EXPECT_EQ(basis(c, "token.multiplier").mark, Mark::assumed);
  EXPECT_EQ(basis(c, "block.norm").mark, Mark::read);
  EXPECT_TRUE(basis(c, "block.norm").source.starts_with("modular_plbart.py@004edfe2dc0f"));
  EXPECT_EQ(basis(c, "output.sharing").mark, Mark::inferred);
  const Configuration nested =
      configured(toml_of({{"model_type", "gemma3"}, {"text_config", {{"hidden_size", 64}}}}));
  EXPECT_EQ(basis(nested, "model.d_model").source, "config.json (text_config.hidden_size)");
  EXPECT_EQ(basis(nested, "attention.projection").mark, Mark::absent);
}

/// The fields in which two configurations part, but for their names and sources.
std::string parted(const Configuration& a, const Configuration& b) {
  std::vector<std::string> out;
  for (const Field& field : fields())
    if (field.path != "name" && !field.path.starts_with("source.") &&
        in_digits(told(a, field)) != in_digits(told(b, field)))
      out.push_back(fmt::format("{}:{}/{}", field.path, told(a, field), told(b, field)));
  return fmt::format("{}", fmt::join(out, " "));
}

TEST(config_json, is_the_system_of_the_atlas_that_was_entered_by_hand) {
  const Json granite = {{"model_type", "granite"},     {"hidden_size", 4096},
                        {"num_attention_heads", 32},   {"vocab_size", 49159},
                        {"rope_theta", 10000000.0},    {"max_position_embeddings", 131072},
                        {"rms_norm_eps", 1e-5},        {"embedding_multiplier", 12.0},
                        {"residual_multiplier", 0.22}, {"attention_multiplier", 0.0078125},
                        {"tie_word_embeddings", true}, {"logits_scaling", 16.0}},
             bloom = {{"model_type", "bloom"},
                      {"n_embed", 14336},
                      {"n_head", 112},
                      {"seq_length", 2048}},
             gemma = {{"model_type", "gemma"}, {"torch_dtype", "bfloat16"}};
  // Granite's code multiplies by a number of Python, which is not rounded to the tensor's type.
  for (const auto& [system, json, side, apart] :
       std::vector<std::tuple<std::string, Json, std::string, std::string>>{
           {"hf_albert", config_of("albert"), "", ""},
           {"hf_bart", config_of("bart"), "decoder", ""},
           {"hf_bert", config_of("bert"), "", ""},
           {"hf_bloom", bloom, "", ""},
           {"hf_gemma", gemma, "", ""},
           {"hf_gpt2", config_of("gpt2"), "", ""},
           {"hf_granite", granite, "", "token.multiplier_format:bfloat16/binary32"},
           {"hf_llama", config_of("llama"), "", ""},
           {"hf_marian", config_of("marian"), "decoder", ""},
           {"hf_mbart", config_of("mbart"), "decoder", ""},
           {"hf_t5", config_of("t5"), "decoder", ""}})
    EXPECT_EQ(parted(system_named(system), audit_of_json(json, side).configuration), apart)
        << system;
}

TEST(config_json, that_is_not_understood_is_refused_in_one_line) {
  std::string deep = R"({"model_type": "llama", "x": )";
  for (int i = 0; i < 17; ++i) deep += '[';
  for (const auto& [json, says] : std::vector<std::pair<std::string, std::string>>{
           {"[1]", "must be a JSON object, as config.json is"},
           {"{}", "has no model_type: known are albert, "},
           {R"({"model_type": 7})", "model_type = 7: is not known; known are albert, "},
           {R"({"model_type": "llama", "a": {"b": 1, "b": 2}})", "has the key \"b\" twice"},
           {R"({"model_type": "llama", "model_type": "bert"})", "has the key \"model_type\" twice"},
           {R"({"model_type": "llama",})", "is not JSON: [json.exception.parse_error"},
           {R"({"model_type": "llama", "rope_theta": 1e999})",
            "is not JSON: [json.exception.out_o"},
           {deep, "is nested more than 16 deep"},
           {R"({"model_type": "llama"})" + std::string(largest_source, ' '),
            "is larger than 1000000 bytes, which no configuration needs"},
           {R"({"model_type": "llama", "hidden_size": "4096"})",
            "hidden_size = \"4096\": must be a number"},
           {R"({"model_type": "llama", "hidden_size": [4096]})",
            "hidden_size = [4096]: must be one"},
           {R"({"model_type": "llama", "vocab_size": 9223372036854775808})",
            "vocab_size = 9223372036854775808: must be below 2^63"},
           {R"({"model_type": "marian", "scale_embedding": 1})",
            "scale_embedding = 1: must be true or false"},
           {R"({"model_type": "llama", "head_dim": "64"})", "head_dim = \"64\": must be a number"},
           {R"({"model_type": "gemma", "dtype": 16})", "dtype = 16: must be a text"},
           {R"({"model_type": "gemma3", "text_config": {"hidden_size": true}})",
            "text_config.hidden_size = true: must be a number"},
           {R"({"model_type": "bert", "position_embedding_type": "relative_key"})",
            "position_embedding_type = \"relative_key\": what it does is not known here, but of "
            "\"absolute\""},
           {R"({"model_type": "llama", "rope_scaling": {"rope_type": "mrope"}})",
            "rope_scaling.rope_type = \"mrope\": what it does is not known here, but of "
            "\"default\""},
           {R"({"model_type": "mpt", "logit_scale": "inv_sqrt_d_model"})",
            "logit_scale = \"inv_sqrt_d_model\": what it does is not known here"}}) {
    const std::string said = embedscale::refusal<ContentError>(
        [&, text = json] { inputs_of_json(text, "c.json", model_types); });
    EXPECT_TRUE(said.starts_with("c.json: " + says)) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
  // The parser's words end within a character, as its reading does.
  EXPECT_TRUE(embedscale::refusal<ContentError>([] {
                inputs_of_json("{\xc2\x89", "c.json", model_types);
              }).ends_with("object key - invalid literal"));
  EXPECT_EQ(embedscale::refusal<report::FileError>(
                [] { inputs_of_json(R"({"model_type": "llama"})", "c.json", "/none"); }),
            "/none: has no model types");
}

TEST(config_json, is_read_as_a_file_or_one_of_its_inputs_with_what_is_set_on_top) {
  const Scratch scratch;
  const std::string bart = scratch / "config.json", llama = scratch / "llama", toml = scratch / "t";
  std::ofstream(bart) << config_of("bart");
  std::ofstream(llama) << " \n" << Json{{"model_type", "llama"}, {"_name_or_path", "me/mine"}};
  std::ofstream(toml) << whole;
  const auto names = [](const std::string& file, const std::vector<Change>& changes = {}) {
    std::vector<std::string> all;
    for (const auto& c : read_inputs(file, changes, model_types))
      all.push_back(fmt::format("{} {}", c.name, c.token.multiplier.value_or(0)));
    return fmt::format("{}", fmt::join(all, ", "));
  };
  EXPECT_EQ(names(bart), "bart encoder 1, bart decoder 1");
  EXPECT_EQ(names(bart + ":encoder", {{"token.multiplier", "sqrt(d_model)"}}), "bart encoder 32");
  EXPECT_EQ(names(bart + ":decoder"), "bart decoder 1");
  EXPECT_EQ(names(llama), "me/mine 1");
  EXPECT_EQ(names(toml), "t 1");
  EXPECT_EQ(read_inputs(bart, {}, model_types)[0].file, bart);
  EXPECT_EQ(
      embedscale::refusal<ContentError>([&] { read_inputs(llama + ":encoder", {}, model_types); }),
      llama + ":encoder: has one input, so there is no encoder to choose");
  std::ofstream(llama) << Json{{"model_type", "llama"}, {"num_attention_heads", 7}};
  EXPECT_TRUE(
      contains(embedscale::refusal<ContentError>([&] { read_inputs(llama, {}, model_types); }),
               "model.heads = 7: must be a divisor of model.d_model = 4096"));
  // As --to-toml prints it, it is the same configuration.
  std::ofstream(toml, std::ios::trunc) << audit::toml_of(bart, model_types);
  EXPECT_EQ(figures_of(audit_of(read_configuration(toml))),
            figures_of(audit_of(read_inputs(bart, {}, model_types).back())));
  EXPECT_EQ(audit::toml_of(toml, model_types), report::read_file(toml));
}

}  // namespace
}  // namespace embedscale::audit
