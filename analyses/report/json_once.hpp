#pragma once
// The JSON library, whose writer is compiled once, in json_once.cpp: include this in its place
// where that is linked, and read by parsed() of row.hpp.
#include <nlohmann/json.hpp>

extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;
