#pragma once
#include "combination/rounding.hpp"
