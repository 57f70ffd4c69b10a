#pragma once
// The JSON library, whose code is compiled once, in json.cpp: include this in its place where
// embedscale_report is linked.
#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
