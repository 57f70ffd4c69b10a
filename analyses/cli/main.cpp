#include "cli/analysis.hpp"

int main(int argc, char** argv) { return embedscale::cli::run(embedscale::analysis(), argc, argv); }
