#include "audit/entry.hpp"

#include "audit/error.hpp"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

namespace embedscale::audit {
namespace {

std::string value_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::table: return "a table";
    case Node::Kind::array: return "an array";
    case Node::Kind::text: return fmt::format("\"{}\"", printable(node.text));
    default: return node.text;
  }
}

bool is_line(const Node& node, std::size_t longest) {
  const std::string& text = node.text;
  return node.is(Node::Kind::text) && !text.empty() && text.size() <= longest &&
         printable(text, longest) == text;
}

std::string line_words(std::size_t longest) {
  return fmt::format("a text of 1 to {} bytes without control characters", longest);
}

// Whether a text is a whole number that binary64 does not have; `nearest` is the nearest that it
// has. All below 2^53, hence of fewer than 16 digits, it has.
bool is_beyond_binary64(const std::string& text, double nearest) {
  return text.size() >= 16 && text.find_first_not_of("0123456789", text[0] == '-') == text.npos &&
         fmt::format("{:.0f}", nearest) != text;
}

// "section" or "section[0]".
const Node* section_of(const Node& root, const std::string& name) {
  const std::size_t bracket = name.find('[');
  const Node* section = root.find(name.substr(0, bracket));
  if (bracket == std::string::npos || !section || !section->is(Node::Kind::array)) return section;
  const std::size_t index = std::stoul(name.substr(bracket + 1));
  return index < section->inner.size() ? &section->inner[index] : nullptr;
}

}  // namespace

const Node* Entry::in_document() const {
  const std::size_t dot = path_.find('.');
  const Node* section = section_of(document_.root, path_.substr(0, dot));
  return dot == std::string::npos || !section ? section : section->find(path_.substr(dot + 1));
}

const Node* Entry::node(std::string_view kind, std::string_view allowed) const {
  const Node* found = in_document();
  if (found || absent()) return found;
  if (required_) fail(fmt::format("{} is missing: must be {}{}", path_, kind, allowed));
  return otherwise_ ? &*otherwise_ : nullptr;
}

bool Entry::given() const { return in_document() != nullptr; }

Entry Entry::required() const {
  Entry made = *this;
  made.required_ = true;
  return made;
}

Entry Entry::otherwise(std::string_view value) const {
  Entry made = *this;
  if (!given()) made.otherwise_ = value_of(std::string(value));  // it is parsed as TOML
  return made;
}

std::string Entry::written() const {
  const Node* found = in_document();
  if (!found) return "";
  return found->is(Node::Kind::text) ? found->text : value_text(*found);
}

std::optional<double> Entry::number(const Range& range) const try {
  const Node* found = node(range.words);
  if (!found) return std::nullopt;
  const bool formula = found->is(Node::Kind::text);
  if (!formula && !found->is(Node::Kind::number)) refuse(range.words);
  const auto value = formula ? evaluate(found->text, variables_) : std::optional(found->number);
  if (value && !(*value >= range.least && *value <= range.greatest)) refuse(range.words);
  if (value && is_beyond_binary64(found->text, *value))
    refuse(fmt::format("{} that binary64 has: it lacks some integers above 2^53, such as this one",
                       range.words));
  return value;
} catch (const std::invalid_argument& error) {
  fail(fmt::format("{} = {}", path_, error.what()));
}

std::optional<std::int64_t> Entry::integer(std::int64_t least, std::int64_t greatest) const {
  const std::string words = fmt::format("an integer from {} to {}", least, greatest);
  const auto value = number({static_cast<double>(least), static_cast<double>(greatest), words});
  if (!value) return std::nullopt;
  if (*value != std::trunc(*value)) refuse(words);
  return static_cast<std::int64_t>(*value);
}

std::optional<std::string> Entry::word(std::string_view allowed) const {
  const Node* found = node("one of ", allowed);
  if (!found) return std::nullopt;
  if (!found->is(Node::Kind::text) || !has_word(allowed, found->text))
    refuse(fmt::format("one of {}", allowed));
  return found->text;
}

std::optional<bool> Entry::truth() const {
  const Node* found = node("true or false");
  if (!found) return std::nullopt;
  if (!found->is(Node::Kind::boolean)) refuse("true or false");
  return found->text == "true";
}

std::optional<std::string> Entry::text(std::size_t longest) const {
  const Node* found = in_document();
  if (!found) return std::nullopt;
  if (!is_line(*found, longest)) refuse(line_words(longest));
  return found->text;
}

std::vector<std::string> Entry::texts(std::size_t longest) const {
  const Node* found = in_document();
  if (!found) return {};
  const std::string words = "an array, each element " + line_words(longest);
  if (!found->is(Node::Kind::array)) refuse(words);
  std::vector<std::string> all;
  for (const Node& element : found->inner) {
    if (!is_line(element, longest))
      fail(fmt::format("{} has the element {}: must be {}", path_, value_text(element), words));
    all.push_back(element.text);
  }
  return all;
}

void Entry::refuse(std::string_view allowed) const {
  fail(fmt::format("{} = {}: must be {}", path_, value_text(*in_document()), allowed));
}

void Entry::fail(std::string_view what) const {
  if (const auto change = document_.changes.find(path_); change != document_.changes.end())
    throw ContentError(fmt::format("--set {}: {}", printable(change->second), what));
  std::string changes;
  for (const auto& [path, asked] : document_.changes) changes += " --set " + asked;
  const std::string after =
      changes.empty() ? "" : fmt::format(" (after{})", printable(changes, 200));
  const Node* place = in_document();
  if (!place) place = section_of(document_.root, path_.substr(0, path_.find('.')));
  refuse_at(document_, place ? place->line : 0, std::string(what) + after);
}

}  // namespace embedscale::audit
