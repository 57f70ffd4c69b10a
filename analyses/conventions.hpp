#pragma once
// Until the includes of all topics say conventions/atlas.hpp.
#include "cli/options.hpp"
#include "conventions/atlas.hpp"
#include "properties/conventions/claims.hpp"
#include "properties/conventions/primitives.hpp"
#include "report/page.hpp"
