#pragma once
#include "concatenation/claims.hpp"
#include "concatenation/primitives.hpp"
namespace embedscale::properties::concatenation {
using Library = Primitives;
}
