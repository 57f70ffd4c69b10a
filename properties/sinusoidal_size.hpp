#pragma once
#include "sinusoidal.hpp"
#include "sinusoidal/one_position.hpp"
