#pragma once
// Numbers as text that reads back as the same number.
#include <array>
#include <charconv>
#include <string>

namespace embedscale::properties::domain {

/// The shortest decimal that no other double is nearer to: "0.02", "1e-05".
inline std::string decimal(double x) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

}  // namespace embedscale::properties::domain
