// Whether √d_model and 1/√d_k cancel: exponents of the first logits' deviation in both.
#include <fmt/format.h>
#include <embedscale/expected/first_layer.hpp>
#include <embedscale/properties/attention_input_scales.hpp>

#include <algorithm>
#include <numeric>

#include "attention_input.hpp"
#include "attention_input_exponents.hpp"

namespace embedscale::attention_analysis {

using properties::domain::Rational;

namespace {

using namespace properties::attention;
using namespace properties::attention::input;
using namespace exponents;
using expected::ProjectionLaw;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const InputLibrary library;

report::Place place(const Case& c, const char* law) {
  return {{"projection", law},
          {"root_d_model", word(c.cell.root_d_model)},
          {"root_d_k", word(c.cell.root_d_k)},
          {"part", word(c.piece)}};
}

struct Points {
  std::vector<std::uint64_t> widths, head_widths;
  std::uint64_t d_model, d_k;  ///< where the other one varies
};

Points points_of(const cli::Options& options) {
  const auto widths = cli::points(options.widths, input_widths);
  auto head_widths =
      cli::points(options.head_widths, std::array<std::uint64_t, 6>{8, 16, 32, 64, 128, 256});
  if (options.head_widths.empty() && !options.heads.empty()) {
    head_widths.clear();
    for (const auto h : options.heads)
      for (const auto d : widths)
        if (d % h == 0) head_widths.push_back(d / h);
    std::ranges::sort(head_widths);
    head_widths.erase(std::unique(head_widths.begin(), head_widths.end()), head_widths.end());
    if (head_widths.empty()) throw std::invalid_argument("--heads: divides none of the widths");
  }
  const auto has = [](const auto& all, std::uint64_t x) { return std::ranges::count(all, x) > 0; };
  return {widths, head_widths, has(widths, 512) ? 512 : widths[0],
          has(head_widths, 64) ? 64 : head_widths[0]};
}

void measure_exponents(const Points& at, report::Section& section) {
  Table table({{"√d_model"},
               {"1/√d_k"},
               {"token·token: in d_model", Table::Align::right},
               {"in d_k", Table::Align::right},
               {"all of the logit: in d_model", Table::Align::right},
               {"in d_k", Table::Align::right}});
  const auto number = [](const report::Measurement& m) {
    const auto digits = [](double x) { return fmt::format("{:.3g}", x); };
    return *m.lower == *m.upper
               ? digits(m.value)
               : fmt::format("{} ({} to {})", digits(m.value), digits(*m.lower), digits(*m.upper));
  };
  for (const auto& [law, name] : laws)
    for (const Cell& cell : cells) {
      std::vector<std::string> row{word(cell.root_d_model), word(cell.root_d_k)};
      for (const Piece piece : pieces) {
        const Case c{law, cell, piece};
        const double d = static_cast<double>(at.d_model), d_k = static_cast<double>(at.d_k);
        auto in_d_model = exponent(
            at.widths, [&](double x) { return logit_std(c, x, d_k); },
            [&](double x) { return local_in_d_model(c, x, d_k); });
        auto in_d_k = exponent(
            at.head_widths, [&](double x) { return logit_std(c, d, x); },
            [&](double x) { return local_in_d_k(c, d, x); });
        in_d_model.quantity = "logit_std_exponent_in_d_model";
        in_d_k.quantity = "logit_std_exponent_in_d_k";
        in_d_model.at = in_d_k.at = place(c, name);
        in_d_model.at.set("d_k", at.d_k);
        in_d_k.at.set("d_model", at.d_model);
        row.push_back(number(in_d_model));
        row.push_back(number(in_d_k));
        section.measure(std::move(in_d_model));
        section.measure(std::move(in_d_k));
      }
      if (law == ProjectionLaw::xavier) table.row(std::move(row));
    }
  section.table(table);
}

void measure_std(const Points& at, report::Section& section) {
  const auto measure = [&](std::uint64_t d, std::uint64_t d_k) {
    for (const Cell& cell : cells)
      for (const Piece piece : pieces) {
        const Case c{ProjectionLaw::xavier, cell, piece};
        auto where = place(c, laws[0].name);
        where.set("d_model", d);
        where.set("d_k", d_k);
        section.measure({.quantity = "logit_std",
                         .at = where,
                         .value = logit_std(c, static_cast<double>(d), static_cast<double>(d_k)),
                         .samples = 1,
                         .method = "closed form"});
      }
  };
  for (const auto d : at.widths) measure(d, at.d_k);
  for (const auto d_k : at.head_widths)
    if (d_k != at.d_k) measure(at.d_model, d_k);
}

/// All even d_model to 2^14 with every d_k from 1 to 256 and at most d_model; or the shapes told.
void measure_shapes(const cli::Options& options, const Points& at, report::Section& section) {
  std::uint64_t shapes = 0, cancel = 0, agree = 0, stated = 0;
  std::string where;
  const auto look = [&](std::uint64_t d, std::uint64_t d_k) {
    if (d_k > d || d < 2) return;
    ++shapes;
    cancel += d_k == d * d ? 1 : 0;
    if (d_k * (d + 2) * (d + 2) == 9 * d * d) {
      ++agree;
      where += fmt::format(" (d_model = {}, d_k = {})", d, d_k);
    }
    stated += d == 4 && d_k == 4 ? 1 : 0;
  };
  if (options.at_own_points()) {
    for (const auto d : at.widths)
      for (const auto d_k : at.head_widths) look(d, d_k);
  } else {
    for (std::uint64_t d = 2; d <= 1 << 14; d += 2)
      for (std::uint64_t d_k = 1; d_k <= 256; ++d_k) look(d, d_k);
  }
  section.text("shapes", report::count(shapes));
  section.text("agree_at", where);
  if (shapes == 0) return;
  section.measure(
      {.quantity = "shapes_where_the_factors_cancel",
       .value = static_cast<double>(cancel),
       .samples = shapes,
       .method = "exhaustive: d_k = d_model²",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::at_least, static_cast<double>(shapes), shapes},
       .field = "cancel"});
  section.measure(
      {.quantity = "shapes_where_all_logits_agree",
       .value = static_cast<double>(agree),
       .samples = shapes,
       .method = "exhaustive: d_k·(d_model + 2)² = 9·d_model²",
       .unit = report::counted,
       .rule = report::Rule{Part::statement, Relation::equals, static_cast<double>(stated), shapes},
       .field = "agree"});
}

void measure_exactly(const cli::Options& options, const Points& at, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  auto factors = none_of("scaling_disagreements", options.samples, Part::statement,
                         "exact rationals", [&](std::uint64_t i) {
                           const auto head = rational_head(stream, i);
                           const auto parts = rational_head(stream, i + options.samples);
                           return !factors_multiply_as_stated<Rational>(
                               head, {parts.b_q, parts.b_k}, {parts.x[0], parts.x[1]}, parts.scale,
                               head.scale, library);
                         });
  factors.field = "factors";
  section.measure(std::move(factors));
  const Stream whole(options.seed, std::string(section.claim().id) + "/whole");
  auto moments =
      none_of("moment_disagreements", options.samples, Part::statement,
              "mean over all signs of the weights, whole numbers", [&](std::uint64_t i) {
                const auto words = whole.block(i, 2);
                return !moments_over_weights_are_stated(
                    whole_channels(whole.block(i)), whole_channels(whole.block(i, 1)),
                    static_cast<double>(words[0] % 9), static_cast<double>(words[1] % 9), library);
              });
  moments.field = "moments";
  section.measure(std::move(moments));
  WorstShare worst;
  for (const auto d : at.widths)
    for (const auto d_k : at.head_widths)
      for (const std::size_t times : {2u, 3u, 16u})
        for (const Cell& cell : cells) {
          worst.add(exponents_share_of_bound<double>(d, d_k, times, cell, library));
          worst.add(exponents_share_of_bound<float>(d, d_k, times, cell, library));
        }
  section.text("cases", report::count(worst.cases));
  section.measure(worst.measurement("worst_share_of_bound",
                                    "measured exponents against the table's, binary64 and binary32",
                                    "worst"));
}

Figure figure(const Points& at) {
  Figure figure{.name = "attention_factors",
                .title = fmt::format("First logits by width, d_k = {}", at.d_k),
                .x_label = "d_model",
                .y_label = "standard deviation",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  const auto add = [&](const char* label, const Case& c) {
    report::Series series{.label = label, .x = {}, .y = {}};
    for (const auto d : at.widths) {
      series.x.push_back(static_cast<double>(d));
      series.y.push_back(logit_std(c, static_cast<double>(d), static_cast<double>(at.d_k)));
    }
    figure.series.push_back(std::move(series));
  };
  constexpr const char* labels[] = {"token·token, neither factor", "token·token, 1/√d_k",
                                    "token·token, √d_model", "token·token, both"};
  for (std::size_t k = 0; k < 4; ++k)
    add(labels[k], {ProjectionLaw::xavier, cells[k], Piece::token_token});
  add("all, neither factor", {ProjectionLaw::xavier, cells[0], Piece::whole});
  add("all, both", {ProjectionLaw::xavier, cells[3], Piece::whole});
  return figure;
}

}  // namespace

report::Section root_d_model_does_not_cancel(const cli::Options& options) {
  report::Section section(properties::attention::root_d_model_does_not_cancel);
  const auto at = points_of(options);
  measure_exponents(at, section);
  measure_std(at, section);
  measure_shapes(options, at, section);
  measure_exactly(options, at, section);
  section.figure(figure(at));
  const double d = static_cast<double>(at.d_model), d_k = static_cast<double>(at.d_k);
  section.text("d_model", report::count(at.d_model));
  section.text("d_k", report::count(at.d_k));
  section.text("first_width", report::count(at.widths.front()));
  section.text("last_width", report::count(at.widths.back()));
  section.text("by_scale", report::significant(1 / std::sqrt(d_k), 4));
  section.text("together", report::significant(d / std::sqrt(d_k), 4));
  section.counterexample(
      fmt::format("d_model = {}, d_k = {}: √d_model multiplies token·token by {}, 1/√d_k by {}: "
                  "{} times what it is without both",
                  at.d_model, at.d_k, at.d_model, report::significant(1 / std::sqrt(d_k), 4),
                  report::significant(d / std::sqrt(d_k), 4)));
  return section;
}

}  // namespace embedscale::attention_analysis
