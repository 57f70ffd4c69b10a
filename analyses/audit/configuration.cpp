#include "audit/configuration.hpp"

#include "audit/document.hpp"
#include "audit/error.hpp"
#include "audit/fields.hpp"
#include "report/nearest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

namespace embedscale::audit {
namespace {

constexpr std::string_view all_keys = "`embedscale audit --keys` lists what there is";

bool contains(std::span<const std::string> paths, std::string_view path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

std::vector<std::string> field_paths() {
  std::vector<std::string> paths;
  for (const Field& field : fields()) paths.emplace_back(field.path);
  return paths;
}

std::string as_asked(const Change& change) { return change.path + "=" + change.value; }

[[noreturn]] void refuse(const Change& change, std::string_view why) {
  throw ContentError(fmt::format("--set {}: {}", printable(as_asked(change)), why));
}

// The table that holds `path`: "section.key" or "section[0].key". One that is not there is made, if
// there is something to put into it.
toml::table* table_for(const Change& change, toml::table& root) {
  const std::size_t dot = change.path.find('.');
  if (dot == std::string::npos) return &root;
  const std::string section = change.path.substr(0, dot),
                    name = section.substr(0, section.find('['));
  const auto found = toml::at_path(root, section);
  if (found && !found.is_table()) refuse(change, fmt::format("{} is not a table", name));
  if (found) return found.as_table();
  if (name != section) {
    const toml::array* tables = root[name].as_array();
    refuse(change, fmt::format("there are {} [[{}]] tables, counted from 0",
                               tables ? tables->size() : 0, name));
  }
  return change.value.empty() ? nullptr : root.insert(name, toml::table{}).first->second.as_table();
}

// "extra[12].law" as "extra[].law", which is how known paths name it.
std::string without_index(std::string path) {
  const std::size_t open = path.find('['), close = path.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return path;
  const std::string index = path.substr(open + 1, close - open - 1);
  const bool digits = !index.empty() && index.size() <= 6 &&
                      index.find_first_not_of("0123456789") == std::string::npos;
  return digits ? path.erase(open + 1, index.size()) : path + "?";
}

// What there is instead, as one would ask for it.
std::string nearest(const Change& change, std::span<const std::string> known) {
  std::string said = report::nearest(change.path, known, all_keys);
  if (const std::size_t open = said.find("[]"); open != std::string::npos)
    said.insert(open + 1, "0");
  return said;
}

// Takes the field away, and with its last field a section: what is not there has no fields.
void take_away(toml::table& root, toml::table& table, const std::string& path) {
  table.erase(path.substr(path.find('.') + 1));
  const std::string section = path.substr(0, path.find('.'));
  if (&table != &root && table.empty() && !section.ends_with(']')) root.erase(section);
}

// Puts the values of `changes` in the place of a document's own, in order. The field of each has to
// be among the `known` ones, and in a table.
void apply(const std::vector<Change>& changes, std::span<const std::string> known,
           Document& document) {
  for (const Change& change : changes) {
    if (!contains(known, without_index(change.path)))
      refuse(change, fmt::format("there is no field {}: {}", printable(change.path),
                                 nearest(change, known)));
    toml::table* table = table_for(change, document.root);
    if (!change.value.empty()) {
      table->insert_or_assign(change.path.substr(change.path.find('.') + 1),
                              std::move(*value_of(change.value).get("value")));
    } else if (table) {
      take_away(document.root, *table, change.path);
    }
    document.changes[change.path] = as_asked(change);
    // What was marked absent is there now.
    if (toml::table* marks = document.root["marks"].as_table()) marks->erase(change.path);
  }
}

// What formulas may use: what is known by now, and what is marked absent.
std::vector<Variable> variables_of(const Document& document, const Model& model) {
  std::vector<Variable> known;
  const auto absent = [&](std::string_view name) {
    return document.absent.contains(fmt::format("model.{}", name));
  };
  const auto add = [&](std::string_view name, const Integer& value, bool unknown) {
    if (value)
      known.push_back({name, static_cast<double>(*value)});
    else if (unknown)
      known.push_back({name, std::nullopt});
  };
  add("d_model", model.d_model, absent("d_model"));
  add("heads", model.heads, absent("heads"));
  add("d_k", model.d_k, absent("d_k") || absent("d_model") || absent("heads"));
  add("vocabulary", model.vocabulary, absent("vocabulary"));
  return known;
}

// "name", "model", "model.d_model", …: the paths, each section ahead of its first key.
std::vector<std::string> with_sections(std::span<const std::string> known) {
  std::vector<std::string> all;
  for (const std::string& path : known) {
    const std::string section = path.substr(0, path.find('.'));
    if (!contains(all, section)) all.push_back(section);
    if (section.ends_with("[]")) all.push_back(section.substr(0, section.size() - 2));
    if (section != path) all.push_back(path);
  }
  return all;
}

// A misspelt key would otherwise be a default in disguise: each has to be among the `known` paths,
// and their sections have to be tables.
void refuse_unknown_keys(const Document& document, const toml::table& root,
                         std::span<const std::string> known) {
  const std::vector<std::string> paths = with_sections(known);
  const auto require_known = [&](const std::string& path, const toml::key& key) {
    if (contains(paths, path)) return;
    refuse_at(
        document, line_of(key),
        fmt::format("unknown key {}: {}", printable(path), report::nearest(path, paths, all_keys)));
  };
  const auto require_inner = [&](const toml::node& table, const std::string& section) {
    for (const auto& [key, value] : *table.as_table())
      require_known(fmt::format("{}.{}", section, key.str()), key);
  };
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    require_known(name, key);
    if (contains(known, name)) continue;
    const Entry at(document, name, &node);
    if (contains(paths, name + "[]")) {
      if (!node.is_array_of_tables())
        at.refuse(fmt::format("an array of tables, each [[{}]]", name));
      for (const toml::node& table : *node.as_array()) require_inner(table, name + "[]");
    } else {
      if (!node.is_table()) at.refuse(fmt::format("a table, [{}]", name));
      require_inner(node, name);
    }
  }
}

// "read", or { mark = "read", source = "…" }.
Basis basis_of(const Document& document, const std::string& field, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) return {*Entry(document, "marks." + field, &node).choice<Mark>(), {}};
  if (!table->contains("mark"))
    refuse_at(document, line_of(node),
              fmt::format("marks.\"{}\" has no mark: must be one of {}", printable(field),
                          names_of<Mark>));
  refuse_unknown_keys(document, *table, std::vector<std::string>{"mark", "source"});
  return {*Entry(document, "mark", table->get("mark")).choice<Mark>(),
          Entry(document, "source", table->get("source")).text(1000).value_or("")};
}

// [marks] has the other fields' paths for keys, in quotes.
void read_marks(Document& document, Configuration& c) {
  const toml::node* marks = document.root.get("marks");
  if (!marks) return;
  if (!marks->is_table()) Entry(document, "marks").refuse("a table, [marks]");
  for (const auto& [key, node] : *marks->as_table()) {
    const std::string field(key.str());
    const auto refuse = [&, line = line_of(key)](const std::string& what) {
      refuse_at(document, line, what);
    };
    const auto row = std::ranges::find(fields(), field, &Field::path);
    if (row == fields().end())
      refuse(fmt::format("unknown field \"{}\" in [marks]: {}", printable(field),
                         report::nearest(field, field_paths(), all_keys)));
    const Basis basis = c.marks[field] = basis_of(document, field, node);
    if (basis.mark != Mark::absent) continue;
    if (row->absence == Absence::refused) refuse(fmt::format("{} cannot be absent", field));
    if (document.find(field)) refuse(fmt::format("{} is given, so it is not absent", field));
    document.absent.insert(field);
  }
}

constexpr std::size_t most_tables = 16;

// "extra[3].law" of "extra[].law".
std::string place_of(const Field& field, std::size_t i) {
  return std::string(field.path).insert(field.path.find(']'), std::to_string(i));
}

template <class Table>
void read_tables(const Document& document, const std::string& list, std::vector<Table>& tables,
                 Configuration& c) {
  const toml::node* given = document.root.get(list);
  if (!given) return;
  const std::size_t count = given->as_array()->size();
  if (count > most_tables)
    refuse_at(document, line_of(*given),
              fmt::format("has {} [[{}]] tables: must be at most {}", count, list, most_tables));
  for (std::size_t i = 0; i < count; ++i) {
    tables.emplace_back();
    for (const Field& field : fields())
      if (field.list() == list)
        field.read(Entry(document, place_of(field, i), variables_of(document, c.model)), c);
  }
}

// Keys that say nothing in the configuration that they stand in. Whoever wrote one believes that it
// does something, so it is refused; one that only a change has left without effect is told.
void see(const Document& document, const std::string& path, std::string_view needs,
         Configuration& c) {
  const Entry at(document, path);
  if (!at.given()) return;
  if (document.changes.empty() || document.changes.contains(path))
    at.refuse(fmt::format("absent unless {}: it has no effect", needs));
  c.without_effect.emplace_back(path, needs);
}

void see_what_has_no_effect(const Document& document, Configuration& c) {
  const bool has_both =
      document.find("attention.projection_q") && document.find("attention.projection_k");
  for (const Field& field : fields()) {
    if (field.counts_if && field.counts_if->holds(c) == false)
      see(document, field.path, field.counts_if->words, c);
    if (has_both && field.distribution == "attention.projection")
      see(document, field.path, "attention.projection_q or attention.projection_k is not given", c);
  }
  for (std::size_t i = 0; i < c.extras.size(); ++i)
    if (!is_xavier(c.extras[i].law.kind))
      see(document, fmt::format("extra[{}].rows", i), "its distribution is one of Xavier's", c);
}

Document changed(std::string_view toml, const std::string& file,
                 const std::vector<Change>& changes) {
  Document document = parse_document(toml, file);
  std::vector<std::string> known = field_paths();
  apply(changes, known, document);
  known.emplace_back("marks");
  refuse_unknown_keys(document, document.root, known);
  return document;
}

// "hf_gemma" of "systems/hf_gemma.toml", as the file systems of programs have it.
std::string stem(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return std::string(dot == 0 || name == ".." ? name : name.substr(0, dot));
}

Configuration configuration_in(Document& document) {
  Configuration c;
  c.file = document.file;
  c.name = c.file == "-" ? "standard input" : stem(c.file);
  read_marks(document, c);
  for (const Field& field : fields())
    if (field.list().empty())
      field.read(Entry(document, field.path, variables_of(document, c.model)), c);
  read_tables(document, "extra", c.extras, c);
  read_tables(document, "merged", c.merged, c);
  see_what_has_no_effect(document, c);
  return c;
}

}  // namespace

bool Configuration::defaults_to(std::string_view field) const {
  return std::ranges::any_of(defaults, [&](const auto& one) { return one.first == field; });
}

Change change_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ContentError(
        fmt::format("--set {}: must be PATH=VALUE, such as token.multiplier=1", printable(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Configuration parse_configuration(std::string_view toml, const std::string& file,
                                  const std::vector<Change>& changes) {
  Document document = changed(toml, file, changes);
  return configuration_in(document);
}

std::string with_changes(std::string_view toml, const std::string& file,
                         const std::vector<Change>& changes) {
  Document document = changed(toml, file, changes);
  Configuration c = configuration_in(document);
  c.without_effect.clear();  // a file may give factors of another case
  see_what_has_no_effect(document, c);
  for (const auto& [path, needs] : c.without_effect)
    take_away(document.root, *table_for({path, ""}, document.root), path);
  std::ostringstream out;
  out << document.root << "\n";
  return out.str();
}

}  // namespace embedscale::audit
