#pragma once
#include "tied_output/scales.hpp"
#include "tied_output.hpp"
