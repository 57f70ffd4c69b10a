// Two positions of one table, and one position in two layouts or by two rules of frequencies.
#include <fmt/format.h>
#include <embedscale/properties/sinusoidal_pairs.hpp>

#include <algorithm>
#include <cmath>

#include "properties/exact/decimal50.hpp"
#include "sinusoidal.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using properties::Part;
using report::Figure;
using report::Relation;

const Library library;

/// How many decimal digits behind the point agree, of R_δ·p(k) and p(k + δ) in 50-digit arithmetic:
/// the same on every machine, as it needs no C library.
double digits_that_agree(std::size_t d, std::int64_t k, std::int64_t delta, FrequencyRule rule) {
  using Wide = properties::exact::Decimal50;
  const auto errors =
      errors_of_the_shift<Wide, Wide>({.d = d, .position = k, .rule = rule}, delta, library);
  const Wide worst = *std::max_element(errors.begin(), errors.end());
  return worst == 0 ? 50.0 : std::floor(-std::log10(static_cast<double>(worst)));
}

/// The largest error of a shift where angles are rounded to binary32 and all else is exact: that of
/// fl(kw) + fl(δw) against fl((k + δ)w), as an angle, over the frequencies.
double error_by_angles(std::size_t d, std::int64_t k, std::int64_t delta) {
  double worst = 0;
  for (const double exact : sinusoidal_frequencies<double>(d, FrequencyRule::paper)) {
    const auto w = static_cast<float>(exact);
    const auto angle = [&](std::int64_t p) {
      return static_cast<double>(
          static_cast<float>(static_cast<double>(p) * static_cast<double>(w)));
    };
    const double apart = std::abs(angle(k) + angle(delta) - angle(k + delta));
    worst = std::max(worst, 2 * std::sin(apart / 2));  // the distance of two points of a circle
  }
  return worst;
}

/// Each position from 2^0 to 2^last, in steps of 2^(1/4).
std::vector<std::int64_t> by_quarters(int last) {
  std::vector<std::int64_t> all;
  for (int k = 0; k <= 4 * last; ++k) {
    const std::int64_t p = std::llround(std::exp2(k / 4.0));
    if (all.empty() || all.back() != p) all.push_back(p);
  }
  return all;
}

double offset_product(std::size_t d, std::int64_t offset) {
  const Place at{.d = d, .position = offset};
  return 2.0 * static_cast<double>(stated_product(at, 0, Between::nothing)) /
         static_cast<double>(d);
}

}  // namespace

report::Section shift_is_linear(const cli::Options& options) {
  report::Section section(properties::sinusoidal::shift_is_linear);
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto starts = positions(options, {0, 1, 10, 100, 1000, 10000, 131071});
  constexpr std::int64_t shifts[] = {1, 2, 10, 100, 1000};
  Worst wide("binary64", "both rules and layouts, shifts of 1 to 1000 either way", Part::belief,
             "worst_binary64");
  Worst narrow("binary32", "both rules and layouts, shifts of 1 to 1000 either way", Part::belief,
               "worst_binary32");
  report::Table table({{"Position k", report::Table::Align::right},
                       {"δ = 1", report::Table::Align::right},
                       {"δ = 64", report::Table::Align::right},
                       {"δ = 1024", report::Table::Align::right}});
  for (const auto k : starts) {
    for (const auto d : widths)
      for (const auto rule : rules)
        for (const auto layout : layouts)
          for (const auto shift : shifts)
            for (const auto delta : {shift, -shift}) {
              wide.add(shift_share_of_bound<double>({d, k, rule, layout}, delta, library));
              narrow.add(shift_share_of_bound<float>({d, k, rule, layout}, delta, library));
            }
    std::vector<std::string> row{report::count(static_cast<std::uint64_t>(k))};
    for (const std::int64_t delta : {1, 64, 1024}) {
      const double error = error_by_angles(512, k, delta);
      section.measure({.quantity = "error_of_the_shift",
                       .at = {{"d_model", 512}, {"position", k}, {"shift", delta}},
                       .value = error,
                       .samples = 256,
                       .method = "angles rounded to binary32, all else exact; the worst pair",
                       .digits = 3});
      row.push_back(report::significant(error, 3));
    }
    table.row(std::move(row));
  }
  double fewest = 50;
  for (const auto d : {std::size_t{4}, std::size_t{16}})
    for (const auto rule : rules)
      for (const std::int64_t k : {1, 511, 131071})
        for (const std::int64_t delta : {1, 64, 1000})
          fewest = std::min(fewest, digits_that_agree(d, k, delta, rule));
  section.measure({.quantity = "digits_that_agree",
                   .at = {{"arithmetic", "50 digits"}},
                   .value = fewest,
                   .samples = 36,
                   .method = "the fewest of two widths, both rules, three positions and shifts",
                   .unit = report::counted,
                   .field = "digits"});
  wide.record(section);
  narrow.record(section);
  Figure figure{.name = "sinusoidal_shift",
                .title = "Error of a shift where angles are kept in binary32, d_model = 512",
                .x_label = "position k",
                .y_label = "largest |R_δ·p(k) − p(k + δ)|",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {}};
  for (const std::int64_t delta : {1, 64, 1024}) {
    report::Series series{.label = fmt::format("δ = {}", delta),
                          .x = {},
                          .y = {},
                          .mark = report::Series::Mark::line};
    for (const auto k : by_quarters(17)) {
      const double error = error_by_angles(512, k, delta);
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(error == 0 ? std::nan("") : error);
    }
    figure.series.push_back(std::move(series));
  }
  section.text("far_error", report::significant(error_by_angles(512, 131071, 1), 2));
  section.table(table);
  section.figure(figure);
  return section;
}

