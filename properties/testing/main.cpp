// The main program of a topic's tests: its trials, and the tests by hand that are linked with it.
#include "trial.hpp"

namespace embedscale::properties::testing {
extern Trials (*const trials_of_topic)();  // program.cpp.in
}

int main(int argc, char** argv) {
  using namespace embedscale;
  return properties::testing::run_tests(argc, argv, properties::testing::trials_of_topic());
}
