#pragma once
#include "tied_output/own_logit.hpp"
#include "tied_output.hpp"
