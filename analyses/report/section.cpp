#include "report/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace embedscale::report {
namespace {

using properties::Verdict;

Json names(const properties::Names& list) {
  Json out = Json::array();
  for (std::size_t i = 0; i < properties::count(list); ++i) out.push_back(list[i]);
  return out;
}

/// The fields that a claim has before anything is measured.
Json declared(const properties::Claim& claim) {
  return {{"id", claim.id},
          {"topic", claim.topic()},
          {"status", claim.status == properties::Status::planned ? "planned" : "evaluated"},
          {"said", claim.said},
          {"states", claim.states},
          {"asked_in", names(claim.asked_in)},
          {"cites", names(claim.cites)}};
}

}  // namespace

Measurement& Section::measure(Measurement m) {
  const auto end = claim_->measures.begin() + properties::count(claim_->measures);
  if (std::find(claim_->measures.begin(), end, m.quantity) == end)
    throw std::logic_error(fmt::format("{} does not declare '{}'", claim_->id, m.quantity));
  if (m.at.is_null()) m.at = Json::object();  // a bare {} in the call
  return measurements_.emplace_back(std::move(m));
}

void Section::measure_none(std::string quantity, Json at, double value, std::uint64_t cases,
                           properties::Part about, std::string method) {
  if (cases == 0) return;
  measure({.quantity = std::move(quantity),
           .at = std::move(at),
           .value = value,
           .samples = cases,
           .method = std::move(method),
           .unit = counted,
           .rule = Rule{about, Relation::equals, 0, cases}});
}

properties::Judgement Section::judgement() const {
  std::vector<properties::Obligation> obligations;
  for (const auto& m : measurements_)
    if (m.rule) obligations.push_back({m.rule->part, m.met(), m.samples, m.rule->expected});
  auto judged = properties::judge(obligations);
  if (own_parameters_) judged.verdict = Verdict::open;
  return judged;
}

std::string Section::verdict() const {
  const auto verdict = judgement().verdict;
  const std::string name(name_of(verdict));
  return verdict == Verdict::holds_if ? name + " " + condition_ : name;
}

std::string Section::look_up(std::string_view field) const {
  if (const auto text = texts_.find(field); text != texts_.end()) return text->second;
  const auto named = [&](const Measurement& m) { return m.field == field; };
  if (const auto m = std::ranges::find_if(measurements_, named); m != measurements_.end())
    return shown(*m);
  if (field == "counterexample") return counterexample_;
  if (field == "condition") return condition_;
  throw std::invalid_argument(fmt::format("{}: no field named {{{}}}", claim_->id, field));
}

std::string Section::prose(const Words& words, std::string_view part) const {
  if (!words.has_part(claim_->id, part)) return {};
  return fill(words.part(claim_->id, part), [&](std::string_view f) { return look_up(f); });
}

std::string Section::summary(const Words& words) const {
  const auto judged = judgement();
  if (judged.verdict != Verdict::open) {
    const std::string_view name = name_of(judged.verdict);
    words.part(claim_->id, name);  // throws where the words have no sentence for it
    std::string sentence = prose(words, name);
    std::ranges::replace(sentence, '\n', ' ');
    return sentence;
  }
  if (own_parameters_)
    return "Measured at parameters of your own; the verdict is the published report's.";
  for (const auto& m : measurements_)
    if (m.rule && m.rule->part != properties::Part::belief && !m.met())
      return fmt::format(
          "Not settled: what is stated in its place does not stand up. `{}` at {} is {}, which "
          "contradicts it.",
          m.quantity, m.at.dump(), shown(m));
  return fmt::format("Not settled: {} of {} obligations were evaluated.", judged.evaluated,
                     judged.expected);
}

Json Section::to_json(const Words& words) const {
  const auto judged = judgement();
  const auto mutants = mutants_of(tests_);
  Json row = declared(*claim_);
  row["verdict"] = name_of(judged.verdict);
  row["condition"] = judged.verdict == Verdict::holds_if ? Json(condition_) : Json(nullptr);
  row["counterexample"] = counterexample_.empty() ? Json(nullptr) : Json(counterexample_);
  row["summary"] = summary(words);
  row["kind"] = name_of(claim_->kind);
  row["evaluated"] = judged.evaluated;
  row["obligations"] = judged.expected;
  row["tests"] = Json::array();
  for (const auto& test : tests_) row["tests"].push_back(test.test);
  row["mutants"] = {{"killed", mutants.killed}, {"total", mutants.total}};
  row["anchor"] = fmt::format("{}.md#{}", claim_->topic(), claim_->id);
  row["fields"] = Json::object();
  for (const auto& m : measurements_)
    if (!m.field.empty()) row["fields"][m.field] = shown(m);
  for (const auto& [field, value] : texts_) row["fields"][field] = value;
  row["measurements"] = Json::array();
  for (const auto& m : measurements_) row["measurements"].push_back(report::to_json(m));
  return row;
}

Json planned_row(const properties::Claim& claim) {
  Json row = declared(claim);
  for (const char* key : {"verdict", "condition", "counterexample", "summary", "kind"})
    row[key] = nullptr;
  row["evaluated"] = row["obligations"] = 0;
  row["tests"] = Json::array();
  row["mutants"] = {{"killed", 0}, {"total", 0}};
  row["anchor"] = nullptr;
  row["fields"] = Json::object();
  row["measurements"] = Json::array();
  return row;
}

}  // namespace embedscale::report
