#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "cli/analysis.hpp"

namespace embedscale::cli {
namespace {

/// Calls f(section, parameter) for all that sections take of an option.
template <class F>
void for_each_taking(const Analysis& analysis, std::string_view option, F f) {
  for (const auto& section : analysis.sections)
    for (const auto& parameter : section.takes)
      if (parameter.option == option) f(parameter);
}

/// The values of a list that `taken` is false of; those are gone from it.
template <class Number, class Taken>
std::vector<Number> removed(std::vector<Number>& values, Taken is_taken) {
  std::vector<Number> gone;
  std::erase_if(values, [&](Number value) {
    const bool goes = !is_taken(static_cast<double>(value));
    if (goes) gone.push_back(value);
    return goes;
  });
  return gone;
}

}  // namespace

std::string Parameter::range() const {
  const auto kind = multiple_of == 1   ? std::string()
                    : multiple_of == 2 ? "even numbers "
                                       : fmt::format("multiples of {} ", multiple_of);
  return fmt::format("{}from {} to {}", kind, least, most);
}

std::string ranges_of(const Analysis& analysis, std::string_view option) {
  std::vector<std::string> all;
  for_each_taking(analysis, option, [&](const Parameter& parameter) {
    if (std::ranges::count(all, parameter.range()) == 0) all.push_back(parameter.range());
  });
  return fmt::format("{}", fmt::join(all, ", some claims "));
}

void require_in_range(const Analysis& analysis, const Options& options) {
  if (!analysis.samples.takes(static_cast<double>(options.samples)))
    throw std::invalid_argument(
        fmt::format("--samples: {}, not {}", analysis.samples.range(), options.samples));
  for (const auto& [option, what, list] : point_options)
    with_values(options, option, [&, &option = option](const auto& values) {
      if (values.size() > most_values)
        throw std::invalid_argument(
            fmt::format("{}: from 1 to {} values, not {}", option, most_values, values.size()));
      for (const auto value : values) {
        if (std::ranges::count(values, value) > 1)
          throw std::invalid_argument(fmt::format("{}: each value once, not {} twice ({})", option,
                                                  value, ranges_of(analysis, option)));
        bool is_taken = false;
        for_each_taking(analysis, option, [&](const Parameter& parameter) {
          is_taken = is_taken || parameter.takes(static_cast<double>(value));
        });
        if (!is_taken)
          throw std::invalid_argument(
              fmt::format("{}: {}, not {}", option, ranges_of(analysis, option), value));
      }
    });
  if (std::ranges::all_of(analysis.sections,
                          [&](const Measured& one) { return taken(one, options).is_empty; }))
    throw std::invalid_argument("no claim takes these values together: --help tells the ranges");
  for (const auto& limit : analysis.limits)
    if (const double together = limit.of(options); !(together <= limit.most))
      throw std::invalid_argument(fmt::format("{}: at most {:.4g}, not {:.4g}: {}", limit.what,
                                              limit.most, together, limit.instead));
}

Taken taken(const Measured& measured, const Options& options) {
  Taken own{.options = options};
  for (const auto& [option, what, list] : point_options)
    with_values(own.options, option, [&, &option = option](auto& values) {
      if (values.empty()) return;
      const auto parameter = std::ranges::find(measured.takes, option, &Parameter::option);
      if (parameter == measured.takes.end()) {
        values.clear();
        own.left_out.push_back(fmt::format("`{}` means nothing to this claim.", option));
        return;
      }
      const auto gone = removed(values, [&](double value) { return parameter->takes(value); });
      own.is_empty = own.is_empty || values.empty();
      if (!gone.empty())
        own.left_out.push_back(fmt::format("`{}`: this claim takes {}, so {} {} left out.", option,
                                           parameter->range(), fmt::join(gone, ", "),
                                           gone.size() > 1 ? "are" : "is"));
    });
  return own;
}

}  // namespace embedscale::cli
