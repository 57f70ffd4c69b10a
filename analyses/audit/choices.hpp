#pragma once
// The words that a configuration chooses among.
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace embedscale::audit {

/// The words of an enumeration, in the order of its values; none where it has none.
template <class Value>
inline constexpr std::array<std::string_view, 0> names_of{};

/// "normal".
template <class Value>
requires(!names_of<Value>.empty()) constexpr std::string_view name_of(Value value) {
  return names_of<Value>[static_cast<std::size_t>(value)];
}

using Words = std::span<const std::string_view>;

/// "normal, uniform": all of the words.
inline std::string joined(Words words) {
  std::string list;
  for (const auto word : words) list.append(list.empty() ? "" : ", ").append(word);
  return list;
}

}  // namespace embedscale::audit
