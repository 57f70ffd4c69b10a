// Where up and down give the same bits, and how far they part elsewhere: every width of the domain,
// four formats, both ways to divide; and the same for dropout's scale.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/domain/pairs.hpp>
#include <embedscale/properties/domain/widths.hpp>

#include <optional>
#include <ranges>

#include "combination.hpp"

namespace embedscale::combination_analysis {
namespace {

using namespace properties::combination;
using properties::is_power_of_two;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;
constexpr std::array divisions{Division::by_m, Division::by_reciprocal};

/// Both divisions at one width of one format.
struct AtWidth {
  std::uint64_t d = 0;
  double m = 0;
  std::uint64_t pairs = 0, agreeing = 0;  ///< drawn pairs, by_m
  std::array<double, 2> worst{};          ///< share of the bound
  std::array<bool, 2> differs{};          ///< some pair does
};

/// The first pair of whole numbers (e + p smallest, then e) at which the two ways part: an example
/// to check by hand. That there is a pair at all is what telling_position shows.
template <Scalar Real>
std::optional<std::array<double, 4>> simplest_example(const Real& m, Division division) {
  constexpr int largest_sum = 256;  // exact in bfloat16, the smallest of the formats
  for (int total = 1; total <= largest_sum; ++total)
    for (int i = 0; i <= total; ++i) {
      const Real e = static_cast<Real>(i), p = static_cast<Real>(total - i);
      const auto [u, z] = two_ways(e, p, m, division, library);
      if (!(u == z) && stays_in_range(e, p, m, division))
        return std::array{static_cast<double>(e), static_cast<double>(p), static_cast<double>(u),
                          static_cast<double>(z)};
    }
  return std::nullopt;
}

/// The worst share of the bound that climbs of random moves reach, each from a drawn pair. Many
/// short climbs find less than a few long ones, and one long one gets stuck.
template <Scalar Real>
double climbed(const Stream& stream, const Real& m, Division division, std::uint64_t steps) {
  constexpr std::uint64_t climbs = 16;
  double worst = 0.0;
  for (std::uint64_t climb = 0; climb < climbs; ++climb) {
    const auto origin = properties::domain::critical_pair(stream, 2 * climb, m);
    auto best = origin;
    double reached = share_of_bound(best.e, best.p, m, division, library);
    for (std::uint64_t i = 0; i < steps; ++i) {
      const auto next = properties::domain::nearby_pair(stream, climb * steps + i, best, origin);
      const double share = share_of_bound(next.e, next.p, m, division, library);
      if (share >= reached && stays_in_range(next.e, next.p, m, division)) {
        reached = share;
        best = next;
      }
    }
    worst = std::max(worst, reached);
  }
  return worst;
}

template <Scalar Real>
AtWidth measure(std::uint64_t d, const cli::Options& options) {
  const Real m = root_multiplier<Real>(d);
  const Stream stream(options.seed,
                      fmt::format("{}/{}", properties::combination::rounds_identically.id, d));
  AtWidth result{.d = d, .m = static_cast<double>(m)};
  for (std::size_t k = 0; k < divisions.size(); ++k) {
    const Real one(1), telling = telling_position(m);
    result.differs[k] = !two_ways(one, telling, m, divisions[k], library).agree();
  }
  for (; result.pairs < options.samples; ++result.pairs) {
    const auto [e, p] = properties::domain::critical_pair(stream, result.pairs, m);
    for (std::size_t k = 0; k < divisions.size(); ++k) {
      const double share = share_of_bound(e, p, m, divisions[k], library);
      result.worst[k] = std::max(result.worst[k], share);
      result.differs[k] = result.differs[k] || share != 0.0;
      if (divisions[k] == Division::by_m) result.agreeing += share == 0.0 ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < divisions.size(); ++k)
    if (result.worst[k] > 0.0)
      result.worst[k] =
          std::max(result.worst[k], climbed(stream, m, divisions[k], options.samples / 4));
  return result;
}

/// 1, 4, 16 … as "1, 4, 16, …": all of them, they are few.
std::string listed(const std::vector<std::uint64_t>& numbers) {
  return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", "));
}

std::string shortest(double x) { return fmt::format("{}", x); }

}  // namespace

