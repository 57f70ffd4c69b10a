// analyses TOPIC [OPTION…]: measures a topic's claims.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/analysis.hpp"
#include "cli/arguments.hpp"

int main(int argc, char** argv) {
  using namespace embedscale;
  const auto topics = cli::topics();
  if (argc > 1 && std::ranges::count(topics, argv[1]) > 0)
    return cli::run(cli::analysis_of(argv[1]), argc - 1, argv + 1);
  cli::Arguments arguments("Measures the claims of a topic: analyses TOPIC --help", "analyses");
  std::string topic;
  arguments.option("topic", topic, fmt::format("one of {}", fmt::join(topics, ", "))).required();
  return arguments.run(argc, argv, [&]() -> int {
    throw std::invalid_argument(
        fmt::format("no topic '{}': there are {}", topic, fmt::join(topics, ", ")));
  });
}
