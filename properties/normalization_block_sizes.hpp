#pragma once
#include "normalization/initial_block.hpp"
#include "normalization_block_exact.hpp"
