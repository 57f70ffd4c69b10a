#include "port/page.hpp"

#include "properties/defects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>
#include <stdexcept>

#include "cli/program.hpp"
#include "inputs/inputs.hpp"
#include "report/json_once.hpp"
#include "report/page.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::port {
namespace {

using Json = nlohmann::ordered_json;

/// A system, then what is set of it.
using Asked = std::vector<std::string>;

audit::Configuration configuration(const Asked& asked) {
  std::vector<audit::Change> changes;
  for (std::size_t i = 1; i < asked.size(); ++i) changes.push_back(audit::change_from(asked[i]));
  return inputs::read_configuration((cli::share("systems") / (asked.at(0) + ".toml")).string(),
                                    changes);
}

/// How one would ask for it, in lines that a page can show.
std::string command(const Asked& from, const Asked& to) {
  std::string out = fmt::format("./dev embedscale port {} {}", from.at(0), to.at(0));
  for (const auto& [side, one] : {std::pair("from", &from), std::pair("to", &to)})
    for (const auto& set : std::span(*one).subspan(1)) {
      const auto* quote = set.find('(') == set.npos ? "" : "'";
      const auto option = fmt::format("--set {0}{1}.{2}{0}", quote, side, set);
      const auto begin = out.rfind('\n') + 1;
      out += (out.size() - begin + option.size() > 100 ? " \\\n    " : " ") + option;
    }
  return fmt::format("```sh\n{}\n```", out);
}

/// The claims by their short names, as links where they have a page.
std::string links(const Json& results, const std::vector<std::string_view>& ids) {
  std::string out;
  for (const auto id : ids) {
    const auto* row = report::find_claim(results, id);
    const auto anchor = row == nullptr ? "" : report::text(*row, "anchor");
    const auto name = id.substr(id.find('.') + 1);
    out += out.empty() ? "" : " · ";
    out += anchor.empty() ? fmt::format("`{}`", name) : fmt::format("[{}]({})", name, anchor);
  }
  return out.empty() ? out : fmt::format(" <sub>{}</sub>", out);
}

std::string steps(const Json& results, const Port& port) {
  std::string out;
  for (std::size_t i = 0; i < port.steps.size(); ++i)
    out += fmt::format("{}{}. *{}*: {}{}", i == 0 ? "" : "\n", i + 1, port.steps[i].parameter,
                       port.steps[i].text, links(results, port.steps[i].claims));
  return out;
}

std::string optimizer(const Port& port) {
  const auto [columns, rows] = optimizer_table(port);
  std::vector<report::Table::Column> headings{{"Multiply"}};
  for (const auto& one : columns) headings.push_back({one, report::Table::Align::right});
  report::Table table(headings);
  for (const auto& [label, numbers] : rows) {
    std::vector<std::string> cells{std::string(label)};
    cells.insert(cells.end(), numbers.begin(), numbers.end());
    table.row(cells);
  }
  return fmt::format("{}\n{}.", table.markdown(), OptimizerTable::note);
}

/// What changes the function, then the rest. Clipping stands in the table of every port.
std::string besides(const Json& results, const Port& port) {
  std::vector<Remark> all = port.obstacles;
  all.insert(all.end(), port.differences.begin(), port.differences.end());
  std::erase_if(all, [](const Remark& one) { return one.name == "global_clipping"; });
  std::ranges::stable_sort(all, std::greater(), &Remark::stops_function);
  std::string out;
  for (const auto& one : all) {
    std::vector<std::string_view> ids;
    if (!one.claim.empty()) ids.push_back(one.claim);
    out += fmt::format("{}- *{}*{}: {}{}", out.empty() ? "" : "\n", one.name,
                       one.stops_function ? ", **changes the function**" : "", one.text,
                       links(results, ids));
  }
  return out.empty() ? "Nothing else differs." : out;
}

/// "the multiplier missing ([SamLynnEvans/Transformer#10](…), off by 1/sqrt d)".
std::optional<std::string> defect(std::string_view name) {
  constexpr std::string_view begin = "defect ";
  if (!name.starts_with(begin)) return std::nullopt;
  name.remove_prefix(begin.size());
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  const auto& all = properties::defects;
  const auto found = std::ranges::find(all, number, &properties::Defect::number);
  if (found == all.end()) return std::nullopt;
  const std::string thread(found->thread);
  std::smatch parts;
  const bool is_address = std::regex_match(thread, parts, std::regex("([^/ ]+/[^/ ]+)#([0-9]+)"));
  const auto link = is_address ? fmt::format("[{}](https://github.com/{}/issues/{})", thread,
                                             parts[1].str(), parts[2].str())
                               : thread;
  const auto size = std::regex_replace(std::string(found->size), std::regex("^-"), "−");
  return fmt::format("{} ({}: {})", found->what, link,
                     std::regex_replace(size, std::regex("sqrt "), "√"));
}

/// A field of a section; none where there is no such field.
std::optional<std::string> field(const Json& results, const report::Words& words,
                                 std::string_view section, std::string_view name) {
  if (name == "example") return example().table;
  if (name == "example logits") return example().logits_of_table_alone;
  if (const auto found = defect(name)) return found;
  if (name.starts_with("claim "))
    return links(results, {name.substr(name.find(' ') + 1)}).substr(1);
  if (!words.has_part(section, "from")) return std::nullopt;
  const auto from = report::tokens_of(words.part(section, "from")),
             to = report::tokens_of(words.part(section, "to"));
  const auto port = port_of(configuration(from), configuration(to));
  if (name == "command") return command(from, to);
  if (name == "steps") return steps(results, port);
  if (name == "optimizer") return optimizer(port);
  if (name == "besides") return besides(results, port);
  for (const auto& one : port.optimizer) {
    std::string key = one.parameter;
    std::ranges::replace(key, ' ', '_');
    if (name == key) return number(one.s);
  }
  return std::nullopt;
}

}  // namespace

std::string page(const Json& results, const report::Words& words) {
  std::string out =
      fmt::format("{}# {}\n\n{}\n", report::generated_note, words.title(), words.introduction());
  for (const auto& [section, parts] : words.sections()) {
    const auto look_up = [&, in = section](std::string_view name) {
      if (auto text = field(results, words, in, name)) return *text;
      throw std::invalid_argument(
          fmt::format("{}: section '{}' has no field {{{}}}", words.name(), in, name));
    };
    out += fmt::format("\n## {}\n\n{}\n", words.part(section, "title"),
                       report::fill(words.part(section, "text"), look_up));
  }
  return out;
}

}  // namespace embedscale::port
