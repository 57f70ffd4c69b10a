#pragma once
// Where every test's random numbers come from: the run's seed and the test's own name.
#include <embedscale/random.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace embedscale::properties::testing {

/// What an environment variable says; nothing where it is not set.
///
/// Errors   std::invalid_argument if that is not a whole number of this range.
std::optional<std::uint64_t> number_of(const char* variable, std::uint64_t lowest,
                                       std::uint64_t highest);

/// The seed of this run: the environment's EMBEDSCALE_SEED, 0 where there is none.
///
/// Errors   std::invalid_argument if it is not a whole number below 2^64.
std::uint64_t run_seed();

/// The stream of whatever has this id (a property, an entry of the ledger) in this run: the same
/// draws on every machine, others under another run seed. Deriving it from the id leaves nothing to
/// choose, so nothing to choose until it is green.
Stream stream_of(std::string_view id);

}  // namespace embedscale::properties::testing
