#pragma once
// One run of the study.
#include "properties/training/setting.hpp"
#include "training/study/text.hpp"

namespace embedscale::training {

/// Trains and judges it, on one thread.
///
/// Ensures   a function of its arguments, to the last bit, on one machine with one libtorch.
properties::training::Outcome trained(const properties::training::Run& run, const Text& text);

}  // namespace embedscale::training
