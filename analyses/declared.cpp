// What the pages that are merged take of the code, as JSON on a line: the claims in their order,
// with the digits of what they measure, facts, sums of the ledger, sources, defects; and what the
// programs were compiled with.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <tbb/version.h>
#include <boost/version.hpp>
#include <CLI/Version.hpp>
#include "properties/catalogue.hpp"
#include "properties/defects.hpp"
#include "properties/ledger.hpp"
#include "properties/sources.hpp"

#include <fstream>
#include <string>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "report/json_once.hpp"
#include "report/project.hpp"

namespace embedscale {
namespace {

using Json = nlohmann::ordered_json;

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string dotted(int version, int major, int minor) {
  return fmt::format("{}.{}.{}", version / major, version / minor % (major / minor),
                     version % minor);
}

Json provenance() {
  return {{"embedscale", project::version},
          {"compiler", __VERSION__},
          {"libc", gnu_get_libc_version()},
          {"boost", dotted(BOOST_VERSION, 100000, 100)},
          {"fmt", dotted(FMT_VERSION, 10000, 100)},
          {"tbb", TBB_VERSION_STRING},
          {"cli11", CLI11_VERSION},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
          {"processor", processor()}};
}

Json declared() {
  Json claims = Json::object(), facts = Json::array(), sources = Json::object(),
       defects = Json::object();
  for (const auto& claim : properties::catalogue()) {
    auto& digits = claims[std::string(claim.id)] = Json::object();
    for (const auto& quantity : claim.measures)
      digits[std::string(quantity.name)] = quantity.digits;
  }
  for (const auto& fact : properties::facts()) facts.push_back(fact.id);
  for (const auto& one : properties::sources)
    sources[std::string(one.key)] = {{"name", one.short_name}, {"address", one.address}};
  for (const auto& one : properties::defects)
    defects[std::to_string(one.number)] = {
        {"what", one.what}, {"thread", one.thread}, {"size", one.size}};
  const auto rates = properties::ledger::sum_of_rates(properties::ledger::entries);
  return {{"version", project::version},
          {"claims", claims},
          {"facts", facts},
          {"sources", sources},
          {"defects", defects},
          {"rates", {{"alpha", rates.alpha}, {"beta", rates.beta}}},
          {"provenance", provenance()}};
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("What the pages that are merged take of the code, as JSON", "declared");
  return arguments.run(argc, argv, [] { return cli::print(declared().dump() + "\n"); });
}
