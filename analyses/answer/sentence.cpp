#include "answer/sentence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "properties/ledger.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <regex>
#include <stdexcept>

#include "report/digits.hpp"
#include "report/json.hpp"
#include "report/lookup.hpp"
#include "report/results.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::answer {
namespace {

constexpr std::string_view own = "claim", of_page = "page";
// "true if" before "true", of which it would be an id otherwise.
constexpr std::array<std::string_view, 8> tags{
    "premise true if", "premise true", "true if", "true", "false", "open", own, of_page};

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", where, why));
}

struct Tag {
  std::string_view name, id;
};

/// "false topic.claim": a tag; anything else is a figure.
std::optional<Tag> tag_of(std::string_view field) {
  for (const auto name : tags)
    if (field.size() > name.size() && field.starts_with(name) && field[name.size()] == ' ')
      return Tag{name, field.substr(name.size() + 1)};
  return std::nullopt;
}

/// The text without the spaces that a tag leaves before it and at the ends.
std::string tidied(std::string text) {
  text = std::regex_replace(text, std::regex(" +"), " ");
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

const Json& row_of(const Json& results, const Sentence& sentence, std::string_view id) {
  const Json* row = report::find_claim(results, id);
  if (row == nullptr) refuse(sentence.where, fmt::format("no claim named '{}'", id));
  return *row;
}

/// "topic.claim field": what the page of the topic shows for that field; or a measurement.
std::string figure(const Json& results, const Sentence& sentence, std::string_view field) {
  const auto space = field.find(' ');
  const std::string name(field.substr(space + 1));
  if (std::ranges::find(sentence.pages, field.substr(0, space)) != sentence.pages.end()) {
    auto found = total(results, name);
    if (found.empty()) refuse(sentence.where, fmt::format("no total named {{{}}}", field));
    return found;
  }
  const auto& row = row_of(results, sentence, field.substr(0, space));
  if ((name == "condition" || name == "counterexample") && row.at(name).is_string())
    return report::text(row, name.c_str());
  const auto& fields = row.at("fields");
  if (fields.contains(name)) return report::text(fields, name.c_str());
  const auto measurements = report::measurements_of(row);
  try {
    return report::LookUp(name).in(report::selection_of(measurements)).text;
  } catch (const std::invalid_argument& error) {
    refuse(sentence.where,
           fmt::format("no field named {{{}}}, nor one measurement: {}", field, error.what()));
  }
}

/// Without what stands in italics before it: the question or saying that it answers.
std::string_view answer_in(std::string_view text) {
  if (!text.starts_with('*') || text.starts_with("**")) return text;
  const auto end = text.find('*', 1);
  return end == text.npos ? text : text.substr(end + 1);
}

bool is_one_sentence(std::string_view item) {
  const auto text = answer_in(item);
  return count_sentences(text) == 1 && std::string_view(".?!").find(text.back()) != text.npos;
}

}  // namespace

std::size_t count_sentences(std::string_view text) {
  static const std::regex end("[.?!][*_\"”)]*(\\s|$)");
  const std::string copy(text);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(copy.begin(), copy.end(), end), std::sregex_iterator()));
}

Sentence sentence(std::string words, std::string where) {
  Sentence made{std::move(where), std::move(words), {}, {}};
  std::vector<std::string> figures;
  bool whole = false;
  const std::string bare = tidied(report::fill(made.words, [&](std::string_view field) {
    const auto tag = tag_of(field);
    if (!tag) {
      figures.emplace_back(field.substr(0, field.find(' ')));
      return std::string("x");
    }
    whole = whole || tag->name == own;
    if (tag->name == of_page)
      made.pages.emplace_back(tag->id);
    else
      made.carriers.push_back(
          {std::string(tag->id), tag->name == own ? std::string() : std::string(tag->name)});
    return std::string();
  }));
  if (made.carriers.empty() && made.pages.empty())
    refuse(made.where, fmt::format("'{}' names no claim that carries it", made.words));
  for (const auto& id : figures)
    if (std::ranges::find(made.carriers, id, &Carrier::id) == made.carriers.end() &&
        std::ranges::find(made.pages, id) == made.pages.end())
      refuse(made.where, fmt::format("has a figure of '{}', which it does not name", id));
  const std::string answer(answer_in(bare));
  if (std::regex_search(answer, std::regex("[0-9][.,][0-9]|[0-9] ?%")))
    refuse(made.where, fmt::format("'{}' has a figure typed in: name a field", bare));
  if (whole ? !bare.empty() : !is_one_sentence(bare))
    refuse(made.where, fmt::format("'{}' is not one sentence", bare));
  return made;
}

