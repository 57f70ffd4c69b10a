#pragma once
// The tables of the systems of the atlas.
#include <string>
#include <vector>

namespace embedscale::optimizer_analysis {

struct SystemTable {
  std::string name, address;  ///< address: a link to its sources
  double sigma;               ///< RMS of the entries at the start
  double multiplier;          ///< its size
  double audited;             ///< the relative step of Adam by the audit's own way
};

/// Those whose deviation and factor are known.
///
/// Errors    report::FileError.
std::vector<SystemTable> systems_with_tables();

}  // namespace embedscale::optimizer_analysis
