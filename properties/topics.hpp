#pragma once
// All topics at once: the registry that CMake makes of its lines embedscale_topic(…).
#include <string_view>
#include <vector>

#include "testing/trial.hpp"

namespace embedscale::properties {

/// "combination", …
std::vector<std::string_view> rooms();

/// The trials of every topic, topic by topic.
testing::Trials all_trials();

}  // namespace embedscale::properties
