#pragma once
#include "optimizer.hpp"
#include "optimizer/path.hpp"
