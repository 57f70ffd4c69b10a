#pragma once
#include "attention.hpp"
#include "attention/moments.hpp"
