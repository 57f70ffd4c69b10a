#pragma once
// The door to audit, compare and port: a question in, its answer out, without files, options or
// signals. The command asks here, and so does the page in the browser.
#include "audit/config_json.hpp"
#include "port/port.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace embedscale::core {

struct Question {
  std::string command;                   ///< "audit", "compare", "port" or "toml"
  std::vector<audit::InputFile> inputs;  ///< of port the old code's, then the new one's
  std::vector<std::string> changes;      ///< PATH=VALUE; of port from.PATH=VALUE or to.PATH=VALUE
  std::string place = {};  ///< of port: logit_factor, final_norm, own_table, or "" for the first
};

/// Of an object {"command", "inputs": [{"name", "text", "side"}], "set": […], "place"}, of which
/// "side", "set" and "place" may be left out.
///
/// Errors    std::invalid_argument.
Question question_from(std::string_view json);

/// What audit and compare are asked about.
///
/// Errors    audit::ContentError; so below.
std::vector<audit::Configuration> configurations(const Question& question,
                                                 const audit::ModelTypes& types);

/// What is asked about two configurations.
port::Port port(const Question& question, const audit::ModelTypes& types);

/// A line of JSON for each configuration, or for the port; the TOML of the only input.
std::string answer(const Question& question, const audit::ModelTypes& types);

}  // namespace embedscale::core
