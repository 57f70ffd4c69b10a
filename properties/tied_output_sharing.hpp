#pragma once
#include "tied_output/sharing.hpp"
#include "tied_output.hpp"
