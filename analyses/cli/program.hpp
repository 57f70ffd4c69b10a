#pragma once
// What every program does the same way: its exit codes, its output, its errors; where it finds
// what was installed with it.
#include <filesystem>
#include <functional>
#include <string_view>

namespace embedscale::cli {

/// Exit codes of every program.
enum Exit : int { done = 0, differs = 1, usage = 2, input_output = 3 };

/// All output of a program in one piece: an error leaves nothing half-printed.  Returns `done`.
///
/// Errors    report::FileError.
int print(std::string_view text);

/// Calls `action`, and turns what it throws into one line on stderr and an exit code: 2 for what a
/// person asked for wrongly, 3 for files that cannot be read or written.
int guarded(std::string_view program, const std::function<int()>& action);

/// `name` below share/embedscale, beside the directory of the running program, the same relative
/// place in an installation and in a build directory, so nothing absolute is compiled in.
std::filesystem::path share(const std::filesystem::path& name);

}  // namespace embedscale::cli
