#pragma once
// What ./dev identity found, as it is committed: the page about the checks shows it.
#include <string>
#include <vector>

#include "identity/compare.hpp"
#include "identity/way.hpp"
#include "report/json.hpp"

namespace embedscale::identity {

/// One way of making the reports, and what came of it.
struct Tried {
  Way way;
  std::string compiler;  ///< its version
  std::vector<Difference> differences;
  Apart apart;  ///< before rounding, from the way that is first
};

struct Found {
  std::vector<Tried> tried;  ///< the way in which the committed reports are made first
  Margins margins;
  std::vector<std::pair<std::string, std::vector<std::string>>> functions;  ///< by instructions
  std::uint64_t rows = 0;
};

report::Json record(const Found& found, const std::filesystem::path& reports);

/// The differences in lines for people, no more than so many of a way.
std::string told(const Tried& tried, std::size_t most);

}  // namespace embedscale::identity
