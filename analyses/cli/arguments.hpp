#pragma once
// The options of a program, by CLI11, which is compiled once.
//
//   cli::Arguments arguments("Makes parts, each by a command", "make_parts");
//   arguments.option("--kept", kept, "the directory of what they come to").required();
//   return arguments.run(argc, argv, [&] { return make(kept); });
#include <functional>
#include <memory>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace embedscale::cli {

class Arguments {
 public:
  /// Requires  `about`, one line for --help.
  Arguments(const std::string& about, const std::string& program);
  ~Arguments();

  /// Fills `value`, a flag if it is a bool, a list if it is a vector: of numbers, separated by
  /// commas. One without dashes is told by its place.
  template <class Value>
  Arguments& option(const std::string& name, Value& value, const std::string& about);

  // What is required of the option before.
  Arguments& required();
  Arguments& between(int least, int greatest);
  Arguments& between(double least, double greatest);

  /// Parses, then guarded(program, action).  Returns the exit code; 2 for what it does not know.
  int run(int argc, char** argv, const std::function<int()>& action);

 private:
  std::unique_ptr<CLI::App> app_;
  CLI::Option* option_ = nullptr;
};

}  // namespace embedscale::cli
