#include "audit/config_json.hpp"

#include "audit/document.hpp"
#include "audit/error.hpp"
#include "audit/fields.hpp"
#include "report/json_once.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

namespace embedscale::audit {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& file, std::string_view what) {
  refuse_at({file}, 0, what);
}

Json parse_object(std::string_view text, const std::string& file) try {
  std::vector<std::set<std::string>> open;  // the keys of each object that is not at its end
  const auto see = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > deepest_nesting)
      refuse(file, fmt::format("is nested more than {} deep", deepest_nesting));
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second)
      refuse(file, fmt::format("has the key \"{}\" twice", printable(parsed.get<std::string>())));
    return true;
  };
  Json json = Json::parse(text, see);
  if (!json.is_object()) refuse(file, "must be a JSON object, as config.json is");
  return json;
} catch (const Json::exception& error) {
  const std::string_view what = error.what();  // what was read last may end within a character
  refuse(file,
         fmt::format("is not JSON: {}", printable(what.substr(0, what.find("; last read")), 200)));
}

// With all that the type it is `like` has.
Json type_named(const Json& all, const std::string& name) {
  const Json& own = all.at(name);
  if (!own.contains("like")) return own;
  Json type = type_named(all, own.at("like"));
  type.merge_patch(own);
  return type;
}

// A value as TOML has it, which of a scalar is what JSON has; a text without its quotes.
std::string written(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : written(value);
}

// The members of an array, or the one that stands for itself.
std::vector<Json> each(const Json& value) {
  return value.is_array() ? value.get<std::vector<Json>>() : std::vector{value};
}

// What stands at a path such as "rope_parameters.rope_theta"; null stands for nothing.
const Json* at(const Json& from, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto found = from.find(std::string(path.substr(0, dot)));
  if (found == from.end() || found->is_null()) return nullptr;
  return dot == path.npos ? &*found : at(*found, path.substr(dot + 1));
}

// What a field comes to: a value, or the reason why there is none; and the keys it was found by.
struct Chosen {
  Json value, beside = Json::object();  // what its table has beside it, such as a source
  std::string absent = {};
  std::vector<std::string> read = {}, by_default = {};
  bool is_key = false;  // the value of one, as it is
};

class Converter {
 public:
  Converter(const Json& json, const std::string& file, const Json& type)
      : json_(json), file_(file), type_(type) {
    const Json allowed = part("allowed");
    for (const auto& [key, values] : allowed.items()) require(key, each(values));
  }

  std::string toml(const std::string& side) const;

 private:
  struct Found {
    Json value;
    std::string path;  // in the file, or empty: it is the class's default
  };

  Json part(const char* name) const { return type_.value(name, Json::object()); }
  std::string text(const char* name) const { return type_.value(name, std::string()); }

  [[noreturn]] void refuse_value(const Found& found, const std::string& what) const {
    refuse(file_, fmt::format("{} = {}: {}", found.path, printable(written(found.value)), what));
  }

  std::optional<Found> find(const std::string& key) const {
    const Json defaults = part("defaults"), *otherwise = nullptr;
    if (const auto found = defaults.find(key); found != defaults.end()) otherwise = &*found;
    // The text model's own comes first.
    for (const auto& prefix : {text("nested"), std::string()})
      for (const Json& name : each(part("keys").value(key, Json(key)))) {
        const auto path = (prefix.empty() ? "" : prefix + ".") + name.get<std::string>();
        if (const Json* value = at(json_, path)) {
          require_type(key, {*value, path}, otherwise);
          return Found{*value, path};
        }
      }
    return otherwise ? std::optional(Found{*otherwise, ""}) : std::nullopt;
  }

