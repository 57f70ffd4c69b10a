// The main program of a topic's tests: its trials, and the tests by hand that are linked with it.
#include <malloc.h>

#include "trial.hpp"

namespace embedscale::properties::testing {
extern Trials (*const trials_of_topic)();  // program.cpp.in
}

int main(int argc, char** argv) {
  using namespace embedscale;
  // A case's some hundred kilobytes are kept for the next: to give them back to the system and take
  // them again costs more than most cases.
  mallopt(M_TRIM_THRESHOLD, 1 << 25);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  return properties::testing::run_tests(argc, argv, properties::testing::trials_of_topic());
}
