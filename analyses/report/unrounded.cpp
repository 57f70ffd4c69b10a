#include "report/unrounded.hpp"

#include <cmath>
#include <optional>

#include "report/json.hpp"
#include "report/page.hpp"
#include "report/section.hpp"
#include "report/table.hpp"

namespace embedscale::report {

std::string unrounded(const Page& page) {
  constexpr int digits_of_a_count = 15;
  const auto exact = [](std::optional<double> x) {
    if (!x) return Json();
    return std::isfinite(*x) ? Json(*x) : Json(significant(*x, 1));
  };
  std::string lines;
  for (const auto& section : page.sections)
    for (const auto& m : section.measurements())
      lines += Json::array({section.claim().id, m.quantity, to_json(m.at), m.method,
                            m.unit == counted ? digits_of_a_count : m.digits, exact(m.value),
                            exact(m.lower), exact(m.upper)})
                   .dump() +
               "\n";
  return lines;
}

}  // namespace embedscale::report
