#include "build_graph.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "../../analyses/report/process.hpp"

namespace embedscale::properties::mutation {
namespace {

std::string output_of(const Words& words, const fs::path& folder) {
  const auto ended = report::run({.words = words, .folder = folder});
  if (ended.code != 0)
    throw std::runtime_error(words[0] + ": " + (ended.err.empty() ? ended.out : ended.err));
  return ended.out;
}

bool is_object(const std::string& word) { return word.ends_with(".o"); }

/// Of ": && c++ … -o bin/a_test … && …", what links a program that judges; else nothing.
Words link_in(const Words& words) {
  if (words.size() < 3 || words[0] != ":") return {};
  const Words link(words.begin() + 2, std::find(words.begin() + 2, words.end(), "&&"));
  const auto first = std::ranges::find_if(link, is_object);
  const bool tests = std::ranges::any_of(
      link, [](const auto& word) { return word.find("gtest") != std::string::npos; });
  const bool judges = tests && first != link.end() && first->starts_with("properties/") &&
                      !first->starts_with("properties/mutation/");
  return judges ? link : Words();
}

}  // namespace

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text) || !out.flush()) throw std::runtime_error("cannot write " + file.string());
}

BuildGraph::BuildGraph(const fs::path& of, const fs::path& in, const fs::path& scratch)
    : project(fs::canonical(of)), build(fs::canonical(in)) {
  static const std::regex not_compiling(R"(^\S*ccache | -MD| -M[TF] \S+| -o \S+)");
  std::map<std::string, Words> archives, links;
  for (const auto& edge : nlohmann::json::parse(output_of({"ninja", "-t", "compdb"}, build))) {
    const std::string output = edge.at("output"), command = edge.at("command");
    std::istringstream in_words(command);
    const Words words{std::istream_iterator<std::string>(in_words), {}};
    if (is_object(output))
      objects[output].compile = std::regex_replace(command, not_compiling, "");
    else if (output.ends_with(".a"))
      std::ranges::copy_if(words, std::back_inserter(archives[output]), is_object);
    else if (auto link = link_in(words); !link.empty())
      links[output] = std::move(link);
  }
  read_dependencies();
  for (const auto& [output, link] : links)
    programs.push_back(traced(output, link, archives, scratch));
}

/// Lines of "ninja -t deps": "object: #deps …", below it, indented, a file each.
void BuildGraph::read_dependencies() {
  std::istringstream lines(output_of({"ninja", "-t", "deps"}, build));
  std::map<std::string, std::string> known;  // a path as it is written, and in the project
  std::string object;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) {
      object = line.substr(0, line.find(": #deps"));
      continue;
    }
    const auto [path, is_new] = known.try_emplace(line.substr(line.find_first_not_of(' ')));
    if (is_new && (path->first[0] != '/' || path->first.starts_with(project.string())))
      path->second = fs::weakly_canonical(build / path->first).lexically_relative(project);
    if (!path->second.empty() && objects.contains(object))
      objects[object].reads.insert(path->second);
  }
}

/// The archives are given to the linker as thin ones, whose members it names by their paths.
Program BuildGraph::traced(const std::string& output, Words link,
                           const std::map<std::string, Words>& archives,
                           const fs::path& scratch) const {
  Program program{.name = fs::path(output).filename(), .path = build / output};
  const auto named = std::ranges::find(link, "-o");
  link.erase(named, named + 2);
  std::ranges::remove_copy_if(link, std::back_inserter(program.link), [&](const auto& word) {
    return is_object(word) || archives.contains(word);
  });
  for (auto& word : link) {
    if (!archives.contains(word)) continue;
    const auto thin = scratch / fs::path(word).filename();
    Words archive{"ar", "qcT", thin};
    for (const auto& member : archives.at(word)) archive.push_back(build / member);
    if (!fs::exists(thin)) output_of(archive, build);
    word = thin;
  }
  link.insert(link.end(), {"-Wl,--trace", "-o", scratch / "traced"});
  std::istringstream lines(output_of(link, build));
  for (std::string line; std::getline(lines, line);) {
    const std::string object = (build / line).lexically_normal().lexically_relative(build);
    if (objects.contains(object)) program.objects.push_back(object);
  }
  return program;
}

std::set<std::string> BuildGraph::readers(const Program& program, const std::string& file) const {
  std::set<std::string> found;
  std::ranges::copy_if(program.objects, std::inserter(found, found.end()),
                       [&](const auto& object) { return objects.at(object).reads.contains(file); });
  return found;
}

std::string BuildGraph::fingerprint(const std::string& file) const {
  std::set<std::string> sources;
  for (const auto& program : programs)
    if (!readers(program, file).empty())
      for (const auto& object : program.objects)
        sources.insert(objects.at(object).reads.begin(), objects.at(object).reads.end());
  std::string all;
  for (const auto& source : sources) all += source + "\n" + read(project / source);
  return fmt::format("{:016x}", hash_of(all));
}

}  // namespace embedscale::properties::mutation
