// Whatever somebody hands in as a checkpoint is either refused in one line, or what is said of its
// tables is so: finite sizes in their order, and JSON that is read back. libFuzzer looks for bytes
// of which that is not true.
#include "audit/error.hpp"
#include "checkpoint/fingerprint.hpp"
#include "report/file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace embedscale::checkpoint {
namespace {

void require(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "does not hold: {}\n", what);
  std::abort();
}

void run(const std::filesystem::path& file) try {
  const auto found = fingerprint_of(tensors_of(file), {}, {2, 5}, std::nullopt);
  require(std::ranges::is_sorted(found.row_rms) && found.row_rms.front() >= 0, "sizes are sorted");
  require(found.row_rms.size() + found.left_out == found.rows, "each row counts");
  require(found.table.mean_share >= 0 && found.table.mean_share <= 1 + 1e-5, "a share is one");
  require(!nlohmann::json::parse(json_line(found)).empty(), "JSON is read back");
  require(words_of(found).ends_with('\n'), "words end a line");
} catch (const audit::ContentError& error) {
  const std::string_view text = error.what();
  require(!text.empty() && text.find('\n') == text.npos && text.size() < 2000,
          "an error is a line");
} catch (const report::FileError&) {  // a shard that is not there
}

}  // namespace
}  // namespace embedscale::checkpoint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("checkpoint", 0);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  embedscale::checkpoint::run(fmt::format("/proc/self/fd/{}", file));
  return 0;
}
