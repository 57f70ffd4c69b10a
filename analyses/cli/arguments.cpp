#include "cli/arguments.hpp"

#include <charconv>
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <type_traits>
#include <vector>

#include "cli/program.hpp"
#include "report/project.hpp"
#include "report/table.hpp"

namespace embedscale::cli {
namespace {

/// CLI11 would wrap −1 around.
std::string refusal_of_negative(const std::string& text) {
  return text.starts_with('-') ? text + " is negative" : std::string();
}

template <class Value>
constexpr bool is_list_of_numbers = false;
template <class Number>
constexpr bool is_list_of_numbers<std::vector<Number>> = std::is_arithmetic_v<Number>;

/// Appends the numbers of lists that commas separate.
///
/// Errors    CLI::ValidationError naming the option and what is none.
template <class Number>
void read(const std::string& option, const std::vector<std::string>& lists,
          std::vector<Number>& numbers) {
  const std::string kind = std::is_unsigned_v<Number> ? "whole number" : "number";
  for (const auto& list : lists)
    for (const auto part : report::split(list, ',')) {  // CLI11 leaves out empty ones
      const std::string text(part);
      const auto refuse = [&](const std::string& why) { throw CLI::ValidationError(option, why); };
      if (text.empty()) refuse("'" + list + "' has an empty place between its commas");
      if (std::is_unsigned_v<Number> && text.starts_with('-')) refuse(refusal_of_negative(text));
      const char* const end = text.data() + text.size();
      const auto [read_to, error] = std::from_chars(text.data(), end, numbers.emplace_back());
      if (read_to != end) refuse("'" + text + "' is no " + kind);
      if (error != std::errc()) refuse("'" + text + "' is no " + kind + " that a processor has");
    }
}

}  // namespace

Arguments::Arguments(const std::string& about, const std::string& program)
    : app_(std::make_unique<CLI::App>(about, program)) {
  app_->set_version_flag("--version", std::string(project::version));
}

Arguments::~Arguments() = default;

template <class Value>
Arguments& Arguments::option(const std::string& name, Value& value, const std::string& about) {
  if constexpr (std::is_same_v<Value, bool>)
    option_ = app_->add_flag(name, value, about);
  else if constexpr (is_list_of_numbers<Value>)
    option_ = app_->add_option_function<std::vector<std::string>>(
                      name, [name, &value](const auto& lists) { read(name, lists, value); }, about)
                  ->type_name(CLI::detail::type_name<typename Value::value_type>());
  else
    option_ = app_->add_option(name, value, about);
  if constexpr (std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>)
    option_->check(refusal_of_negative);
  return *this;
}

Arguments& Arguments::required() {
  option_->required();
  return *this;
}

Arguments& Arguments::existing_directory() {
  option_->check(CLI::ExistingDirectory);
  return *this;
}

Arguments& Arguments::between(int least, int greatest) {
  option_->check(CLI::Range(least, greatest));
  return *this;
}

int Arguments::run(int argc, char** argv, const std::function<int()>& action) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? done : usage;
  }
  return guarded(app_->get_name(), action);
}

using std::filesystem::path, std::string, std::vector;
template Arguments& Arguments::option(const string&, bool&, const string&);
template Arguments& Arguments::option(const string&, int&, const string&);
template Arguments& Arguments::option(const string&, std::uint64_t&, const string&);
template Arguments& Arguments::option(const string&, string&, const string&);
template Arguments& Arguments::option(const string&, path&, const string&);
template Arguments& Arguments::option(const string&, vector<std::uint64_t>&, const string&);
template Arguments& Arguments::option(const string&, vector<double>&, const string&);
template Arguments& Arguments::option(const string&, vector<string>&, const string&);
template Arguments& Arguments::option(const string&, vector<path>&, const string&);

}  // namespace embedscale::cli
