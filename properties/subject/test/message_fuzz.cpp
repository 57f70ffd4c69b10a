// Whatever a subject answers is either refused in one line, or a message that is written and read
// again as it was. libFuzzer looks for bytes of which that is not true.
#include "../message.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace embedscale::properties::subject {
namespace {

// libFuzzer keeps the input on which the process aborts.
void require(bool holds) {
  if (!holds) std::abort();
}

void run(std::string_view input) try {
  if (input.size() < prefix_size) return;
  const auto [header, body] = lengths_of(std::span<const char, prefix_size>(input.data(), 16));
  const auto rest = input.substr(prefix_size);
  // What is missing does not matter here: a reader waits for it.
  const auto message =
      message_of(rest.substr(0, header), rest.substr(std::min(header, rest.size())));
  const auto again = bytes_of(message);
  const auto lengths = lengths_of(std::span<const char, prefix_size>(again.data(), prefix_size));
  const auto text = std::string_view(again).substr(prefix_size);
  const auto read = message_of(text.substr(0, lengths.header), text.substr(lengths.header));
  require(read.arrays.size() == message.arrays.size());
  for (std::size_t i = 0; i < read.arrays.size(); ++i) {
    const auto &one = read.arrays[i], &other = message.arrays[i];
    require(one.name == other.name && one.dtype == other.dtype && one.shape == other.shape &&
            one.bytes == other.bytes);
  }
} catch (const Malformed& error) {
  require(std::string_view(error.what()).size() < 1000);
}

}  // namespace
}  // namespace embedscale::properties::subject

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  embedscale::properties::subject::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
