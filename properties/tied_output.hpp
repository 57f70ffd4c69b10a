#pragma once
#include "tied_output/claims.hpp"
#include "tied_output/primitives.hpp"
namespace embedscale::properties::tied_output {
using Library = Primitives;
}
