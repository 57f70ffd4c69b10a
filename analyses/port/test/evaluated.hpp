#pragma once
// What a configuration computes, by the formulas of its keys and nothing of the recipe's: a model
// of 5 words, 4 tokens and 8 channels in 2 heads, 4 of a factorised table, with the configuration's
// own factors, norms and positions. And what the steps of a port, as its JSON tells them, make of
// its parameters.
#include "port/port.hpp"

#include <map>
#include <string>
#include <vector>

namespace embedscale::port {

using Values = std::vector<double>;

/// Matrices row by row, by name. Gains are g itself, however a code keeps them.
struct Parameters {
  std::map<std::string, Values> all;
  bool stores_positions = false;       ///< in a table, where the code would compute them
  bool is_untied = false;              ///< where the code would tie
  std::optional<double> logit_factor;  ///< in the place of the code's own
};

inline constexpr std::size_t words = 5, tokens = 4, d = 8, heads = 2, d_k = d / heads, narrow = 4;
inline constexpr std::size_t rows = 3 + tokens;  ///< of a position table

/// The vector of position i, and row i of a matrix.
Values sinusoid(const audit::Position& p, std::int64_t i);
Values row_of(const Values& matrix, std::size_t i);

Parameters drawn_parameters(const audit::Configuration& c);
Parameters ported(const Parameters& from, const Port& port);
/// The same by checkpoint::apply, through a file.
///
/// Errors    audit::ContentError where there is a step that it does not do.
Parameters applied(const Parameters& from, const Port& port);
Values logits(const audit::Configuration& c, const Parameters& parameters);

}  // namespace embedscale::port
