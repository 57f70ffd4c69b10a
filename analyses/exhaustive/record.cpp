#include "exhaustive/record.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/program.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"

namespace embedscale::exhaustive {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Greatest, value, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Found, counts, greatest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Recorded, hash, found, part, found_in_part)

namespace {

/// So many cases, each of which a run evaluated.
class Cases : public report::Counted {
 public:
  explicit Cases(std::uint64_t cases) { add_cases(cases); }
};

const auto& in(const auto& all, std::string_view name) {
  const auto found = all.find(name);
  if (found == all.end())
    throw std::out_of_range(fmt::format("properties/exhaustive.json has no '{}'", name));
  return found->second;
}

}  // namespace

std::string text_of(const Found& found) { return Json(found).dump(); }
Found found_in(const std::string& text) { return Json::parse(text).get<Found>(); }

report::Value Recorded::greatest(std::string_view name, std::string_view cases) const {
  return report::Value::of_all(in(found.greatest, name).value, Cases(in(found.counts, cases)));
}

report::Value Recorded::count(std::string_view name, std::string_view cases) const {
  return report::Value::of_all(static_cast<double>(in(found.counts, name)),
                               Cases(in(found.counts, cases)));
}

report::Value Recorded::share(std::string_view name, std::string_view cases) const {
  const Cases all(in(found.counts, cases));
  return report::Value::of_all(count(name, cases).value() / static_cast<double>(all.cases()), all);
}

const std::string& Recorded::at(std::string_view name) const { return in(found.greatest, name).at; }

Record::Record() : Record(cli::share("exhaustive.json")) {}

Record::Record(const std::filesystem::path& file) try {
  if (std::filesystem::exists(file)) Json(report::read_json(file)).get_to(runs);
} catch (const Json::exception& error) {
  throw std::invalid_argument(fmt::format(
      "{}: not what exhaustive runs found: {}; git checkout properties/exhaustive.json restores it",
      file.string(), error.what()));
}

const Recorded& Record::of(std::string_view run) const { return in(runs, run); }

std::string Record::text() const {
  std::string lines;
  for (const auto& [name, run] : runs)
    lines +=
        fmt::format("{}{}:{}", lines.empty() ? "\n" : ",\n", Json(name).dump(), Json(run).dump());
  return "{" + lines + "\n}\n";
}

}  // namespace embedscale::exhaustive
