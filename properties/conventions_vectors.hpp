#pragma once
#include "conventions/vectors.hpp"
#include "conventions.hpp"
