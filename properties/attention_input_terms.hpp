#pragma once
#include "attention/input_terms.hpp"
#include "attention_input.hpp"
