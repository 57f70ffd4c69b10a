#pragma once
// What an analysis found out about one claim. Everything a reader sees of it, the verdict and the
// sentences, is computed from the measurements when it is rendered.
#include <embedscale/properties/claim.hpp>
#include <embedscale/properties/evidence/verdict.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/evidence.hpp"
#include "report/figure.hpp"
#include "report/measurement.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace embedscale::report {

class Section {
 public:
  explicit Section(const properties::Claim& claim) : claim_(&claim) {}

  const properties::Claim& claim() const { return *claim_; }

  /// Adds a measurement.  Errors  std::logic_error for a quantity that the claim does not declare.
  Measurement& measure(Measurement m);
  /// Adds a count over `cases` that has to be 0 for its obligation to be met; nothing where there
  /// are no cases.
  void measure_none(std::string quantity, Json at, double value, std::uint64_t cases,
                    properties::Part about, std::string method);
  /// A field of the words that is no measurement: a list of widths, a counterexample.
  void text(std::string field, std::string value) { texts_[std::move(field)] = std::move(value); }
  /// What follows "holds if".
  void condition(std::string text) { condition_ = std::move(text); }
  /// What refutes the belief, by hand-checkable numbers.
  void counterexample(std::string text) { counterexample_ = std::move(text); }
  bool has_counterexample() const { return !counterexample_.empty(); }
  void table(Table table) { tables_.push_back(std::move(table)); }
  void figure(Figure figure) { figures_.push_back(std::move(figure)); }
  void add_test(TestRecord test) { tests_.push_back(std::move(test)); }

  std::deque<Measurement>& measurements() { return measurements_; }
  const std::deque<Measurement>& measurements() const { return measurements_; }
  const std::vector<Table>& tables() const { return tables_; }
  const std::vector<Figure>& figures() const { return figures_; }
  const std::vector<TestRecord>& tests() const { return tests_; }

  /// The measurements are at parameters of somebody's own, not over the claim's domain: the verdict
  /// is then open here, and stays what the published report says.
  void at_own_parameters() { own_parameters_ = true; }

  properties::Judgement judgement() const;
  /// "holds if fl(√d) is a power of two".
  std::string verdict() const;
  /// The sentence that the words have for the verdict, filled in.
  std::string summary(const Words& words) const;
  /// A part of the words, filled in; "" where the words do not have it.
  std::string prose(const Words& words, std::string_view part) const;
  /// The claim's row of results.json.
  Json to_json(const Words& words) const;

 private:
  std::string look_up(std::string_view field) const;

  const properties::Claim* claim_;
  std::deque<Measurement> measurements_;  // a deque: references stay valid
  std::map<std::string, std::string, std::less<>> texts_;
  std::string condition_, counterexample_;
  bool own_parameters_ = false;
  std::vector<Table> tables_;
  std::vector<Figure> figures_;
  std::vector<TestRecord> tests_;
};

/// The row of a claim that waits for its step: its id and belief, no verdict.
Json planned_row(const properties::Claim& claim);

}  // namespace embedscale::report
