#pragma once
// What the sections share, of the claims about the shared table.
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "atlas/atlas.hpp"
#include "cli/options.hpp"
#include "properties/tied_output/claims.hpp"
#include "properties/tied_output/primitives.hpp"
#include "report/section.hpp"

namespace embedscale::tied_output_analysis {

using namespace report;
using namespace properties::tied_output;
using cli::Options, cli::points, cli::said_of;

/// Of copies_its_input: the real systems, by the audit.
///
/// Errors    FileError.
void measure_own_logits_of_systems(Section& s);

/// Of copies_its_input: by running stacks of blocks, beside the leading order.
void measure_own_logits_behind_blocks(Section& s, const Options& options, Tally& indifferent);

/// What a system offers about sharing its table with the output.
///
/// None where the record does not tell that, d_model and the multiplier.
inline std::optional<audit::Sharing> offer_of(const atlas::System& s) {
  const auto& c = s.configuration;
  const bool told = c.output.sharing && atlas::meant_multiplier_of(s) && c.model.d_model;
  return told ? c.output.sharing : std::nullopt;
}

/// Where these claims are measured unless the options tell it.
inline constexpr std::array<std::uint64_t, 9> usual_widths{16,   64,   256,  512,  768,
                                                           1024, 2048, 4096, 16384};
inline constexpr std::array<std::uint64_t, 1> usual_vocabulary{32768};
inline constexpr std::array<double, 1> usual_deviations{0.02};

/// σ at which logits have deviation 1, and 1 over it.
inline double root(std::uint64_t d) { return std::sqrt(static_cast<double>(d)); }

/// Rows of deviation σ, looked up times m, their products with a state times c.
struct Parametrisation {
  std::string name;
  std::uint64_t d;
  double sigma, m, c;

  double input_rms() const { return std::abs(m) * sigma; }
  double logit_std() const { return std::abs(c) * sigma * root(d); }
};

inline constexpr const char* quadrature = "quadrature";
inline const Primitives primitives;

}  // namespace embedscale::tied_output_analysis
