#pragma once
#include "normalization/claims.hpp"
#include "normalization/primitives.hpp"
namespace embedscale::properties::normalization { using Library = Primitives; }
