#pragma once
#include "conventions/moments.hpp"
#include "conventions.hpp"
