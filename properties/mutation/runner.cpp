#include "runner.hpp"

#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "process.hpp"

namespace embedscale::properties::mutation {
namespace {

constexpr Limits compiling{.processor_seconds = 120, .megabytes = 3000};
constexpr std::size_t megabytes_of_tests = 3000;
/// Above this the tests run long enough for optimisation to be worth its while.
constexpr double slow_seconds = 2.0;
constexpr std::array<const char*, 2> levels{"-O0", "-O1"};

/// The first test that failed, or what is left of the output where none is named.
std::string first_failure(const std::string& output) {
  const std::string mark = "[  FAILED  ] ";
  const auto at = output.find(mark);
  if (at == output.npos) return "ended before its summary";
  const auto begin = at + mark.size();
  return output.substr(begin, output.find_first_of(" ,\n", begin) - begin);
}

/// A compiler's complaint by which a test, not the language, refuses the mutant.
bool refused_by_a_test(const std::string& output) {
  for (std::size_t at = 0; at < output.size();) {
    const auto end = std::min(output.find('\n', at), output.size());
    const auto line = output.substr(at, end - at);
    const bool asserts = line.find("error: static assertion failed") != line.npos ||
                         line.find("error: non-constant condition for static") != line.npos;
    if (asserts && line.find("/properties/") != line.npos) return true;
    at = end + 1;
  }
  return false;
}

/// Of all that decides how a program behaves and how long it takes.
std::uint64_t fingerprint(const Program& program) {
  std::string all = read(program.source);
  for (const auto& file : program.includes.own) all += file.string() + read(file);
  for (const auto& words : {program.compile, program.link})
    for (const auto& word : words) all += word + " ";
  return hash_of(all);
}

std::string first_error(const std::string& output) {
  const auto at = output.find("error: ");
  if (at == output.npos) return "the compiler gave up";
  return output.substr(at, std::min(output.find('\n', at) - at, std::size_t{160}));
}

}  // namespace

Runner::Runner(Places places, const std::vector<std::string>& headers, std::size_t jobs)
    : places_(std::move(places)) {
  fs::create_directories(places_.scratch);
  std::set<fs::path> mutated;
  for (const auto& header : headers)
    mutated.insert(fs::canonical(places_.project / "lib/embedscale" / header));
  programs_ = programs_of(places_.project, places_.build, places_.scratch);
  for (std::size_t worker = 0; worker < jobs; ++worker) fs::create_directories(folder(worker));
  std::set<std::string> libraries;
  for (const Program& program : programs_)
    libraries.insert(program.includes.libraries.begin(), program.includes.libraries.end());
  std::string prelude;
  for (const auto& name : libraries) prelude += "#include <" + name + ">\n";
  in_parallel(
      levels.size(), jobs, [](std::size_t) { return !interrupted(); },
      [&](std::size_t i, std::size_t) { compile_ahead(prelude, levels[i]); });
  std::erase_if(programs_, [&](const Program& program) {
    return std::ranges::none_of(
        mutated, [&](const fs::path& path) { return program.includes.own.contains(path); });
  });
  if (programs_.empty()) throw std::runtime_error("no test program includes what is mutated");
  in_parallel(
      programs_.size(), jobs, [](std::size_t) { return !interrupted(); },
      [&](std::size_t i, std::size_t worker) { measure(programs_[i], worker); });
}

fs::path Runner::folder(std::size_t worker) const {
  return places_.scratch / ("worker" + std::to_string(worker));
}

void Runner::compile_ahead(const std::string& prelude, const std::string& level) {
  auto command = programs_.front().compile;
  for (const Program& program : programs_)
    for (std::size_t i = 0; i < program.compile.size(); ++i)
      if (program.compile[i] == "-isystem")
        command.insert(command.end(), {"-isystem", program.compile[i + 1]});
  const auto file = places_.scratch / ("prelude" + level) / "prelude.hpp";
  command.insert(command.end(), {level, "-w", "-x", "c++-header", file.string()});
  std::string note = prelude;
  for (const auto& word : command) note += word + "\n";
  const auto kept = file.string() + ".note", output = file.string() + ".out";
  if (fs::exists(kept) && read(kept) == note) return;
  fs::create_directories(file.parent_path());
  fs::remove(kept);
  write(file, prelude);
  command.insert(command.end(), {"-o", file.string() + ".gch"});
  const auto ended = run(command, places_.scratch, output, compiling);
  if (ended.how == Ended::How::interrupted) return;
  if (ended.how != Ended::How::exited || ended.code != 0)
    throw std::runtime_error("the libraries' headers do not compile: " + read(output));
  write(kept, note);
}

/// What `program` was measured to take when everything about it was as it is now.
bool Runner::recall(Program& program, const fs::path& note) const {
  if (!fs::exists(note)) return false;
  std::istringstream in(read(note));
  std::uint64_t key = 0;
  std::string level;
  double compile_seconds = 0, run_seconds = 0;
  if (!(in >> key >> level >> compile_seconds >> run_seconds) || key != fingerprint(program))
    return false;
  program.compile.push_back(level);
  program.compile_seconds = compile_seconds;
  program.run_seconds = run_seconds;
  return true;
}

void Runner::measure(Program& program, std::size_t worker) const {
  const auto note = places_.scratch / (program.name + ".measured");
  if (recall(program, note)) return;
  const auto key = fingerprint(program);
  fs::remove_all(folder(worker) / "embedscale");
  program.compile.push_back(levels[0]);
  const auto once = [&](const Program& candidate) {
    const auto compiled = compile(candidate, worker);
    if (compiled.how == Ended::How::interrupted) return candidate;
    if (compiled.how != Ended::How::exited || compiled.code != 0)
      throw std::runtime_error(candidate.name +
                               " does not compile: " + read(folder(worker) / "output"));
    const auto ran = run_tests(worker, 600);
    if (ran.how == Ended::How::interrupted) return candidate;
    if (ran.how != Ended::How::exited || ran.code != 0)
      throw std::runtime_error(candidate.name + " fails without a mutant: " +
                               first_failure(read(folder(worker) / "output")));
    Program measured = candidate;
    measured.compile_seconds = compiled.processor_seconds;
    measured.run_seconds = ran.processor_seconds;
    return measured;
  };
  program = once(program);
  if (program.run_seconds > slow_seconds) {
    Program optimised = program;
    optimised.compile.back() = levels[1];
    optimised = once(optimised);
    if (optimised.seconds() < program.seconds()) program = optimised;
  }
  if (interrupted()) return;
  std::ostringstream text;
  text << key << " " << program.compile.back() << " " << program.compile_seconds << " "
       << program.run_seconds << "\n";
  write(note, text.str());
}

Ended Runner::compile(const Program& program, std::size_t worker) const {
  const auto here = folder(worker);
  const auto prelude = places_.scratch / ("prelude" + program.compile.back()) / "prelude.hpp";
  std::vector<std::string> command = program.compile;
  command.insert(command.begin() + 1, {"-I" + here.string()});
  command.insert(command.end(), {"-w", "-include", prelude.string(), "-c", program.source.string(),
                                 "-o", "test.o"});
  const auto compiled = run(command, here, here / "output", compiling);
  if (compiled.how != Ended::How::exited || compiled.code != 0) return compiled;
  auto link = program.link;
  link.insert(link.begin() + 1, {"test.o", "-o", "test"});
  auto linked = run(link, here, here / "output", compiling);
  linked.processor_seconds += compiled.processor_seconds;
  return linked;
}

Ended Runner::run_tests(std::size_t worker, double processor_seconds) const {
  const auto here = folder(worker);
  return run({(here / "test").string(), "--gtest_brief=1", "--gtest_fail_fast"}, here,
             here / "output", {processor_seconds, megabytes_of_tests});
}

void Runner::one_program(const Program& program, std::size_t worker, Result& result) const {
  const auto settle = [&](Fate fate, const std::string& by) {
    result.fate = fate;
    result.by = program.name + by;
  };
  const auto output = folder(worker) / "output";
  const auto compiled = compile(program, worker);
  result.seconds += compiled.processor_seconds;
  if (compiled.how != Ended::How::exited || compiled.code != 0) {
    const auto complaint = read(output);
    if (refused_by_a_test(complaint)) return settle(Fate::killed, " a static_assert");
    return settle(Fate::invalid, " " + first_error(complaint));
  }
  const auto ran = run_tests(worker, 10.0 * program.run_seconds + 10.0);
  result.seconds += ran.processor_seconds;
  if (ran.how == Ended::How::out_of_time) return settle(Fate::timed_out, "");
  if (ran.how == Ended::How::crashed || ran.code != 0)
    settle(Fate::killed, " " + first_failure(read(output)));
}

std::optional<Result> Runner::judge(const Mutant& mutant, const std::string& text,
                                    std::size_t worker) const {
  const auto headers = places_.project / "lib/embedscale";
  const auto changed = folder(worker) / "embedscale" / mutant.header;
  fs::remove_all(folder(worker) / "embedscale");
  fs::create_directories(changed.parent_path());
  write(changed, applied(text, mutant.edit));
  Result result{mutant, Fate::survived, ""};
  for (const Program* program : in_order_for(programs_, headers, mutant.header)) {
    one_program(*program, worker, result);
    if (interrupted()) return std::nullopt;
    if (result.fate != Fate::survived) break;
  }
  return result;
}

void in_parallel(std::size_t n, std::size_t jobs, const std::function<bool(std::size_t)>& proceed,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  std::mutex mutex;
  std::size_t next = 0;
  std::exception_ptr failure;
  const auto serve = [&](std::size_t worker) {
    for (;;) {
      std::size_t i = 0;
      {
        const std::lock_guard lock(mutex);
        if (failure || next >= n || !proceed(next)) return;
        i = next++;
      }
      try {
        work(i, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < jobs; ++worker) threads.emplace_back(serve, worker);
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace embedscale::properties::mutation
