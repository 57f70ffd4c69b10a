#pragma once
// The child process that draws.
#include <stdexcept>
#include <string>
#include <string_view>

namespace embedscale::report {

/// gnuplot is missing, or did not draw what it was told to: one line that says why.
class GnuplotError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The SVG that gnuplot prints for a script. No shell is involved, nor a file with a name, nor the
/// user's settings, language or terminal: equal scripts give equal bytes.
///
/// Errors    GnuplotError, also where gnuplot only warns: a figure that is not quite the one asked
///           for is none.
std::string run_gnuplot(std::string_view script);

}  // namespace embedscale::report
