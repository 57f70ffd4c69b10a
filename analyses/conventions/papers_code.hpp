#pragma once
// The paper's own code beside the paper.
#include <array>
#include <stdexcept>
#include <vector>

#include "atlas/atlas.hpp"

namespace embedscale::conventions_analysis {

using atlas::System;

/// Errors    std::invalid_argument where the atlas lacks it.
inline const System& papers_code_of(const std::vector<System>& all) {
  for (const System& s : all)
    if (s.configuration.name == "tensor2tensor") return s;
  throw std::invalid_argument("the atlas lacks the paper's own code");
}

/// A part of section 3.4, and what the code has there.
struct Requirement {
  const char* what;
  const char* paper;
  bool agrees;
  const char* otherwise;  ///< what the code would have if it does not agree
};
inline std::array<Requirement, 3> section_3_4(const System& code) {
  const auto& output = code.configuration.output;
  return {
      {{"tables for tokens and logits", "one", output.tied == true, "two"},
       {"a looked-up row times", "√d_model", atlas::multiplies_by_root_d(code), "another factor"},
       {"a logit times", "no factor", output.multiplier == 1.0, "a factor"}}};
}

}  // namespace embedscale::conventions_analysis
