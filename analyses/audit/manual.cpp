#include "audit/manual.hpp"

#include "audit/fields.hpp"
#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace embedscale::audit {
namespace {

// By section, in the order in which sections first appear.
std::vector<Field> lines() {
  std::vector<Field> all(fields().begin(), fields().end());
  const auto section = [](const Field& l) { return l.path.substr(0, l.path.find('.')); };
  std::vector<std::string_view> order;
  for (const Field& l : all)
    if (std::find(order.begin(), order.end(), section(l)) == order.end())
      order.push_back(section(l));
  std::stable_sort(all.begin(), all.end(), [&](const Field& a, const Field& b) {
    return std::find(order.begin(), order.end(), section(a)) <
           std::find(order.begin(), order.end(), section(b));
  });
  return all;
}

}  // namespace

std::string manual() {
  std::string out =
      "Fields of a configuration: what each may be; what stands where it is not given.\n"
      "Numbers may be formulas in d_model, heads, d_k and vocabulary, in quotes:\n"
      "\"d_model^-0.5\", \"sqrt(d_model)\", \"1/sqrt(d_k)\".\n\n";
  for (const Field& l : lines())
    out += fmt::format("{}\n    {}\n    otherwise: {}\n", l.path, l.values, l.otherwise);
  return out +
         "marks.\"FIELD\"\n    read, inferred, assumed, absent; or { mark = …, source = \"…\" }\n"
         "    otherwise: read\n";
}

std::string manual_table() {
  report::Table table({{"Key"}, {"Value"}, {"Where it is not given"}});
  for (const Field& l : lines())
    table.row({fmt::format("`{}`", l.path), std::string(l.values), std::string(l.otherwise)});
  return table.markdown();
}

}  // namespace embedscale::audit
