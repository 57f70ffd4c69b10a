#pragma once
#include "embedding/variance.hpp"
#include "embedding.hpp"
