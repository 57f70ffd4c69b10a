#pragma once
// What the runs of a study came to: one committed file, which the page reads. Needs no libtorch.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "properties/training/recipe.hpp"
#include "properties/training/setting.hpp"

namespace embedscale::training {

using properties::training::Outcome, properties::training::RecipeOutcome, properties::training::Run;

/// "text-64-pre-adam-warmup/up/0.003/2": setting, arm, rate, seed.
std::string name_of(const Run& run);

/// As a line of JSON, and back: rounded, as the record has it.
std::string text_of(const RecipeOutcome& outcome);
RecipeOutcome outcome_in(const std::string& text);

/// What decides every number of a study, but for the machine.
struct Provenance {
  std::string sources;   ///< a hash of what a run is compiled from
  std::string text;      ///< a hash of the text
  std::string libtorch;  ///< its version, its BLAS
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

class Record {
 public:
  /// Those that the running program finds beside itself, of the first study and of the second.
  Record();
  static Record of_recipes();
  /// An empty one where there is no such file.
  ///
  /// Errors    report::FileError; std::invalid_argument where it is something else.
  explicit Record(const std::filesystem::path& file);
  explicit Record(Provenance provenance) : provenance_(std::move(provenance)) {}

  const Provenance& provenance() const { return provenance_; }
  /// nullptr: no such run.
  const RecipeOutcome* find(std::string_view name) const;
  const Outcome* find(const Run& run) const;
  /// Errors    std::out_of_range: no such run.
  const Outcome& of(const Run& run) const;
  std::size_t size() const { return runs_.size(); }

  void keep(const std::string& name, const RecipeOutcome& outcome) { runs_[name] = outcome; }
  /// All runs of another one, of the same sources.
  void keep(const Record& other) { runs_.insert(other.runs_.begin(), other.runs_.end()); }
  /// As text: a line a run, in the order of their names. The same runs give the same bytes, in
  /// whichever order they were made.
  std::string text() const;

 private:
  Provenance provenance_;
  std::map<std::string, RecipeOutcome, std::less<>> runs_;
};

}  // namespace embedscale::training
