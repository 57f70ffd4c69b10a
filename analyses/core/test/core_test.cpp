// Questions at the door, from programs.
#include "core/core.hpp"

#include "audit/fields.hpp"
#include "audit/test/configurations.hpp"

namespace embedscale::core {
namespace {

using audit::Change, audit::ModelTypes;

/// What every field came to.
std::vector<audit::Told> values_of(const audit::Configuration& c) {
  std::vector<audit::Told> all;
  for (const auto& field : audit::fields()) all.push_back(field.value(c));
  return all;
}

TEST(question, is_an_object_with_command_and_inputs) {
  const auto whole = question_from(
      R"({"command": "port", "set": ["to.x=1"], "place": "final_norm", "inputs": [
         {"name": "a", "text": "b"}, {"name": "c", "text": "d", "side": "encoder"}]})");
  EXPECT_EQ(whole.command, "port");
  ASSERT_EQ(whole.inputs.size(), 2u);
  EXPECT_EQ(whole.inputs[0].text + whole.inputs[0].side, "b");
  EXPECT_EQ(whole.inputs[1].name + whole.inputs[1].side, "cencoder");
  EXPECT_EQ(whole.changes, std::vector<std::string>{"to.x=1"});
  EXPECT_EQ(whole.place, "final_norm");
  for (const char* other : {"", "[]", "{}", R"({"command": 1, "inputs": []})",
                            R"({"command": "audit", "inputs": [{"name": "f"}]})"})
    EXPECT_TRUE(contains(refusal([&] { question_from(other); }), "is no question: ")) << other;
}

TEST(question, is_refused_where_it_asks_for_what_there_is_not) {
  const audit::InputFile file{"f.toml", audit::whole};
  const auto said = [](const Question& question) {
    return refusal([&] { answer(question, ModelTypes()); });
  };
  EXPECT_EQ(said({"weigh", {file}, {}}), "command = weigh: must be audit, compare, port or toml");
  EXPECT_EQ(said({"port", {file}, {}}), "port takes 2 inputs, and there are 1");
  EXPECT_EQ(said({"toml", {}, {}}), "toml takes 1 inputs, and there are 0");
  EXPECT_EQ(said({"port", {file, file}, {}, "attic"}),
            "place = attic: must be logit_factor, final_norm or own_table");
  EXPECT_TRUE(contains(said({"port", {file, file}, {"token.multiplier=1"}}),
                       "port: --set token.multiplier=1: must be from.PATH=VALUE or to.PATH=VALUE"));
  EXPECT_TRUE(contains(embedscale::refusal<audit::ContentError>([&] {
                         port({"port", {file, file}, {"to.model.heads=0"}}, ModelTypes());
                       }),
                       "--set to.model.heads=0: "));
}

// Read again, the text is the changed configuration; what the change left without effect is gone.
TEST(toml, of_a_changed_configuration_is_that_configuration) {
  const std::vector<std::vector<std::string>> all{
      {"model.d_model=3072", "token.multiplier=1"},
      {"position.kind=rotary"},
      {"token.law=xavier_uniform", "token.standard_deviation="},
      {"embedding_norm.kind=rms_norm", "embedding_norm.epsilon=1e-5"}};
  std::size_t made = 0;
  for (const auto& name : audit::systems())
    for (const auto& changes : all) {
      const Question question{"toml", {inputs::read(audit::system_file(name))}, changes};
      try {
        const auto changed = configurations(question, ModelTypes()).at(0);
        const auto again = audit::configured(answer(question, ModelTypes()));
        EXPECT_EQ(values_of(again), values_of(changed)) << name << " " << changes[0];
        EXPECT_EQ(again.marks.size(), changed.marks.size()) << name;
        ++made;
      } catch (const audit::ContentError&) {
        EXPECT_THROW(configurations(question, ModelTypes()), audit::ContentError) << name;
      }
    }
  EXPECT_GT(made, 2 * audit::systems().size());
}

}  // namespace
}  // namespace embedscale::core
