#pragma once
#include "conventions/scale.hpp"
#include "conventions.hpp"
