#pragma once
#include "attention.hpp"
#include "attention/key_constant.hpp"
#include "attention/saturation.hpp"
