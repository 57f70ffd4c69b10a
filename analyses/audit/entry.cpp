#include "audit/entry.hpp"

#include "audit/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace embedscale::audit {
namespace {

std::string value_shown(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (const auto* text = node.as_string()) return fmt::format("\"{}\"", shown(text->get()));
  std::ostringstream out;
  node.visit([&out](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) out << value.get();
  });
  return node.is_boolean() ? (*node.value<bool>() ? "true" : "false") : out.str();
}

bool is_line(const std::string& text, std::size_t longest) {
  return !text.empty() && text.size() <= longest && shown(text, longest) == text;
}

std::string line_words(std::size_t longest) {
  return fmt::format("a text of 1 to {} bytes without control characters", longest);
}

std::string integer_words(std::int64_t least, std::int64_t greatest) {
  return fmt::format("an integer from {} to {}", least, greatest);
}

// "section" or "section[0]".
const toml::node* section_of(const toml::table& root, const std::string& name) {
  const std::size_t bracket = name.find('[');
  const toml::node* section = root.get(name.substr(0, bracket));
  if (bracket == std::string::npos || !section || !section->is_array()) return section;
  return section->as_array()->get(std::stoul(name.substr(bracket + 1)));
}

}  // namespace

const toml::node* Entry::node() const {
  const std::size_t dot = path_.find('.');
  const toml::node* section = section_of(document_.root, path_.substr(0, dot));
  if (dot == std::string::npos) return section;
  return section && section->is_table() ? section->as_table()->get(path_.substr(dot + 1)) : nullptr;
}

std::string Entry::written() const {
  const auto* text = given() ? node()->as_string() : nullptr;
  return text ? text->get() : given() ? value_shown(*node()) : "";
}

std::optional<double> Entry::number(const Range& range) const {
  const toml::node* found = node();
  if (!found) return std::nullopt;
  const bool formula = found->is_string();
  if (!formula && !found->is_number()) refuse(range.words);
  const auto value = formula ? evaluated(found->as_string()->get()) : found->value<double>();
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
  const toml::node* found = node();
  if (!found) return std::nullopt;
  if (!found->is_boolean()) refuse("true or false");
  return found->value<bool>();
}

std::optional<std::string> Entry::text(std::size_t longest) const {
  const toml::node* found = node();
  if (!found) return std::nullopt;
  if (!found->is_string() || !is_line(found->as_string()->get(), longest))
    refuse(line_words(longest));
  return found->as_string()->get();
}

std::vector<std::string> Entry::texts(std::size_t longest) const {
  const toml::node* found = node();
  if (!found) return {};
  const std::string words = "an array, each element " + line_words(longest);
  if (!found->is_array()) refuse(words);
  std::vector<std::string> all;
  for (const toml::node& element : *found->as_array()) {
    if (!element.is_string() || !is_line(element.as_string()->get(), longest))
      fail(fmt::format("{} has the element {}: must be {}", path_, value_shown(element), words));
    all.push_back(element.as_string()->get());
  }
  return all;
}

std::optional<std::size_t> Entry::index_of(std::span<const std::string_view> words) const {
  const toml::node* found = node();
  if (!found) return std::nullopt;
  const auto* word = found->as_string();
  const auto at = word ? std::find(words.begin(), words.end(), word->get()) : words.end();
  if (at == words.end()) refuse(fmt::format("one of {}", fmt::join(words, ", ")));
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
  const toml::node* place = node();
  if (!place) place = section_of(document_.root, path_.substr(0, path_.find('.')));
  refuse_at(document_, place ? place->source() : toml::source_region{}, std::string(what) + after);
}

void refuse_at(const Document& document, const toml::source_region& place, std::string_view what) {
  const std::string file = shown(document.file, 200);
  if (place.begin.line == 0) throw ContentError(fmt::format("{}: {}", file, what));
  throw ContentError(fmt::format("{}:{}: {}", file, place.begin.line, what));
}

}  // namespace embedscale::audit
