#pragma once
#include "attention/input_logits.hpp"
#include "attention_input.hpp"
