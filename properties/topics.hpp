#pragma once
// All topics at once: the registry that CMake makes of its lines embedscale_topic(…).
#include "testing/trial.hpp"

namespace embedscale::properties {

/// The trials of every topic, topic by topic.
testing::Trials all_trials();

}  // namespace embedscale::properties
