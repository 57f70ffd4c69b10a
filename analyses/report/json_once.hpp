#pragma once
// The JSON library, whose code is compiled once, in row.cpp: include this in its place.
#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
