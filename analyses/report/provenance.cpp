// What varies from machine to machine, kept out of everything that is compared.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <tbb/version.h>
#include <boost/version.hpp>
#include <CLI/Version.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/project.hpp"
#include "report/results.hpp"

namespace embedscale::report {
namespace {

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

}  // namespace

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

}  // namespace embedscale::report
