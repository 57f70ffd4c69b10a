#pragma once
// A list of parts that take no time, in two phases: which are in the second is a result of the
// first.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "parts/parts.hpp"

namespace embedscale {

/// So many each; of the first phase's results six have a 9.
constexpr std::size_t in_first = 60, in_second = 46;

inline std::vector<parts::Part> counting(const std::string& phase, std::size_t n,
                                         const std::string& of) {
  std::vector<parts::Part> list;
  for (std::size_t i = 0; i < n; ++i) list.push_back({fmt::format("{}/{}", phase, i), of});
  return list;
}

/// What all parts came to, a line each; "" where some are not there yet. `before` is called with a
/// part's number before it is evaluated.
inline std::string counted(
    parts::Parts& parts, const std::function<void(std::size_t)>& before = [](std::size_t) {},
    const std::string& of = "sources") {
  std::string text;
  std::size_t size = in_first;
  for (const std::string phase : {"first", "second"}) {
    const auto list = counting(phase, size, of);
    const auto results = parts.make(list, [&](std::size_t i) {
      before(i);
      return fmt::format(R"({{"i":{},"root":{}}})", i, 0.1 * static_cast<double>(i));
    });
    if (parts.missing() > 0) return "";
    for (std::size_t i = 0; i < list.size(); ++i) text += list[i].name + " " + *results[i] + "\n";
    size = 40 + static_cast<std::size_t>(std::ranges::count_if(
                    results, [](const auto& one) { return one->find('9') != one->npos; }));
  }
  return text;
}

}  // namespace embedscale
