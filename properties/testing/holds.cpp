#include "holds.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "exact_text.hpp"
#include "notes.hpp"

namespace embedscale::properties::testing {
namespace {

thread_local Notes* running = nullptr;

[[noreturn]] void fail(const std::string& why, const Place& place) {
  Notes::current().failed = place;
  end_case(why);
}

}  // namespace

double badness(double ratio) {
  return ratio >= 0.0 ? ratio : std::numeric_limits<double>::infinity();
}

Notes::Notes() { running = this; }
Notes::~Notes() { running = nullptr; }

Notes& Notes::current() {
  if (running == nullptr)
    throw std::logic_error("holds and covers are for the body of a property that runs");
  return *running;
}

void Notes::begin() {
  begun_ = Clock::now();
  worst.reset();
  judged = false;
  failed = {};
  for (auto& covered : coverage) covered.now = false;
}

double Notes::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begun_).count();
}

void Notes::count() {
  if (!judged) return;
  ++judged_cases;
  for (auto& covered : coverage) covered.cases += covered.now ? 1 : 0;
}

void holds(double ratio, const char* file, int line) {
  auto& notes = Notes::current();
  notes.judged = true;
  if (!notes.worst || badness(ratio) > badness(*notes.worst)) notes.worst = ratio;
  if (!(badness(ratio) <= 1.0))
    fail("what is measured over its bound is " + exact_text(ratio) + ", allowed is 1",
         {file, line});
}

void holds_exactly(bool fact, const char* file, int line) {
  Notes::current().judged = true;
  if (!fact) fail("what it asserts is false", {file, line});
}

void covers(std::string_view name, bool inside, double required_share) {
  auto& coverage = Notes::current().coverage;
  auto found = std::ranges::find(coverage, name, &Covered::name);
  if (found == coverage.end()) {
    if (!(required_share > 0.0 && required_share < 1.0))
      throw std::invalid_argument("no share of the cases between 0 and 1 is required of class " +
                                  std::string(name));
    if (coverage.size() == most_classes)
      throw std::invalid_argument("too many classes for one property; the next is " +
                                  std::string(name));
    coverage.push_back({.name = std::string(name), .required_share = required_share});
    found = coverage.end() - 1;
  }
  if (found->required_share != required_share)
    throw std::invalid_argument("two shares of the cases are required of class " +
                                std::string(name));
  found->now = found->now || inside;
}

}  // namespace embedscale::properties::testing
