#pragma once
// What is expected of a topic's page, as its known_values.txt has it:
//
//   run widths=64,512 samples=50         where it is measured here, small and quick
//   verdict CLAIM = true if
//   value CLAIM | LOOK-UP | number | tolerance | where the number comes from, if not from here
//   shown CLAIM | field NAME, or table N row PLACE column HEADING | text | where it comes from
//
// The tolerance is what the number itself may be off by, and no more: `digit`, half a unit of the
// last digit that is quoted; `rounded`, the six roundings that a closed form takes at most, 6u of
// it; 0 for what is counted or exact in binary; else the number whose reason stands in the last
// column, as the error of draws, of a quadrature or of a sum, or the range that is claimed.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/analysis.hpp"
#include "report/file.hpp"

namespace embedscale {

struct KnownValue {
  std::string claim, look_up;
  double value, tolerance;
};
struct KnownText {
  std::string claim, where, text;
};
struct Expected {
  cli::Options options;
  std::map<std::string, std::string> verdicts;
  std::vector<KnownValue> values;
  std::vector<KnownText> texts;
};

inline std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  for (auto end = text.find(at); end != text.npos; end = text.find(at, begin)) {
    all.push_back(text.substr(begin, end - begin));
    begin = end + at.size();
  }
  all.push_back(text.substr(begin));
  return all;
}

inline void set(cli::Options& options, const std::string& name, const std::string& list) {
  if (name == "samples")
    options.samples = std::stoull(list);
  else
    cli::with_values(options, "--" + name, [&](auto& values) {
      for (const auto& number : split(list, ","))
        values.push_back(
            static_cast<std::remove_reference_t<decltype(values[0])>>(std::stod(number)));
    });
}

/// Half a unit of the last digit of a number as it is quoted: 0.0005 of 51.159.
inline double half_a_digit(const std::string& quoted) {
  const auto mantissa = quoted.substr(0, quoted.find('e'));
  const auto power =
      mantissa.size() == quoted.size() ? 0 : std::stoi(quoted.substr(mantissa.size() + 1));
  const auto dot = mantissa.find('.');
  const auto decimals = dot == mantissa.npos ? 0 : static_cast<int>(mantissa.size() - dot) - 1;
  return 0.5 * std::pow(10.0, power - decimals);
}

inline double tolerance_of(const std::string& told, const std::string& quoted) {
  if (told == "digit") return half_a_digit(quoted);
  if (told == "rounded") return 6 * 0x1p-53 * std::abs(std::stod(quoted));
  return std::stod(told);
}

inline Expected expected(const std::filesystem::path& file) {
  Expected all;
  std::istringstream in(report::read_file(file));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("run "))
      for (const auto& option : split(line.substr(4), " "))
        if (const auto parts = split(option, "="); parts.size() == 2)
          set(all.options, parts[0], parts[1]);
    if (line.starts_with("verdict ")) {
      const auto equal = line.find(" = ");
      all.verdicts[line.substr(8, equal - 8)] = line.substr(equal + 3);
    }
    if (line.starts_with("shown ")) {
      const auto parts = split(line.substr(6), " | ");
      all.texts.push_back({parts.at(0), parts.at(1), parts.at(2)});
    }
    if (line.starts_with("value ")) {
      const auto parts = split(line.substr(6), " | ");
      all.values.push_back({parts.at(0), parts.at(1), std::stod(parts.at(2)),
                            tolerance_of(parts.at(3), parts.at(2))});
    }
  }
  return all;
}

/// The page of the topic that is the parameter: measured once, as its tests are one test of CTest.
class page : public testing::TestWithParam<std::string> {
 protected:
  const std::filesystem::path room = std::filesystem::path(EMBEDSCALE_ANALYSES_DIR) / GetParam();
  const Expected known = expected(room / "known_values.txt");
  report::Page& the() {
    static std::map<std::string, report::Page> all;
    if (const auto found = all.find(GetParam()); found != all.end()) return found->second;
    return all
        .emplace(GetParam(), cli::page_of(cli::analysis_of(GetParam()), known.options,
                                          report::Words::read(room / "words.md")))
        .first->second;
  }
  const report::Section& section(std::string_view id) {
    for (const auto& one : the().sections)
      if (one.claim().id == id) return one;
    throw std::invalid_argument("no such section: " + std::string(id));
  }
};

}  // namespace embedscale
