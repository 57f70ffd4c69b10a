#pragma once
#include "attention/claims.hpp"
#include "attention/primitives.hpp"
namespace embedscale::properties::attention { using Library = Primitives; }
