#pragma once
// What a program says of its progress on stderr: which claim is measured, how far, and how long
// what is under way takes. On a terminal, in its last line; elsewhere in lines where --progress
// asks for them, and where it has taken half a minute anyway; nothing where --quiet does.
#include <string_view>
#include <thread>

#include "cli/options.hpp"

namespace embedscale::cli {

/// A thread that shows the progress of this one while it lives.
[[nodiscard]] std::jthread shown_progress(const Options& options);

/// Says what is measured from now on: the n-th of so many.
void narrate(const Options& options, std::string_view what, std::size_t n = 1, std::size_t of = 1);

}  // namespace embedscale::cli
