#pragma once
// What decides what a run finds: its source, and what that includes. A record of runs keeps this,
// so that it is known to be stale.
#include <filesystem>
#include <string>

namespace embedscale::report {

/// One hash of the code of a source of the project, of all that it includes of the project, and of
/// the .cpp beside each such header; comments and white space do not count.
///
/// Errors    report::FileError where there is no such source.
std::string hash_of_sources(const std::filesystem::path& project, const std::string& source);

}  // namespace embedscale::report
