// The systems, read and audited; what the sections and the tables ask of them.
#include <fmt/format.h>
#include <embedscale/properties/domain/widths.hpp>

#include <cmath>
#include <set>

#include "conventions.hpp"
#include "report/file.hpp"
#include "report/table.hpp"

namespace embedscale::conventions_analysis {

std::vector<System> atlas(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw report::FileError(fmt::format("{}: no such directory", directory.string()));
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  std::vector<System> all;
  for (const auto& file : files)
    all.push_back(audit::audit_of(audit::read_configuration(file.string())));
  return all;
}

Family family_of(const audit::Configuration& c) {
  if (!c.token.law) return Family::untold;
  const audit::Law& law = *c.token.law;
  const auto mentions = [&](const char* variable) {
    return law.written.find(variable) != std::string::npos;
  };
  if (law.kind == audit::LawKind::truncated_normal) return Family::truncated;
  if (audit::parameter_key(law.kind).empty() || mentions("vocabulary")) return Family::falls_with_v;
  if (mentions("d_model")) return Family::falls_with_d;
  return law.kind == audit::LawKind::normal && law.parameter == 1.0 ? Family::unit : Family::fixed;
}

std::string linked(const audit::Configuration& c) {
  return fmt::format("[{}](https://github.com/{}/tree/{})", c.name, c.source.repository,
                     c.source.commit);
}

std::string shown(const audit::Quantity& q) {
  return q.value ? report::significant(*q.value, 4) : "—";
}

bool multiplies_by_root_d(const System& system) {
  const auto& c = system.configuration;
  if (!c.token.multiplier || !c.model.d_model) return false;
  return std::abs(*c.token.multiplier / std::sqrt(static_cast<double>(*c.model.d_model)) - 1) <
         1e-12;  // formulas are computed in binary64
}

std::vector<std::uint64_t> even_widths(const cli::Options& options) {
  std::vector<std::uint64_t> even;
  for (const auto d : cli::points(options.widths, properties::domain::common_widths))
    if (d % 2 == 0 && d >= 4 && d <= (1u << 14)) even.push_back(d);
  if (even.empty())
    throw std::invalid_argument(
        "--widths: none is even and from 4 to 16384, and sines and cosines come in pairs");
  return even;
}

}  // namespace embedscale::conventions_analysis
