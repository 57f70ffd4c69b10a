#pragma once
#include "conventions/claims.hpp"
#include "conventions/primitives.hpp"
namespace embedscale::properties::conventions {
using Library = Primitives;
}
