#include "cli/program.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <new>

#include "report/file.hpp"

namespace embedscale::cli {

int print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return done;
  throw report::FileError("standard output: cannot be written");
}

int guarded(std::string_view program, const std::function<int()>& action) {
  try {
    return action();
  } catch (const report::FileError& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return input_output;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: not enough memory for these parameters\n", program);
    return input_output;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return usage;
  }
}

std::filesystem::path share(const std::filesystem::path& name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share" / "embedscale" / name;
}

}  // namespace embedscale::cli
