#include "audit/entry.hpp"

#include "audit/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace embedscale::audit {
namespace {

std::string value_shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::table: return "a table";
    case Node::Kind::array: return "an array";
    case Node::Kind::text: return fmt::format("\"{}\"", shown(node.text));
    default: return node.text;
  }
}

bool is_line(const Node& node, std::size_t longest) {
  const std::string& text = node.text;
  return node.is(Node::Kind::text) && !text.empty() && text.size() <= longest &&
         shown(text, longest) == text;
}

std::string line_words(std::size_t longest) {
  return fmt::format("a text of 1 to {} bytes without control characters", longest);
}

std::string integer_words(std::int64_t least, std::int64_t greatest) {
  return fmt::format("an integer from {} to {}", least, greatest);
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

std::string joined(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

const Node* Entry::node() const {
  const std::size_t dot = path_.find('.');
  const Node* section = section_of(document_.root, path_.substr(0, dot));
  return dot == std::string::npos || !section ? section : section->find(path_.substr(dot + 1));
}

std::string Entry::written() const {
  const Node* found = node();
  if (!found) return "";
  return found->is(Node::Kind::text) ? found->text : value_shown(*found);
}

std::optional<double> Entry::number(const Range& range) const {
  const Node* found = node();
  if (!found) return std::nullopt;
  const bool formula = found->is(Node::Kind::text);
  if (!formula && !found->is(Node::Kind::number)) refuse(range.words);
  const auto value = formula ? evaluated(found->text) : found->number;
  if (value && !(*value >= range.least && *value <= range.greatest)) refuse(range.words);
  return value;
}

std::optional<double> Entry::required_number(const Range& range) const {
  if (!given() && !absent()) miss(range.words);
  return number(range);
}

std::optional<std::int64_t> Entry::integer(std::int64_t least, std::int64_t greatest) const {
  const std::string words = integer_words(least, greatest);
  const auto value = number({static_cast<double>(least), static_cast<double>(greatest), words});
  if (!value) return std::nullopt;
  if (*value != std::trunc(*value)) refuse(words);
  return static_cast<std::int64_t>(*value);
}

std::optional<std::int64_t> Entry::required_integer(std::int64_t least,
                                                    std::int64_t greatest) const {
  if (!given() && !absent()) miss(integer_words(least, greatest));
  return integer(least, greatest);
}

std::optional<bool> Entry::truth() const {
  const Node* found = node();
  if (!found) return std::nullopt;
  if (!found->is(Node::Kind::boolean)) refuse("true or false");
  return found->text == "true";
}

std::optional<std::string> Entry::text(std::size_t longest) const {
  const Node* found = node();
  if (!found) return std::nullopt;
  if (!is_line(*found, longest)) refuse(line_words(longest));
  return found->text;
}

std::vector<std::string> Entry::texts(std::size_t longest) const {
  const Node* found = node();
  if (!found) return {};
  const std::string words = "an array, each element " + line_words(longest);
  if (!found->is(Node::Kind::array)) refuse(words);
  std::vector<std::string> all;
  for (const Node& element : found->inner) {
    if (!is_line(element, longest))
      fail(fmt::format("{} has the element {}: must be {}", path_, value_shown(element), words));
    all.push_back(element.text);
  }
  return all;
}

std::optional<std::size_t> Entry::index_of(std::span<const std::string_view> words) const {
  const Node* found = node();
  if (!found) return std::nullopt;
  const bool word = found->is(Node::Kind::text);
  const auto at = word ? std::find(words.begin(), words.end(), found->text) : words.end();
  if (at == words.end()) refuse("one of " + joined(words));
  return static_cast<std::size_t>(at - words.begin());
}

std::optional<double> Entry::evaluated(const std::string& formula) const try {
  return evaluate(formula, variables_);
} catch (const std::invalid_argument& error) {
  fail(fmt::format("{} = {}", path_, error.what()));
}

void Entry::refuse(std::string_view allowed) const {
  fail(fmt::format("{} = {}: must be {}", path_, value_shown(*node()), allowed));
}

void Entry::miss(std::string_view allowed) const {
  fail(fmt::format("{} is missing: must be {}", path_, allowed));
}

void Entry::fail(std::string_view what) const {
  if (const auto change = document_.changes.find(path_); change != document_.changes.end())
    throw ContentError(fmt::format("--set {}: {}", shown(change->second), what));
  std::string changes;
  for (const auto& [path, asked] : document_.changes) changes += " --set " + asked;
  const std::string after = changes.empty() ? "" : fmt::format(" (after{})", shown(changes, 200));
  const Node* place = node();
  if (!place) place = section_of(document_.root, path_.substr(0, path_.find('.')));
  refuse_at(document_, place ? place->line : 0, std::string(what) + after);
}

}  // namespace embedscale::audit
