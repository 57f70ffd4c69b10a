#pragma once
#include "tied_output/loss.hpp"
#include "tied_output.hpp"
