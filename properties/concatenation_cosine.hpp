#pragma once
#include "concatenation/cosine.hpp"
#include "concatenation.hpp"
