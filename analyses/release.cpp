// Writes reports/release.json: what the reports say of each claim at the commit that is released.
// ./dev release calls it on a clean tree with current reports.
#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "report/citation.hpp"
#include "report/file.hpp"
#include "report/json.hpp"
#include "report/results.hpp"

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Writes down what the reports say, so that citations can name a commit",
                           "release");
  std::filesystem::path results, out;
  std::string commit, date;
  arguments.option("--results", results, "results.json").required();
  arguments.option("--commit", commit, "the commit's full hash").required();
  arguments.option("--date", date, "its date, as 2026-01-31").required();
  arguments.option("--out", out, "release.json").required();
  return arguments.run(argc, argv, [&] {
    const auto record = report::release_record(report::read_results(results), commit, date);
    report::write_file(out, record.dump(1) + "\n");
    return cli::done;
  });
}
