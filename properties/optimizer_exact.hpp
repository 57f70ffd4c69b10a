#pragma once
#include "optimizer.hpp"
#include "optimizer/exact.hpp"
