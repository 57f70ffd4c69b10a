#pragma once
// A port's recipe, done to a file of safetensors: the tensors that it multiplies, each entry
// rounded once to the format that it is stored in; everything else as it was, byte for byte.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/names.hpp"
#include "port/port.hpp"

namespace embedscale::checkpoint {

/// A tensor that is another one afterwards.
struct Change {
  std::string tensor, what;  ///< "times 27.7128"
  std::uint64_t entries = 0;
  std::uint64_t rounded = 0;   ///< that the format does not hold exactly
  std::uint64_t vanished = 0;  ///< of these, to 0
};

struct Applied {
  std::vector<Change> changes;
  std::vector<std::string> by_hand;  ///< steps that concern no tensor, such as the logits' factor
};

/// Writes what `port` makes of the tensors of `in` to `out`; nothing where that is empty, but all
/// is tried.
///
/// Requires  port.keeps_function().
/// Errors    audit::ContentError: a step that is not a tensor's alone (channels that change
///           places); a parameter has no tensor, or more than it can be; the tensor has no
///           floating-point numbers of 16 bits and more; an entry would overflow; `in` is no single
///           safetensors file. report::FileError. Then `out` is as it was.
Applied apply(const port::Port& port, const std::filesystem::path& in,
              const std::filesystem::path& out, const Patterns& patterns);

/// For people: what was done, what is to be done by hand, and the settings of the optimiser's
/// parameter groups in PyTorch's words.
std::string words_of(const Applied& applied, const port::Port& port, const Patterns& patterns,
                     const std::vector<Tensor>& tensors);

}  // namespace embedscale::checkpoint
