#pragma once
// A configuration as the recipe of lib/embedscale/porting.hpp takes it.
#include "audit/configuration.hpp"

#include <embedscale/porting.hpp>

#include <string_view>

namespace embedscale::port {

/// Which of the two configurations; how errors and --set name them.
enum class Side { from, to };

/// m and k as their codes compute them: m as rounded to its format. A logit factor has a place in
/// the code where the configuration gives one, be it 1; an output of its own, where the program
/// does not always tie.
///
/// Errors    audit::ContentError, one line that says what is needed: a field that is not told and
///           that the recipe hangs on, or a factor that is 0.
Convention<double> convention_of(const audit::Configuration& configuration, Side side);

/// "FROM", "from".
std::string_view name_of(Side side);
std::string_view path_of(Side side);

}  // namespace embedscale::port
