// Writes reports/implementations.md of what was found: ./dev reports implementations.
#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "implementations.hpp"
#include "report/file.hpp"

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Writes the page of implementations of what was found in them",
                           "implementations_page");
  std::filesystem::path project, found;
  arguments.option("--project", project, "the project's directory").required();
  arguments.option("--found", found, "the directory of name.format.json").required();
  return arguments.run(argc, argv, [&] {
    const auto words = report::Words::read(project / "analyses/implementations.md");
    report::write_file(project / "reports/implementations.md",
                       implementations::page(implementations::read(found), words,
                                             implementations::hash_of(project)));
    return cli::done;
  });
}
