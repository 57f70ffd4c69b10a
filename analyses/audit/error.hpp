#pragma once
// What can be wrong with a configuration. Each error is one line for the person who wrote the file:
//
//   tensor2tensor.toml:7: model.d_model = 0: must be an integer from 2 to 16777216
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace embedscale::audit {

/// The configuration's content is at fault: exit code 2. what() is one line, without a newline at
/// its end.
struct ContentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `text` made fit for one line of a terminal: control characters as \xNN, and cut to at most
/// `width` code points, the last of them "…" where something was cut.  Requires width >= 1.
std::string printable(std::string_view text, std::size_t width = 60);

}  // namespace embedscale::audit
