#include <embedscale/combination.hpp>

int main() { return embedscale::up(2.0, 1.0, 4.0) == 9 ? 0 : 1; }
