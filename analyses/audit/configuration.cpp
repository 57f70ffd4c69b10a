#include "audit/configuration.hpp"

#include "audit/entry.hpp"
#include "audit/error.hpp"
#include "audit/fields.hpp"
#include "audit/known_keys.hpp"
#include "audit/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace embedscale::audit {
namespace {

std::vector<std::string> field_paths() {
  std::vector<std::string> paths;
  for (const Field& field : fields()) paths.emplace_back(field.path);
  return paths;
}

std::vector<Variable> variables_of(const Model& model) {
  std::vector<Variable> known;
  const auto add = [&](std::string_view name, std::int64_t value) {
    if (value > 0) known.push_back({name, static_cast<double>(value)});
  };
  add("d_model", model.d_model);
  add("heads", model.heads);
  add("d_k", model.d_k);
  add("vocabulary", model.vocabulary.value_or(0));
  return known;
}

// [marks] has the other fields' paths for keys, in quotes.
void read_marks(const Document& document, Configuration& c) {
  const toml::table* marks = document.root["marks"].as_table();
  if (!marks) return;
  const std::vector<std::string> paths = field_paths();
  for (const auto& [key, node] : *marks) {
    const std::string field(key.str());
    const std::string path = "marks." + field;
    if (std::find(paths.begin(), paths.end(), field) == paths.end())
      refuse_at(document, key.source(),
                fmt::format("unknown field \"{}\" in [marks]: nearest is \"{}\"", shown(field),
                            nearest_path(field, paths)));
    c.marks[field] = Entry(document, path, {}).required_choice(mark_words);
  }
}

void require_pairs(const Entry& d_model, const Configuration& c) {
  if (c.position.kind != PositionKind::sinusoidal) return;
  if (c.model.d_model % 2 != 0)
    d_model.refuse("even where position.kind is sinusoidal: sines and cosines come in pairs");
  if (c.position.frequencies == FrequencyRule::tensor2tensor && c.model.d_model < 4)
    d_model.refuse(">= 4 where position.frequencies is tensor2tensor: they divide by d/2 - 1");
}

Document parse(std::string_view toml, const std::string& file) try {
  require_shallow(toml, file);
  return {file, toml::parse(toml, std::string_view(file))};
} catch (const toml::parse_error& error) {
  refuse_at({file, {}}, error.source(),
            fmt::format("is not TOML: {}", shown(error.description(), 200)));
}

}  // namespace

Configuration parse_configuration(std::string_view toml, const std::string& file) {
  const Document document = parse(toml, file);
  std::vector<std::string> known = field_paths();
  known.emplace_back("marks");
  refuse_unknown_keys(document, known);

  Configuration c;
  c.file = file;
  c.name = file == "-" ? "standard input" : std::filesystem::path(file).stem().string();
  for (const Field& field : fields())
    field.read(Entry(document, field.path, variables_of(c.model)), c);
  require_pairs(Entry(document, "model.d_model", {}), c);
  read_marks(document, c);
  return c;
}

Configuration read_configuration(std::istream& in, const std::string& file) {
  return parse_configuration(read_source(in, file), file);
}

Configuration read_configuration(const std::string& file) {
  if (file == "-") return read_configuration(std::cin, file);
  return parse_configuration(read_source(file), file);
}

Mark Configuration::mark_of(const std::string& field) const {
  const auto found = marks.find(field);
  return found == marks.end() ? Mark::read : found->second;
}

std::string_view name_of(Mark mark) { return word_for(mark, mark_words); }

}  // namespace embedscale::audit
