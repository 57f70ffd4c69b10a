#pragma once
#include "optimizer.hpp"
#include "optimizer/step.hpp"