  // That of the default; where there is none, a number.
  void require_type(const std::string& key, const Found& found, const Json* like) const {
    const Json& value = found.value;
    if (value.is_structured()) refuse_value(found, "must be one value");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 63 != 0)
      refuse_value(found, "must be below 2^63");
    if (like ? like->is_number() && !value.is_number()
             : !value.is_number() && !part("allowed").contains(key))
      refuse_value(found, "must be a number");
    if (like && like->is_boolean() && !value.is_boolean())
      refuse_value(found, "must be true or false");
    if (like && like->is_string() && !value.is_string()) refuse_value(found, "must be a text");
  }

  // Values that are known to do what the type's fields say; any other may do something else.
  void require(const std::string& key, const std::vector<Json>& known) const {
    const auto found = find(key);
    if (!found || found->path.empty() || std::ranges::count(known, found->value) != 0) return;
    std::vector<std::string> words;
    for (const Json& value : known) words.push_back(written(value));
    refuse_value(*found, fmt::format("what it does is not known here{}{}",
                                     known.empty() ? "" : ", but of ", fmt::join(words, ", ")));
  }

  std::optional<Json> value_of(const std::string& key, Chosen& chosen) const {
    const auto found = find(key);
    if (!found) return std::nullopt;
    auto& keys = found->path.empty() ? chosen.by_default : chosen.read;
    const std::string& name = found->path.empty() ? key : found->path;
    if (std::ranges::count(keys, name) == 0) keys.push_back(name);
    return found->value;
  }

  // A value of the type's with those of {keys} in it; nothing where one has none.
  std::optional<Json> filled(const Json& value, Chosen& chosen) const {
    Json all = value;
    chosen.is_key = false;
    std::string text = text_of(value);
    for (std::size_t open; (open = text.find('{')) != text.npos;) {
      const std::size_t length = text.find('}', open) - open + 1;
      const auto inner = value_of(text.substr(open + 1, length - 2), chosen);
      chosen.is_key = length == text.size();
      if (!inner || chosen.is_key) return inner;
      all = text.replace(open, length, text_of(*inner));
    }
    return all;
  }

  // Whether each of some keys has the value, or one of those, that stand beside it.
  bool holds(const Json& where, Chosen& chosen) const {
    return std::ranges::all_of(where.items(), [&](const auto& one) {
      const auto value = value_of(one.key(), chosen);
      return value && std::ranges::any_of(each(one.value()), [&](const Json& wanted) {
               return filled(wanted, chosen) == value;
             });
    });
  }

  // The first of a field's alternatives that is so; nothing where none is, or the field is not.
  std::optional<Chosen> choose(const Json& field) const {
    Chosen chosen;
    for (const Json& one : each(field)) {
      chosen.beside = one.is_object() ? one : Json{{"value", one}};
      if (!holds(chosen.beside.value("where", Json::object()), chosen)) continue;
      chosen.absent = chosen.beside.value("absent", "");
      const auto value = filled(chosen.beside.value("value", Json(true)), chosen);
      if (!value) continue;
      chosen.value = *value;
      return *value == "" ? std::nullopt : std::optional(chosen);
    }
    return std::nullopt;
  }

  std::string mark_of(const std::string& path, const Chosen& chosen) const;

  const Json& json_;
  const std::string& file_;
  const Json& type_;
};

// What a value rests on: a key of the file, the class's default of one, the model's code.
std::string Converter::mark_of(const std::string& path, const Chosen& chosen) const {
  std::vector<std::string> sources;
  if (!chosen.read.empty())
    sources.push_back(fmt::format("config.json ({})", fmt::join(chosen.read, ", ")));
  if (!chosen.by_default.empty())
    sources.push_back(
        fmt::format("{}, the default of {}", text("config"), fmt::join(chosen.by_default, ", ")));
  if (!chosen.is_key) sources.push_back(chosen.beside.value("source", text("code")));
  const bool is_inferred =
      std::ranges::count(each(type_.value("inferred", Json::array())), Json(path));
  std::string mark = is_inferred ? "inferred" : chosen.by_default.empty() ? "read" : "assumed";
  mark = chosen.beside.value("mark", mark);
  if (!chosen.absent.empty()) mark = "absent", sources = {chosen.absent};
  return fmt::format("\"{}\" = {{ mark = \"{}\", source = {} }}\n", path, mark,
                     written(printable(fmt::format("{}", fmt::join(sources, "; ")), 900)));
}

