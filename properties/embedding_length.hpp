#pragma once
#include "embedding/length.hpp"
#include "embedding.hpp"
