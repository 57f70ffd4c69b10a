#pragma once
// A config.json of Hugging Face as the TOML of a configuration, by what is known of its model type:
// files of ../model_types tell which keys there are, the defaults of those that are left out, and
// what the code does whatever is configured.
#include "audit/configuration.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

/// One input of a model, as a configuration.
struct ModelInput {
  std::string side;  ///< "encoder" or "decoder", where the model has both
  std::string toml;  ///< with [marks]: each value's JSON key, or its place in the framework
  std::string name;  ///< of that text, in errors
};

/// The inputs of the model that a config.json describes, the decoder's last; `file` is its name in
/// errors, `model_types` the directory of what is known.
///
/// Errors    ContentError where it is no JSON object, nested more than `deepest_nesting` deep, has
///           a key twice, or a value of another type than its key's, or whose effect is not known;
///           and where it has no known model_type.  report::FileError of the directory.
std::vector<ModelInput> inputs_of_json(std::string_view json, const std::string& file,
                                       const std::filesystem::path& model_types);

/// All configurations in a file of TOML or JSON, told apart by content: one for each input of the
/// model. `name` is the file's, "-" for standard input; "FILE:encoder" or "FILE:decoder" chooses.
///
/// Errors    as inputs_of_json and read_configuration.
std::vector<Configuration> read_inputs(const std::string& name, const std::vector<Change>& changes,
                                       const std::filesystem::path& model_types);

/// The TOML of a file's input, of the decoder's where there are two and none is chosen.
///
/// Errors    as read_inputs.
std::string toml_of(const std::string& name, const std::filesystem::path& model_types);

}  // namespace embedscale::audit
