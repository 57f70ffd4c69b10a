#pragma once
#include "concatenation/reader.hpp"
#include "concatenation.hpp"
