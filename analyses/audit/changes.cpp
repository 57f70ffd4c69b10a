#include "audit/changes.hpp"

#include "audit/document.hpp"
#include "audit/error.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace embedscale::audit {
namespace {

std::string as_asked(const Change& change) { return change.path + "=" + change.value; }

[[noreturn]] void refuse(const Change& change, std::string_view why) {
  throw ContentError(fmt::format("--set {}: {}", shown(as_asked(change)), why));
}

// What the text means: a TOML value, or else the text itself, so that words and formulas need no
// quotes.
Node value_of(const std::string& text, const std::string& key) {
  Node value = parse_value(text).value_or(Node{.kind = Node::Kind::text, .text = text});
  value.key = key;
  return value;
}

// The table that holds `path`: "section.key" or "section[0].key". One that is not there is made, if
// there is something to put into it.
Node* table_for(const Change& change, Node& root) {
  const std::size_t dot = change.path.find('.');
  if (dot == std::string::npos) return &root;
  const std::string name = change.path.substr(0, change.path.find_first_of("[."));
  Node* section = root.find(name);
  if (change.path.find('[') < dot) {
    const auto index = std::stoul(change.path.substr(name.size() + 1));
    const std::size_t tables =
        section && section->is(Node::Kind::array) ? section->inner.size() : 0;
    if (index >= tables)
      refuse(change, fmt::format("there are {} [[{}]] tables, counted from 0", tables, name));
    section = &section->inner[index];
  } else if (!section) {
    if (change.value.empty()) return nullptr;
    section = &root.set(Node{.key = name});
  }
  if (!section->is(Node::Kind::table)) refuse(change, fmt::format("{} is not a table", name));
  return section;
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

// The known path most like the one asked for, as one would ask for it.
std::string nearest(const Change& change, std::span<const std::string> known) {
  std::string path = nearest_path(change.path, known);
  if (const std::size_t open = path.find("[]"); open != std::string::npos)
    path.insert(open + 1, "0");
  return path;
}

// Takes the field away, and with its last field a section: what is not there has no fields.
void take_away(Node& root, Node& table, const std::string& path) {
  table.erase(path.substr(path.find('.') + 1));
  const std::string section = path.substr(0, path.find('.'));
  if (&table != &root && table.inner.empty() && !section.ends_with(']')) root.erase(section);
}

}  // namespace

Change change_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ContentError(
        fmt::format("--set {}: must be PATH=VALUE, such as token.multiplier=1", shown(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void apply(const std::vector<Change>& changes, std::span<const std::string> known,
           Document& document) {
  for (const Change& change : changes) {
    if (std::find(known.begin(), known.end(), without_index(change.path)) == known.end())
      refuse(change, fmt::format("there is no field {}: nearest is {}", shown(change.path),
                                 nearest(change, known)));
    Node* table = table_for(change, document.root);
    if (!change.value.empty())
      table->set(value_of(change.value, change.path.substr(change.path.find('.') + 1)));
    else if (table)
      take_away(document.root, *table, change.path);
    document.changes[change.path] = as_asked(change);
    // What was not told is told now.
    if (Node* marks = document.root.find("marks"); marks && marks->is(Node::Kind::table))
      marks->erase(change.path);
  }
}

}  // namespace embedscale::audit
