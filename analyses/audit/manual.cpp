#include "audit/manual.hpp"

#include "audit/fields.hpp"
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace embedscale::audit {
namespace {

struct Line {
  std::string_view path, values, otherwise;
};

// By section, in the order in which sections first appear.
std::vector<Line> lines() {
  std::vector<Line> all;
  for (const Field& f : fields()) all.push_back({f.path, f.values, f.otherwise});
  for (const ExtraField& f : extra_fields()) all.push_back({f.path, f.values, f.otherwise});
  const auto section = [](const Line& l) { return l.path.substr(0, l.path.find('.')); };
  std::vector<std::string_view> order;
  for (const Line& l : all)
    if (std::find(order.begin(), order.end(), section(l)) == order.end())
      order.push_back(section(l));
  std::stable_sort(all.begin(), all.end(), [&](const Line& a, const Line& b) {
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
  for (const Line& l : lines())
    out += fmt::format("{}\n    {}\n    otherwise: {}\n", l.path, l.values, l.otherwise);
  return out +
         "marks.\"FIELD\"\n    read, inferred, assumed, absent; or { mark = …, source = \"…\" }\n"
         "    otherwise: read\n";
}

std::string manual_table() {
  report::Table table({{"Key"}, {"Value"}, {"Where it is not given"}});
  for (const Line& l : lines())
    table.row({fmt::format("`{}`", l.path), std::string(l.values), std::string(l.otherwise)});
  return table.markdown();
}

}  // namespace embedscale::audit
