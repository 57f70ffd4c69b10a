#include "statistical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include "exact_text.hpp"
#include "run.hpp"

namespace embedscale::properties::testing {
namespace {

/// Whether this is the first spending in the process: one run spends an entry's α, and its β, once.
bool first_time(std::string_view id, Spending::Side side) {
  static std::mutex mutex;
  static std::set<std::pair<std::string, Spending::Side>> spent;
  const std::lock_guard lock(mutex);
  return spent.insert({std::string(id), side}).second;
}

std::string text_of(double x) { return rounded_text(x, 4); }

std::string name_of(const ledger::Entry& entry, const Judgement& judgement) {
  return std::string(entry.id) + (judgement.which.empty() ? "" : ", " + judgement.which);
}

/// What GoogleTest records as it is.
bool is_a_name(std::string_view which) {
  return !which.empty() &&
         std::ranges::all_of(which, [](char c) { return c >= ' ' && c <= '~' && c != ';'; });
}

}  // namespace

Spending::Spending(const ledger::Entry& entry, std::uint64_t cases, std::uint64_t grid, Side side)
    : entry_(entry), cases_(cases), grid_(grid), side_(side) {
  if (!first_time(entry.id, side))
    ADD_FAILURE() << entry.id << " is spent for the second time in this process";
  // A second one would overwrite what the first has recorded.
  if (const auto test = running_test(); !first_time("test " + test, side))
    ADD_FAILURE() << test << " spends a second entry: that is another test";
}

Stream Spending::stream(std::string_view part) const {
  std::string name(entry_.id);
  if (side_ == Side::mutants) name += ", mutants";
  if (!part.empty()) (name += ", ") += part;
  return stream_of(name);
}

evidence::Rates Spending::rates() const {
  const auto share = [](double rate, std::uint64_t of) {
    return rate / static_cast<double>(std::max<std::uint64_t>(of, 1));
  };
  return {share(entry_.alpha, grid_), share(entry_.beta, cases_)};
}

void Spending::note(const Judgement& judgement, double effect, const char* file, int line) {
  const auto name = name_of(entry_, judgement);
  if (++judged_ > cases_)
    ADD_FAILURE_AT(file, line) << name << ": more cases than the " << cases_ << " declared";
  if (judgement.accepted != (side_ == Side::null))
    ADD_FAILURE_AT(file, line) << name << ": "
                               << (side_ == Side::null ? "rejected" : "the mutant is not rejected")
                               << " at α = " << rates().alpha << " by " << judgement.draws
                               << " draws, statistic " << judgement.statistic << "\n"
                               << "repeat with: " << command_to_repeat();
  if (side_ == Side::mutants) {
    if (!is_a_name(judgement.which))
      ADD_FAILURE_AT(file, line) << name << ": a mutant needs a name in ASCII";
    mutants_ += (mutants_.empty() ? "" : "; ") + judgement.which + " (" + text_of(effect) + ")";
  }
  const auto excess = [](const Judgement& one, double of) {  // below 0 there is no effect at all
    return of > 0 ? one.smallest_effect / of : std::numeric_limits<double>::infinity();
  };
  if (judged_ == 1 || excess(judgement, effect) > excess(weakest_, effect_of_weakest_)) {
    weakest_ = judgement;
    effect_of_weakest_ = effect;
  }
}

Spending::~Spending() {
  if (judged_ != cases_ || cases_ == 0)
    ADD_FAILURE() << entry_.id << ": " << judged_ << " cases judged of " << cases_;
  // Once for the grid, by its weakest case.
  if (judged_ > 0 && !(weakest_.smallest_effect <= effect_of_weakest_))
    ADD_FAILURE() << name_of(entry_, weakest_) << ": too weak: " << weakest_.draws
                  << " draws show an effect of " << weakest_.smallest_effect
                  << ", they have to show " << effect_of_weakest_;
  const auto put = [](const char* key, std::string_view value) {
    ::testing::Test::RecordProperty(key, std::string(value));
  };
  put("ledger", entry_.id);
  put("spends", side_ == Side::null ? "alpha" : "beta");
  put("kind", entry_.kind);
  put("alpha", text_of(entry_.alpha));
  put("beta", text_of(entry_.beta));
  put("effect", text_of(effect_of_weakest_));
  put("grid", std::to_string(cases_));
  put("smallest_effect", text_of(weakest_.smallest_effect));
  put("draws", std::to_string(weakest_.draws));
  if (side_ == Side::mutants) put("mutants", mutants_);
  put("statistic", text_of(weakest_.statistic));
  std::cout << "[ evidence ] " << name_of(entry_, weakest_) << ": " << weakest_.draws
            << " draws show an effect of " << text_of(weakest_.smallest_effect)
            << (side_ == Side::null ? ", the claim cares about " : ", the mutant has ")
            << text_of(effect_of_weakest_) << " (" << entry_.kind
            << ", α = " << text_of(entry_.alpha) << ", β = " << text_of(entry_.beta) << ")\n";
}

}  // namespace embedscale::properties::testing
