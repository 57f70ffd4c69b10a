#pragma once
// Ports for the tests, and what is looked up in them.
#include "audit/test/configurations.hpp"
#include "port/port.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::port {

using audit::Change, audit::Configuration, audit::ContentError, audit::system_named;
using Changes = std::vector<Change>;
using Json = nlohmann::json;

inline Configuration changed(const std::string& system, const Changes& changes) {
  return audit::read_configuration(audit::system_file(system), changes);
}

/// A port between two systems as they would be with these changes.
inline Port port_between(const std::string& from, const Changes& of_from, const std::string& to,
                         const Changes& of_to, std::optional<FactorPlace> place = {}) {
  return port_of(changed(from, of_from), changed(to, of_to), place);
}

/// fairseq's code with a tied output.
inline const Changes tied = {{"output.tied", "true"}};
inline Changes with(Changes all, Changes more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
inline const Changes without_factor = {{"token.multiplier", "1"}};

/// hf_llama's code at the size of hf_gemma's.
inline const Changes as_gemma = {{"model.d_model", "3072"},      {"model.heads", "16"},
                                 {"model.d_k", "256"},           {"model.positions", "8192"},
                                 {"model.vocabulary", "256000"}, {"output.tied", "true"}};

/// "multiply token table, fill bias": all steps by name.
inline std::string names(const Port& port) {
  std::string out;
  for (const auto& step : port.steps)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", step.action, step.parameter);
  return out;
}
inline std::string names(const std::vector<Remark>& remarks) {
  std::string out;
  for (const auto& remark : remarks) out += (out.empty() ? "" : " ") + remark.name;
  return out;
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
  for (const auto& name : audit::systems()) {
    auto c = system_named(name);
    if (c.model.d_model && c.token.multiplier && c.output.tied) all.push_back(std::move(c));
  }
  return all;
}

}  // namespace embedscale::port
