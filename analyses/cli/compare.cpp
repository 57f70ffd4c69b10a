#include "cli/compare.hpp"

#include <CLI/CLI.hpp>

#include "cli/program.hpp"
#include "compare/compare.hpp"

namespace embedscale::cli {

CLI::App* add_compare(CLI::App& app, Asked& asked) {
  auto* command = app.add_subcommand(
      "compare", "A configuration with its factor kept, moved, folded and dropped, side by side");
  add_options(*command, asked);
  return command;
}

int compare_all(const Asked& asked) {
  std::string out;
  for (auto& configuration : configurations("compare", asked)) {
    const auto comparison = compare::compared(std::move(configuration));
    if (asked.json)
      out += compare::json_line(comparison) + "\n";
    else
      out += (out.empty() ? "" : "\n") + compare::words_of(comparison);
  }
  return print(out);
}

}  // namespace embedscale::cli
