// Exact samples of the claims about a factor at the input.
#include "attention/input.hpp"

namespace embedscale::attention_analysis {

using properties::domain::Rational;

properties::attention::input::Head<Rational> rational_head(const Stream& stream, std::uint64_t i) {
  std::uint64_t next = 64 * i;
  const auto numbers = [&](std::size_t n) {
    std::vector<Rational> out;
    for (std::size_t j = 0; j < n; ++j) out.push_back(properties::domain::rational(stream, next++));
    return out;
  };
  properties::attention::input::Head<Rational> head{2, 2, Rational(1), {}, {}, {}, {}, {}, {}};
  head.scale = properties::domain::positive_rational(stream, next++);
  head.w_q = numbers(4);
  head.w_k = numbers(4);
  head.w_v = numbers(4);
  head.b_q = numbers(2);
  head.b_k = numbers(2);
  head.x = {numbers(2), numbers(2)};
  return head;
}

properties::attention::input::Channels whole_channels(const Stream::Block& words) {
  const auto number = [](std::uint64_t word) { return static_cast<double>(word % 31) - 15; };
  return {{number(words[0]), number(words[1])}, {number(words[2]), number(words[3])}};
}

}  // namespace embedscale::attention_analysis
