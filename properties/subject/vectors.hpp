#pragma once
// Test vectors for whoever runs nothing of this project: calls in binary32, with what is right.
#include <filesystem>

namespace embedscale::properties::subject {

/// Writes a file of JSON for each operation whose results have exact values: requests as a subject
/// is asked, the exact results, how far from each any order of roundings may end, and what usually
/// causes a result that is farther off. protocol.md describes them.
///
/// Errors    std::runtime_error: a file cannot be written.
void write_vectors(const std::filesystem::path& directory);

}  // namespace embedscale::properties::subject
