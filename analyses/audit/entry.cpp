#include "audit/document.hpp"
#include "audit/error.hpp"

#include <fmt/core.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace embedscale::audit {
namespace {

// A text itself; a number or a time as errors have it.
std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  std::ostringstream out;
  node.visit([&out](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) out << value.get();
  });
  return out.str();
}

std::string value_text(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  return node.is_string() ? fmt::format("\"{}\"", printable(text_of(node))) : text_of(node);
}

bool is_line(const toml::node& node, std::size_t longest) {
  const std::string text = node.is_string() ? text_of(node) : "";
  return !text.empty() && text.size() <= longest && printable(text, longest) == text;
}

std::string line_words(std::size_t longest) {
  return fmt::format("a text of 1 to {} bytes without control characters", longest);
}

// The nearest number that binary64 has.
double binary64_of(const toml::node& number) {
  if (const auto* integer = number.as_integer()) return static_cast<double>(integer->get());
  return number.as_floating_point()->get();
}

bool has_word(std::string_view list, std::string_view word) {
  while (word_at(0, list) != word && list.find(", ") != list.npos)
    list.remove_prefix(list.find(", ") + 2);
  return word_at(0, list) == word;
}

}  // namespace

std::string_view parameter_key(Distribution::Kind kind) {
  using Kind = Distribution::Kind;
  if (kind == Kind::uniform) return parameter_keys[1];
  return kind == Kind::normal || kind == Kind::truncated_normal ? parameter_keys[0] : "";
}

std::string parameter_path(const std::string& distribution, std::string_view key) {
  return distribution.ends_with(".law")
             ? distribution.substr(0, distribution.size() - 3).append(key)
             : fmt::format("{}_{}", distribution, key);
}

const toml::node* Entry::node(std::string_view kind, std::string_view allowed) const {
  if (found_ || absent()) return found_;
  if (required_) fail(fmt::format("{} is missing: must be {}{}", path_, kind, allowed));
  return otherwise_ ? otherwise_->get("value") : nullptr;
}

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
  if (!found_) return "";
  return found_->is_string() ? text_of(*found_) : value_text(*found_);
}

std::optional<double> Entry::number(const Range& range) const try {
  const toml::node* found = node(range.words);
  if (!found) return std::nullopt;
  if (!found->is_string() && !found->is_number()) refuse(range.words);
  const auto value = found->is_string() ? evaluate(text_of(*found), variables_)
                                        : std::optional(binary64_of(*found));
  if (value && !(*value >= range.least && *value <= range.greatest)) refuse(range.words);
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
  const toml::node* found = node("one of ", allowed);
  if (!found) return std::nullopt;
  if (!found->is_string() || !has_word(allowed, text_of(*found)))
    refuse(fmt::format("one of {}", allowed));
  return text_of(*found);
}

std::optional<bool> Entry::truth() const {
  const toml::node* found = node("true or false");
  if (!found) return std::nullopt;
  if (!found->is_boolean()) refuse("true or false");
  return found->as_boolean()->get();
}

std::optional<std::string> Entry::text(std::size_t longest) const {
  if (!found_) return std::nullopt;
  if (!is_line(*found_, longest)) refuse(line_words(longest));
  return text_of(*found_);
}

std::vector<std::string> Entry::texts(std::size_t longest) const {
  if (!found_) return {};
  const std::string words = "an array, each element " + line_words(longest);
  if (!found_->is_array()) refuse(words);
  std::vector<std::string> all;
  for (const toml::node& element : *found_->as_array()) {
    if (!is_line(element, longest))
      fail(fmt::format("{} has the element {}: must be {}", path_, value_text(element), words));
    all.push_back(text_of(element));
  }
  return all;
}

std::optional<Distribution> Entry::distribution(std::string_view allowed, bool counts) const {
  const auto kind = choice<Distribution::Kind>(allowed);
  if (!kind || !counts) {
    // Its parameters have to be such even where they do not count.
    for (const auto key : parameter_keys) other(parameter_path(path_, key)).number(positive);
    return std::nullopt;
  }
  Distribution made{*kind, {}, {}};
  const std::string_view wanted = parameter_key(*kind);
  for (const auto key : parameter_keys) {
    const Entry parameter = other(parameter_path(path_, key));
    if (key == wanted) {
      made.parameter = parameter.required().number(positive);
      made.written = parameter.written();
    } else if (parameter.given()) {
      parameter.refuse(fmt::format("absent: the distribution {} takes {}", name_of(*kind),
                                   wanted.empty() ? "no parameter" : wanted));
    }
  }
  return made;
}

std::optional<Distribution> Entry::distribution_if_given(std::string_view allowed) const {
  if (given()) return distribution(allowed);
  for (const auto key : parameter_keys)
    if (const Entry parameter = other(parameter_path(path_, key)); parameter.given())
      parameter.refuse(fmt::format("absent unless {} is given", path_));
  return std::nullopt;
}

void Entry::refuse(std::string_view allowed) const {
  fail(fmt::format("{} = {}: must be {}", path_, value_text(*found_), allowed));
}

void Entry::fail(std::string_view what) const {
  if (const auto change = document_.changes.find(path_); change != document_.changes.end())
    throw ContentError(fmt::format("--set {}: {}", printable(change->second), what));
  std::string changes;
  for (const auto& [path, asked] : document_.changes) changes += " --set " + asked;
  const std::string after =
      changes.empty() ? "" : fmt::format(" (after{})", printable(changes, 200));
  const toml::node* place = found_ ? found_ : document_.find(path_.substr(0, path_.find('.')));
  refuse_at(document_, place ? line_of(*place) : 0, std::string(what) + after);
}

}  // namespace embedscale::audit
