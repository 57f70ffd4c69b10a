// Makes a list of parts each of which is a command: ./dev test --thorough and ./dev mutate are such
// lists. A line of JSON on stdin for each: {"part": its name, "of": a hash of all that decides what
// it comes to, "command": [program, argument …]}. What is behind an empty line begins when all
// before it is there.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "parts/parts.hpp"
#include "report/loops.hpp"
#include "report/process.hpp"

namespace embedscale::parts {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

struct Making {
  std::filesystem::path kept;
  Options parts{};
  double minutes = std::numeric_limits<double>::infinity();
  bool keep_going = false;
  Words then;
};

struct Phase {
  std::vector<Part> parts;
  std::vector<Words> commands;  ///< of each
};

std::vector<Phase> phases_in(std::istream& in) {
  std::vector<Phase> phases(1);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      phases.emplace_back();
      continue;
    }
    const auto row = Json::parse(line);
    phases.back().parts.push_back({row.at("part"), row.at("of")});
    phases.back().commands.push_back(row.at("command"));
  }
  return phases;
}

/// What a command prints on stdout, and whether it succeeds; nothing when stopped.
std::optional<std::string> made(const Phase& phase, std::size_t part, const Making& how) {
  constexpr std::size_t most = 8000;
  const auto ended = report::run({.words = phase.commands[part], .stop = &stop()});
  if (stop()) return std::nullopt;
  const bool passed = ended.code == 0;
  if (!passed && !how.keep_going)
    throw std::runtime_error(phase.parts[part].name + " fails: " + ended.out + ended.err);
  if (!ended.err.empty())
    fmt::print(stderr, "{}{}", ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "", ended.err);
  const auto told = ended.out.substr(ended.out.size() > most ? ended.out.size() - most : 0);
  return Json{{"passed", passed}, {"told", told}}.dump(-1, ' ', false,
                                                       Json::error_handler_t::replace);
}

int make(const Making& how, Parts& parts) {
  const auto phases = phases_in(std::cin);
  std::size_t all = 0, done = 0, failed = 0;
  for (const auto& phase : phases) all += phase.parts.size();
  const auto progress = parts.is_first() ? cli::shown_progress({}) : std::jthread();
  const auto begin = std::chrono::steady_clock::now();
  report::Loop loop(all);
  const auto passed = [](const std::string& result) {
    return Json::parse(result).at("passed") == true;
  };
  for (const auto& phase : phases) {
    const auto found = [&](std::size_t i, const std::string& result) {
      const auto& name = phase.parts[i].name;
      cli::narrate({}, name, ++done, all);
      loop.step();
      if (passed(result)) return;
      ++failed;
      fmt::print("{}\nfailed: {}\n", Json::parse(result).at("told").get<std::string>(), name);
    };
    const auto goes_on = [&] {
      const std::chrono::duration<double, std::ratio<60>> since =
          std::chrono::steady_clock::now() - begin;
      return since.count() < how.minutes;
    };
    parts.make(phase.parts, [&](std::size_t i) { return made(phase, i, how); },
               {.found = found, .counts = passed, .goes_on = goes_on});
    if (parts.stopped()) return interrupted;
    if (parts.missing() > 0) break;
  }
  if (parts.is_first() && how.then.empty())
    fmt::print(stderr, "{} parts, {} of them failed\n", done, failed);
  return failed == 0 ? cli::done : cli::differs;
}

/// `then` has the process that speaks, and its number: whoever sends it a signal reaches it.
int run(const Making& how) {
  auto words = how.then;
  std::optional<Parts> parts(std::in_place, how.parts, how.kept);
  try {
    const int code = make(how, *parts);
    if (code != cli::done || !parts->is_first() || words.empty()) return code;
  } catch (const std::runtime_error& error) {
    throw report::FileError(error.what());
  }
  parts.reset();
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  throw report::FileError(fmt::format("{}: cannot be started", words[0]));
}

}  // namespace embedscale::parts

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments(
      "Makes parts, each by a command; stdin has a line of JSON for each: part, of, command",
      "make_parts");
  parts::Making how;
  arguments.option("--kept", how.kept, "the directory of what they come to").required();
  arguments.option("--minutes", how.minutes, "begin none after so many");
  arguments.option("--keep-going", how.keep_going, "with other parts when one has failed");
  arguments.option("then", how.then, "behind --: a command for when all have passed");
  parts::add_options(arguments, how.parts);
  return arguments.run(argc, argv, [&] { return parts::run(how); });
}
