// The fields of a configuration as people look them up.
#include "audit/fields.hpp"

#include <fmt/core.h>

#include <set>

namespace embedscale::audit {

std::string manual() {
  std::string out =
      "Fields of a configuration: what each may be; what stands where it is not given.\n"
      "Numbers may be formulas in d_model, heads, d_k and vocabulary, in quotes:\n"
      "\"d_model^-0.5\", \"sqrt(d_model)\", \"1/sqrt(d_k)\".\n\n";
  // By section, in the order in which sections first appear.
  const auto section = [](const Field& f) { return f.path.substr(0, f.path.find('.')); };
  std::set<std::string> seen;
  for (const Field& first : fields())
    if (const auto here = section(first); seen.insert(here).second)
      for (const Field& f : fields())
        if (section(f) == here)
          out += fmt::format("{}\n    {}\n    otherwise: {}\n", f.path, f.values, f.otherwise);
  return out +
         "marks.\"FIELD\"\n    read, inferred, assumed, absent; or { mark = …, source = \"…\" }\n"
         "    otherwise: read\n";
}

}  // namespace embedscale::audit
