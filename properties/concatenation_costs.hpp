#pragma once
#include "concatenation/costs.hpp"
#include "concatenation.hpp"
