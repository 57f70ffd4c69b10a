#pragma once
// The words that a configuration chooses among, in lists: "normal, uniform".
#include <string_view>

namespace embedscale::audit {

/// Those of an enumeration, in the order of its values; none where it has none.
template <class Value>
inline constexpr std::string_view names_of{};

/// The word at a place of a list, counted from 0.
constexpr std::string_view word_at(std::size_t place, std::string_view list) {
  while (place-- > 0) list.remove_prefix(list.find(", ") + 2);
  return list.substr(0, list.find(", "));
}

/// "normal".
template <class Value>
requires(!names_of<Value>.empty()) constexpr std::string_view name_of(Value value) {
  return word_at(static_cast<std::size_t>(value), names_of<Value>);
}

/// Whether a list has a word.
constexpr bool has_word(std::string_view list, std::string_view word) {
  while (word_at(0, list) != word && list.find(", ") != list.npos)
    list.remove_prefix(list.find(", ") + 2);
  return word_at(0, list) == word;
}

}  // namespace embedscale::audit
