#include "exhaustive/record.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "cli/share.hpp"
#include "report/file.hpp"

namespace embedscale::exhaustive {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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

Json json_of(const Found& found) {
  Json json = Json::object();
  for (const auto& [name, cases] : found.counts) json["counts"][name] = cases;
  for (const auto& [name, value] : found.least) json["least"][name] = value;
  // As text, which has all digits of a double.
  for (const auto& [name, one] : found.greatest)
    json["greatest"][name] = {{"value", fmt::format("{}", one.value)}, {"at", one.at}};
  return json;
}

Found found_in(const Json& json) {
  Found found;
  const auto each = [&](const char* kind, auto add) {
    if (!json.contains(kind)) return;
    for (const auto& [name, value] : json.at(kind).items()) add(name, value);
  };
  each("counts",
       [&](auto& name, auto& n) { found.counts[name] = n.template get<std::uint64_t>(); });
  each("least", [&](auto& name, auto& n) { found.least[name] = n.template get<std::uint64_t>(); });
  each("greatest", [&](auto& name, auto& one) {
    found.greatest[name] = {std::stod(one.at("value").template get<std::string>()),
                            one.at("at").template get<std::string>()};
  });
  return found;
}

}  // namespace

std::string to_text(const Found& found) { return json_of(found).dump(); }

Found found_of(std::string_view text) {
  try {
    return found_in(Json::parse(text));
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("not what a part found: {}", error.what()));
  }
}

report::Value Recorded::greatest(std::string_view name, std::string_view cases) const {
  return report::Value::of_all(in(found.greatest, name).value, Cases(in(found.counts, cases)));
}

report::Value Recorded::count(std::string_view name, std::string_view cases) const {
  return report::Value::of_all(static_cast<double>(in(found.counts, name)),
                               Cases(in(found.counts, cases)));
}

report::Value Recorded::least(std::string_view name, std::string_view cases) const {
  return report::Value::of_all(static_cast<double>(in(found.least, name)),
                               Cases(in(found.counts, cases)));
}

report::Value Recorded::share(std::string_view name, std::string_view cases) const {
  const std::uint64_t all = in(found.counts, cases);
  return report::Value::of_all(
      static_cast<double>(in(found.counts, name)) / static_cast<double>(all), Cases(all));
}

const std::string& Recorded::at(std::string_view name) const { return in(found.greatest, name).at; }

Record::Record() : Record(cli::share("exhaustive.json")) {}

Record::Record(const fs::path& file) {
  if (!fs::exists(file)) return;
  try {
    const Json document = Json::parse(report::read_file(file));
    for (const auto& row : document.at("runs")) {
      const auto& part = row.at("part");
      runs_[row.at("name").get<std::string>()] = {.hash = row.at("hash").get<std::string>(),
                                                  .parts = row.at("parts").get<std::uint64_t>(),
                                                  .found = found_in(row.at("found")),
                                                  .part = part.at("number").get<std::uint64_t>(),
                                                  .found_in_part = found_in(part.at("found"))};
    }
  } catch (const report::FileError&) {
    throw;
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format(
        "{}: not what exhaustive runs found: {}; git checkout properties/exhaustive.json "
        "restores it",
        file.string(), error.what()));
  }
}

const Recorded& Record::of(std::string_view run) const { return in(runs_, run); }

std::string Record::text() const {
  std::string lines;
  for (const auto& [name, run] : runs_) {
    const Json row{{"name", name},
                   {"hash", run.hash},
                   {"parts", run.parts},
                   {"found", json_of(run.found)},
                   {"part", {{"number", run.part}, {"found", json_of(run.found_in_part)}}}};
    lines += (lines.empty() ? "\n" : ",\n") + row.dump();
  }
  return "{\"runs\": [" + lines + "\n]}\n";
}

}  // namespace embedscale::exhaustive
