#include "judge.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "../../analyses/report/file.hpp"
#include "../../analyses/report/process.hpp"

namespace embedscale::properties::mutation {
namespace {

constexpr double seconds_to_compile = 600;
constexpr rlim_t memory = 3'000'000'000;

/// What a regular expression finds first, its first group; else what is said instead.
std::string found(const std::string& text, const char* pattern, const std::string& otherwise) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match.str(1) : otherwise;
}
std::string failed_test(const std::string& output) {
  return found(output, R"(\[  FAILED  \] ([^ ,\n]+))", "ended before its summary");
}

/// A command for the shell with the project's sources replaced by their copy.
std::string moved(const std::string& command, const fs::path& project, const fs::path& copy) {
  static const std::regex special(R"([.+*?()\[\]{}^$|\\])");
  const std::regex source(std::regex_replace(project.string(), special, R"(\$&)") +
                          R"((?=/lib\b|/properties\b|\s|$))");
  return std::regex_replace(command, source, copy.string());
}

std::string output_of(const Words& words, const fs::path& folder) {
  const auto ended = report::run({.words = words, .folder = folder});
  if (ended.code != 0)
    throw std::runtime_error(words[0] + ": " + (ended.err.empty() ? ended.out : ended.err));
  return ended.out;
}

/// The same of one that compiles several sources as one: `joined` then has their copies' paths.
std::string moved(std::string command, const fs::path& project, const fs::path& copy,
                  const fs::path& joined) {
  static const std::regex unity(R"(\S+/unity_\d+_cxx\.cxx)");
  std::smatch source;
  if (std::regex_search(command, source, unity)) {
    report::write_file(joined, moved(report::read_file(source.str()), project, copy));
    command = std::regex_replace(command, unity, joined.string());
  }
  return moved(command, project, copy);
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

std::vector<Mutant> all_mutants(const fs::path& project) {
  std::vector<Mutant> all;
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(project / library))
    if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
      files.insert(entry.path());
  for (const auto& file : files)
    for (auto& mutant : mutants_of(file.lexically_relative(project / library).generic_string(),
                                   report::read_file(file)))
      all.push_back(std::move(mutant));
  return all;
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
    else if (auto link = link_in(words); !link.empty() && output.ends_with("_test"))
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
  for (const auto& source : sources) all += source + "\n" + report::read_file(project / source);
  return fmt::format("{:016x}", hash_of(all));
}

Judge::Judge(const BuildGraph& graph, const fs::path& scratch, std::size_t workers,
             const std::atomic<bool>& stop)
    : graph_(graph), scratch_(scratch), stop_(stop) {
  for (std::size_t worker = 0; worker < workers; ++worker) {
    copies_.push_back(scratch_ / std::to_string(worker));
    for (const char* folder : {"lib", "properties"}) {
      fs::create_directories(copies_.back() / folder);
      fs::copy(graph.project / folder, copies_.back() / folder, fs::copy_options::recursive);
    }
  }
}

std::vector<const Program*> Judge::in_order_for(const std::string& file,
                                                const std::vector<Result>& known) const {
  std::map<std::string, double> kills, seconds;
  for (const auto& result : known) {
    if (result.file() != file) continue;
    for (const auto& [program, taken] : result.tried) seconds[program] += taken;
    if (result.is_dead()) ++kills[result.tried.back().first];
  }
  // Before anything is known: a source that is read takes 0.1 s; a program named after the file's
  // topic kills, of others one in twenty.
  const auto topic = fs::path(file).stem().string();
  std::vector<std::pair<double, const Program*>> rated;
  for (const auto& program : graph_.programs) {
    double likely = 0.05, sources = 0;
    for (const auto& object : graph_.readers(program, library + file)) {
      sources += static_cast<double>(graph_.objects.at(object).reads.size());
      if (object.find(topic) != object.npos) likely = 1;
    }
    if (sources > 0)
      rated.emplace_back((kills[program.name] + likely) / (seconds[program.name] + 0.1 * sources),
                         &program);
  }
  std::ranges::stable_sort(rated, std::greater<>(), [](const auto& pair) { return pair.first; });
  std::vector<const Program*> order;
  for (const auto& [rate, program] : rated) order.push_back(program);
  return order;
}

std::optional<Result> Judge::judge(const Mutant& mutant,
                                   const std::vector<const Program*>& programs) {
  std::unique_lock lock(mutex_);
  const auto copy = copies_.back();
  copies_.pop_back();
  lock.unlock();
  const auto file = copy / library / mutant.file;
  const auto original = report::read_file(file);
  fs::remove_all(copy / "objects");
  report::write_file(file, applied(original, mutant.edit));
  Result result{.id = mutant.id};
  for (const Program* program : programs) {
    auto seconds = compile(*program, mutant, copy, result);
    if (result.fate == MutantStatus::survived) seconds += run(*program, copy, result);
    if (stop_) return std::nullopt;
    result.tried.emplace_back(program->name, std::round(1000 * seconds) / 1000);
    if (result.fate != MutantStatus::survived) break;
  }
  report::write_file(file, original);
  lock.lock();
  copies_.push_back(copy);
  return result;
}

/// Makes `copy`/program. What a static_assert of a test refuses is killed, what else does not
/// compile is invalid; what has been compiled for another program is there.
double Judge::compile(const Program& program, const Mutant& mutant, const fs::path& copy,
                      Result& result) const {
  double seconds = 0;
  const auto make = [&](Words words) {
    const auto ended = report::run({.words = std::move(words),
                                    .folder = graph_.build,
                                    .memory = memory,
                                    .seconds = seconds_to_compile,
                                    .stop = &stop_});
    seconds += ended.processor_seconds;
    if (ended.code == 0) return true;
    const auto asserted = found(ended.err,
                                "(/properties/[^\n]*error: (?:static assertion failed|"
                                "non-constant condition for static)[^\n]*)",
                                "");
    result.fate = asserted.empty() ? MutantStatus::invalid : MutantStatus::killed;
    result.by = asserted.empty() ? found(ended.err, "(error: [^\n]{0,150})", "no compiler's error")
                                 : program.name + " a static_assert";
    return false;
  };
  const auto readers = graph_.readers(program, library + mutant.file);
  Words link = program.link;
  for (const auto& object : program.objects) {
    const auto mutated = copy / "objects" / object;
    link.insert(link.begin() + 1, readers.contains(object) ? mutated.string() : object);
    if (!readers.contains(object) || fs::exists(mutated)) continue;
    fs::create_directories(mutated.parent_path());
    const auto command = moved(graph_.objects.at(object).compile, graph_.project, copy,
                               mutated.string() + ".joined.cpp");
    if (!make({"/bin/sh", "-c", "exec " + command + " -w -o " + mutated.string()})) return seconds;
  }
  link.insert(link.end(), {"-o", copy / "program"});
  make(std::move(link));
  return seconds;
}

double Judge::run(const Program& program, const fs::path& copy, Result& result) {
  const auto ended =
      report::run({.words = {copy / "program", "--gtest_brief=1", "--gtest_fail_fast"},
                   .folder = copy,
                   .memory = memory,
                   .seconds = 10 * seconds_unmutated(program) + 10,
                   .stop = &stop_});
  if (ended.stopped || ended.code != 0) {
    result.fate = ended.stopped ? MutantStatus::timed_out : MutantStatus::killed;
    result.by = program.name + (ended.stopped ? "" : " " + failed_test(ended.out));
  }
  return ended.processor_seconds;
}

double Judge::seconds_unmutated(const Program& program) {
  using Clock = std::chrono::steady_clock;
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = unmutated_.try_emplace(program.name);
  if (!is_new) return known->second;
  const auto begin = Clock::now();
  const auto ended =
      report::run({.words = {program.path, "--gtest_brief=1"}, .folder = scratch_, .stop = &stop_});
  if (ended.code != 0 && !stop_) {
    unmutated_.erase(known);  // whoever asks next is told so, too
    throw std::runtime_error(program.name + " fails unmutated: " + failed_test(ended.out));
  }
  return known->second = std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace embedscale::properties::mutation
