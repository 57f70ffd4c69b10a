#pragma once
#include "normalization.hpp"
#include "normalization/rounding.hpp"
