#include "report/lookup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "report/digits.hpp"
#include "report/table.hpp"
#include "report/words.hpp"

namespace embedscale::report {
namespace {

bool is_special(std::string_view word) {
  return word == "least" || word == "greatest" || word == "first" || word == "last";
}

bool is_aggregate(std::string_view word) {
  return is_special(word) || word == "range" || word == "sum" || word == "number" || word == "list";
}

/// By value, the first of equal ones.
template <class Range, class Key>
auto extremum(Range& all, std::string_view which, Key key) {
  if (which == "first") return all.begin();
  if (which == "last") return std::prev(all.end());
  return which == "least" ? std::ranges::min_element(all, {}, key)
                          : std::ranges::max_element(all, {}, key);
}

}  // namespace

std::string grouped(const Coordinate& coordinate) {
  if (const auto* x = std::get_if<double>(&coordinate.any())) return fmt::format("{:.6g}", *x);
  if (const auto* list = std::get_if<Coordinate::List>(&coordinate.any())) {
    std::vector<std::string> texts;
    for (const auto n : *list) texts.push_back(count(n));
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  const auto* whole = std::get_if<std::int64_t>(&coordinate.any());
  return whole != nullptr && *whole >= 0 ? count(static_cast<std::uint64_t>(*whole))
                                         : coordinate.text();
}

Selection measured_at(const Place& place, const Selection& all) {
  Selection there;
  std::ranges::copy_if(all, std::back_inserter(there), [&](const Measurement* m) {
    return std::ranges::all_of(place, [&](const Place::Entry& entry) {
      const auto* own = m->at.find(entry.first);
      return own != nullptr && *own == entry.second;
    });
  });
  return there;
}

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> all;
  bool quoted = false, open = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (quoted && !open) all.emplace_back(), open = true;
    } else if ((c == ' ' || c == '\n') && !quoted) {
      open = false;
    } else {
      if (!open) all.emplace_back(), open = true;
      all.back() += c;
    }
  }
  if (quoted) throw std::invalid_argument(fmt::format("'{}': a quote is not closed", text));
  return all;
}

LookUp::LookUp(std::string_view text) : text_(text) {
  auto words = tokens_of(text);
  const auto colon = std::ranges::find(words, ":");
  if (colon != words.end()) read_format({colon + 1, words.end()});
  words.erase(colon, words.end());
  read_selector(std::move(words));
}

bool LookUp::restrict(const std::string& word) {
  if (word.starts_with('!') || word.starts_with('+')) {
    restrictions_.push_back({word.substr(1), word.substr(0, 1), {}});
    return true;
  }
  for (const char* relation : {"!=", "<=", ">=", "="}) {
    const auto at = word.find(relation);
    if (at == word.npos) continue;
    const auto wanted =
        split(std::string_view(word).substr(at + std::string_view(relation).size()), '|');
    restrictions_.push_back({word.substr(0, at), relation, {wanted.begin(), wanted.end()}});
    return true;
  }
  return false;
}

void LookUp::read_selector(std::vector<std::string> words) {
  const auto refuse = [&](const char* why) {
    throw std::invalid_argument(fmt::format("'{}' is no look-up: {}", text_, why));
  };
  const auto of = std::ranges::find(words, "of");
  if (of != words.end()) {
    for (auto word = words.begin(); word != of; ++word)
      (is_aggregate(*word) ? aggregate_ : projection_) = *word;
    words.erase(words.begin(), of + 1);
  }
  if (!words.empty() && is_aggregate(words.front())) {
    (projection_.empty() ? aggregate_ : pick_) = words.front();
    words.erase(words.begin());
  }
  if (words.empty()) refuse("it names no quantity");
  quantity_ = words.front();
  for (auto word = words.begin() + 1; word != words.end(); ++word)
    if (!restrict(*word)) refuse(("'" + *word + "' is not axis=coordinate").c_str());
  if (!pick_.empty() && !is_special(pick_)) refuse("nothing is picked out");
}

