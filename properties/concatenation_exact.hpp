#pragma once
#include "concatenation/sums.hpp"
#include "concatenation.hpp"
