#include "run.hpp"

#include <rapidcheck.h>

#include <rapidcheck/detail/Property.h>

#include <algorithm>
#include <limits>

#include "../ledger.hpp"
#include "exact_text.hpp"
#include "notes.hpp"
#include "observation.hpp"
#include "seed.hpp"

namespace embedscale::properties::testing {
namespace {

namespace engine = rc::detail;
using engine::CaseDescription;
using engine::CaseResult;

/// How often the coverage of one class may be judged wrongly, either way: the classes of a run
/// share an entry of the ledger. `covers` refuses more of them in one property.
constexpr double alpha_of_a_class = ledger::entry<"properties.required_coverage">.alpha /
                                    (most_properties * static_cast<double>(most_classes));

std::string describe(const engine::Example& example) {
  std::string text;
  for (const auto& [name, value] : example)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

/// Looks at every case when it is over, at those that are tried in simplifying as well: each call
/// follows the one body that it is about.
class Listener : public engine::TestListener {
 public:
  Listener(Notes& notes, Observer& observer) : notes_(notes), observer_(observer) {}

  void onTestCaseFinished(const CaseDescription& description) override {
    look_at(description, "drawn");
    if (description.result.type == CaseResult::Type::Success) notes_.count();
  }
  void onShrinkTried(const CaseDescription& description, bool) override {
    look_at(description, "simplified");
  }
  void onTestFinished(const engine::TestMetadata&, const engine::TestResult&) override {}

  /// The case with the largest ratio, described only now: most cases never are.
  void describe_worst(Outcome& outcome) const {
    if (!worst_) return;
    outcome.worst = *worst_;
    outcome.worst_ratio = exact_text(*worst_);
    outcome.worst_case = describe(worst_example_());
  }

 private:
  void look_at(const CaseDescription& description, std::string_view how) {
    if (notes_.worst && (!worst_ || badness(*notes_.worst) > badness(*worst_))) {
      worst_ = notes_.worst;
      worst_example_ = description.example;
    }
    if (!observer_.wanted()) return;
    const auto type = description.result.type;
    const bool passed = type == CaseResult::Type::Success;
    observer_.write({.status = passed                              ? "passed"
                               : type == CaseResult::Type::Failure ? "failed"
                                                                   : "gave_up",
                     .reason = passed ? "" : description.result.description,
                     .arguments = description.example(),
                     .how_generated = how,
                     .seconds = notes_.seconds()},
                    notes_);
  }

  Notes& notes_;
  Observer& observer_;
  std::optional<double> worst_;
  std::function<engine::Example()> worst_example_;
};

/// The body as RapidCheck is to call it.
void run_case(const std::function<void()>& body, Notes& notes) {
  notes.begin();
  body();
  if (notes.failed.line > 0)  // the body caught what it must not
    end_case("a holds failed, and the body went on");
}

/// What the classes come to, once all cases held.
std::string judge(const Notes& notes, Outcome& outcome) {
  std::string lacking;
  for (const auto& [name, required, cases, now] : notes.coverage) {
    const auto judgement =
        evidence::coverage(cases, notes.judged_cases, required, alpha_of_a_class);
    outcome.coverage.push_back({name, required, cases, judgement});
    if (judgement != evidence::Coverage::sufficient)
      lacking += (lacking.empty() ? "" : ", ") + std::string("the share of class '") + name +
                 "' is " + std::string(name_of(judgement));
  }
  return notes.judged_cases == 0 ? "no case came to a holds" : lacking;
}

}  // namespace

void end_case(const std::string& why) { throw CaseResult(CaseResult::Type::Failure, why); }

int cases_of_run(int costs) {
  const auto cases = number_of("EMBEDSCALE_CASES", 1, std::numeric_limits<int>::max());
  if (!cases) return default_cases;
  const auto asked = static_cast<int>(*cases);
  return std::max(asked / costs, std::min(asked, default_cases));
}

Outcome run(const std::string& name, int cases, const std::function<void()>& body) {
  Outcome outcome;
  outcome.seed = stream_of(name).bits(0);
  Notes notes;
  Observer observer(name, outcome.seed);
  Listener listener(notes, observer);
  engine::TestParams params;
  params.seed = outcome.seed;
  params.maxSuccess = cases;
  engine::TestMetadata metadata;
  metadata.id = metadata.description = name;
  // The whole size at every case: a ramp would make the first cases degenerate.
  const auto property =
      rc::gen::resize(params.maxSize, engine::toProperty([&] { run_case(body, notes); }));
  // With an explicit map of reproductions RapidCheck leaves RC_PARAMS alone; without one, a stray
  // `reproduce=` there makes every other property pass with no case at all.
  const auto result = engine::checkProperty(property, metadata, params, listener, {});
  engine::SuccessResult success;
  engine::FailureResult failure;
  engine::GaveUpResult gave_up;
  engine::Error error;
  const auto lacking = judge(notes, outcome);
  if (result.match(success)) {
    outcome.verdict = lacking.empty() ? Outcome::Ending::held : Outcome::Ending::not_tested_enough;
    outcome.explanation = lacking;
  } else if (result.match(failure)) {
    outcome.verdict = notes.failed.line > 0 ? Outcome::Ending::falsified : Outcome::Ending::threw;
    outcome.counterexample = describe(failure.counterExample);
    outcome.explanation = failure.description;
    outcome.place = notes.failed;
  } else if (result.match(gave_up)) {
    outcome.explanation = gave_up.description;
  } else if (result.match(error)) {
    outcome.explanation = error.description;
  }
  outcome.cases = static_cast<int>(notes.judged_cases);
  listener.describe_worst(outcome);
  return outcome;
}

}  // namespace embedscale::properties::testing
