#pragma once
// Every property of every topic with a subject in the place of the library's functions.
#include <functional>
#include <string_view>
#include <vector>

#include "../testing/trial.hpp"
#include "asker.hpp"

namespace embedscale::properties::subject {

/// A property, tried with the subject's operations where it has them.
struct Candidate : testing::Row {
  std::vector<std::string_view> defects;  ///< that it has to find, each in a sentence
  std::function<void()> body;
};

/// A property that no subject is asked for, though it holds for the library.
struct Exempt {
  std::string_view property;  ///< "claim.property"
  std::string_view why;
};
const std::vector<Exempt>& exempt();

/// Those that are not exempt. Requires  that the asker outlives them.
std::vector<Candidate> candidates(Asker& asker);

}  // namespace embedscale::properties::subject
