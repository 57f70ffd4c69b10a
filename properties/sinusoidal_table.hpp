#pragma once
#include "sinusoidal.hpp"
#include "sinusoidal/table.hpp"
