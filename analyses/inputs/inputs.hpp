#pragma once
// Configurations in files, and what is known of model types beside the programs.
#include "audit/config_json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace embedscale::inputs {

/// A file, or standard input where `name` is "-"; "FILE:encoder" and "FILE:decoder" choose. Of one
/// that is larger than `audit::largest_source` come so many bytes and one more.
///
/// Errors    report::FileError where reading fails: a missing file, a directory, one that does not
///           open.
audit::InputFile read(const std::string& name);

/// A file's configuration.
///
/// Errors    report::FileError, audit::ContentError.
audit::Configuration read_configuration(const std::string& file,
                                        const std::vector<audit::Change>& changes = {});

/// All of a directory's.
///
/// Errors    report::FileError where there are none.
audit::ModelTypes model_types(const std::filesystem::path& directory);

}  // namespace embedscale::inputs
