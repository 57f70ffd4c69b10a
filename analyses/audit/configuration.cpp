#include "audit/configuration.hpp"

#include "audit/changes.hpp"
#include "audit/entry.hpp"
#include "audit/error.hpp"
#include "audit/fields.hpp"
#include "audit/known_keys.hpp"
#include "audit/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>

namespace embedscale::audit {
namespace {

std::vector<std::string> field_paths() {
  std::vector<std::string> paths;
  for (const Field& field : fields()) paths.emplace_back(field.path);
  for (const ExtraField& field : extra_fields()) paths.emplace_back(field.path);
  return paths;
}

// What formulas may use: what is told by now, and what is marked as not told.
std::vector<Variable> variables_of(const Document& document, const Model& model) {
  std::vector<Variable> known;
  const auto absent = [&](std::string_view name) {
    return document.absent.contains(fmt::format("model.{}", name));
  };
  const auto add = [&](std::string_view name, const Integer& value, bool untold) {
    if (value)
      known.push_back({name, static_cast<double>(*value)});
    else if (untold)
      known.push_back({name, std::nullopt});
  };
  add("d_model", model.d_model, absent("d_model"));
  add("heads", model.heads, absent("heads"));
  add("d_k", model.d_k, absent("d_k") || absent("d_model") || absent("heads"));
  add("vocabulary", model.vocabulary, absent("vocabulary"));
  return known;
}

// "read", or { mark = "read", source = "…" }, which is moved out: a copy would forget its lines.
Basis basis_of(const Document& document, const std::string& field, toml::node& node) {
  if (!node.is_table()) return {*Entry(document, "marks." + field, {}).choice(mark_words), {}};
  if (!node.as_table()->contains("mark"))
    refuse_at(document, node.source(),
              fmt::format("marks.\"{}\" has no mark: must be one of {}", shown(field),
                          words_of(mark_words)));
  const Document own{document.file, std::move(*node.as_table())};
  const std::vector<std::string> known{"mark", "source"};
  refuse_unknown_keys(own, known);
  const auto mark = Entry(own, "mark", {}).choice(mark_words);
  return {*mark, Entry(own, "source", {}).text(1000).value_or("")};
}

// [marks] has the other fields' paths for keys, in quotes.
void read_marks(Document& document, Configuration& c) {
  if (!document.root.contains("marks")) return;
  toml::table* marks = document.root["marks"].as_table();
  if (!marks) Entry(document, "marks", {}).refuse("a table, [marks]");
  const std::vector<std::string> paths = field_paths();
  for (auto&& [key, node] : *marks) {
    const std::string field(key.str());
    if (std::find(paths.begin(), paths.end(), field) == paths.end())
      refuse_at(document, key.source(),
                fmt::format("unknown field \"{}\" in [marks]: nearest is \"{}\"", shown(field),
                            nearest_path(field, paths)));
    const Basis basis = c.marks[field] = basis_of(document, field, node);
    if (basis.mark != Mark::absent) continue;
    if (!may_be_absent(field))
      refuse_at(document, key.source(), fmt::format("{} cannot be absent", field));
    if (Entry(document, field, {}).given())
      refuse_at(document, key.source(), fmt::format("{} is given, so it is not absent", field));
    document.absent.insert(field);
  }
}

constexpr std::size_t most_extras = 16;

void read_extras(const Document& document, Configuration& c) {
  const toml::array* tables = document.root["extra"].as_array();
  if (!tables) return;
  if (tables->size() > most_extras)
    refuse_at(
        document, tables->source(),
        fmt::format("has {} [[extra]] tables: must be at most {}", tables->size(), most_extras));
  for (std::size_t i = 0; i < tables->size(); ++i) {
    Extra& extra = c.extras.emplace_back();
    for (const ExtraField& field : extra_fields())
      field.read(Entry(document, fmt::format("extra[{}]{}", i, field.path.substr(7)),
                       variables_of(document, c.model)),
                 extra);
  }
}

// toml++ takes a bare word for the start of a number or of true, and says so.
std::string_view quotes_hint(std::string_view toml, const toml::source_position& place) {
  std::size_t start = 0;
  for (toml::source_index line = 1; line < place.line; ++line)
    start = std::min(toml.find('\n', start), toml.size() - 1) + 1;
  const std::string_view line = toml.substr(start, toml.find('\n', start) - start);
  const std::size_t equals = line.find('=');
  const std::size_t value =
      equals == line.npos ? equals : line.find_first_not_of(" \t", equals + 1);
  const bool word = value != line.npos && std::isalpha(static_cast<unsigned char>(line[value]));
  return word ? " (words and formulas stand in quotes)" : "";
}

Document parse(std::string_view toml, const std::string& file) try {
  require_shallow(toml, file);
  return {file, toml::parse(toml, std::string_view(file)), {}, {}};
} catch (const toml::parse_error& error) {
  refuse_at({file, {}, {}, {}}, error.source(),
            fmt::format("is not TOML: {}{}", shown(error.description(), 200),
                        quotes_hint(toml, error.source().begin)));
}

}  // namespace

Configuration parse_configuration(std::string_view toml, const std::string& file,
                                  const std::vector<Change>& changes) {
  Document document = parse(toml, file);
  std::vector<std::string> known = field_paths();
  apply(changes, known, document);
  known.emplace_back("marks");
  refuse_unknown_keys(document, known);

  Configuration c;
  c.file = file;
  c.name = file == "-" ? "standard input" : std::filesystem::path(file).stem().string();
  read_marks(document, c);
  for (const Field& field : fields())
    field.read(Entry(document, std::string(field.path), variables_of(document, c.model)), c);
  read_extras(document, c);
  return c;
}

Configuration read_configuration(std::istream& in, const std::string& file,
                                 const std::vector<Change>& changes) {
  return parse_configuration(read_source(in, file), file, changes);
}

Configuration read_configuration(const std::string& file, const std::vector<Change>& changes) {
  if (file == "-") return read_configuration(std::cin, file, changes);
  return parse_configuration(read_source(file), file, changes);
}

Mark Configuration::mark_of(const std::string& field) const {
  const auto found = marks.find(field);
  return found == marks.end() ? Mark::read : found->second.mark;
}

std::string_view name_of(Mark mark) { return word_for(mark, mark_words); }

}  // namespace embedscale::audit
