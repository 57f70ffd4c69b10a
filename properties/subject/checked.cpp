#include "checked.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>

#include "../testing/seed.hpp"

namespace embedscale::properties::subject {
namespace {

/// What asks in none of these asks in fewer than one case of twenty, with 4 % of error. Most ask in
/// the first few, of which each may ask much.
constexpr int first_cases = 4, cases_that_show_requests = 64;

bool fits(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return fits(text, pattern.substr(1)) || (!text.empty() && fits(text.substr(1), pattern));
  return !text.empty() && text[0] == pattern[0] && fits(text.substr(1), pattern.substr(1));
}

std::string name_of(const Candidate& candidate) {
  return std::string(candidate.claim->id) + "." + candidate.name;
}

testing::Outcome run(const Candidate& candidate, int at_most) {
  const auto [costs, points, is_sample] = candidate.cases;
  auto outcome = testing::run(name_of(candidate),
                              std::min(at_most, points > 0 ? points : testing::cases_of_run(costs)),
                              candidate.body);
  outcome.exhaustive = points > 0 && !is_sample && points <= at_most;
  return outcome;
}

/// As many cases as may be asked for, given what the first ones asked.
int affordable(std::uint64_t requests, const Asker& asker, int tried) {
  std::uint64_t asked = 0;
  for (const auto& [what, count] : asker.counts()) asked += count;
  const double cases = static_cast<double>(requests) * tried /
                       static_cast<double>(std::max<std::uint64_t>(asked, 1));
  return static_cast<int>(std::clamp(cases, double{first_cases}, 1e9));
}

/// The first cases, as many as show whether it asks at all.
std::pair<testing::Outcome, int> begin(const Candidate& candidate, const Asker& asker) {
  for (const int cases : {first_cases, cases_that_show_requests})
    if (auto outcome = run(candidate, cases);
        !asker.counts().empty() || cases == cases_that_show_requests)
      return {std::move(outcome), cases};
  return {};
}

class Progress {
 public:
  Progress(bool shows, std::size_t all) : shows_(shows && ::isatty(2) != 0), all_(all) {}
  ~Progress() { clear(); }
  /// Of what is done, how long the rest takes if it is alike.
  void say(std::size_t done, const std::string& what) {
    if (!shows_) return;
    clear();
    const double left =
        done == 0 ? 0 : seconds() / static_cast<double>(done) * static_cast<double>(all_ - done);
    fmt::print(stderr, "{} of {}, {:.0f} s left: {}", done + 1, all_, left, what.substr(0, 60));
    std::fflush(stderr);
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  void clear() const {
    if (shows_) fmt::print(stderr, "\r\033[K");
  }
  bool shows_;
  std::size_t all_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// Every case held, and there were too few to tell the share of some class.
bool is_only_undecided(const testing::Outcome& outcome) {
  return outcome.verdict == testing::Outcome::Ending::not_tested_enough && outcome.cases > 0 &&
         std::ranges::none_of(outcome.coverage, [](const auto& of_class) {
           return of_class.judgement == evidence::Coverage::insufficient;
         });
}

Finding finding_of(const Candidate& candidate, Asker& asker, testing::Outcome outcome) {
  using Ending = testing::Outcome::Ending;
  Finding out{candidate.claim,   candidate.name, Finding::Verdict::open, std::move(outcome), {}, {},
              candidate.defects, asker.counts(), asker.lacked()};
  if (asker.failure()) {
    out.verdict = Finding::Verdict::failed;
    out.failure = *asker.failure();
    out.calls = {asker.failed_call()};
  } else if (out.outcome.verdict == Ending::held || is_only_undecided(out.outcome)) {
    out.verdict = Finding::Verdict::holds;
  } else if (out.outcome.verdict == Ending::falsified || out.outcome.verdict == Ending::threw) {
    out.verdict = Finding::Verdict::violated;
    out.calls = asker.failed();
  }
  return out;
}

}  // namespace

int Checked::exit_code() const {
  const auto is_new = [](const Finding& f) { return f.is_ill() && f.known.empty(); };
  return findings.empty() || std::ranges::any_of(findings, is_new) ? 1 : 0;
}

Checked check(Subject& subject, const Wanted& wanted) {
  if (!wanted.format.empty() && std::ranges::count(formats(), wanted.format) == 0)
    throw std::invalid_argument("there is no format '" + wanted.format + "'; --list names all");
  Asker asker(subject, wanted.format);
  auto all = candidates(asker);
  std::erase_if(all, [&](const auto& one) { return !fits(one.claim->id, wanted.claims); });
  if (all.empty())
    throw std::invalid_argument("no claim that a subject takes part in fits '" + wanted.claims +
                                "'; --list names all");
  Checked out;
  out.subject = subject.name();
  out.claims = wanted.claims;
  out.seed = testing::run_seed();
  std::set<std::string> asked;
  Progress progress(wanted.shows_progress, all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress.say(i, name_of(all[i]));
    asker.forget();
    const double begun = progress.seconds();
    auto [outcome, tried] = begin(all[i], asker);
    if (asker.counts().empty()) continue;
    // What failed in the first cases fails there again.
    const bool fails = outcome.verdict == testing::Outcome::Ending::falsified ||
                       outcome.verdict == testing::Outcome::Ending::threw;
    if (!fails) outcome = run(all[i], affordable(wanted.requests, asker, tried));
    for (const auto& [what, count] : asker.counts()) asked.insert(what);
    out.findings.push_back(finding_of(all[i], asker, std::move(outcome)));
    out.findings.back().seconds = progress.seconds() - begun;
  }
  for (const auto& [operation, in] : subject.operations())
    for (const auto& format : in)
      if (const auto what = operation + " (" + format + ")";
          asker.has(operation.c_str(), format) && !asked.contains(what))
        out.never_asked.push_back(what);
  for (const auto& operation : described())
    if (!subject.operations().contains(std::string(operation.name)))
      out.not_applicable.emplace_back(operation.name);
  out.not_applicable.insert(out.not_applicable.end(), asker.lacking().begin(),
                            asker.lacking().end());
  out.seconds = progress.seconds();
  return out;
}

std::map<std::string, std::vector<std::string>> claims_and_operations(Subject& subject) {
  Asker asker(subject);
  std::map<std::string, std::vector<std::string>> all;
  for (const auto& candidate : candidates(asker)) {
    asker.forget();
    begin(candidate, asker);
    auto& operations = all[std::string(candidate.claim->id)];
    for (const auto& [what, count] : asker.counts())
      if (auto name = what.substr(0, what.find(' ')); std::ranges::count(operations, name) == 0)
        operations.push_back(std::move(name));
  }
  std::erase_if(all, [](const auto& one) { return one.second.empty(); });
  return all;
}

Baseline read_baseline(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object())
    throw std::runtime_error(file + R"(: is no JSON object {"claim.property": "reason"})");
  Baseline all;
  for (const auto& [name, reason] : json.items()) {
    if (!reason.is_string() || reason.get<std::string>().empty())
      throw std::runtime_error(file + ": " + name + " needs a reason in words");
    all[name] = reason;
  }
  return all;
}

void compare(Checked& checked, const Baseline& baseline) {
  for (const auto& [name, reason] : baseline) {
    if (!fits(name.substr(0, name.rfind('.')), checked.claims)) continue;
    const auto found = std::ranges::find(checked.findings, name, &Finding::name);
    if (found == checked.findings.end() || !found->is_ill())
      checked.vanished.push_back(name);
    else
      found->known = reason;
  }
}

}  // namespace embedscale::properties::subject
