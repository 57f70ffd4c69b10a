#pragma once
#include "conventions/spellings.hpp"
#include "conventions.hpp"
