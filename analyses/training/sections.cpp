// Does it matter in the end? The sections of the page, whose words are in words.md: the arms of
// every setting, each at its own rate, and up against down; the factor inside the table, at the
// rate of up, at its own, and at the rate that keeps its path; two ways to one ratio of tokens to
// positions, and what becomes of the ratio in training.
#include <iterator>
#include <map>

#include "cli/analysis.hpp"
#include "training/recipe_sections.hpp"
#include "training/recipes.hpp"
#include "training/results.hpp"

namespace embedscale {
namespace training_analysis {
namespace {

constexpr const char* method = "runs of the training study";

/// What is seen of one arm: the loss at its own rate, how wide the range of good rates is.
void measure_arm(Section& s, const Record& record, const Cell& cell, Arm arm) {
  const auto runs = runs_of(record, cell, arm);
  const auto at = place_of(cell, arm);
  const auto sweep = training::swept(cell, arm, record);
  const auto good = good_rates(sweep, good_rate_within);
  s.measure("loss", at, median_over_seeds(runs.losses()), method);
  s.measure("own_rate", at, runs.rate, "the least mean loss of the sweep");
  s.measure("diverged", at, static_cast<double>(runs.diverged()), method);
  s.measure("failed", at, static_cast<double>(runs.never_started()), method);
  const double limit = threshold(record, cell);
  s.measure("never_reached", at, static_cast<double>(runs.never_at(limit)));
  if (runs.never_at(limit) == 0)
    s.measure("reached_steps", at, median_over_seeds(runs.steps_to(limit)));
  if (!good.cut_below) s.measure("good_rates_from", at, Value::example(good.lower));
  if (!good.cut_above) s.measure("good_rates_to", at, Value::example(good.upper));
  for (const auto& [rate, losses] : sweep) {
    Place swept = at;
    s.measure("swept_loss", swept.set("rate", rate),
              Value::example(mean_loss({rate, losses})).to_digits(4));
  }
}

/// What is lost at the rate that is the best for another arm.
void measure_borrowed_rate(Section& s, const Record& record, const Cell& cell, Arm arm) {
  const auto sweep = training::swept(cell, arm, record);
  const auto own = own_rate(sweep);
  const double rate = training::own_rate(cell, Arm::up, record);
  for (const auto& one : sweep)
    if (one.rate == rate)
      s.measure("loss_at_rate_of_up", place_of(cell, arm),
                Value::example(mean_loss(one) - mean_loss(sweep[own])));
}

/// How many arms are best at the first or the last rate of their grid, and might be better beyond.
std::size_t own_rates_at_an_end(const Record& record, const std::vector<Cell>& cells) {
  std::size_t all = 0;
  for (const auto& cell : cells)
    for (const Arm arm : cell.arms) {
      const auto all_rates = training::swept(cell, arm, record);
      const auto own = own_rate(all_rates);
      if (own == 0 || own + 1 == all_rates.size()) ++all;
    }
  return all;
}

/// In how many runs at one rate and seed the folded table has other logits than up, in some bit.
Tally other_bits(const Record& record, const Cell& cell) {
  Tally tally;
  for (const double rate : cell.rates)
    for (std::size_t i = 0; i < swept_seeds; ++i)
      tally.evaluate([&] {
        const auto bits = [&](Arm arm) {
          return record.of({cell.setting, arm, rate, swept_seed(i)}).bits;
        };
        return bits(Arm::up) != bits(Arm::folded_at_its_rate);
      });
  return tally;
}

/// An arm against up, beside which its tokens are fainter or louder.
bool has_another_ratio(const Comparison& c) {
  return c.with == Arm::up && c.arm != Arm::down && c.arm != Arm::folded &&
         c.arm != Arm::folded_at_its_rate;
}

/// Where the whole interval of a difference from up lies, however small the difference is.
const char* side_of_up(const Value& difference) {
  return *difference.upper() < 0   ? "below up"
         : *difference.lower() > 0 ? "above up"
                                   : "on both sides";
}

void measure_ratios(Section& s, const Record& record, const Cell& cell, Arm arm) {
  const auto runs = runs_of(record, cell, arm);
  const auto at = place_of(cell, arm);
  const auto vocabulary = vocabulary_of(cell.setting.task);
  s.measure("start_ratio", at,
            token_to_position_ratio(parametrisation<double>(arm, vocabulary, cell.setting.d)),
            "the initial distributions' own");
  s.measure("loss_by_ratio", at, median_over_seeds(runs.losses()));
  measure_curve(s, "ratio_curve", runs, &Outcome::ratio);
  s.measure("end_ratio", at, median_over_seeds(runs.at(&Outcome::ratio, evaluations)),
            "held-out tokens over all positions");
}

/// How a difference moves from variant to variant of one setting: all medians one way, the last
/// interval beyond the first; and what share of it is left in the last.
void measure_trend(Section& s, const char* by, const std::vector<Value>& variants) {
  if (variants.size() < 2) return;
  const auto& first = variants.front();
  const auto& last = variants.back();
  const auto is_before = [](const Value& a, const Value& b) { return a.value() < b.value(); };
  const bool rises = std::ranges::is_sorted(variants, is_before) && *first.upper() < *last.lower();
  const bool falls = std::is_sorted(variants.rbegin(), variants.rend(), is_before) &&
                     *last.upper() < *first.lower();
  s.measure("trend",
            {{"by", by},
             {"trend", rises   ? "rises"
                       : falls ? "falls"
                               : "stays unclear"}},
            Value::example(last.value() / first.value()));
}

/// Of pre-norm models on text, by width and by the number of steps.
void measure_trends(Section& s, const std::vector<Decided>& all) {
  std::map<std::size_t, Value> by_width;
  std::map<int, Value> by_steps;
  for (const auto& one : all) {
    Setting as_usual = one.cell->setting;
    as_usual.d = Setting{}.d;
    if (as_usual == Setting{}) by_width.emplace(one.cell->setting.d, one.loss);
    as_usual = one.cell->setting;
    as_usual.steps = Setting{}.steps;
    if (as_usual == Setting{}) by_steps.emplace(one.cell->setting.steps, one.loss);
  }
  const auto values = [](const auto& map) {
    std::vector<Value> list;
    for (const auto& [key, value] : map) list.push_back(value);
    return list;
  };
  measure_trend(s, "d_model", values(by_width));
  measure_trend(s, "steps", values(by_steps));
}

/// The runs behind all comparisons, and those of each side that never start.
void measure_runs_behind(Section& s, const std::vector<Decided>& all) {
  std::uint64_t down = 0, up = 0;
  for (const auto& one : all) {
    down += one.never_started;
    up += one.never_started_against;
  }
  const auto behind = [](Arm arm) {
    return Place{{"behind", "all settings"}, {"arm", name_of(arm)}};
  };
  s.measure("runs", {{"behind", "all settings"}},
            static_cast<double>(2 * compared_seeds * all.size()), method);
  s.measure("never_started", behind(Arm::down), static_cast<double>(down), method);
  s.measure("never_started", behind(Arm::up), static_cast<double>(up), method);
}

void measure_up_equals_down(Section& s, const Record& record, const std::vector<Cell>& cells) {
  const auto all = count_findings(s, record, cells, down_is_alike);
  measure_differences(s, all);
  measure_trends(s, all);
  measure_runs_behind(s, all);
  for (const auto& cell : cells) {
    for (const Arm arm : cell.arms) {
      measure_arm(s, record, cell, arm);
      measure_borrowed_rate(s, record, cell, arm);
      measure_curve(s, "curve", runs_of(record, cell, arm), &Outcome::curve);
    }
  }
  s.measure("own_rates_at_an_end", {}, static_cast<double>(own_rates_at_an_end(record, cells)));
  s.measure("settings", {}, static_cast<double>(cells.size()));
  s.measure("runs", {}, static_cast<double>(record.size()));
}

void measure_unscaled_is_worse(Section& s, const Record& record, const std::vector<Cell>& cells) {
  const auto all = count_findings(s, record, cells, unscaled_is_higher);
  measure_differences(s, all);
  for (const auto& one : all) measure_borrowed_rate(s, record, *one.cell, Arm::unscaled);
}

void measure_folded_needs_its_own_rate(Section& s, const Record& record,
                                       const std::vector<Cell>& cells) {
  const auto all = decided(record, cells, [](const Comparison& c) {
    return c.arm == Arm::folded || c.arm == Arm::folded_at_its_rate;
  });
  count_findings(s, record, cells, folded_is_as_good);
  measure_differences(s, all);
  for (const auto& cell : cells) {
    if (std::ranges::count(cell.arms, Arm::folded_at_its_rate) == 0) continue;
    s.measure("bit_disagreements", {{"setting", title_of(cell.setting)}}, other_bits(record, cell),
              "hash of the logits of held-out text");
  }
}

void measure_ratio_is_what_matters(Section& s, const Record& record,
                                   const std::vector<Cell>& cells) {
  const auto all = count_findings(s, record, cells, one_ratio_is_alike);
  measure_differences(s, all);
  // The other ratios, which decide nothing here.
  for (const auto& one : decided(record, cells, has_another_ratio)) {
    auto at = one.place();
    at.set("shown", "ratio").set("interval", side_of_up(one.loss));
    s.measure("loss_difference", at, one.loss, paired);
    s.measure("never_started", at, static_cast<double>(one.never_started));
  }
  for (const auto& cell : cells)
    for (const Arm arm : cell.arms) measure_ratios(s, record, cell, arm);
}

/// A section, of the committed runs.
template <auto measure>
void of_committed(Section& s, const Options&) {
  const Record record;
  measure(s, record, finished_cells(record));
}

}  // namespace
}  // namespace training_analysis

cli::Analysis analysis_of_training() {
  namespace claims = properties::training;
  using namespace training_analysis;
  std::vector<cli::Measured> sections{
      {&claims::up_equals_down, of_committed<measure_up_equals_down>},
      {&claims::unscaled_is_worse, of_committed<measure_unscaled_is_worse>},
      {&claims::folded_needs_its_own_rate, of_committed<measure_folded_needs_its_own_rate>},
      {&claims::ratio_is_what_matters, of_committed<measure_ratio_is_what_matters>}};
  std::ranges::move(recipe_sections(), std::back_inserter(sections));
  return {.topic = "training",
          .about = "Does it matter to a trained model where the factor √d_model stands?",
          .sections = std::move(sections),
          .describe = [](report::Page& page) {
            page.body = setup(Record()) + "\n" + recipe_setup(Recipes(Record::of_recipes()));
          }};
}

}  // namespace embedscale
