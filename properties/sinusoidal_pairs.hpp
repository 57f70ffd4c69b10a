#pragma once
#include "sinusoidal.hpp"
#include "sinusoidal/two_positions.hpp"
