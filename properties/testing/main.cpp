// The main program of a topic's tests: its trials, and the tests by hand that are linked with it.
#include "trial.hpp"

namespace embedscale::properties::EMBEDSCALE_TOPIC {
testing::Trials trials();
}

int main(int argc, char** argv) {
  using namespace embedscale::properties;
  return testing::run_tests(argc, argv, EMBEDSCALE_TOPIC::trials());
}
