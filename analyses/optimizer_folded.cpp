// A table that holds m·e under gradient descent and momentum, at the rate that makes it follow and
// at others.
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/optimizer_exact.hpp>

#include <cmath>

#include "optimizer_settings.hpp"
#include "report/table.hpp"

namespace embedscale::optimizer_analysis {
namespace {

using namespace properties::optimizer;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// A path of small rationals: two inputs of one word, a polynomial loss.
struct ExactCase {
  Start<Rational> start;
  Run<Rational> up;
  Polynomial<Rational> loss;
};
ExactCase exact_case(const Stream& stream, std::uint64_t i) {
  const auto one = [&](std::uint64_t k) {
    return properties::domain::rational(stream, 32 * i + k);
  };
  const auto positive = [&](std::uint64_t k) {
    return properties::domain::positive_rational(stream, 32 * i + k);
  };
  const auto row = [&](std::uint64_t first, std::size_t size) {
    std::vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j) out.push_back(one(first + j));
    return out;
  };
  const Optimiser<Rational> none = Sgd<Rational>{Rational(0)};
  Optimiser<Rational> by = Sgd<Rational>{positive(0)};
  if (i % 2 == 0) by = Momentum<Rational>{positive(0), Rational(9) / Rational(10)};
  return {{2, {0, 0}, row(4, 4), row(8, 2), {}},
          {Placing::up, positive(1), by, none},
          {row(12, 2), one(14), one(15)}};
}

void measure_exact(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  double parted = 0, agreeing = 0;
  std::uint64_t elsewhere = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    auto at = exact_case(stream, i);
    const auto equal = with(at.up, Placing::folded);
    const Training training(at.start, at.up, library);
    bool still = at.up.m == Rational(1);  // no other rate, or no step
    const auto g = training.gradient(at.loss(training.inputs(), {}).of_input);
    still = still || std::ranges::all_of(g, [](const Rational& x) { return x == 0; });
    if (!still) {
      ++elsewhere;
      agreeing += path_deviation(at.start, at.up, equal, at.loss, 1, library) == 0 ? 1 : 0;
    }
    std::visit(
        [&](auto& by) {
          if constexpr (requires { by.penalty; }) by.penalty = Rational(1) / Rational(7);
        },
        at.up.of_table);
    const auto folded = folded_run(at.up, library);
    parted += is_one_function(at.start, at.up, folded, at.loss, library) &&
                      path_deviation(at.start, at.up, folded, at.loss, 3, library) == 0
                  ? 0
                  : 1;
  }
  section.measure({.quantity = "path_disagreements",
                   .at = {{"rate", "m^2"}, {"penalty", "1/m^2"}, {"steps", 3}},
                   .value = parted,
                   .samples = options.samples,
                   .method = "exact rationals: loss, gradient and path",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::equals, 0, options.samples},
                   .field = "parted"});
  section.measure({.quantity = "equal_rate_agreements",
                   .at = {{"rate", "1"}, {"steps", 1}},
                   .value = agreeing,
                   .samples = elsewhere,
                   .method = "exact rationals, m other than 1 and a gradient other than 0",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief_elsewhere, Relation::equals, 0, elsewhere},
                   .field = "agreeing"});
  section.text("samples", report::count(options.samples));
  section.text("elsewhere", report::count(elsewhere));
}

}  // namespace

report::Section folded_sgd_step(const cli::Options& options) {
  report::Section section(properties::optimizer::folded_sgd_step);
  measure_exact(options, section);
  measure_bits(options, section, 0, 1);
  Table paths({{"Rate and penalty of the folded table"},
               {optimiser_names[0], Table::Align::right},
               {optimiser_names[1], Table::Align::right}});
  std::vector<std::string> rows[4] = {
      {"m²·rate, penalty/m²"}, {"m²·rate, equal penalty"}, {"m·rate"}, {"equal rate"}};
  for (const std::size_t k : {0u, 1u}) {
    const auto path = path_of(options, k);
    const Wide& m = path.up.m;
    const auto add = [&](std::size_t row, const Run<Wide>& other) {
      const double apart =
          measure_path(section, path, optimiser_names[k], rows[row][0].c_str(), other, row == 0);
      rows[row].push_back(shown_deviation(apart));
      if (k == 0 && row == 3) section.text("apart", report::significant(apart, 2));
    };
    add(0, folded_run(path.up, library));
    add(1, at_rate(path.up, Wide(m * m)));
    add(2, at_rate(path.up, m));
    add(3, at_rate(path.up, Wide(1)));
  }
  for (auto& row : rows) paths.row(row);

  Table table({{"d_model", Table::Align::right},
               {"∂L/∂e over ∂L/∂e′", Table::Align::right},
               {"Step of x, gradient descent", Table::Align::right},
               {"momentum", Table::Align::right},
               {"Adam", Table::Align::right}});
  Figure figure{.name = "optimizer_rate_ratio",
                .title = "First step of x with the factor outside the table, over inside",
                .x_label = "d_model",
                .y_label = "ratio at equal learning rates",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {{.label = "gradient descent, momentum: m²", .x = {}, .y = {}},
                           {.label = "Adam: m", .x = {}, .y = {}},
                           {.label = "gradient of the table: m",
                            .x = {},
                            .y = {},
                            .mark = report::Series::Mark::points}},
                .levels = {}};
  for (const auto d : points(options.widths, shown_widths)) {
    const double gradient = gradient_ratio(root_multiplier<double>(d), library);
    section.measure({.quantity = "gradient_ratio",
                     .at = {{"d_model", d}},
                     .value = gradient,
                     .samples = 1,
                     .method = "look-up gradients of one ∂L/∂x",
                     .field = d == 512 ? "gradient_512" : ""});
    std::vector<std::string> row{report::count(d), report::significant(gradient, 4)};
    for (const std::size_t k : {0u, 1u, 2u}) {
      const double ratio = rate_ratio(k, d, 1.0);
      if (k < 2)
        section.measure({.quantity = "rate_ratio",
                         .at = {{"d_model", d}, {"optimiser", optimiser_names[k]}},
                         .value = ratio,
                         .samples = 1,
                         .method = "first step of each, ∂L/∂x = 1, equal rates"});
      row.push_back(report::significant(ratio, 4));
      if (k == 1) continue;
      figure.series[k / 2].x.push_back(static_cast<double>(d));
      figure.series[k / 2].y.push_back(ratio);
    }
    figure.series[2].x.push_back(static_cast<double>(d));
    figure.series[2].y.push_back(gradient);
    table.row(row);
  }
  section.text("rate_512", report::significant(rate_ratio(0, 512, 1.0), 3));
  section.text("ratio_512",
               report::significant(gradient_ratio(root_multiplier<double>(512), library), 3));
  section.table(table);
  section.table(paths);
  section.figure(figure);
  section.condition("the table's learning rate is m² times as large and an L2 penalty λ is λ/m²");
  return section;
}

}  // namespace embedscale::optimizer_analysis
