#include "certainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "answer/page.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::certainty {
namespace {

using report::Table, report::text;

/// By Support; the words' sections have these names, and all but the first two are kinds of claims.
constexpr std::array<const char*, 7> names{"trained", "read",       "statistical", "quadrature",
                                           "bounded", "exhaustive", "exact"};

std::string name_of(Support support) { return names[static_cast<std::size_t>(support)]; }

/// In words: "1 of 11 comparisons", "10,000 cases".
std::string shown(const Tried& tried) {
  if (tried.count == 0) return "—";
  return tried.of ? fmt::format("{} of {} comparisons", report::count(tried.count),
                                report::count(tried.of))
                  : report::count(tried.count) + " cases";
}

double share(const Tried& tried) {
  const auto count = static_cast<double>(tried.count);
  return tried.of ? count / static_cast<double>(tried.of) : count;
}

struct Ranked {
  const Json* row;
  Support support;
  Tried tried;
};

std::vector<Ranked> ranked(const Json& results) {
  std::vector<Ranked> all;
  for (const auto& row : results.at("claims")) all.push_back({&row, support_of(row), tried(row)});
  std::ranges::stable_sort(
      all, {}, [](const Ranked& one) { return std::pair(one.support, share(one.tried)); });
  return all;
}

/// Whether its page counts systems of the atlas, which its verdict does not rest on.
bool counts_systems(const Json& row) {
  return std::ranges::any_of(report::measurements_of(row), [](const auto& one) {
    return one.method.find("over the atlas") != one.method.npos;
  });
}

std::string link(const Json& row) {
  return fmt::format("[{}]({})", text(row, "id"), text(row, "anchor"));
}

std::string table_of_supports(const std::vector<Ranked>& all, const report::Words& words) {
  auto table = Table::headed("Rests on|What would overturn it|Why it holds|Claims:|Least tried");
  for (auto of = all.begin(); of != all.end();) {
    const auto next =
        std::find_if(of, all.end(), [&](const Ranked& one) { return one.support != of->support; });
    const auto name = name_of(of->support);
    table.row({fmt::format("**{}**", name), answer::on_one_line(words.part(name, "overturned by")),
               answer::on_one_line(words.part(name, "rests on")), std::to_string(next - of),
               fmt::format("{}: {}", link(*of->row), shown(of->tried))});
    of = next;
  }
  return table.markdown();
}

std::string table_of_claims(const std::vector<Ranked>& all) {
  auto table = Table::headed(":|Finding|Rests on|Tried:|Wrong primitives rejected:");
  for (const auto& one : all)
    table.row({std::to_string(table.size() + 1), answer::link_to(*one.row),
               name_of(one.support) + (counts_systems(*one.row) ? ", counts read" : ""),
               shown(one.tried),
               report::count(one.row->at("mutants").at("killed").get<std::uint64_t>())});
  return table.markdown();
}

}  // namespace

Support support_of(const Json& row) {
  // Only what was trained or read is settled by tests of records.
  const auto is_of_records = [](const Json& test) {
    return test.get<std::string>().find("_in_records.") != std::string::npos;
  };
  if (std::ranges::any_of(row.at("tests"), is_of_records))
    return text(row, "topic") == "training" ? Support::trained : Support::read;
  const auto kind = text(row, "kind");
  const auto found = std::ranges::find(names, kind);
  if (found == names.end())
    throw std::invalid_argument(
        fmt::format("{}: no support of the kind '{}'", text(row, "id"), kind));
  return static_cast<Support>(found - names.begin());
}

Tried tried(const Json& row) {
  const auto support = support_of(row);
  if (support == Support::read) return {};
  if (support == Support::trained)
    for (const auto& one : report::measurements_of(row))
      if (one.quantity == "against") return {static_cast<std::uint64_t>(one.value), one.samples};
  return {row.at("evaluated").get<std::uint64_t>(), 0};
}

std::string page(const Json& results, const report::Words& words) {
  const auto all = ranked(results);
  return fmt::format("{}# {}\n\n{}\n\n## {}\n\n{}\n{}\n## {}\n\n{}\n\n{}", report::generated_note,
                     words.title(), words.introduction(), words.part("weakest", "title"),
                     answer::as_list(results, answer::sentences(words, "weakest", "sentences"), ""),
                     table_of_supports(all, words), words.part("ranking", "title"),
                     words.part("ranking", "text"), table_of_claims(all));
}

}  // namespace embedscale::certainty
