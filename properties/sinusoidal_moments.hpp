#pragma once
#include "sinusoidal.hpp"
#include "sinusoidal/moments.hpp"
