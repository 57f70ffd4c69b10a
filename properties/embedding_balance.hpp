#pragma once
#include "embedding/balance.hpp"
#include "embedding.hpp"
