#include "report/json_once.hpp"

template class nlohmann::detail::serializer<nlohmann::ordered_json>;