std::string Converter::toml(const std::string& side) const {
  const std::string type = text("name"), suffix = side.empty() ? "" : " " + side,
                    named = json_.contains("_name_or_path") ? text_of(json_["_name_or_path"]) : "";
  const bool is_name = !named.empty() && named.size() <= 50 && printable(named, 50) == named;
  std::string all = fmt::format(
      "# The {}{} of a config.json, with what its class and its code have beside it.\n"
      "# [marks] tells where each value is from; edit it, then `embedscale audit` it.\n",
      type, suffix);
  if (!text("notes").empty()) all += "# " + text("notes") + "\n";
  all += fmt::format("name = {}\n\n[source]\nrepository = \"{}\"\nfiles = [{}, {}]\n",
                     written((is_name ? named : type) + suffix),
                     type_.value("repository", "huggingface/transformers"), written(text("config")),
                     written(text("code")));
  Json values = part("fields");
  values.merge_patch(part(side.c_str()));
  std::vector<std::pair<std::string, std::string>> sections;
  std::string marks = "\n[marks]\n";
  for (const Field& field : fields()) {
    const auto chosen = choose(values.value(field.path, Json("")));
    if (!chosen) continue;
    marks += mark_of(field.path, *chosen);
    if (!chosen->absent.empty()) continue;
    const std::string section = field.path.substr(0, field.path.find('.'));
    auto lines = std::ranges::find(sections, section, [](const auto& one) { return one.first; });
    if (lines == sections.end()) lines = sections.insert(lines, {section, ""});
    lines->second +=
        fmt::format("{} = {}\n", field.path.substr(section.size() + 1), written(chosen->value));
  }
  for (const auto& [name, lines] : sections)
    all += fmt::format(
        "\n{}\n{}",
        name.ends_with("[]") ? "[[" + name.substr(0, name.size() - 2) + "]]" : "[" + name + "]",
        lines);
  return all + marks;
}

bool is_json(std::string_view text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return file.ends_with(".json") || (first != text.npos && text[first] == '{');
}

// Those of a file, or the chosen one; TOML is one as it is.
std::vector<ModelInput> chosen_inputs(const InputFile& file, const ModelTypes& types) {
  const auto& [name, text, side] = file;
  auto inputs = is_json(text, name) ? inputs_of_json(text, name, types)
                                    : std::vector<ModelInput>{{"", text, name}};
  if (!side.empty())
    std::erase_if(inputs, [&side = side](const auto& one) { return one.side != side; });
  if (inputs.empty())
    refuse(name + ":" + side, fmt::format("has one input, so there is no {} to choose", side));
  return inputs;
}

}  // namespace

ModelTypes::ModelTypes() : by_name_(std::make_shared<Json>(Json::object())) {}

void ModelTypes::add(std::string_view toml, std::string_view file) {
  std::ostringstream json;
  json << toml::json_formatter(toml::parse(toml, file));
  by_name_->update(Json::parse(json.str()));
}

std::vector<ModelInput> inputs_of_json(std::string_view json, const std::string& file,
                                       const ModelTypes& types) {
  if (json.size() > largest_source)
    refuse(file,
           fmt::format("is larger than {} bytes, which no configuration needs", largest_source));
  const Json config = parse_object(json, file), &all = types.by_name();
  std::set<std::string> names;
  for (const auto& [name, type] : all.items()) names.insert(name);
  const auto known = fmt::format(
      "known are {} (of any other, write a TOML configuration: "
      "embedscale audit --keys tells all keys)",
      fmt::join(names, ", "));
  if (!config.contains("model_type")) refuse(file, "has no model_type: " + known);
  const Json& name = config["model_type"];
  if (!name.is_string() || !names.contains(name.get<std::string>()))
    refuse(file, fmt::format("model_type = {}: is not known; {}", printable(written(name)), known));
  Json type = type_named(all, name);
  type["name"] = name;
  const Converter converter(config, file, type);
  const std::string as = file + " (as --to-toml has it)";
  if (!type.contains("encoder")) return {{"", converter.toml(""), as}};
  return {{"encoder", converter.toml("encoder"), as}, {"decoder", converter.toml("decoder"), as}};
}

std::vector<Configuration> configurations_of(const InputFile& file,
                                             const std::vector<Change>& changes,
                                             const ModelTypes& types) {
  std::vector<Configuration> all;
  for (const auto& input : chosen_inputs(file, types)) {
    all.push_back(parse_configuration(input.toml, input.name, changes));
    all.back().file = file.name;
  }
  return all;
}

std::string toml_of(const InputFile& file, const std::vector<Change>& changes,
                    const ModelTypes& types) {
  const auto input = chosen_inputs(file, types).back();
  return changes.empty() ? input.toml : with_changes(input.toml, input.name, changes);
}

}  // namespace embedscale::audit
