#pragma once
#include "optimizer.hpp"
#include "optimizer/drawn.hpp"
