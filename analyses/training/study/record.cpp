#include "training/study/record.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/program.hpp"
#include "properties/training/design.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"

namespace embedscale::training {
namespace {

namespace study = properties::training;
using Json = nlohmann::ordered_json;

/// As many digits as a reader of curves can use; losses differ by far less from seed to seed.
Json rounded(double x, int digits) { return std::stod(fmt::format("{:.{}g}", x, digits)); }

Json rounded(const std::vector<double>& all, int digits) {
  Json out = Json::array();
  for (const double x : all) out.push_back(rounded(x, digits));
  return out;
}

Json json_of(const RecipeOutcome& all) {
  const auto& outcome = all.outcome;
  Json json{{"loss", rounded(outcome.loss, 6)}};
  if (outcome.diverged) json["diverged"] = true;
  json["bits"] = fmt::format("{:016x}", outcome.bits);
  if (!outcome.curve.empty()) json["curve"] = rounded(outcome.curve, 5);
  if (!outcome.ratio.empty()) json["ratio"] = rounded(outcome.ratio, 3);
  if (all.moved != RecipeOutcome{}.moved)
    json["moved"] = rounded({all.moved.begin(), all.moved.end()}, 4);
  return json;
}

RecipeOutcome outcome_in(const Json& json) {
  return {.outcome = {.diverged = json.value("diverged", false),
                      .loss = json.at("loss").get<double>(),
                      .curve = json.value("curve", std::vector<double>{}),
                      .ratio = json.value("ratio", std::vector<double>{}),
                      .bits = std::stoull(json.at("bits").get<std::string>(), nullptr, 16)},
          .moved = json.value("moved", RecipeOutcome{}.moved)};
}

Json json_of(const Provenance& of) {
  return {{"sources", of.sources}, {"text", of.text}, {"libtorch", of.libtorch}};
}

Provenance provenance_in(const Json& json) {
  return {json.at("sources").get<std::string>(), json.at("text").get<std::string>(),
          json.at("libtorch").get<std::string>()};
}

/// The run's name in the front, for the eye.
std::string row_of(const std::string& name, const RecipeOutcome& outcome) {
  Json row{{"run", name}};
  row.update(json_of(outcome));
  return row.dump();
}

}  // namespace

std::string text_of(const RecipeOutcome& outcome) { return json_of(outcome).dump(); }
RecipeOutcome outcome_in(const std::string& text) { return outcome_in(Json::parse(text)); }

std::string name_of(const Run& run) {
  return fmt::format("{}/{}/{}/{}", study::name_of(run.setting), study::name_of(run.arm), run.rate,
                     run.seed);
}

Record::Record() : Record(cli::share("training.json")) {}
Record Record::of_recipes() { return Record(cli::share("recipe_record.json")); }

Record::Record(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  try {
    const Json document = Json::parse(report::read_file(file));
    provenance_ = provenance_in(document.at("study"));
    for (const auto& row : document.at("runs"))
      runs_[row.at("run").get<std::string>()] = outcome_in(row);
  } catch (const report::FileError&) {
    throw;
  } catch (const std::exception& error) {
    throw std::invalid_argument(
        fmt::format("{}: not what the training study found: {}; git checkout "
                    "analyses/training/record.json restores it",
                    file.string(), error.what()));
  }
}

const RecipeOutcome* Record::find(std::string_view name) const {
  const auto found = runs_.find(name);
  return found == runs_.end() ? nullptr : &found->second;
}

const Outcome* Record::find(const Run& run) const {
  const auto* found = find(name_of(run));
  return found == nullptr ? nullptr : &found->outcome;
}

const Outcome& Record::of(const Run& run) const {
  if (const auto* found = find(run)) return *found;
  throw std::out_of_range(fmt::format("no run {} in the training study", name_of(run)));
}

std::string Record::text() const {
  std::string lines;
  for (const auto& [name, outcome] : runs_)
    lines += (lines.empty() ? "\n" : ",\n") + row_of(name, outcome);
  return fmt::format("{{\"study\": {}, \"runs\": [{}\n]}}\n", json_of(provenance_).dump(), lines);
}

}  // namespace embedscale::training
