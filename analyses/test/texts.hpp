#pragma once
// What tests look for in texts, and what a refusal says.
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace embedscale {

inline std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}
inline bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != text.npos;
}

/// What an Error says; "not refused" where there is none.
template <class Error = std::invalid_argument>
std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace embedscale
