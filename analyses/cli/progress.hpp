#pragma once
// What a program says of its progress on stderr: which claim is measured, how far, and how long
// what is under way takes. On a terminal, in its last line; elsewhere in lines where --progress
// asks for them, and where it has taken half a minute anyway; nothing where --quiet does.
#include <memory>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "report/progress.hpp"

namespace embedscale::cli {

/// Shows the progress of this thread while it lives.
class Progress {
 public:
  explicit Progress(const Options& options);
  ~Progress();

 private:
  struct Shown;
  std::unique_ptr<Shown> shown_;
};

/// Says what is measured from now on: the n-th of so many.
void narrate(const Options& options, std::string_view what, std::size_t n = 1, std::size_t of = 1);

}  // namespace embedscale::cli
