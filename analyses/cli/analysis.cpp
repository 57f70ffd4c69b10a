#include "cli/analysis.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "cli/arguments.hpp"
#include "cli/share.hpp"
#include "report/json.hpp"

namespace embedscale::cli {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("--out", options.out,
                   "write the page, its figures and data into this directory");
  arguments.option("--words", options.words, "the topic's words (default: the installed ones)");
  arguments.option("--evidence", options.evidence,
                   "the JSON that each of the topic's test programs wrote");
  arguments.option("--seed", options.seed, "of every stream of random numbers");
  arguments.option("--jobs", options.jobs, "threads; 0: one for each processor").between(0, 4096);
  arguments.option("--samples", options.samples, "draws at each point").between(1, 1000000000);
  arguments.option("--json", options.json, "print the measurements, in the shape of results.json");
  arguments.option("--quiet", options.quiet, "no narration");
  arguments.option("--progress", options.progress, "say what is being measured");
}

/// Those of `parameters` that tell points: lists, separated by commas.
void declare(Arguments& arguments, Options& options, const std::vector<std::string>& parameters) {
  struct Parameter {
    std::string option;
    std::vector<std::uint64_t>* values;
    const char* about;
    std::int64_t most;
  };
  const std::array integers{
      Parameter{"--widths", &options.widths, "d_model", 1 << 20},
      Parameter{"--keys", &options.keys, "n, that a softmax is over", std::int64_t{1} << 40},
      Parameter{"--d-k", &options.head_widths, "d_k, the width of a head", 1 << 20},
      Parameter{"--heads", &options.heads, "h", 1 << 20},
      Parameter{"--vocabulary", &options.vocabulary, "V", std::int64_t{1} << 40},
      Parameter{"--positions", &options.positions, "L, for positions 0 … L−1", 1 << 20}};
  for (const auto& [option, values, about, most] : integers)
    if (std::ranges::count(parameters, option) > 0)
      arguments.option(option, *values, std::string(about) + "; several separated by commas")
          .between(std::int64_t{1}, most);
  if (std::ranges::count(parameters, "--std") > 0)
    arguments.option("--std", options.deviations, "σ; several separated by commas")
        .between(1e-30, 1e30);
}

/// Gives each section its tests.
///
/// Errors    std::invalid_argument for a claim that has no property that holds, or no mutant: it
///           would be published as if it had been tested.
void attach(const std::vector<report::TestRecord>& tests, report::Page& page) {
  for (auto& section : page.sections) {
    bool held = false;
    for (const auto& test : tests)
      if (test.claim == section.claim().id) {
        section.add_test(test);
        held = held || (test.role == "holds" && test.passed);
      }
    if (!held || report::mutants_of(section.tests()).total == 0)
      throw std::invalid_argument(
          fmt::format("{}: {}, so it cannot be published", section.claim().id,
                      held ? "no property of it rejects a mutant" : "no property of it holds"));
  }
}

std::filesystem::path installed_words(const std::string& topic) {
  const auto path = share("words/" + topic + "/words.md");
  return std::filesystem::exists(path) ? path : share("words/" + topic + ".md");
}

}  // namespace

report::Page page_of(const Analysis& analysis, const Options& options, report::Words words) {
  if (analysis.page) return analysis.page(options, std::move(words));
  report::Page page{.topic = analysis.topic, .words = std::move(words), .sections = {}};
  for (const auto& [claim, measure] : analysis.sections) {
    narrate(options, claim->id);
    measure(page.sections.emplace_back(*claim), options);
  }
  return page;
}

void narrate(const Options& options, std::string_view what) {
  if (options.progress && !options.quiet) fmt::print(stderr, "{} …\n", what);
}

int run(const Analysis& analysis, int argc, char** argv) {
  Arguments arguments(analysis.about, analysis.topic);
  Options options;
  declare(arguments, options);
  declare(arguments, options, analysis.parameters);
  return arguments.run(argc, argv, [&] {
    std::optional<tbb::global_control> limit;
    if (options.jobs > 0)
      limit.emplace(tbb::global_control::max_allowed_parallelism,
                    static_cast<std::size_t>(options.jobs));
    if (options.words.empty()) options.words = installed_words(analysis.topic);
    auto page = page_of(analysis, options, report::Words::read(options.words));
    if (options.at_own_points())
      for (auto& section : page.sections) section.at_own_parameters();
    if (!options.evidence.empty() && !page.sections.empty()) {
      std::vector<report::TestRecord> tests;
      for (const auto& file : options.evidence)
        for (auto& test : report::read_evidence(file)) tests.push_back(std::move(test));
      attach(tests, page);
    }
    if (options.json)
      return print(page.sections.empty() ? page.record + "\n"
                                         : report::text_of(report::packed(results(page))));
    if (options.out.empty()) return print(markdown(page));
    write_page(page, options.out);
    return static_cast<int>(done);
  });
}

}  // namespace embedscale::cli
