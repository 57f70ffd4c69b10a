#pragma once
// Draws of the softmax over normal logits, by the library's own primitive.
#include <embedscale/attention.hpp>
#include <embedscale/random.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace embedscale::properties::oracle {

/// f(first logit, weights) of 4096 draws of `count` normal logits of deviation s.
template <class Function>
void for_each_draw(double s, std::size_t count, const Stream& stream, Function f) {
  std::vector<double> z(count);
  for (std::uint64_t draw = 0; draw < 4096; ++draw) {
    for (std::size_t j = 0; j < count; ++j) z[j] = s * stream.normal(draw * count + j);
    const double first = z[0];
    softmax(std::span(z));
    f(first, std::span<const double>(z));
  }
}

inline std::string name_of(double s, std::size_t n) {
  return "s = " + std::to_string(s) + ", n = " + std::to_string(n);
}

}  // namespace embedscale::properties::oracle