report::Section product_depends_on_offset(const cli::Options& options) {
  report::Section section(properties::sinusoidal::product_depends_on_offset);
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto offsets = positions(options, {0, 1, 2, 5, 10, 50, 100, 511, 2047, 16383});
  Worst products("products", "starts from 0 to 100,000, both rules and layouts, two formats",
                 Part::belief, "worst_product");
  Worst exchanges("products with an exchange", "the same", Part::statement, "worst_exchange");
  std::vector<report::Table::Column> columns{{"Offset", report::Table::Align::right}};
  for (const auto d : widths)
    columns.push_back({fmt::format("d_model = {}", d), report::Table::Align::right});
  report::Table table(columns);
  Figure figure{.name = "sinusoidal_product",
                .title = "Product of two positional encodings over its value at offset 0",
                .x_label = "offset",
                .y_label = "cosine of the two vectors",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "orthogonal", .y = 0.0}}};
  for (const auto offset : offsets) {
    std::vector<std::string> row{report::count(static_cast<std::uint64_t>(offset))};
    for (const auto d : widths) {
      const double cosine = offset_product(d, offset);
      section.measure({.quantity = "offset_product",
                       .at = {{"d_model", d}, {"offset", offset}},
                       .value = cosine,
                       .samples = d / 2,
                       .method = "closed form, over d_model/2; paper frequencies"});
      row.push_back(report::significant(cosine, 4));
      for (const auto rule : rules)
        for (const auto layout : layouts)
          for (const std::int64_t from : {0, 1, 1000, 100000}) {
            const Place at{d, from + offset, rule, layout};
            products.add(product_share_of_bound<double>(at, from, Between::nothing, library));
            products.add(product_share_of_bound<float>(at, from, Between::nothing, library));
            exchanges.add(product_share_of_bound<double>(at, from, Between::exchange, library));
          }
    }
    table.row(std::move(row));
  }
  for (const auto d : widths) {
    if (figure.series.size() == 4) break;
    report::Series series{.label = fmt::format("d_model = {}", d),
                          .x = {},
                          .y = {},
                          .mark = report::Series::Mark::line};
    for (const auto offset : by_quarters(17)) {
      series.x.push_back(static_cast<double>(offset));
      series.y.push_back(offset_product(d, offset));
    }
    figure.series.push_back(std::move(series));
  }
  // With the exchange between, neighbours' products over the first 512 positions.
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::int64_t i = 0; i < 512; ++i) {
    const Place at{.d = 512, .position = i};
    const double product =
        2.0 * static_cast<double>(stated_product(at, i + 1, Between::exchange)) / 512.0;
    least = std::min(least, product), most = std::max(most, product);
  }
  section.measure({.quantity = "spread_at_one_offset",
                   .at = {{"d_model", 512}, {"offset", 1}, {"between", "exchange"}},
                   .value = most - least,
                   .samples = 512,
                   .method = "closed form, largest less least product over d_model/2",
                   .field = "spread"});
  products.record(section);
  exchanges.record(section);
  for (const std::int64_t offset : {1, 100})
    section.text(fmt::format("product_{}", offset),
                 report::significant(offset_product(512, offset), 3));
  section.text("least_exchange", report::significant(least, 3));
  section.text("most_exchange", report::significant(most, 3));
  section.table(table);
  section.figure(figure);
  return section;
}

