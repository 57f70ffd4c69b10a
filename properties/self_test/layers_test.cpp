// Who may know whom: every #include below lib, properties, analyses and examples against one table.
//
//   std, Random123 ← lib ← lib/expected (+ Boost) ← claims, evidence, domain ← analyses
//                                                     └ tests: + RapidCheck, GoogleTest
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <regex>
#include <set>

#include "source_tree.hpp"

namespace embedscale::properties::self_test {
namespace {

/// The files of a layer, or the headers of a library: the first row with a name that fits. A * is
/// any text.
struct Place {
  std::string_view layer;
  std::initializer_list<std::string_view> names;
};
const Place places[] = {
    {"expected", {"lib/embedscale/expected/*"}},
    {"fast", {"lib/embedscale/fast/*"}},
    {"lib", {"lib/*"}},
    {"mutation's tests", {"properties/mutation/*test.cpp"}},
    {"subject's tests", {"properties/subject/test/*"}},
    {"implementations", {"properties/subject/implementations/*"}},
    {"subject", {"properties/subject/*"}},
    {"fast's tests", {"properties/fast/*"}},
    {"tests",
     {"properties/*_test.cpp", "properties/*/test.cpp", "properties/testing/*",
      "properties/self_test/*", "properties/expected/*"}},
    {"mutation", {"properties/mutation/*"}},
    {"exact", {"properties/exact/*"}},
    {"compiled once",
     {"properties/evidence/*.cpp", "properties/block/taylor.cpp",
      "properties/conventions/moments.cpp", "properties/sinusoidal/spectrum.cpp"}},
    {"trials",
     {"properties/topics.hpp", "properties/*trials.hpp", "properties/*properties.cpp",
      "properties/*mutants.cpp", "properties/precision/*.cpp", "properties/conventions/draws.hpp",
      "properties/conventions/replacements.hpp"}},
    {"claims", {"properties/*"}},
    {"analyses", {"analyses/training/study/record.*", "analyses/training/study/runs.*"}},
    {"training", {"analyses/training/study/*"}},
    {"training's tests", {"analyses/training/test/*"}},
    {"analyses' tests",
     {"analyses/*_test.cpp", "analyses/test/*", "analyses/audit/test/*", "analyses/port/test/*"}},
    {"process", {"analyses/report/process.*"}},
    {"benchmarks", {"analyses/performance/*"}},
    {"analyses", {"analyses/*"}},
    {"examples", {"examples/*"}},
    {"Random123", {"Random123/*"}},
    {"Boost", {"boost/*"}},
    {"GMP", {"gmp.h"}},
    {"MPFR", {"mpfr.h"}},
    {"RapidCheck", {"rapidcheck*"}},
    {"GoogleTest", {"gtest/*"}},
    {"oneDNN", {"dnnl.hpp"}},
    {"Highway", {"hwy/*"}},
    {"Google Benchmark", {"benchmark/*"}},
    {"fmt", {"fmt/*"}},
    {"JSON", {"nlohmann/*"}},
    {"CLI11", {"CLI/*"}},
    {"toml++", {"toml++/*"}},
    {"TBB", {"tbb/*"}},
    {"Eigen", {"Eigen/*"}},
    {"muParser", {"muParser*.h"}},
    {"libtorch", {"torch/*.h", "ATen/*.h", "c10/*.h"}},
    {"POSIX",
     {"sys/*.h", "gnu/*.h", "fcntl.h", "poll.h", "dlfcn.h", "signal.h", "spawn.h", "stdlib.h",
      "errno.h", "malloc.h", "unistd.h"}},
};

/// What the files of a layer may include. Eigen's half and bfloat16 check the library's formats.
struct Rule {
  std::string_view layer;
  std::array<std::string_view, 24> may_include;
};
constexpr std::array rules{
    Rule{"lib", {"std", "Random123", "lib"}},
    Rule{"expected", {"std", "Random123", "Boost", "lib", "expected"}},
    Rule{"fast", {"std", "Highway", "lib", "fast"}},
    Rule{"fast's tests",
         {"std", "Highway", "GoogleTest", "lib", "fast", "claims", "trials", "tests"}},
    Rule{"benchmarks", {"std", "Google Benchmark", "Eigen", "lib", "fast"}},
    Rule{"exact", {"std", "GMP", "MPFR", "exact"}},
    Rule{"claims", {"std", "lib", "expected", "exact", "claims"}},
    Rule{"compiled once", {"std", "Boost", "Eigen", "lib", "expected", "exact", "claims"}},
    Rule{"trials", {"std", "lib", "expected", "exact", "claims", "trials", "tests"}},
    Rule{"process", {"std", "POSIX", "process"}},
    Rule{"mutation",
         {"std", "POSIX", "fmt", "JSON", "lib", "claims", "process", "analyses", "mutation"}},
    Rule{"mutation's tests",
         {"std", "POSIX", "JSON", "GoogleTest", "claims", "process", "analyses", "mutation"}},
    Rule{"subject",
         {"std", "POSIX", "fmt", "JSON", "lib", "expected", "exact", "claims", "trials", "tests",
          "analyses", "subject"}},
    Rule{"implementations", {"std", "oneDNN", "subject"}},
    Rule{"subject's tests", {"std", "POSIX", "GoogleTest", "claims", "tests", "subject"}},
    Rule{"tests",
         {"std", "POSIX", "Boost", "Eigen", "RapidCheck", "GoogleTest", "lib", "expected", "exact",
          "claims", "trials", "tests"}},
    Rule{"analyses",
         {"std", "POSIX", "Boost", "fmt", "JSON", "CLI11", "toml++", "TBB", "Eigen", "muParser",
          "lib", "expected", "exact", "claims", "process", "analyses"}},
    Rule{"training",
         {"std", "POSIX", "libtorch", "fmt", "TBB", "lib", "claims", "analyses", "training"}},
    Rule{"training's tests",
         {"std", "libtorch", "fmt", "GoogleTest", "lib", "exact", "claims", "analyses", "training",
          "training's tests"}},
    Rule{
        "analyses' tests",
        {"std",   "POSIX",  "Boost",    "fmt",        "JSON",       "CLI11",    "toml++",
         "TBB",   "Eigen",  "muParser", "RapidCheck", "GoogleTest", "lib",      "expected",
         "exact", "claims", "trials",   "tests",      "process",    "analyses", "analyses' tests"}},
    Rule{"examples",
         {"std", "Boost", "RapidCheck", "GoogleTest", "lib", "expected", "exact", "claims",
          "trials", "tests", "examples"}},
};

bool fits(std::string_view path, std::string_view name) {
  const auto star = name.find('*');
  return star == name.npos
             ? path == name
             : path.starts_with(name.substr(0, star)) && path.ends_with(name.substr(star + 1));
}

std::string_view layer_of(std::string_view path) {
  for (const auto& [layer, names] : places)
    if (std::ranges::any_of(names, [&](auto name) { return fits(path, name); })) return layer;
  const auto letters = "abcdefghijklmnopqrstuvwxyz_0123456789";  // no slash and no dot
  return path.find_first_not_of(letters) == path.npos ? "std" : "unknown";
}

bool allowed(std::string_view from, std::string_view to) {
  const auto rule = std::ranges::find(rules, from, &Rule::layer);
  return rule != rules.end() && !to.empty() && std::ranges::count(rule->may_include, to) > 0;
}

/// The included file as a path of the project, or the name as it is for a library's header.
std::string target_of(const SourceFile& file, char quote, const std::string& name,
                      const std::set<std::string>& paths) {
  const std::string own = "embedscale/", properties = "properties/";
  const auto normal = [](const std::filesystem::path& path) {
    return path.lexically_normal().generic_string();
  };
  if (quote == '<' && name.starts_with(properties)) return normal(name);
  if (name.starts_with(own)) return normal("lib/" + name);
  if (quote == '<') return name;
  // analyses/ is an include directory of its own programs: "report/table.hpp" from anywhere in it.
  const std::filesystem::path from = file.path;
  const auto beside = normal(from.parent_path() / name), below = normal(*from.begin() / name);
  if (paths.contains(beside)) return beside;
  // So is the root: "properties/exact/rational.hpp".
  return paths.contains(below) ? below : paths.contains(name) ? name : beside;
}

/// "path:line includes name: from may not know to" for every arrow that is not in the table.
std::vector<std::string> forbidden(const std::vector<SourceFile>& files) {
  static const std::regex directive(R"(^\s*#\s*include\b\s*(?:([<"])([^">]+)[">])?.*)");
  std::set<std::string> paths;
  for (const auto& file : files) paths.insert(file.path);
  std::vector<std::string> found;
  for (const auto& file : files) {
    int number = 0;
    for (const auto line : lines_of(file.text)) {
      ++number;
      std::cmatch match;
      if (!std::regex_match(line.begin(), line.end(), match, directive)) continue;
      const auto name = match[2].str();  // empty for a macro, which nobody can check
      const auto target =
          name.empty() ? "what a macro says" : target_of(file, match[1].str()[0], name, paths);
      const auto from = layer_of(file.path), to = layer_of(target);
      if (!allowed(from, to))
        found.push_back(file.path + ":" + std::to_string(number) + " includes " + target + ": " +
                        std::string(from) + " may not know " + std::string(to));
    }
  }
  return found;
}

