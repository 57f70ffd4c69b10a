#pragma once
// Ports for the tests, and what is looked up in them.
#include "audit/test/configurations.hpp"
#include "port/making.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"

#include <cctype>
#include <fstream>
#include <string>
#include <vector>

namespace embedscale::port {

using audit::Configuration, audit::ContentError;
using report::Json;

/// "hf_gemma block.epsilon=1e-5": a system as it would be with these changes.
inline Configuration side(const std::string& text) {
  auto words = audit::words_of(text);
  std::vector<audit::Change> changes;
  for (std::size_t i = 1; i < words.size(); ++i) changes.push_back(audit::change_from(words[i]));
  return inputs::read_configuration(audit::system_file(words.at(0)), changes);
}
/// Behind the new code there may be where the factor of tied logits goes:
/// "hf_gemma --place own_table".
inline Port port_between(const std::string& from, const std::string& to) {
  const auto end = to.find(" --place ");
  if (end == to.npos) return port_of(side(from), side(to));
  const auto word = to.substr(end + 9);
  return port_of(side(from), side(to.substr(0, end)),
                 word == "logit_factor" ? FactorPlace::logit_factor
                 : word == "final_norm" ? FactorPlace::final_norm
                                        : FactorPlace::own_table);
}

/// A line of cases.txt about two sides, and its number.
struct Case {
  std::string from, to, line;
  int number;
};
inline std::vector<Case> cases_in(const char* file) {
  std::vector<Case> all;
  std::ifstream in(file);
  std::string line, from, to;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    if (std::isalpha(static_cast<unsigned char>(line[0])))
      from = line;
    else if (line[0] == '>')
      to = line.substr(2);
    else
      all.push_back({from, to, line, number});
  }
  return all;
}

/// Whether a port could be between them: of one width, with tables of one kind (ALBERT's are
/// factorised).
inline bool suit(const Configuration& from, const Configuration& to) {
  return from.model.d_model == to.model.d_model &&
         from.token.is_factorised == to.token.is_factorised;
}

/// The systems that tell all that a port needs.
inline std::vector<Configuration> portable_systems() {
  std::vector<Configuration> all;
  for (const auto& name : audit::systems()) all.push_back(audit::system_named(name));
  std::erase_if(all, [](const Configuration& c) {
    return !c.model.d_model || !c.token.multiplier || !c.output.tied;
  });
  return all;
}

}  // namespace embedscale::port
