#include "atlas/atlas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "cli/program.hpp"
#include "inputs/inputs.hpp"
#include "report/file.hpp"

namespace embedscale::atlas {

std::vector<System> systems_in(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw report::FileError(directory.string() + ": no such directory");
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  std::vector<System> all;
  for (const auto& file : files)
    all.push_back(audit::audit_of(inputs::read_configuration(file.string())));
  return all;
}

const std::vector<System>& installed() {
  static const auto all = systems_in(cli::share("systems"));
  return all;
}

const System& named(std::string_view name) {
  for (const System& system : installed())
    if (system.configuration.name == name) return system;
  throw std::invalid_argument(fmt::format("the atlas has no {}", name));
}

Family family_of(const audit::Configuration& c) {
  if (!c.token.law) return Family::no_table;
  using Kind = audit::Distribution::Kind;
  const audit::Distribution& law = *c.token.law;
  const auto mentions = [&](const char* variable) {
    return law.written.find(variable) != std::string::npos;
  };
  if (law.kind == Kind::truncated_normal) return Family::truncated;
  if (audit::parameter_key(law.kind).empty() || mentions("vocabulary")) return Family::falls_with_v;
  if (mentions("d_model")) return Family::falls_with_d;
  return law.kind == Kind::normal && law.parameter == 1.0 ? Family::unit : Family::fixed;
}

std::string linked(const audit::Configuration& c) {
  return fmt::format("[{}](https://github.com/{}/tree/{})", c.name, c.source.repository,
                     c.source.commit);
}

bool multiplies_by_root_d(const System& system) {
  const auto& m = meant_multiplier_of(system);
  const auto& d = system.configuration.model.d_model;
  return m && d &&
         std::abs(*m / std::sqrt(static_cast<double>(*d)) - 1) < audit::rounding_of_formulas;
}

}  // namespace embedscale::atlas
