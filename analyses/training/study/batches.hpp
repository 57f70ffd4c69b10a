#pragma once
// What a run is trained on and judged by: sequences of tokens and what each is to be answered with.
#include <cstdint>
#include <vector>

#include "properties/training/setting.hpp"
#include "training/study/text.hpp"

namespace embedscale::training {

/// Rows of `length` tokens, one after the other.
struct Batch {
  std::vector<std::int64_t> inputs, targets;
};

enum class Part { train, held_out };

/// Sixteen sequences of a task, the batch of that number; those of the text are from either part of
/// it.
///
/// Ensures   a function of its arguments: every arm sees the same batches.
Batch drawn_batch(properties::training::Task task, const Text& text, Part part, std::uint64_t seed,
                  std::uint64_t number);

}  // namespace embedscale::training
