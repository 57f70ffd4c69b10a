#pragma once
#include "block/claims.hpp"