void LookUp::read_format(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (!word.empty() && word.find_first_not_of("0123456789") == word.npos)
      digits_ = std::stoi(word);
    else if (word == "%" || word == "percent")
      factor_ = 100, sign_ = word == "%";
    else if (word == "up")
      up_ = true;
    else if (word == "complement")
      complement_ = true;
    else if (word == "binary32" || word == "plain")
      style_ = word;
    else if ((word == "or" || word == "zero" || word == "each") && i + 1 < words.size())
      (word == "or" ? otherwise_ : word == "zero" ? zero_ : each_) = words[++i];
    else
      throw std::invalid_argument(fmt::format("'{}': '{}' is no format", text_, word));
  }
}

Selection LookUp::of_quantity(Selection all) const {
  std::erase_if(all, [&](const Measurement* m) { return m->quantity != quantity_; });
  return all;
}

Selection LookUp::matching(const Selection& all, const Place& near) const {
  const auto named = [&](std::string_view axis) {
    return std::ranges::any_of(restrictions_, [&](const Restriction& one) {
      return one.axis == axis && one.relation != "+";
    });
  };
  Selection found;
  for (const auto* m : all) {
    if (m->quantity != quantity_) continue;
    const bool here = std::ranges::all_of(near, [&](const auto& entry) {
      const auto* own = m->at.find(entry.first);
      return own == nullptr || named(entry.first) || *own == entry.second;
    });
    if (here) found.push_back(m);
  }
  for (const auto& [axis, relation, coordinates] : restrictions_) {
    std::erase_if(found, [&, &axis = axis, &relation = relation](const Measurement* m) {
      return (m->at.find(axis) == nullptr) != (relation == "!");
    });
    if (found.empty() || coordinates.empty()) continue;
    const auto coordinate = [&, &axis = axis](const Measurement* m) { return m->at.at(axis); };
    auto wanted = coordinates;
    if (is_special(wanted.front()))
      wanted = {coordinate(*extremum(found, wanted.front(), [&](auto* m) {
                  return coordinate(m).number();
                })).text()};
    std::erase_if(found, [&, &relation = relation](const Measurement* m) {
      const auto own = coordinate(m);
      if (relation == "<=") return !(own.number() <= std::stod(wanted.front()));
      if (relation == ">=") return !(own.number() >= std::stod(wanted.front()));
      return std::ranges::count(wanted, own.text()) > 0 ? relation == "!=" : relation == "=";
    });
  }
  return found;
}

LookUp::Item LookUp::item(const Measurement& m) const {
  const int digits = std::min(m.digits, digits_.value_or(most_digits_shown));
  const auto number = [&](double x, bool counts) { return Item{{}, x, &m, counts, digits}; };
  const auto maybe = [&](const std::optional<double>& x) {
    return x ? number(*x, m.unit == counted) : Item{"—", {}, &m, false, digits};
  };
  const auto end = [&](const std::optional<double>& x, auto written, Towards towards) {
    Item item = maybe(x);
    if (x) item.towards = towards, item.written = written(m.known(), digits);
    return item;
  };
  if (projection_.empty() || projection_ == "value") {
    Item item = number(m.value, m.unit == counted);
    item.is_estimate = m.confidence.has_value();
    return item;
  }
  if (projection_ == "samples") return number(static_cast<double>(m.samples), true);
  if (projection_ == "lower") return end(m.lower, lower_end, Towards::below);
  if (projection_ == "upper") return end(m.upper, upper_end, Towards::above);
  if (projection_ == "reference") return maybe(m.reference);
  const auto* coordinate = m.at.find(projection_);
  if (coordinate == nullptr)
    throw std::invalid_argument(
        fmt::format("'{}': `{}` at {} has no '{}'", text_, m.quantity, m.at.text(), projection_));
  if (!coordinate->is_number()) {
    const auto text = grouped(*coordinate);
    return {text.empty() ? "none" : text, {}, &m, false, digits};
  }
  const bool whole = std::holds_alternative<std::int64_t>(coordinate->any());
  return {whole ? "" : grouped(*coordinate), coordinate->number(), &m, whole, digits};
}

double LookUp::scaled(double x) const {
  x *= factor_;
  if (complement_) x = factor_ - x;
  return x;
}

std::string LookUp::text_of(const Item& item) const {
  const auto alone = number_of(item);
  if (!each_ || item.source == nullptr) return alone;
  return fill(*each_, [&](std::string_view axis) {
    return axis.empty() ? alone : grouped(item.source->at.at(axis));
  });
}

