#pragma once
// What the sections share, of the claims about up and down.
#include <embedscale/embedding.hpp>
#include <embedscale/random.hpp>

#include <string>

#include "cli/options.hpp"
#include "properties/combination/claims.hpp"
#include "properties/combination/rounding.hpp"
#include "properties/domain/formats.hpp"
#include "properties/domain/widths.hpp"
#include "report/section.hpp"

namespace embedscale::combination_analysis {

using namespace report;
using namespace properties::combination;
using cli::Options, cli::points;

inline const Primitives primitives;

/// The stream of a claim's draws at one width.
inline Stream stream_at(std::uint64_t d, const Section& s, const Options& options) {
  return {options.seed, std::string(s.claim().id) + "/" + std::to_string(d)};
}

}  // namespace embedscale::combination_analysis