report::Section layouts_are_permutations(const cli::Options& options) {
  report::Section section(properties::sinusoidal::layouts_are_permutations);
  section.condition("both have the same frequencies");
  const auto widths = even_widths(options, {4, 16, 64, 512, 1024, 4096, 16384});
  const auto all = positions(options, {1, 10, 100, 511, 1023, 4095, 131071});
  std::uint64_t differ = 0, cases = 0, permute = 0;
  Worst worst("difference of the rules", "both layouts, binary64", Part::statement, "worst");
  std::vector<report::Table::Column> columns{{"d_model", report::Table::Align::right}};
  for (const auto p : all)
    columns.push_back({fmt::format("position {}", report::count(static_cast<std::uint64_t>(p))),
                       report::Table::Align::right});
  report::Table table(columns);
  for (const auto d : widths) {
    std::vector<std::string> row{report::count(d)};
    permute += rules_are_no_permutation(d, library) ? 0 : 1;
    for (const auto p : all) {
      for (const auto rule : rules) {
        differ +=
            layouts_are_permuted<double>({.d = d, .position = p, .rule = rule}, library) ? 0 : 1;
        differ +=
            layouts_are_permuted<float>({.d = d, .position = p, .rule = rule}, library) ? 0 : 1;
        cases += 2;
      }
      for (const auto layout : layouts)
        worst.add(properties::conventions::rms_difference_share_of_bound(d, p, 10000, layout,
                                                                         library.of<double>()));
      const double apart = properties::conventions::frequency_rule_rms_difference(d, p);
      section.measure({.quantity = "frequency_rule_rms_difference",
                       .at = {{"d_model", d}, {"position", p}},
                       .value = apart,
                       .samples = 1,
                       .method = "closed form, over channels",
                       .digits = 3});
      row.push_back(report::significant(apart, 3));
    }
    table.row(std::move(row));
  }
  section.measure_none("layouts_that_differ", {{"formats", 2}}, static_cast<double>(differ), cases,
                       Part::belief, "every channel's bits, both rules");
  section.measure_none("rules_that_permute", {{"position", 1}}, static_cast<double>(permute),
                       widths.size(), Part::belief_elsewhere, "sorted vectors of position 1");
  worst.record(section);
  Figure figure{.name = "sinusoidal_rules",
                .title = "How far the two rules of frequencies put one position's vectors apart",
                .x_label = "d_model",
                .y_label = "RMS difference over channels",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "RMS of a vector", .y = std::sqrt(0.5)}}};
  for (const std::int64_t p : {1, 10, 100, 511, 4095}) {
    report::Series series{.label = fmt::format("position {}", p), .x = {}, .y = {}};
    for (int k = 4; k <= 28; ++k) {
      const std::size_t d = 2 * static_cast<std::size_t>(std::llround(std::exp2(k / 2.0 - 1)));
      if (d < 4) continue;
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(properties::conventions::frequency_rule_rms_difference(d, p));
    }
    figure.series.push_back(std::move(series));
  }
  const double apart = properties::conventions::frequency_rule_rms_difference(512, 511);
  section.text("apart", report::significant(apart, 3));
  section.text("cases", report::count(cases));
  section.text("first_width", report::count(widths.front()));
  section.text("last_width", report::count(widths.back()));
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::sinusoidal_analysis
