#include "certainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "answer/page.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::certainty {
namespace {

using properties::Kind, report::Table, report::text;

/// "1 of 11" comparisons, "10,000" cases.
std::string shown(const Tried& tried) {
  if (tried.count == 0) return "not counted";
  const auto count = report::count(tried.count);
  return tried.of ? fmt::format("{} of {}", count, report::count(tried.of)) : count;
}

double share(const Tried& tried) {
  const auto count = static_cast<double>(tried.count);
  return tried.of ? count / static_cast<double>(tried.of) : count;
}

struct Ranked {
  const Json* row;
  Kind kind;
  Tried tried;
};

std::vector<Ranked> ranked(const Json& results) {
  std::vector<Ranked> all;
  for (const auto& row : results.at("claims")) all.push_back({&row, kind_of(row), tried(row)});
  std::ranges::stable_sort(all, [](const Ranked& one, const Ranked& other) {
    return one.kind != other.kind ? one.kind > other.kind : share(one.tried) < share(other.tried);
  });
  return all;
}

/// Whether its page counts systems of the atlas, which its verdict does not rest on.
bool counts_systems(const Ranked& of) {
  const auto is_over_atlas = [](const auto& one) {
    return one.method.find("over the atlas") != one.method.npos;
  };
  return of.kind != Kind::read &&
         std::ranges::any_of(report::measurements_of(*of.row), is_over_atlas);
}

std::string link(const Json& row) {
  return fmt::format("[{}]({})", text(row, "id"), text(row, "anchor"));
}

std::string table_of_kinds(const std::vector<Ranked>& all, const report::Words& words) {
  auto table = Table::headed("Rests on|Claims:|What would overturn it|Why it holds|Least tried");
  for (auto of = all.begin(); of != all.end();) {
    const auto next =
        std::find_if(of, all.end(), [&](const Ranked& one) { return one.kind != of->kind; });
    const std::string name(name_of(of->kind));
    table.row({fmt::format("**{}**", name), std::to_string(next - of),
               answer::on_one_line(words.part(name, "overturned by")),
               answer::on_one_line(words.part(name, "rests on")),
               fmt::format("{}: {}", link(*of->row), shown(of->tried))});
    of = next;
  }
  return table.markdown();
}

std::string table_of_claims(const std::vector<Ranked>& all) {
  auto table = Table::headed(":|Finding|Tried:|Rests on|Wrong primitives rejected:");
  for (const auto& one : all)
    table.row({std::to_string(table.size() + 1), answer::link_to(*one.row), shown(one.tried),
               std::string(name_of(one.kind)) + (counts_systems(one) ? ", counts read" : ""),
               report::count(one.row->at("mutants").at("killed").get<std::uint64_t>())});
  return table.markdown();
}

}  // namespace

Kind kind_of(const Json& row) {
  const auto kind = text(row, "kind");
  const auto& all = properties::names_of_kinds;
  const auto found = std::ranges::find(all, kind);
  if (found == all.end())
    throw std::invalid_argument(
        fmt::format("{}: there is no kind of evidence '{}'", text(row, "id"), kind));
  return static_cast<Kind>(found - all.begin());
}

Tried tried(const Json& row) {
  const auto kind = kind_of(row);
  if (kind == Kind::read) return {};
  if (kind == Kind::trained)
    for (const auto& one : report::measurements_of(row))
      if (one.quantity == "against") return {static_cast<std::uint64_t>(one.value), one.samples};
  return {row.at("evaluated").get<std::uint64_t>(), 0};
}

std::string page(const Json& results, const report::Words& words) {
  const auto all = ranked(results);
  return fmt::format("{}# {}\n\n{}\n\n## {}\n\n{}\n{}\n## {}\n\n{}\n\n{}", report::generated_note,
                     words.title(), words.introduction(), words.part("weakest", "title"),
                     answer::as_list(results, answer::sentences(words, "weakest", "sentences"), ""),
                     table_of_kinds(all, words), words.part("ranking", "title"),
                     words.part("ranking", "text"), table_of_claims(all));
}

}  // namespace embedscale::certainty
