#pragma once
#include "attention/input_rounding.hpp"
#include "attention_input.hpp"
