#pragma once
// The steps that the recipe of lib/embedscale/porting.hpp does not have: within the blocks, and to
// further tables. Each multiplies or permutes what one factor or one layout bears on.
#include "port/port.hpp"

#include <string>
#include <vector>

namespace embedscale::port {

void add_block_steps(const Port& port, std::vector<Instruction>& out);

/// "2j for j < h, 2(j − h) + 1 from there on": FROM's channel for TO's j, h being half the width.
std::string source_of_channel(bool to_halves, const std::string& half);
bool to_halves(const Port& port);

}  // namespace embedscale::port
