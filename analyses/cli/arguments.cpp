#include "cli/arguments.hpp"

#include <charconv>
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/program.hpp"
#include "report/project.hpp"

namespace embedscale::cli {
namespace {

/// CLI11 would wrap −1 around, and take the greatest number of 64 bits for one that has more.
std::string refusal_of_whole(const std::string& text) {
  if (text.starts_with('-')) return text + " is negative";
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, value);
  if (read_to == end && error == std::errc()) return "";
  return "'" + text + "' is no whole number that a processor has";
}

/// Whether it is a list of numbers with an empty place between its commas, which CLI11 leaves out.
bool has_gap(std::string_view argument) {
  if (argument.starts_with("--")) argument.remove_prefix(argument.find('=') + 1);
  return !argument.empty() && argument.find_first_not_of("0123456789.,e+-") == argument.npos &&
         ("," + std::string(argument) + ",").find(",,") != std::string::npos;
}

/// What an option has one of, or a list.
template <class Value>
struct Each {
  using Type = Value;
};
template <class Value>
struct Each<std::vector<Value>> {
  using Type = Value;
};

}  // namespace

Arguments::Arguments(const std::string& about, const std::string& program)
    : app_(std::make_unique<CLI::App>(about, program)) {
  app_->set_version_flag("--version", std::string(project::version));
}

Arguments::~Arguments() = default;

template <class Value>
Arguments& Arguments::option(const std::string& name, Value& value, const std::string& about) {
  using One = typename Each<Value>::Type;
  if constexpr (std::is_same_v<Value, bool>)
    option_ = app_->add_flag(name, value, about);
  else
    option_ = app_->add_option(name, value, about);
  if constexpr (std::is_arithmetic_v<One> && !std::is_same_v<One, Value>)
    option_->delimiter(',')->type_name(CLI::detail::type_name<One>());
  if constexpr (std::is_unsigned_v<One> && !std::is_same_v<One, bool>)
    option_->check(refusal_of_whole);
  return *this;
}

Arguments& Arguments::required() {
  option_->required();
  return *this;
}

Arguments& Arguments::between(int least, int greatest) {
  option_->check(CLI::Range(least, greatest));
  return *this;
}

Arguments& Arguments::between(double least, double greatest) {
  option_->check(CLI::Range(least, greatest));
  return *this;
}

int Arguments::run(int argc, char** argv, const std::function<int()>& action) {
  try {
    for (const std::string argument : std::span(argv, static_cast<std::size_t>(argc)))
      if (has_gap(argument))
        throw CLI::ValidationError("'" + argument + "' has an empty place between its commas");
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? done : usage;
  }
  return guarded(app_->get_name(), action);
}

using std::filesystem::path, std::string, std::vector;
template Arguments& Arguments::option(const string&, bool&, const string&);
template Arguments& Arguments::option(const string&, int&, const string&);
template Arguments& Arguments::option(const string&, double&, const string&);
template Arguments& Arguments::option(const string&, std::uint64_t&, const string&);
template Arguments& Arguments::option(const string&, string&, const string&);
template Arguments& Arguments::option(const string&, path&, const string&);
template Arguments& Arguments::option(const string&, vector<std::uint64_t>&, const string&);
template Arguments& Arguments::option(const string&, vector<double>&, const string&);
template Arguments& Arguments::option(const string&, vector<string>&, const string&);

}  // namespace embedscale::cli
