#include "folklore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "report/page.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::folklore {
namespace {

std::string trimmed(const std::string& text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// 12 of "C12"; 0 where it is something else.
int number_of(std::string_view section) {
  int number = 0;
  if (!section.starts_with("C")) return 0;
  const auto [end, error] =
      std::from_chars(section.data() + 1, section.data() + section.size(), number);
  return error == std::errc() && end == section.data() + section.size() ? number : 0;
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// A line of Markdown.
std::string line(const Json& results, const Entry& entry) {
  std::string threads, how;
  for (const auto& address : entry.threads)
    threads += fmt::format("{}[{}]({})", threads.empty() ? "" : ", ", label_of(address), address);
  if (!entry.heard.empty()) threads += (threads.empty() ? "" : ", ") + entry.heard;
  for (const auto& sentence : entry.settled) {
    answer::require_verdicts(results, sentence);
    how += " " + answer::text_of(results, sentence);
  }
  const auto stands = standing(entry);
  if (!entry.not_here.empty())
    how += (entry.settled.empty() ? " " : " Not settled here: ") + entry.not_here;
  const auto claims = answer::findings(results, entry.settled);
  return fmt::format("- <a id=\"c{0}\"></a>**C{0}** “{1}”{2} — *{3}*{4}{5}\n", entry.number,
                     entry.said, threads.empty() ? "" : " (" + threads + ")",
                     entry.settled.empty() ? stands + ":" : stands + ".", how,
                     claims.empty() ? "" : " <sub>" + claims + "</sub>");
}

}  // namespace

std::vector<Entry> entries(const report::Words& words) {
  std::vector<Entry> all;
  for (const auto& [section, parts] : words.sections()) {
    const auto refuse = [&, name = section](const char* why) {
      throw std::invalid_argument(fmt::format("{}: section '{}' {}", words.name(), name, why));
    };
    const auto part = [&, name = section](const char* of) {
      return words.has_part(name, of) ? answer::on_one_line(words.part(name, of)) : std::string();
    };
    const auto said = part("said");
    const auto thread = std::min(said.find("https://"), said.size());
    Entry entry{number_of(section),
                part("group"),
                trimmed(said.substr(0, thread)),
                split(said.substr(thread)),
                part("heard"),
                answer::sentences(words, section, "settled"),
                part("not here")};
    if (entry.number == 0) refuse("is not named C and a number");
    if (entry.said.empty()) refuse("does not tell what is said");
    if (entry.threads.empty() && entry.heard.empty()) refuse("does not tell where it was found");
    if (entry.settled.empty() && entry.not_here.empty()) refuse("has neither a claim nor a reason");
    all.push_back(std::move(entry));
  }
  std::ranges::sort(all, {}, &Entry::number);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].number != static_cast<int>(i) + 1)
      throw std::invalid_argument(fmt::format("{}: there is no section C{}", words.name(), i + 1));
  return all;
}

std::string standing(const Entry& entry) {
  if (entry.settled.empty()) return "not settled here";
  return entry.not_here.empty() ? "settled" : "settled in part";
}

std::string label_of(std::string_view address) {
  auto parts = report::split(address, '/');
  std::erase(parts, "");
  if (parts.size() < 2) return std::string(address);
  if (parts[1] == "github.com" && parts.size() >= 4)
    return parts.size() >= 6 ? fmt::format("{} {}", parts[3], parts[5]) : std::string(parts[3]);
  const auto host = parts[1].starts_with("www.") ? parts[1].substr(4) : parts[1];
  const auto id = std::ranges::find_if(parts, [](std::string_view text) {
    return text.find_first_not_of("0123456789.") == text.npos;
  });
  return id == parts.end() ? std::string(host) : fmt::format("{} {}", host, *id);
}

std::string page(const Json& results, const report::Words& words) {
  const auto all = entries(words);
  std::map<std::string, std::size_t> counts;
  for (const auto& entry : all) ++counts[standing(entry)];
  std::string out = fmt::format(
      "{}# {}\n\n{}\n\nOf {} sayings {} are settled, {} settled in part, {} are not settled "
      "here.\n",
      report::generated_note, words.title(), words.introduction(), all.size(), counts["settled"],
      counts["settled in part"], counts["not settled here"]);
  for (const auto& entry : all) {
    if (!entry.group.empty()) out += fmt::format("\n## {}\n\n", entry.group);
    out += line(results, entry);
  }
  return out;
}

}  // namespace embedscale::folklore
