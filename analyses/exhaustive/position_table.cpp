// Every entry of position tables of 2^17 positions, in four formats, against 50 digits.
#include <fmt/format.h>
#include "properties/precision/every_entry.hpp"

#include <memory>

#include "exhaustive/run.hpp"

namespace embedscale::exhaustive {
namespace entries {
namespace {

using namespace properties::precision::position_table;
using properties::precision::anchor_distance;

/// To three digits, which no library of sines makes differ.
double to_three_digits(double x) { return x == 0 ? 0 : std::stod(fmt::format("{:.2e}", x)); }

std::string text_of(const LargestOfEntries& one) {
  return fmt::format("position {}, channel {}", one.position, one.channel);
}

Found found_in(std::uint64_t part, const Frequencies& w, const Primitives& primitives) {
  const auto all = every_entry(w, static_cast<std::int64_t>(part) * anchor_distance,
                               anchor_distance, primitives);
  Found found;
  found.count("entries", all.formats[0].entries);
  found.raise("places before the first digit", std::floor(std::log2(all.reciprocal.value)),
              text_of(all.reciprocal));
  std::size_t format = 0;
  properties::domain::for_each_format([&]<class Real>() {
    const OfEntries& of = all.formats[format++];
    const auto in = [](const char* what) {
      return fmt::format("{} {}", FormatTraits<Real>::name, what);
    };
    found.raise(in("once, ulps"), of.once_rounded.value, text_of(of.once_rounded));
    // With another libm (with and without fused multiplications) binary64 has other errors, and
    // binary32 other counts.
    if constexpr (std::same_as<Real, double>) return;
    found.raise(in("error"), to_three_digits(of.in_format.value), text_of(of.in_format));
    if constexpr (!std::same_as<Real, float>) {
      found.count(in("no numbers"), of.no_numbers);
      found.count(in("off"), of.off);
    }
  });
  return found;
}

}  // namespace
}  // namespace entries

std::vector<Run> position_table_runs() {
  using namespace entries;
  std::vector<Run> all;
  for (const std::size_t d : exhausted_widths) {
    const auto primitives = std::make_shared<const Primitives>();
    const auto w = std::make_shared<const Frequencies>(d, *primitives);
    all.push_back({.name = fmt::format("position_table/{}", d),
                   .source = "analyses/exhaustive/position_table.cpp",
                   .parts = exhausted_positions / anchor_distance,
                   .evaluate = [primitives, w](std::uint64_t part) {
                     return found_in(part, *w, *primitives);
                   }});
  }
  return all;
}

}  // namespace embedscale::exhaustive