std::vector<std::string> forbidden_by(const std::string& path, const std::string& include) {
  return forbidden({{path, "#pragma once\n// A file.\n" + include + "\n"}});
}

constexpr std::initializer_list<const char*> rooms{"lib", "properties", "analyses", "examples"};

std::vector<SourceFile> code() {
  auto files = read_tree(EMBEDSCALE_SOURCE_DIR, rooms);
  std::erase_if(files, [](const SourceFile& file) { return !is_code(file.path); });
  return files;
}

TEST(layers, know_only_what_the_picture_allows) {
  const auto files = code();
  for (const char* known :
       {"lib/embedscale/combination.hpp", "properties/combination/claims.hpp",
        "properties/self_test/layers_test.cpp", "analyses/combination/sections.cpp"})
    EXPECT_EQ(std::ranges::count(files, known, &SourceFile::path), 1) << known << " was not read";
  for (const auto& violation : forbidden(files)) ADD_FAILURE() << violation;
}

/// The test is tested: one arrow of each forbidden kind.
TEST(layers, planted_arrows_are_reported) {
  const std::array<std::array<const char*, 2>, 11> planted{{
      {"lib/embedscale/planted.hpp", "#include <boost/math/constants/constants.hpp>"},
      {"lib/embedscale/planted.hpp", "#include \"../../properties/claim.hpp\""},
      {"lib/embedscale/expected/planted.hpp", "#include <properties/claim.hpp>"},
      {"properties/planted.hpp", "#include \"testing/planted.hpp\""},  // beside it
      {"properties/evidence/planted.hpp", "  #  include <nlohmann/json.hpp>"},
      {"properties/topic/planted.hpp", "#include <boost/version.hpp>"},
      {"properties/planted_test.cpp", "#include \"../analyses/report/table.hpp\""},
      {"analyses/planted.cpp", "#include <unheard/of.hpp>"},
      {"analyses/planted.cpp", "#include PLANTED"},
      {"examples/planted.cpp", "#include <embedscale/../../analyses/report/table.hpp>"},
      {"elsewhere/planted.cpp", "#include <vector>"},
  }};
  for (const auto& [path, include] : planted) {
    const auto found = forbidden_by(path, include);
    ASSERT_EQ(found.size(), 1u) << path << " " << include;
    EXPECT_TRUE(found[0].starts_with(std::string(path) + ":3 includes ")) << found[0];
  }
}

}  // namespace
}  // namespace embedscale::properties::self_test
