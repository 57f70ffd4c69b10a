#pragma once
#include "embedding/claims.hpp"
#include "embedding/primitives.hpp"
namespace embedscale::properties::embedding {
using Library = Primitives;
}
