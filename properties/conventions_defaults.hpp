#pragma once
#include "conventions/defaults.hpp"
#include "conventions.hpp"
