#include "cli/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "report/file.hpp"
#include "report/json.hpp"

namespace embedscale::cli {
namespace {

void declare(Arguments& arguments, Options& options, const Parameter& samples) {
  arguments.option("--out", options.out,
                   "write the page, its figures and data into this directory");
  arguments.option("--words", options.words, "the topic's words (default: the installed ones)");
  arguments.option("--evidence", options.evidence,
                   "the record of the tests (default: the committed one)");
  arguments.option("--seed", options.seed, "of every stream of random numbers");
  arguments.option("--jobs", options.jobs, "threads; 0: one for each processor").between(0, 4096);
  arguments.option("--samples", options.samples,
                   fmt::format("draws at each point: {}", samples.range()));
  arguments.option("--json", options.json,
                   "print the measurements, in the shape of results.json; so at points of "
                   "your own");
  arguments.option("--unrounded", options.unrounded,
                   "write the measurements to their last bit into this file, too");
  arguments.option("--quiet", options.quiet, "no narration");
  arguments.option("--progress", options.progress, "say what is being measured");
}

/// Those that tell points: lists, separated by commas.
void declare_points(Arguments& arguments, Options& options, const Analysis& analysis) {
  for (const auto& option : point_options)
    if (const auto range = ranges_of(analysis, option.name); !range.empty())
      with_values(options, option.name, [&](auto& values) {
        arguments.option(
            std::string(option.name), values,
            fmt::format("{}: {}; up to {} separated by commas", option.what, range, most_values));
      });
}

std::string description(const Analysis& analysis) {
  auto text = analysis.about;
  for (const auto& limit : analysis.limits)
    text += fmt::format("\n{}: at most {:.4g}", limit.what, limit.most);
  return text;
}

/// Errors    std::invalid_argument for a claim that has no property that holds, or no mutant: it
///           would be published as if it had been tested.
void require_tests(const report::Page& page) {
  for (const auto& section : page.sections) {
    const bool held = std::ranges::any_of(
        section.tests(), [](const auto& test) { return test.role == "holds" && test.passed; });
    if (!held || report::mutants_of(section.tests()).total == 0)
      throw std::invalid_argument(
          fmt::format("{}: {}, so it cannot be published", section.claim().id,
                      held ? "no property of it rejects a mutant" : "no property of it holds"));
  }
}

/// Calls f(section, taken) for each claim, measured by the options that it takes.
template <class F>
void for_each_measured(const Analysis& analysis, const Options& options, F f) {
  const auto tests =
      report::read_evidence(options.evidence.empty() ? share("record.json") : options.evidence);
  for (std::size_t i = 0; i < analysis.sections.size(); ++i) {
    const auto& one = analysis.sections[i];
    narrate(options, one.claim->id, i + 1, analysis.sections.size());
    const auto own = taken(one, options);
    if (own.is_empty) {
      if (!options.quiet)
        fmt::print(stderr, "`{}` is not measured here. {}\n", one.claim->id,
                   fmt::join(own.left_out, " "));
      continue;
    }
    report::Section section(*one.claim);
    for (const auto& test : tests)
      if (test.claim == one.claim->id) section.add_test(test);
    one.measure(section, own.options);
    f(std::move(section), own);
  }
}

/// Rows of what was measured at points of somebody's own, of which no words are.
report::Json rows_at_own_points(const Analysis& analysis, const Options& options) {
  report::Json rows = report::Json::array();
  for_each_measured(analysis, options, [&](const report::Section& section, const Taken& own) {
    rows.push_back(to_json_at_own_points(section));
    rows.back()["summary"] = fmt::format(
        "Measured at parameters of your own; the verdict is the published report's.{}{}",
        own.left_out.empty() ? "" : " ", fmt::join(own.left_out, " "));
  });
  return rows;
}

}  // namespace

report::Page page_of(const Analysis& analysis, const Options& options, report::Words words) {
  report::Page page{.topic = analysis.topic, .words = std::move(words), .sections = {}};
  for_each_measured(analysis, options, [&](report::Section section, const Taken&) {
    page.sections.push_back(std::move(section));
  });
  if (analysis.describe) analysis.describe(page);
  return page;
}

int run(const Analysis& analysis, int argc, char** argv) {
  Arguments arguments(description(analysis), analysis.topic);
  Options options;
  declare(arguments, options, analysis.samples);
  declare_points(arguments, options, analysis);
  return arguments.run(argc, argv, [&] {
    require_in_range(analysis, options);
    const auto progress = shown_progress(options);
    std::optional<tbb::global_control> limit;
    if (options.jobs > 0)
      limit.emplace(tbb::global_control::max_allowed_parallelism,
                    static_cast<std::size_t>(options.jobs));
    if (options.at_own_points()) {
      if (!options.out.empty() || !options.unrounded.empty())
        throw std::invalid_argument("--out, --unrounded: of the claims' own points alone");
      return print(report::text_of(rows_at_own_points(analysis, options)));
    }
    if (options.words.empty()) options.words = share("words/" + analysis.topic + "/words.md");
    const auto page = page_of(analysis, options, report::Words::read(options.words));
    if (!options.out.empty()) require_tests(page);
    if (!options.unrounded.empty()) report::write_file(options.unrounded, unrounded(page));
    if (options.json) return print(report::text_of(results(page)));
    if (options.out.empty()) return print(markdown(page));
    write_page(page, options.out);
    return static_cast<int>(done);
  });
}

}  // namespace embedscale::cli
