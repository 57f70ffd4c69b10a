#include "identity/way.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <type_traits>

#include "report/file.hpp"
#include "report/json.hpp"
#include "report/process.hpp"
#include "report/row.hpp"

namespace embedscale::identity {
namespace {

namespace fs = std::filesystem;

std::string hash(std::string_view bytes) { return fmt::format("{:016x}", hash_of(bytes)); }

std::vector<std::string> under(const Instructions& instructions) {
  if (instructions.tunables.empty()) return {"env", "-u", "GLIBC_TUNABLES"};
  return {"env", "GLIBC_TUNABLES=" + instructions.tunables};
}

/// At arguments that no compiler knows.
template <class Real>
std::string bits(const char* name, Real (*f)(Real)) {
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  constexpr int arguments = 4096;
  std::string bytes;
  volatile Real begin = Real(0.5);
  for (int i = 0; i < arguments; ++i) {
    const auto y = f((static_cast<Real>(i) + begin) * Real(0.0173));
    bytes += fmt::format("{:x} ", std::bit_cast<Bits>(y));
  }
  return fmt::format("{} {}\n", name, hash(bytes));
}

}  // namespace

const std::vector<Instructions>& all_instructions() {
  static const std::vector<Instructions> all{{"default", ""},
                                             {"no FMA", "glibc.cpu.hwcaps=-FMA"},
                                             {"no AVX2, no FMA", "glibc.cpu.hwcaps=-AVX2,-FMA"}};
  return all;
}

std::string function_bits() {
  using F = double (*)(double);
  constexpr auto power = -0.37, width = 1.7;
  return bits<double>("atan", F(std::atan)) +
         bits<double>("atan2", [](double x) { return std::atan2(x, width); }) +
         bits<double>("cos", F(std::cos)) + bits<double>("erf", F(std::erf)) +
         bits<double>("erfc", F(std::erfc)) + bits<double>("exp", F(std::exp)) +
         bits<double>("expm1", F(std::expm1)) + bits<double>("lgamma", F(std::lgamma)) +
         bits<double>("log", F(std::log)) + bits<double>("log1p", F(std::log1p)) +
         bits<double>("log2", F(std::log2)) +
         bits<double>("pow", [](double x) { return std::pow(x, power); }) +
         bits<double>("sin", F(std::sin)) + bits<double>("sqrt", F(std::sqrt)) +
         bits<double>("tan", F(std::tan)) + bits<double>("tanh", F(std::tanh)) +
         bits<float>("cosf", std::cos) + bits<float>("expf", std::exp) +
         bits<float>("logf", std::log) +
         bits<float>("powf", [](float x) { return std::pow(x, static_cast<float>(power)); }) +
         bits<float>("sinf", std::sin);
}

std::vector<std::string> other_functions(const Instructions& instructions, const fs::path& self) {
  const auto told = [&](const Instructions& by) {
    auto words = under(by);
    words.insert(words.end(), {self.string(), "--functions"});
    return report::run({.words = words}).out;
  };
  std::istringstream standard(told(all_instructions().front())), these(told(instructions));
  std::vector<std::string> others;
  for (std::string a, b; std::getline(standard, a) && std::getline(these, b);)
    if (a != b) others.push_back(a.substr(0, a.find(' ')));
  return others;
}

std::string Way::name() const {
  return fmt::format("{}, {}, {} thread{}", build.name, instructions.name, threads,
                     threads == 1 ? "" : "s");
}

Making::Making(Way way, const Sources& sources, const fs::path& kept)
    : way_(std::move(way)), sources_(sources), folder_(kept / way_.name()) {}

fs::path Making::values(const std::string& topic) const {
  return folder_ / "unrounded" / (topic + ".jsonl");
}
fs::path Making::words(const std::string& topic) const {
  return sources_.project / "analyses" / topic / "words.md";
}
fs::path Making::record() const { return sources_.project / "properties/record.json"; }
fs::path Making::stamp(const std::string& topic) const {
  return folder_ / "made_from" / (topic + ".txt");
}

std::string Making::made_from(const std::string& topic) const {
  std::set<fs::path> files{way_.build.folder / "bin/analyses", words(topic), record()};
  // What runs over every case found, which pages read as well.
  files.insert(sources_.project / "properties/exhaustive.json");
  for (const auto& entry : fs::directory_iterator(sources_.project / "analyses/systems"))
    files.insert(entry.path());
  std::string all;
  for (const auto& file : files)
    if (fs::exists(file)) all += hash(report::read_file(file));
  return hash(all) + "\n";
}

bool Making::is_made(const std::string& topic) const {
  const auto file = stamp(topic);
  return fs::exists(file) && report::read_file(file) == made_from(topic);
}

void Making::run(std::vector<std::string> words, const std::string& what) const {
  auto all = under(way_.instructions);
  all.insert(all.end(), words.begin(), words.end());
  const auto ended = report::run({.words = std::move(all), .folder = sources_.project});
  if (ended.code != 0)
    throw std::runtime_error(
        fmt::format("{} of {}: ends with {}: {}", what, way_.name(), ended.code, ended.err));
}

void Making::make(const std::string& topic) const {
  fs::remove(stamp(topic));
  run({(way_.build.folder / "bin/analyses").string(), topic, "--words", words(topic).string(),
       "--evidence", record().string(), "--out", reports().string(), "--unrounded",
       values(topic).string(), "--jobs", std::to_string(way_.threads), "--quiet"},
      topic);
  report::write_file(stamp(topic), made_from(topic));
}

void Making::merge() const {
  run({(way_.build.folder / "bin/answer").string(), "--project", sources_.project.string(), "--out",
       folder_.string()},
      "the answer");
}

std::string Making::compiler() const {
  return report::read_json(reports() / "provenance.json").at("compiler").get<std::string>();
}

}  // namespace embedscale::identity
