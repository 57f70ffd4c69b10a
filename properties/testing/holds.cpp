#include "holds.hpp"

#include <algorithm>
#include <cmath>
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

void compare(const JudgedRatio& comparison) {
  auto& notes = Notes::current();
  notes.judged = true;
  if (!notes.worst || badness(comparison.ratio) > badness(notes.worst->ratio))
    notes.worst = comparison;
  if (!(badness(comparison.ratio) <= 1.0))
    fail((comparison.of ? "the error over its bound is " : "what is measured over its bound is ") +
             text_of(comparison) + ", allowed is 1",
         comparison.place);
}

}  // namespace

double Share::ratio() const {
  if (!(measured >= 0.0 && bound >= 0.0 && std::isfinite(bound)))
    return std::numeric_limits<double>::quiet_NaN();
  return measured == 0.0 ? 0.0 : measured / bound;
}

std::string text_of(const JudgedRatio& comparison) {
  std::string text = exact_text(comparison.ratio);
  if (!comparison.of) return text;
  const auto& [measured, bound, ulp] = *comparison.of;
  text += " = " + exact_text(measured) + " over " + exact_text(bound);
  if (ulp > 0.0)
    text += " = " + rounded_text(measured / ulp) + " over " + rounded_text(bound / ulp) + " ulps";
  return text;
}

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
  compare({.ratio = ratio, .of = {}, .place = {file, line}});
}

void holds(const Share& share, const char* file, int line) {
  compare({.ratio = share.ratio(), .of = share, .place = {file, line}});
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
