#pragma once
// Which runs the design asks for. Needs no libtorch.
#include <cstdint>
#include <vector>

#include "properties/training/design.hpp"
#include "properties/training/paired.hpp"
#include "training/study/record.hpp"

namespace embedscale::training {

/// Every arm at every rate of the grid, on the seeds that choose.
std::vector<Run> swept_runs(const properties::training::Cell& cell);
/// Every arm between the best of these and its neighbours.
///
/// Errors    std::out_of_range where a run is missing; so below.
std::vector<Run> refined_runs(const properties::training::Cell& cell, const Record& record);

/// What both found of an arm, rate by rate.
std::vector<properties::training::Swept> swept(const properties::training::Cell& cell,
                                               properties::training::Arm arm, const Record& record);
/// The rate that an arm is compared at.
double own_rate(const properties::training::Cell& cell, properties::training::Arm arm,
                const Record& record);

/// Every arm at its own rate, and `folded` at that of `up`, on the seeds that compare.
std::vector<Run> compared_runs(const properties::training::Cell& cell, const Record& record);
/// Of one arm, at this rate.
std::vector<Run> compared_runs(const properties::training::Setting& setting,
                               properties::training::Arm arm, double rate);

/// All runs of those cells whose runs are all there, and no others. Of the sweeps only what is
/// used: the losses, and the curves of `up`, which the threshold is on.
Record finished(const Record& record);

/// How many of a cell's runs are missing, as far as that is known: where the rates are not chosen,
/// `folded` may need none besides.
std::size_t missing_runs(const properties::training::Cell& cell, const Record& record);

/// √d_model is a power of two, with which every rounding commutes: up and the folded table at its
/// rate are then one run, bit for bit.
bool is_exact(const properties::training::Setting& setting);

/// What a run takes, in runs of 300 steps at 64 channels.
std::uint64_t cost(const properties::training::Setting& setting);

}  // namespace embedscale::training
