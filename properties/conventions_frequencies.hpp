#pragma once
#include "conventions/frequencies.hpp"
#include "conventions.hpp"
