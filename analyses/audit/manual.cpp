// The fields of a configuration as people look them up.
#include "audit/fields.hpp"
#include "report/table.hpp"

#include <fmt/core.h>

#include <set>

namespace embedscale::audit {
namespace {

// By section, in the order in which sections first appear.
std::vector<Field> by_section() {
  const auto section = [](const Field& f) { return f.path.substr(0, f.path.find('.')); };
  std::vector<Field> all;
  std::set<std::string> seen;
  for (const Field& first : fields())
    if (seen.insert(section(first)).second)
      std::ranges::copy_if(fields(), std::back_inserter(all),
                           [&](const Field& f) { return section(f) == section(first); });
  return all;
}

}  // namespace

std::string manual() {
  std::string out =
      "Fields of a configuration: what each may be; what stands where it is not given.\n"
      "Numbers may be formulas in d_model, heads, d_k and vocabulary, in quotes:\n"
      "\"d_model^-0.5\", \"sqrt(d_model)\", \"1/sqrt(d_k)\".\n\n";
  for (const Field& f : by_section())
    out += fmt::format("{}\n    {}\n    otherwise: {}\n", f.path, f.values, f.otherwise);
  return out +
         "marks.\"FIELD\"\n    read, inferred, assumed, absent; or { mark = …, source = \"…\" }\n"
         "    otherwise: read\n";
}

std::string manual_table() {
  report::Table table({{"Key"}, {"Value"}, {"Where it is not given"}});
  for (const Field& f : by_section())
    table.row({fmt::format("`{}`", f.path), std::string(f.values), std::string(f.otherwise)});
  return table.markdown();
}

}  // namespace embedscale::audit
