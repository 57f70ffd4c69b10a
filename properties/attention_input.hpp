#pragma once
#include "attention/claims.hpp"
#include "attention/input_primitives.hpp"
namespace embedscale::properties::attention {
using InputLibrary = input::Primitives;
}
