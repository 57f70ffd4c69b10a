#include "report/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "report/table.hpp"

namespace embedscale::report {
namespace {

using properties::Verdict;

constexpr std::size_t longest_finding = 90, longest_condition = 90;  // characters

/// An example tells a size.
int digits_at_most(const Value& value, const properties::Quantity& quantity) {
  const int digits = value.digits().value_or(quantity.digits);
  return value.standing() == Standing::example ? std::min(digits, 2) : digits;
}

/// So many cases of a test.
class Tried : public Counted {
 public:
  explicit Tried(std::uint64_t cases) { add_cases(cases); }
};

}  // namespace

Measurement& Section::measure(std::string_view quantity, const Place& at, const Value& value,
                              std::string method) {
  const auto refuse = [&](const char* why) {
    throw std::logic_error(fmt::format("{}: '{}' {} {}", claim_->id, quantity, why, at.text()));
  };
  const auto* declared = claim_->quantity(quantity);
  if (declared == nullptr) refuse("is not declared, at");
  if (value.standing() == Standing::estimated && !value.confidence())
    refuse("is estimated from draws and has no interval, at");
  if (!measured_.insert(fmt::format("{} {}", quantity, at.text())).second)
    refuse("was measured already, at");
  Known known{value.value(), value.lower(), value.upper(), value.confidence()};
  if (declared->is_enough) {
    if (!std::isfinite(known.upper.value_or(NAN)))
      refuse("is to be enough and has no upper end, at");
    known = {std::ceil(rounded_up(*known.upper, declared->digits))};
  }
  return measurements_.emplace_back(
      Measurement{.quantity = std::string(quantity),
                  .at = at,
                  .value = known.value,
                  .samples = value.samples(),
                  .method = value.method().value_or(method),
                  .unit = std::string(declared->unit),
                  .digits = digits_of(known, digits_at_most(value, *declared)),
                  .lower = known.lower,
                  .upper = known.upper,
                  .confidence = known.confidence,
                  .published = claim_->publishes(quantity),
                  .standing = value.standing()});
}

void Section::add(const Place& at, const Values& values, const std::string& method) {
  for (const auto& [quantity, value] : values) measure(quantity, at, value, method);
}

const TestRecord& Section::tried(std::string_view property) const {
  for (const auto& test : tests_)
    if (test.property == property && test.role == "holds") return test;
  throw std::invalid_argument(
      fmt::format("{}: the record has no property '{}'", claim_->id, property));
}

Measurement& Section::measure_failures(std::string_view quantity, const Place& at,
                                       std::string_view property) {
  const auto& test = tried(property);
  const auto value = Value::of_all(test.passed ? 0 : 1, Tried(test.cases));
  auto& made = measure(quantity, at, value, "property " + test.property);
  made.reference = 0;
  return made;
}

Measurement& Section::measure_passes(std::string_view quantity, const Place& at,
                                     std::string_view property) {
  const auto& test = tried(property);
  const auto held = test.passed ? static_cast<double>(test.cases) : 0.0;
  return measure(quantity, at, Value::of_all(held, Tried(test.cases)), "property " + test.property);
}

Measurement& Section::measure_worst(std::string_view quantity, const Place& at,
                                    std::string_view property) {
  const auto& test = tried(property);
  auto& made = measure(quantity, at, Value::greatest_of(test.worst, Tried(test.cases)),
                       "property " + test.property);
  made.reference = 1;
  return made;
}

std::string Section::finding(const Words& words) const {
  if (judgement().verdict == Verdict::open)
    return fmt::format("“{}” is {}", claim_->said, verdict(words));
  const auto& text = words.part(claim_->id, "finding");
  if (text.empty() || width_of(text) > longest_finding || text.find('{') != text.npos ||
      text.ends_with('.'))
    throw std::invalid_argument(
        fmt::format("{}: {}: '### finding' is to be 1 to {} characters on one line, without a "
                    "{{field}} and a full stop: '{}'",
                    words.name(), claim_->id, longest_finding, text));
  return on_one_line(text);
}

std::string Section::condition(const Words& words) const {
  auto text = on_one_line(prose(words, "condition"));
  if (judgement().verdict != Verdict::true_if) return text;
  if (text.empty() || width_of(text) > longest_condition)
    throw std::invalid_argument(
        fmt::format("{}: {} is true if, so its '### condition' is to say if what, in at most {} "
                    "characters: '{}'",
                    words.name(), claim_->id, longest_condition, text));
  return text;
}

std::string Section::premise(const Words& words) const {
  auto text = on_one_line(prose(words, "premise"));
  return text.empty() || text.ends_with('.') ? text : text + '.';
}

std::string Section::counterexample(const Words& words) const {
  if (!words.has_part(claim_->id, "counterexample")) return {};
  bool found = true;  // none where a look-up of it finds nothing
  auto text = fill(words.part(claim_->id, "counterexample"), [&](std::string_view look_up) {
    auto one = field(words, look_up);
    found = found && !one.sources.empty();
    return one.text;
  });
  return found ? on_one_line(std::move(text)) : "";
}

std::string Section::verdict(const Words& words) const {
  const auto verdict = judgement().verdict;
  const bool is_met = verdict == Verdict::is_true || verdict == Verdict::true_if;
  return (is_met && words.has_part(claim_->id, "premise") ? "premise " : "") +
         std::string(name_of(verdict));
}

template <class F>
auto Section::named(F f) const {
  try {
    return f();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", claim_->id, error.what()));
  }
}

Found Section::field(const Words& words, std::string_view field) const {
  const auto& look_ups = words.look_ups(claim_->id);
  if (const auto look_up = look_ups.find(field); look_up != look_ups.end())
    return named([&] { return LookUp(look_up->second).in(all()); });
  if (field == "counterexample") return {counterexample(words), {}, {}};
  if (field == "condition") return {condition(words), {}, {}};
  if (field.find(' ') == field.npos && claim_->quantity(field) == nullptr)
    throw std::invalid_argument(fmt::format("{}: no field named {{{}}}", claim_->id, field));
  return named([&] { return LookUp(field).in(all()); });
}

std::map<std::string, Found, std::less<>> Section::fields(const Words& words) const {
  std::map<std::string, Found, std::less<>> all;
  for (const auto& [name, look_up] : words.look_ups(claim_->id))
    all.emplace(name, field(words, name));
  return all;
}

template <class View, class Make>
std::vector<View> Section::views(const Words& words, std::string_view kind, Make make) const {
  std::vector<View> all;
  for (const auto& [part, block] : words.blocks(claim_->id))
    if (part.starts_with(kind))
      all.push_back(named([&, &name = part, &text = block] { return make(name, text); }));
  return all;
}

std::vector<std::pair<std::string, TableView>> Section::table_views(const Words& words) const {
  using Named = std::pair<std::string, TableView>;
  return views<Named>(words, "table", [&](const std::string& part, const std::string& text) {
    return Named{part, table_view(text, all())};
  });
}

std::vector<DataView> Section::data_views(const Words& words) const {
  return views<DataView>(words, "data ", [&](const std::string& part, const std::string& text) {
    return DataView{part.substr(std::string_view("data ").size()), on_one_line(prose(words, part)),
                    table_view(text, all())};
  });
}

std::vector<FigureView> Section::figure_views(const Words& words) const {
  return views<FigureView>(words, "figure ", [&](const std::string& name, const std::string& text) {
    return figure_view(name.substr(7), text, all());
  });
}

std::string Section::prose(const Words& words, std::string_view part) const {
  if (!words.has_part(claim_->id, part)) return {};
  return fill(words.part(claim_->id, part),
              [&](std::string_view f) { return field(words, f).text; });
}

std::string Section::contradiction() const {
  for (const auto& test : tests_)
    if (test.role != "rejects" && !test.passed)
      return fmt::format(" Property *{}* contradicts what is stated{}{}.", test.property,
                         test.counterexample.empty() ? "" : ", at ", test.counterexample);
  return {};
}

std::string Section::summary(const Words& words) const {
  if (const auto verdict = judgement().verdict; verdict != Verdict::open) {
    words.part(claim_->id, name_of(verdict));
    return on_one_line(prose(words, name_of(verdict)));
  }
  const auto contradicted = contradiction();
  if (!contradicted.empty())
    return "Not settled: what is stated in its place does not stand up." + contradicted;
  return "Not settled: no property settles it.";
}

}  // namespace embedscale::report
