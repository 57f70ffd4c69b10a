#include "seed.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace embedscale::properties::testing {

std::optional<std::uint64_t> number_of(const char* variable, std::uint64_t lowest,
                                       std::uint64_t highest) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < lowest ||
      number > highest)
    throw std::invalid_argument(std::string(variable) + " is not a whole number from " +
                                std::to_string(lowest) + " to " + std::to_string(highest) + ": " +
                                std::string(digits));
  return number;
}

std::uint64_t run_seed() {
  return number_of("EMBEDSCALE_SEED", 0, std::numeric_limits<std::uint64_t>::max()).value_or(0);
}

Stream stream_of(std::string_view id) { return Stream(run_seed(), id); }

}  // namespace embedscale::properties::testing