std::string link_to(const Json& row) {
  return fmt::format("[{}]({})", report::text(row, "finding"), report::text(row, "anchor"));
}

std::vector<std::string> items(const report::Words& words, std::string_view section,
                               std::string_view part) {
  std::vector<std::string> all;
  for (const auto line : report::split(words.part(section, part), '\n')) {
    if (line.empty()) continue;
    if (line.starts_with("- "))
      all.emplace_back(line.substr(2));
    else if (all.empty())
      refuse(words.name(),
             fmt::format("section '{}', part '{}': '{}' is in no item", section, part, line));
    else
      all.back() += " " + std::string(line);
  }
  return all;
}

std::vector<Sentence> sentences(const report::Words& words, std::string_view section,
                                std::string_view part) {
  std::vector<Sentence> all;
  if (!words.has_part(section, part)) return all;
  for (auto& item : items(words, section, part))
    all.push_back(
        sentence(std::move(item), fmt::format("{}, section '{}', part '{}', item {}", words.name(),
                                              section, part, all.size() + 1)));
  return all;
}

std::string total(const Json& results, std::string_view name) {
  const auto rates = properties::ledger::sum_of_rates(properties::ledger::entries);
  const auto sum = [&](const std::function<std::uint64_t(const Json&)>& of) {
    std::uint64_t all = 0;
    for (const auto& row : results.at("claims")) all += of(row);
    return report::count(all);
  };
  const auto mutants = [](const char* key) {
    return [key](const Json& row) { return row.at("mutants").at(key).get<std::uint64_t>(); };
  };
  if (name == "settled") return sum([](const Json&) { return 1; });
  if (name == "mutants") return sum(mutants("total"));
  if (name == "rejected") return sum(mutants("killed"));
  const auto& source_mutants = results.value("source_mutants", Json::object());
  if (name == "judged" && !source_mutants.empty())
    return report::count(report::judged_mutants(source_mutants));
  if (name == "noticed" && !source_mutants.empty())
    return report::significant(100 * source_mutants.at("score").get<double>(), 2);
  if (name == "alarm") return report::at_most(rates.alpha);
  if (name == "miss") return report::at_most(rates.beta);
  return {};
}

void require_verdicts(const Json& results, const Sentence& sentence) {
  for (const auto& carrier : sentence.carriers) {
    const auto& row = row_of(results, sentence, carrier.id);
    if (!carrier.verdict.empty() && row.at("verdict") != carrier.verdict)
      refuse(sentence.where,
             fmt::format("presumes that {} is '{}', but its verdict is '{}': write the sentence "
                         "anew ({})",
                         carrier.id, carrier.verdict, report::verdict_of(row), sentence.words));
  }
}

std::string text_of(const Json& results, const Sentence& sentence) {
  return tidied(report::fill(sentence.words, [&](std::string_view field) -> std::string {
    const auto tag = tag_of(field);
    if (!tag) return figure(results, sentence, field);
    return tag->name == own ? report::text(row_of(results, sentence, tag->id), "summary") : "";
  }));
}

std::string links(const Json& results, const Sentence& sentence, std::string_view prefix) {
  std::string all;
  const auto add = [&](std::string_view name, std::string_view address) {
    all += fmt::format("{}[{}]({}{})", all.empty() ? "" : " · ", name, prefix, address);
  };
  // The topic is in the address.
  for (const auto& carrier : sentence.carriers)
    add(std::string_view(carrier.id).substr(carrier.id.find('.') + 1),
        report::text(row_of(results, sentence, carrier.id), "anchor"));
  for (const auto& address : sentence.pages)
    add(std::string_view(address).substr(address.rfind('/') + 1), address);
  return all;
}

std::string findings(const Json& results, const std::vector<Sentence>& sentences) {
  std::vector<std::string> all;
  const auto add = [&](std::string link) {
    if (std::ranges::count(all, link) == 0) all.push_back(std::move(link));
  };
  for (const auto& sentence : sentences) {
    for (const auto& carrier : sentence.carriers)
      add(link_to(row_of(results, sentence, carrier.id)));
    for (const auto& address : sentence.pages)
      add(fmt::format("[{}]({})", address.substr(address.rfind('/') + 1), address));
  }
  return fmt::format("{}", fmt::join(all, " · "));
}

std::string rendered(const Json& results, const Sentence& sentence, std::string_view prefix) {
  return fmt::format("{} <sub>{}</sub>", text_of(results, sentence),
                     links(results, sentence, prefix));
}

}  // namespace embedscale::answer
