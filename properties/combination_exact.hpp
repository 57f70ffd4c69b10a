#pragma once
#include "combination/exact.hpp"
