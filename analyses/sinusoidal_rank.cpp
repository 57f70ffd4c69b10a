// How many directions hold the energy of a table of positions: eigenvalues of its second moments in
// closed form.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <embedscale/properties/sinusoidal_moments.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinusoidal.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using properties::Part;
using report::Figure;
using report::Relation;

const Library library;
constexpr std::array shares{0.9, 0.99, 0.999, 0.9999};

/// How many directions hold each of the shares. Rounding moves the eigenvalues by some 10^−12 of
/// their sum, far less than one of them holds where a share is reached.
std::array<std::size_t, 4> directions(const properties::sinusoidal::Table& table, Moments moments) {
  auto values = stated_moments(table, moments);
  const auto size = static_cast<Eigen::Index>(table.d);
  const Eigen::Map<const Eigen::MatrixXd> matrix(values.data(), size, size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
  const Eigen::VectorXd& found = solver.eigenvalues();
  std::array<std::size_t, 4> counts{};
  for (std::size_t k = 0; k < shares.size(); ++k)
    counts[k] = directions_for({found.data(), found.data() + found.size()}, shares[k]);
  return counts;
}

/// One table, and what is found of it.
struct Job {
  properties::sinusoidal::Table table;
  Moments moments = Moments::raw;
  std::array<std::size_t, 4> found{};
};

std::vector<Job> solved(std::vector<Job> jobs) {
  tbb::parallel_for(std::size_t{0}, jobs.size(), [&](std::size_t i) {
    jobs[i].found = directions(jobs[i].table, jobs[i].moments);
  });
  return jobs;
}

/// The belief, that 99 % lie in half of the space, up to L = 4d and from 16d on.
void judge_halves(const std::vector<std::size_t>& widths, report::Section& section) {
  std::vector<Job> jobs;
  for (const auto d : widths)
    for (const auto rule : rules)
      for (const auto times : {0.5, 1.0, 2.0, 4.0, 16.0, 32.0}) {
        const auto length = static_cast<std::int64_t>(times * static_cast<double>(d));
        jobs.push_back({.table = {d, length, rule}});
      }
  std::uint64_t wide = 0, shorter = 0, narrow = 0, longer = 0;
  for (const auto& job : solved(std::move(jobs))) {
    const bool in_half = 2 * job.found[1] <= job.table.d;
    if (job.table.length <= 4 * static_cast<std::int64_t>(job.table.d))
      ++shorter, wide += in_half ? 0 : 1;
    else
      ++longer, narrow += in_half ? 1 : 0;
  }
  section.measure(
      {.quantity = "tables_in_half_the_space",
       .at = {{"L_over_d_at_most", 4}},
       .value = static_cast<double>(shorter - wide),
       .samples = shorter,
       .method = "closed-form second moments, both rules",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::equals, static_cast<double>(shorter), shorter},
       .field = "in_half"});
  section.measure_none("longer_tables_in_half", {{"L_over_d_at_least", 16}},
                       static_cast<double>(narrow), longer, Part::belief_elsewhere,
                       "closed-form second moments, both rules");
}

}  // namespace

report::Section effective_rank(const cli::Options& options) {
  report::Section section(properties::sinusoidal::effective_rank);
  section.condition(
      "the table is not much longer than wide: it does for L ≤ 4·d_model, no more from 16·d_model "
      "on");
  const auto widths = even_widths(options, {16, 32, 64, 128, 256, 512});
  const auto lengths = positions(options, {50, 128, 512, 2048, 8192, 131072});
  std::vector<Job> jobs;
  for (const auto d : widths)
    for (const auto length : lengths)
      for (const auto moments : {Moments::raw, Moments::centred})
        jobs.push_back({.table = {d, length}, .moments = moments});
  report::Table table({{"d_model", report::Table::Align::right},
                       {"L", report::Table::Align::right},
                       {"90 %", report::Table::Align::right},
                       {"99 %", report::Table::Align::right},
                       {"99.9 %", report::Table::Align::right},
                       {"99.99 %", report::Table::Align::right},
                       {"less the mean: 90 %", report::Table::Align::right},
                       {"99 %", report::Table::Align::right},
                       {"99.9 %", report::Table::Align::right},
                       {"99.99 %", report::Table::Align::right}});
  std::vector<std::string> row;
  Figure figure{.name = "sinusoidal_directions",
                .title = "Directions that hold 99 % of the energy of a table of positions",
                .x_label = "positions in the table, L",
                .y_label = "directions, % of d_model",
                .x_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "half the space", .y = 50.0}}};
  for (const auto& job : solved(std::move(jobs))) {
    const auto [d, length, rule, layout] = job.table;
    const bool raw = job.moments == Moments::raw;
    if (raw) row = {report::count(d), report::count(static_cast<std::uint64_t>(length))};
    for (std::size_t k = 0; k < shares.size(); ++k) {
      section.measure({.quantity = "directions_for_energy",
                       .at = {{"d_model", d},
                              {"positions", length},
                              {"share", shares[k]},
                              {"mean", raw ? "kept" : "removed"}},
                       .value = static_cast<double>(job.found[k]),
                       .samples = d,
                       .method = "eigenvalues of the closed-form second moments",
                       .unit = report::counted});
      row.push_back(report::count(job.found[k]));
    }
    if (!raw) table.row(row);
  }
  std::vector<Job> curve;
  for (const auto d : widths)
    if (d <= 256)
      for (int k = 2; k <= 34; k += 2)
        curve.push_back({.table = {d, std::llround(std::exp2(k / 2.0))}});
  for (const auto& job : solved(std::move(curve))) {
    const auto d = job.table.d;
    if (figure.series.empty() || figure.series.back().label != fmt::format("d_model = {}", d)) {
      if (figure.series.size() == 6) break;
      figure.series.push_back({.label = fmt::format("d_model = {}", d), .x = {}, .y = {}});
    }
    figure.series.back().x.push_back(static_cast<double>(job.table.length));
    figure.series.back().y.push_back(100.0 * static_cast<double>(job.found[1]) /
                                     static_cast<double>(d));
  }
  judge_halves(widths, section);
  Worst worst("second moments", "tables of up to 64 by 512, both rules, with and without the mean",
              Part::statement, "worst");
  for (const auto d : {std::size_t{16}, std::size_t{64}})
    for (const std::int64_t length : {50, 512})
      for (const auto rule : rules)
        for (const auto moments : {Moments::raw, Moments::centred})
          worst.add(moments_share_of_bound({d, length, rule}, moments, library));
  worst.record(section);
  const auto at_512 = directions({512, 512}, Moments::raw);
  const auto centred = directions({512, 512}, Moments::centred);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto name = fmt::format("{}", std::llround(1e4 * shares[k]));
    section.text("raw_" + name, report::count(at_512[k]));
    section.text("centred_" + name, report::count(centred[k]));
  }
  section.text("tables", report::count(widths.size() * rules.size() * 4));
  section.text("first_width", report::count(widths.front()));
  section.text("last_width", report::count(widths.back()));
  section.table(table);
  if (!figure.series.empty()) section.figure(figure);
  return section;
}

}  // namespace embedscale::sinusoidal_analysis
