// What the committed training study and the records of real systems settle, as the properties
// settle what the library does: the same harness, the same record of what it did.
#include "audit/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conventions/sections.hpp"
#include "properties/conventions/claims.hpp"
#include "properties/testing/rows.hpp"
#include "properties/testing/trials.hpp"
#include "properties/tied_output/claims.hpp"
#include "tied_output/sections.hpp"
#include "training/recipes.hpp"

namespace embedscale {
namespace {

using namespace properties::testing;
using training_analysis::Arm, training_analysis::Believed, training_analysis::Decided;

// The training study.

/// What a run's logits of held-out text are, as a hash.
struct Runs {
  properties::Operation<std::uint64_t(const training::Run& run)> bits = [](const auto& run) {
    static const training::Record record;
    return record.of(run).bits;
  };
  void list(properties::Members& to) { EMBEDSCALE_LIST(to, bits); }
};

/// Of up, in the settings whose √d_model is a power of two and which have the corrected table.
std::vector<training::Run> exact_runs() {
  std::vector<training::Run> all;
  for (const auto& cell : properties::training::cells())
    if (training::is_exact(cell.setting) &&
        std::ranges::count(cell.arms, Arm::folded_at_its_rate) > 0)
      for (const auto& run : training::swept_runs(cell))
        if (run.arm == Arm::up) all.push_back(run);
  return all;
}

constexpr auto bits = EMBEDSCALE_OPERATION(bits);
/// Reads one arm for another.
template <Arm arm, Arm read>
constexpr auto reads() {
  return replaces(bits, [](auto was, training::Run run) {
    if (run.arm == arm) run.arm = read;
    return was(run);
  });
}

const Mutants<Runs> wrong_runs{
    {"leaves_the_rate", "The folded table at the rate of up.",
     reads<Arm::folded_at_its_rate, Arm::folded>()},
    {"reads_up_for_down", "One arm's runs under the names of two.", reads<Arm::down, Arm::up>()},
    {"draws_other_batches", "The folded table on another seed.",
     replaces(bits, [](auto was, training::Run run) {
       if (run.arm == Arm::folded_at_its_rate) run.seed = 1 - run.seed;
       return was(run);
     })}};

const Properties<Runs> of_runs{{properties::training::folded_needs_its_own_rate,
                                "folded_at_its_rate_has_the_bits_of_up",
                                [](const Runs& subject) {
                                  static const auto all = exact_runs();
                                  auto run = all[every("run", all.size())];
                                  const auto of = [&](Arm arm) {
                                    return run.arm = arm, subject.bits(run);
                                  };
                                  const auto up = of(Arm::up);
                                  holds_exactly(up == of(Arm::folded_at_its_rate));
                                  holds_exactly(up != of(Arm::down));
                                },
                                {"leaves_the_rate", "reads_up_for_down", "draws_other_batches"},
                                Exhaustive{static_cast<int>(exact_runs().size())}}};

/// What is believed of a comparison, drawn from those that it is about.
template <const Believed& belief>
void is_as_believed() {
  static const training::Record record;
  static const auto cells = training_analysis::finished_cells(record);
  static const auto all = training_analysis::decided(record, cells, belief.asks);
  std::vector<std::string> names;
  for (const auto& one : all)
    names.push_back(training_analysis::title_of(one.cell->setting) + ": " +
                    std::string(name_of(one.comparison.arm)) + " against " +
                    std::string(name_of(one.comparison.with)));
  holds_exactly(!belief.refutes(all[one_of("comparison", names)].by_loss));
}

// The second study.

/// One instance of what is believed, drawn from those that its runs tell of.
template <const properties::Claim& claim>
void is_not_refuted() {
  static const training_analysis::Recipes all(training::Record::of_recipes());
  static const auto instances = training_analysis::instances(all, claim.id);
  std::vector<std::string> names;
  for (const auto& one : instances) names.push_back(one.about);
  holds_exactly(!instances[one_of("instance", names)].refuted);
}

const Beliefs of_comparisons{
    {properties::training::up_equals_down, "that_down_ends_alike",
     is_as_believed<training_analysis::down_is_alike>},
    {properties::training::unscaled_is_worse, "that_unscaled_ends_higher",
     is_as_believed<training_analysis::unscaled_is_higher>},
    {properties::training::folded_needs_its_own_rate, "that_folded_is_as_good_at_an_equal_rate",
     is_as_believed<training_analysis::folded_is_as_good>},
    {properties::training::ratio_is_what_matters, "that_arms_of_one_ratio_end_alike",
     is_as_believed<training_analysis::one_ratio_is_alike>},
    {properties::training::best_multiplier, "that_root_d_is_best",
     is_not_refuted<properties::training::best_multiplier>},
    {properties::training::table_rate, "that_a_rate_of_the_table_does_as_much",
     is_not_refuted<properties::training::table_rate>},
    {properties::training::rotary_models, "that_kept_and_dropped_end_alike",
     is_not_refuted<properties::training::rotary_models>},
    {properties::training::learned_positions, "that_kept_and_dropped_end_alike_beside_them",
     is_not_refuted<properties::training::learned_positions>},
    {properties::training::gap_closes, "that_the_gap_is_gone_after_4800_steps",
     is_not_refuted<properties::training::gap_closes>},
    {properties::training::width_transfer, "that_the_best_rate_of_up_is_one",
     is_not_refuted<properties::training::width_transfer>},
    {properties::training::robust_rate, "that_up_has_more_good_rates",
     is_not_refuted<properties::training::robust_rate>}};

// The atlas.

using conventions_analysis::papers_code;

/// What the paper's own code has, as it was read.
struct Code {
  properties::Operation<audit::Configuration()> read = [] { return papers_code().configuration; };
  void list(properties::Members& to) { EMBEDSCALE_LIST(to, read); }
};

constexpr auto read = EMBEDSCALE_OPERATION(read);

const Mutants<Code> other_codes{
    {"has_a_matrix_of_its_own_for_the_output", "Two tables.",
     changes(read, [](audit::Configuration& c) { c.output.tied = false; })},
    {"multiplies_by_d", "d_model for its root.",
     changes(read,
             [](audit::Configuration& c) {
               c.token.multiplier = static_cast<double>(*c.model.d_model);
             })},
    {"divides_the_logits", "A factor that section 3.4 has not.",
     changes(read, [](audit::Configuration& c) { c.output.multiplier = 0.5; })}};

const Properties<Code> of_code{
    {belief_of(properties::conventions::paper_and_code_agree),
     "the_code_has_each_part_of_section_3_4",
     [](const Code& subject) {
       const auto parts = conventions_analysis::section_3_4(audit::audit_of(subject.read()));
       holds_exactly(parts[every("part", parts.size())].agrees);
     },
     {"has_a_matrix_of_its_own_for_the_output", "multiplies_by_d", "divides_the_logits"},
     Exhaustive{3}}};

const Beliefs of_frequencies{
    {properties::conventions::code_uses_the_papers_frequencies, "that_the_papers_code_has_them",
     [] {
       const auto& c = papers_code().configuration;
       const auto d = static_cast<std::size_t>(*c.model.d_model);
       const auto i = named("i", in_range<std::size_t>(0, d / 2));
       const auto of = [&](FrequencyRule rule) {
         return sinusoidal_frequencies<double>(d, rule, *c.position.base)[i];
       };
       holds_exactly(of(c.position.frequencies) == of(FrequencyRule::paper));
     }}};

/// What the page counts systems by.
struct Counted {
  properties::Operation<std::optional<audit::Sharing>(const atlas::System& system)> offer =
      tied_output_analysis::offer_of;
  properties::Operation<bool(const atlas::System& system)> multiplies = atlas::multiplies_by_root_d;
  void list(properties::Members& to) { EMBEDSCALE_LIST(to, offer, multiplies); }
};

constexpr auto offer = EMBEDSCALE_OPERATION(offer);
constexpr auto multiplies = EMBEDSCALE_OPERATION(multiplies);

const Mutants<Counted> wrong_counts{
    {"counts_the_unscaled", "Every system, whatever it multiplies by.",
     replaces(multiplies, [](auto, const auto&) { return true; })},
    {"counts_rounded_roots", "The multiplier as it is rounded, in bfloat16 no √d.",
     replaces(multiplies,
              [](auto, const atlas::System& s) {
                const auto& m = atlas::multiplier_of(s);
                return m && std::pow(*m, 2) == static_cast<double>(*s.configuration.model.d_model);
              })},
    {"takes_the_unknown_for_never", "An option of unknown default taken for none.",
     changes(offer, [](auto& to, const auto&) {
       if (to == audit::Sharing::optional) to = audit::Sharing::never;
     })}};

/// By each offer, how many systems multiply by √d: told by another comparison and in another order.
const Properties<Counted> of_systems{
    {belief_of(properties::tied_output::sharing_is_not_needed),
     "some_multiply_and_never_share",
     [](const Counted& subject) {
       const auto sharing = static_cast<audit::Sharing>(every("offer", 5));
       int counted = 0, found = 0;
       for (const auto& system : atlas::installed()) {
         const auto& c = system.configuration;
         const auto& m = atlas::meant_multiplier_of(system);
         counted += subject.offer(system) == sharing && subject.multiplies(system) ? 1 : 0;
         if (!m || !c.model.d_model || c.output.sharing != sharing) continue;
         const auto d = static_cast<double>(*c.model.d_model);
         found += *m > 0 && std::abs(*m * *m - d) < 2e-12 * d ? 1 : 0;
       }
       holds_exactly(counted == found);
       holds_exactly(sharing != audit::Sharing::never || counted > 0);
     },
     {"counts_the_unscaled", "counts_rounded_roots", "takes_the_unknown_for_never"},
     Exhaustive{5}}};

Trials trials() {
  Trials all;
  for (const auto& some :
       {trials_of(of_runs, wrong_runs, of_comparisons),
        trials_of(of_code, other_codes, of_frequencies), trials_of(of_systems, wrong_counts)})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  return embedscale::properties::testing::run_tests(argc, argv, embedscale::trials(),
                                                    "_in_records");
}
