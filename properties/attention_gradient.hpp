#pragma once
#include "attention.hpp"
#include "attention/gradient.hpp"
