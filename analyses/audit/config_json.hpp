#pragma once
// A config.json of Hugging Face as the TOML of a configuration, by what is known of its model type:
// files of ../model_types tell which keys there are, the defaults of those that are left out, and
// what the code does whatever is configured.
#include "audit/configuration.hpp"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

/// A file that was handed in, with its content.
struct InputFile {
  std::string name;       ///< in errors
  std::string text;       ///< TOML, or JSON: told apart by content
  std::string side = {};  ///< "encoder" or "decoder" of the model in it, if one was chosen
};

/// What is known of model types: the files of ../model_types.
class ModelTypes {
 public:
  ModelTypes();
  /// Adds those of a file's text.
  ///
  /// Errors    toml::parse_error.
  void add(std::string_view toml, std::string_view file);
  const nlohmann::ordered_json& by_name() const { return *by_name_; }

 private:
  std::shared_ptr<nlohmann::ordered_json> by_name_;
};

/// One input of a model, as a configuration.
struct ModelInput {
  std::string side;  ///< "encoder" or "decoder", where the model has both
  std::string toml;  ///< with [marks]: each value's JSON key, or its place in the framework
  std::string name;  ///< of that text, in errors
};

/// The inputs of the model that a config.json describes, the decoder's last; `file` is its name in
/// errors.
///
/// Errors    ContentError where it is no JSON object, nested more than `deepest_nesting` deep, has
///           a key twice, or a value of another type than its key's, or whose effect is not known;
///           and where it has no known model_type.
std::vector<ModelInput> inputs_of_json(std::string_view json, const std::string& file,
                                       const ModelTypes& types);

/// All configurations in a file: one for each input of the model, or the chosen one.
///
/// Errors    as inputs_of_json and parse_configuration.
std::vector<Configuration> configurations_of(const InputFile& file,
                                             const std::vector<Change>& changes,
                                             const ModelTypes& types);

/// The TOML of a file's input, of the decoder's where there are two and none is chosen; with
/// `changes`, which take comments and order from it.
///
/// Errors    as configurations_of.
std::string toml_of(const InputFile& file, const std::vector<Change>& changes,
                    const ModelTypes& types);

}  // namespace embedscale::audit
