#pragma once
#include "embedding/sparse.hpp"
#include "embedding.hpp"
