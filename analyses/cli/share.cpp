#include "cli/share.hpp"

namespace embedscale::cli {

std::filesystem::path share(const std::filesystem::path& name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share" / "embedscale" / name;
}

}  // namespace embedscale::cli
