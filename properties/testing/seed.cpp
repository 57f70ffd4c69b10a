#include "seed.hpp"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace embedscale::properties::testing {

std::uint64_t run_seed() {
  const char* text = std::getenv("EMBEDSCALE_SEED");
  if (text == nullptr) return 0;
  const std::string_view digits(text);
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    throw std::invalid_argument("EMBEDSCALE_SEED is not a whole number below 2^64: " +
                                std::string(digits));
  return seed;
}

Stream stream_of(std::string_view id) { return Stream(run_seed(), id); }

}  // namespace embedscale::properties::testing
