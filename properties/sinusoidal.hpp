#pragma once
#include "sinusoidal/claims.hpp"
#include "sinusoidal/primitives.hpp"
namespace embedscale::properties::sinusoidal { using Library = Primitives; }