/// An end of an interval goes outwards, and what is said of an estimate has no digit that it lacks.
std::string LookUp::rounded_text(const Item& item, double x) const {
  const bool is_end = item.towards != Towards::nearest;
  if (is_end && !digits_) return significant(scaled(item.written.x), item.written.digits);
  int digits = digits_.value_or(item.digits);
  if (item.is_estimate) {
    const auto known = item.source->known();
    const double one = scaled(*known.lower), other = scaled(*known.upper);
    digits = digits_of({x, std::min(one, other), std::max(one, other), known.confidence}, digits);
    if (!is_end && !up_) return significant(x, digits);
  }
  if (up_) return significant(x > 0 ? rounded_up(x, digits) : rounded_down(x, digits), digits);
  if (!is_end) return significant(x, digits);
  const bool is_lower = (item.towards == Towards::below) != complement_;
  return significant(is_lower ? rounded_down(x, digits) : rounded_up(x, digits), digits);
}

std::string LookUp::number_of(const Item& item) const {
  if (!item.number || (!item.text.empty() && !digits_ && factor_ == 1)) return item.text;
  if (*item.number == 0 && zero_) return *zero_;
  const double x = scaled(*item.number);
  if (style_ == "binary32") return fmt::format("{}", static_cast<float>(x));
  if (style_ == "plain") return fmt::format("{}", x);
  const bool whole = item.counted && factor_ == 1 && !digits_;
  const auto text = whole ? count(static_cast<std::uint64_t>(x)) : rounded_text(item, x);
  return text + (sign_ ? " %" : "");
}

Found LookUp::aggregated(std::vector<Item> items) const {
  Found found;
  for (const auto& each : items) found.sources.push_back(each.source);
  if (aggregate_ == "list") {
    std::vector<std::string> texts;
    for (const auto& each : items)
      if (const auto text = text_of(each);
          projection_.empty() || std::ranges::find(texts, text) == texts.end())
        texts.push_back(text);
    found.text = fmt::format("{}", fmt::join(texts, ", "));
    return found;
  }
  const auto number = [](const Item& each) { return each.number.value_or(NAN); };
  if (aggregate_ == "range") {
    const auto [low, high] = std::ranges::minmax_element(items, {}, number);
    const auto first = text_of(*low), last = text_of(*high);
    found.text = first == last ? first : first + " to " + last;
    return found;
  }
  Item one = items.front();
  if (aggregate_ == "number") {
    one = {{}, static_cast<double>(items.size()), nullptr, true, one.digits};
  } else if (aggregate_ == "sum") {
    double total = 0;
    for (const auto& each : items) total += number(each);
    one.number = total, one.text.clear(), one.is_estimate = false;
  } else if (!aggregate_.empty()) {
    one = *extremum(items, aggregate_, number);
  }
  found.text = text_of(one);
  if (one.number) found.number = scaled(*one.number);
  return found;
}

Found LookUp::ambiguous(const Selection& among, const char* why) const {
  std::string candidates;
  for (std::size_t i = 0; i < std::min<std::size_t>(among.size(), 8); ++i)
    candidates += fmt::format("\n  {} {}", among[i]->quantity, among[i]->at.text());
  throw std::invalid_argument(fmt::format("'{}' {}{}", text_, why, candidates));
}

Found LookUp::in(const Selection& all, const Place& near) const {
  auto found = matching(all, near);
  if (found.empty()) {
    if (aggregate_ == "number") return {"0", 0, {}};
    if (otherwise_) return {*otherwise_, {}, {}};
    const auto others = of_quantity(all);
    return ambiguous(others, others.empty() ? "names no quantity that is measured"
                                            : "matches no measurement; there are");
  }
  if (!pick_.empty())
    found = {*extremum(found, pick_, [](const Measurement* m) { return m->value; })};
  std::vector<Item> items;
  for (const auto* m : found) items.push_back(item(*m));
  if (aggregate_.empty()) {
    const bool is_one = std::ranges::all_of(items, [&](const Item& each) {
      return !projection_.empty() && text_of(each) == text_of(items.front());
    });
    if (items.size() > 1 && !is_one) return ambiguous(found, "is not one measurement, but one of");
  }
  return aggregated(std::move(items));
}

}  // namespace embedscale::report
