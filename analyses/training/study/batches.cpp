#include "training/study/batches.hpp"

#include <embedscale/random.hpp>

namespace embedscale::training {

namespace study = properties::training;

namespace {

void append_text(Batch& to, const Tokens& tokens, std::uint64_t at) {
  for (std::size_t i = 0; i < study::length; ++i) {
    to.inputs.push_back(tokens[at + i]);
    to.targets.push_back(tokens[at + i + 1]);
  }
}

void append_row(Batch& to, const Stream& stream, std::uint64_t first) {
  const std::size_t begin = to.inputs.size();
  for (std::size_t i = 0; i < study::length; ++i)
    to.inputs.push_back(static_cast<std::int64_t>(stream.below(study::symbols, first + i)));
  for (std::size_t i = study::length; i-- > 0;) to.targets.push_back(to.inputs[begin + i]);
}

}  // namespace

Batch drawn_batch(study::Task task, const Text& text, Part part, std::uint64_t seed,
                  std::uint64_t number) {
  const Stream stream(seed, part == Part::train ? "training/batches" : "training/held out");
  const Tokens& tokens = part == Part::train ? text.train : text.held_out;
  Batch batch;
  for (std::size_t row = 0; row < study::batch; ++row) {
    const std::uint64_t index = number * study::batch + row;
    if (task == study::Task::text)
      append_text(batch, tokens, stream.below(tokens.size() - study::length, index));
    else
      append_row(batch, stream, index * study::length);
  }
  return batch;
}

}  // namespace embedscale::training
