#pragma once
#include "combination/claims.hpp"
#include "combination/primitives.hpp"
namespace embedscale::properties::combination { using Library = Primitives; }
