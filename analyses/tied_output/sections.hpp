#pragma once
// What is measured of each claim about the shared table.
#include <array>
#include <cstdint>

#include "cli/options.hpp"
#include "properties/tied_output/claims.hpp"
#include "report/section.hpp"

namespace embedscale::tied_output_analysis {

using namespace report;
using cli::Options;
using cli::points;

void one_table_two_scales(Section& s, const Options& options);
void initial_loss(Section& s, const Options& options);
void multipliers_trade_places(Section& s, const Options& options);
void sharing_is_not_needed(Section& s, const Options& options);
void copies_its_input(Section& s, const Options& options);

/// Of copies_its_input: the real systems, by the audit.
///
/// Errors    FileError.
void measure_own_logits_of_systems(Section& s);

/// Where these claims are measured unless the options tell it.
inline constexpr std::array<std::uint64_t, 9> usual_widths{16,   64,   256,  512,  768,
                                                           1024, 2048, 4096, 16384};
inline constexpr std::array<std::uint64_t, 1> usual_vocabulary{32768};
inline constexpr std::array<double, 1> usual_deviations{0.02};

}  // namespace embedscale::tied_output_analysis