report::Section rounds_identically(const cli::Options& options) {
  report::Section section(properties::combination::rounds_identically);
  section.condition("fl(√d_model), rounded in the format used, is a power of two");
  const auto swept = properties::domain::swept_widths;
  const auto all = widths(options, std::views::iota(swept.lowest, swept.highest + 1));
  section.text("first_width", report::count(all.front()));
  section.text("last_width", report::count(all.back()));
  Table table({{"Format"},
               {"Widths whose root is a power of two"},
               {"of these, ways that part", Table::Align::right},
               {"Other widths", Table::Align::right},
               {"of these, ways that agree", Table::Align::right},
               {"Pairs that agree there", Table::Align::right},
               {"Worst, in u·max", Table::Align::right},
               {"with fl(1/m)", Table::Align::right}});
  Table examples({{"d_model", Table::Align::right},
                  {"m = fl(√d)", Table::Align::right},
                  {"e", Table::Align::right},
                  {"p", Table::Align::right},
                  {"fl(fl(m·e) + p)", Table::Align::right},
                  {"fl(m·fl(e + fl(p/m)))", Table::Align::right}});
  Figure figure{.name = "combination_rounding",
                .title = "Largest |up − m·down| found at each width",
                .x_label = "d_model",
                .y_label = "in units of u·max(|m·e|, |p|)",
                .series = {},
                .levels = {{.label = "derived bound", .y = bound_in_u(Division::by_m)}}};
  double worst_of_all = 0;
  properties::domain::for_each_format([&]<class Real>() {
    const std::string format = FormatTraits<Real>::name;
    std::vector<AtWidth> results(all.size());
    tbb::parallel_for(std::size_t{0}, all.size(),
                      [&](std::size_t i) { results[i] = measure<Real>(all[i], options); });
    std::vector<std::uint64_t> powers;
    std::uint64_t others = 0, agreeing = 0, pairs = 0;
    std::array<double, 2> parting{}, agree{}, worst{};
    report::Series series{.label = format, .x = {}, .y = {}, .mark = report::Series::Mark::points};
    for (const auto& r : results) {
      const bool power = is_power_of_two(r.m);
      if (power) powers.push_back(r.d);
      for (std::size_t k = 0; k < 2; ++k) {
        parting[k] += power && r.differs[k] ? 1 : 0;
        agree[k] += !power && !r.differs[k] ? 1 : 0;
        worst[k] = std::max(worst[k], r.worst[k]);
      }
      if (!power) {
        ++others;
        pairs += r.pairs;
        agreeing += r.agreeing;
      }
      series.x.push_back(static_cast<double>(r.d));
      series.y.push_back(r.worst[0] * bound_in_u(Division::by_m));
    }
    figure.series.push_back(series);
    section.measure({.quantity = "power_of_two_roots",
                     .at = {{"format", format}, {"widths", powers}},
                     .value = static_cast<double>(powers.size()),
                     .samples = all.size(),
                     .method = "exhaustive",
                     .unit = report::counted,
                     .field = "powers_" + format});
    section.text("list_" + format, listed(powers));
    for (std::size_t k = 0; k < 2; ++k) {
      const report::Json at = {{"format", format},
                               {"division", k == 0 ? "fl(p/m)" : "fl(p·fl(1/m))"}};
      const auto suffix = (k == 0 ? "_" : "_reciprocal_") + format;
      if (!powers.empty())
        section.measure({.quantity = "disagreements_at_powers_of_two",
                         .at = at,
                         .value = parting[k],
                         .samples = powers.size(),
                         .method = "whole numbers and directed draws at each width; proved",
                         .unit = report::counted,
                         .rule = report::Rule{Part::belief, Relation::equals, 0, powers.size()}});
      if (others > 0)
        section.measure(
            {.quantity = "other_widths_that_agree",
             .at = at,
             .value = agree[k],
             .samples = others,
             .method = "a pair that tells them apart at each width; proved",
             .unit = report::counted,
             .rule = report::Rule{Part::belief_elsewhere, Relation::equals, 0, others}});
      section.measure({.quantity = "worst_share_of_bound",
                       .at = at,
                       .value = worst[k],
                       .samples = all.size(),
                       .method = fmt::format(
                           "{} directed draws and 16 climbs at each width; the bound is proved",
                           options.samples),
                       .rule = report::Rule{Part::statement, Relation::at_most, 1, all.size()},
                       .field = "worst" + suffix,
                       .digits = 3});
      if (divisions[k] == Division::by_m) worst_of_all = std::max(worst_of_all, worst[k]);
    }
    const double share = others == 0 ? 0.0 : double(agreeing) / double(pairs);
    section.measure({.quantity = "agreeing_pairs",
                     .at = {{"format", format}},
                     .value = share,
                     .samples = pairs,
                     .method = "directed draws at the other widths",
                     .field = "agreeing_" + format,
                     .digits = 3});
    table.row({format, listed(powers), report::count(std::uint64_t(parting[0] + parting[1])),
               report::count(others), report::count(std::uint64_t(agree[0] + agree[1])),
               fmt::format("{} %", report::significant(100 * share, 3)),
               report::significant(worst[0] * bound_in_u(divisions[0]), 3),
               report::significant(worst[1] * bound_in_u(divisions[1]), 3)});
    if constexpr (std::same_as<Real, float>)
      for (const auto d : widths(options, properties::domain::common_widths)) {
        const auto m = root_multiplier<Real>(d);
        const auto found = simplest_example(m, Division::by_m);
        std::vector<std::string> row{report::count(d), shortest(double(m))};
        for (std::size_t k = 0; k < 4; ++k)
          row.push_back(found ? fmt::format("{}", static_cast<float>((*found)[k])) : "none");
        if (found && !section.has_counterexample())
          section.counterexample(
              fmt::format("binary32, d_model = {}, e = {}, p = {}: {} against {}", d, row[2],
                          row[3], row[4], row[5]));
        examples.row(row);
      }
  });
  section.text("worst_of_all", report::significant(100 * worst_of_all, 2));
  section.table(table);
  section.table(examples);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::combination_analysis
