#pragma once
#include "normalization/post_norm.hpp"
#include "normalization_block.hpp"
#include "normalization_rounding.hpp"
