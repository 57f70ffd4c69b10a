#pragma once
#include "attention/input_scales.hpp"
#include "attention_input.hpp"
