// Writes a page of what was run apart: reports/implementations.md or reports/performance.md, as
// ./dev reports NAME asks for it.
#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "implementations.hpp"
#include "performance.hpp"
#include "report/file.hpp"

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Writes a page of what was run apart", "page_of_runs");
  std::string name, machine;
  std::filesystem::path project, runs;
  arguments.option("NAME", name, "implementations or performance").required();
  arguments.option("--project", project, "the project's directory").required();
  arguments.option("--runs", runs, "the directory of what was found, or of rounds").required();
  arguments.option("--machine", machine, "where rounds were measured");
  return arguments.run(argc, argv, [&] {
    const auto words = report::Words::read(project / ("analyses/" + name + ".md"));
    report::write_file(project / ("reports/" + name + ".md"),
                       name == "implementations"
                           ? implementations::page(implementations::read(runs), words,
                                                   implementations::hash_of(project))
                           : performance::page(performance::read(runs),
                                               performance::read_goals(
                                                   project / "analyses/performance/works.json"),
                                               words, machine));
    return cli::done;
  });
}
