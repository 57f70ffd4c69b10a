// In which ways the committed reports were made, and what differs: as ./dev identity recorded it.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/digits.hpp"
#include "report/table.hpp"
#include "trust.hpp"

namespace embedscale::trust_analysis {
namespace {

using report::Json;
using report::Table;

std::string number(const Json& json) {
  return json.is_number() ? report::significant(json.get<double>(), 2) : json.get<std::string>();
}

/// What the ways have on an axis, each once, in their order.
template <class Name>
std::string each(const Json& record, Name name) {
  std::vector<std::string> names;
  for (const auto& tried : record.at("tried"))
    if (const auto one = name(tried); std::ranges::count(names, one) == 0) names.push_back(one);
  return list(names);
}

void add_row(Table& table, const std::string& changed, const Json& tried) {
  const bool differs = tried.at("values_that_differ") > 0;
  table.row({changed, text(tried, "way"), counted(tried, "files_that_differ"),
             counted(tried, "rows_that_differ"), counted(tried, "values_that_differ"),
             differs ? number(tried.at("largest")) : "—",
             differs ? "`" + text(tried, "where") + "`" : "—"});
}

void fill(const Json& record, Fields& fields) {
  std::uint64_t files = 0;
  for (const auto& tried : record.at("tried"))
    files += tried.at("files_that_differ").get<std::uint64_t>();
  for (const char* key : {"pages", "files", "rows", "values", "values_that_differ"})
    fields["identity_" + std::string(key)] = counted(record, key);
  fields["identity_ways"] = std::to_string(record.at("tried").size());
  fields["identity_files_that_differ"] = report::count(files);
  fields["identity_libc"] = text(record, "libc");
  fields["identity_hash"] = text(record, "reports");
  for (const auto& one : record.at("functions"))
    fields["identity_functions"] = list(one.at("other_bits").get<std::vector<std::string>>(), ", ");
  fields["identity_builds"] = each(record, [](const Json& tried) {
    return fmt::format("{} ({})", text(tried, "build"), text(tried, "version"));
  });
  fields["identity_instructions"] =
      each(record, [](const Json& tried) { return text(tried, "instructions"); });
  fields["identity_threads"] =
      each(record, [](const Json& tried) { return counted(tried, "threads"); });
}

std::string nearest_table(const Json& record) {
  auto table =
      Table::headed("Quantity|At|Value:|Digits written:|Moved by:|From another last digit:|Times:");
  for (const auto& one : record.at("nearest"))
    table.row({"`" + text(one, "quantity") + "`", "`" + text(one, "place") + "`",
               report::significant(one.at("value").get<double>(), 6), counted(one, "digits"),
               number(one.at("moved")), number(one.at("distance")), number(one.at("times"))});
  return table.markdown();
}

}  // namespace

Shown identity_table(const Json& inputs, Fields& fields) {
  const auto& record = inputs.at("identity");
  fill(record, fields);
  auto table = Table::headed(
      "Changed|Made by|Files that differ:|Rows that differ:|Values that differ:|By at most:|There");
  const auto& all = record.at("tried");
  for (const auto& tried : all)
    if (const auto changed = text(tried, "changed");
        changed.find(',') == std::string::npos || tried == all.back())
      add_row(table, changed.empty() ? "nothing" : changed, tried);
  Shown shown{.page = table.markdown()};
  for (const auto& one : record.at("differences"))
    shown.evidence +=
        fmt::format("- {}: `{}`, {}: `{}` committed, `{}` made\n", text(one, "way"),
                    text(one, "file"), text(one, "row"), text(one, "committed"), text(one, "made"));
  if (!record.at("nearest").empty())
    shown.evidence += (shown.evidence.empty() ? "" : "\n") + nearest_table(record);
  return shown;
}

}  // namespace embedscale::trust_analysis
