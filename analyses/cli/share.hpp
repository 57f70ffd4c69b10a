#pragma once
// Where the programs find what was installed with them.
#include <filesystem>

namespace embedscale::cli {

/// `name` below share/embedscale, beside the directory of the running program: the same relative
/// place in an installation and in a build directory, so nothing absolute is compiled in.
std::filesystem::path share(const std::filesystem::path& name);

}  // namespace embedscale::cli
