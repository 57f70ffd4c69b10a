// Writes reports/performance.md of rounds that were measured: ./dev reports performance.
#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "performance.hpp"
#include "report/file.hpp"

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Writes the page about performance of what was measured",
                           "performance_page");
  std::filesystem::path project, rounds;
  std::string machine;
  arguments.option("--project", project, "the project's directory").required();
  arguments.option("--rounds", rounds, "the directory of the rounds").required();
  arguments.option("--machine", machine, "where they were measured").required();
  return arguments.run(argc, argv, [&] {
    report::write_file(
        project / "reports/performance.md",
        performance::page(performance::read(rounds),
                          report::Words::read(project / "analyses/performance.md"), machine));
    return cli::done;
  });
}
