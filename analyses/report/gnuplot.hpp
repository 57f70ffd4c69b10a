#pragma once
// The child process that draws.
#include <string>
#include <string_view>

#include "report/file.hpp"

namespace embedscale::report {

/// gnuplot is missing, or did not draw what it was told to: one line that says why.
class GnuplotError : public FileError {
 public:
  using FileError::FileError;
};

/// The SVG that gnuplot prints for a script. No shell is involved, nor a file with a name, nor the
/// user's settings, language or terminal: equal scripts give equal bytes.
///
/// Errors    GnuplotError, also where gnuplot only warns: a figure that is not quite the one asked
///           for is none.
std::string run_gnuplot(std::string_view script);

}  // namespace embedscale::report
