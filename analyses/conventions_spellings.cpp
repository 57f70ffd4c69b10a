// Two ways to spell the scale of a shared table, and which systems spell it which way.
#include <fmt/format.h>
#include <embedscale/properties/conventions_spellings.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/random.hpp>

#include <cmath>

#include "conventions.hpp"

namespace embedscale::conventions_analysis {
namespace {

using namespace properties::conventions;
using properties::Part;
using properties::domain::Rational;
using report::Relation;
using report::Table;

const Library library;

enum class Spelled { first, second, otherwise };

bool is_one(double x) { return std::abs(x - 1) < 1e-9; }

/// first: σ = d^−½, times √d. second: σ = 1, times 1.
Spelled spelling_of(const System& s) {
  const auto& c = s.configuration;
  if (!s.scales.input.entry_rms.value || !c.model.d_model || !c.token.multiplier)
    return Spelled::otherwise;
  const double sigma = *s.scales.input.entry_rms.value;
  const double root = std::sqrt(static_cast<double>(*c.model.d_model));
  if (is_one(sigma * root) && is_one(*c.token.multiplier / root)) return Spelled::first;
  return is_one(sigma) && is_one(*c.token.multiplier) ? Spelled::second : Spelled::otherwise;
}

std::string output_words(const System& s) {
  const auto& output = s.configuration.output;
  if (!output.tied) return "not told";
  if (!*output.tied) return "a matrix of its own";
  return fmt::format("shared, × {}",
                     output.multiplier ? report::significant(*output.multiplier, 4) : "?");
}

/// Exact samples: one row, what reaches it, m and a rate. Up to sixteen numbers for each case.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Rational any(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::rational(stream_, 16 * i + k);
  }
  Rational positive(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::positive_rational(stream_, 16 * i + k);
  }
  std::vector<Rational> row(std::uint64_t i, std::uint64_t first) const {
    return {any(i, first), any(i, first + 1), any(i, first + 2)};
  }
  Upstream<Rational> upstream(std::uint64_t i) const { return {any(i, 8), any(i, 9), any(i, 10)}; }

 private:
  Stream stream_;
};

void measure_function(const Draws& draws, std::uint64_t n, report::Section& section) {
  double apart = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const Rational m = draws.positive(i, 0);
    apart += inputs_agree(draws.any(i, 1), draws.any(i, 2), m, library) &&
                     logits_agree_by_the_factor(draws.row(i, 1), draws.row(i, 4), m, library)
                 ? 0
                 : 1;
  }
  section.measure_none("function_disagreements", {{"logits_times", "1/m"}}, apart, n, Part::belief,
                       "exact rationals");
}

/// At the rate that follows m the steps agree; at one rate they part wherever they could.
void measure_steps(const Draws& draws, std::uint64_t n, Step step, report::Section& section) {
  double apart = 0, parted = 0;
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const Rational m = draws.positive(i, 0), rate = draws.positive(i, 1), e = draws.any(i, 2);
    const auto from = draws.upstream(i);
    const Rational followed =
        step == Step::by_gradient ? library.gradient_rate(rate, m) : library.sign_rate(rate, m);
    apart += two_steps(step, e, from, m, rate, followed, library).agree() ? 0 : 1;
    const Rational slope =
        library.gradient(from.of_input, from.of_logit, from.h, first_spelling(m));
    if (m == 1 || slope == 0) continue;  // one rate is the rate that follows, or nothing moves
    ++cases;
    parted += two_steps(step, e, from, m, rate, rate, library).agree() ? 0 : 1;
  }
  const char* kind = step == Step::by_gradient ? "by gradient" : "by sign";
  section.measure_none("step_disagreements", {{"step", kind}, {"rate", "follows"}}, apart, n,
                       Part::belief, "exact rationals");
  section.measure({.quantity = "step_disagreements",
                   .at = {{"step", kind}, {"rate", "the same"}},
                   .value = parted,
                   .samples = cases,
                   .method = "exact rationals",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief_elsewhere, Relation::at_least,
                                        static_cast<double>(cases), cases},
                   .field = step == Step::by_gradient ? "parted" : "parted_by_sign"});
}

}  // namespace

report::Section two_spellings_one_model(const cli::Options& options,
                                        const std::vector<System>& all) {
  report::Section section(properties::conventions::two_spellings_one_model);
  section.condition(
      "the second's logits are divided by √d_model and its learning rate follows (× d_model for "
      "gradient steps, × √d_model for Adam's first, ε → 0)");
  const Draws draws(options.seed, section.claim().id);
  measure_function(draws, options.samples, section);
  measure_steps(draws, options.samples, Step::by_gradient, section);
  measure_steps(draws, options.samples, Step::by_sign, section);
  section.text("samples", report::count(options.samples));

  Table table({{"System"},
               {"Spelling"},
               {"Output"},
               {"Token RMS", Table::Align::right},
               {"Logit std", Table::Align::right},
               {"Adam's first step, over the rate", Table::Align::right}});
  for (const auto spelled : {Spelled::first, Spelled::second}) {
    const bool first = spelled == Spelled::first;
    std::vector<std::string> names;
    std::uint64_t shared = 0, divided = 0;
    for (const System& s : all) {
      if (spelling_of(s) != spelled) continue;
      const auto& c = s.configuration;
      names.push_back(c.name);
      if (c.output.tied == true) ++shared;
      if (c.output.tied == true && s.scales.output.logit_std.value &&
          is_one(*s.scales.output.logit_std.value))
        ++divided;
      table.row({linked(c), first ? "d^−½, × √d" : "1, × 1", output_words(s),
                 shown(s.scales.input.token_rms), shown(s.scales.output.logit_std),
                 shown(s.scales.adam_relative_step)});
      section.measure({.quantity = "adam_relative_step",
                       .at = {{"system", c.name}},
                       .value = *s.scales.adam_relative_step.value,
                       .samples = 1,
                       .method = "closed form, over the atlas"});
    }
    const std::string name = first ? "first" : "second";
    section.measure({.quantity = "systems_by_spelling",
                     .at = {{"deviation", first ? "d_model^-0.5" : "1"}},
                     .value = static_cast<double>(names.size()),
                     .samples = all.size(),
                     .method = "read in their sources",
                     .unit = report::counted,
                     .field = name});
    section.text(name + "_names", fmt::format("{}", fmt::join(names, ", ")));
    section.text(name + "_shared", report::count(shared));
    section.text(name + "_unit_logits", report::count(divided));
  }
  section.table(table);
  return section;
}

}  // namespace embedscale::conventions_analysis
