// Where up and down give the same bits, and how far they part elsewhere: every width of the domain,
// four formats, both ways to divide.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/domain/pairs.hpp>
#include <embedscale/properties/domain/widths.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

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
constexpr std::uint64_t climbs = 16;

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

/// All widths of one format.
struct InFormat {
  std::string name;
  std::vector<std::uint64_t> powers;                      ///< widths whose root is a power of two
  std::uint64_t widths = 0, others = 0;                   ///< of them all; of the other ones
  std::uint64_t pairs = 0, agreeing = 0;                  ///< drawn at the others
  std::array<double, 2> parting{}, agree{}, worst{};      ///< by division; see record()
  report::Series largest{.label = {}, .x = {}, .y = {}};  ///< by width, in u·max
};

template <Scalar Real>
InFormat sweep(const std::vector<std::uint64_t>& widths, const cli::Options& options) {
  std::vector<AtWidth> results(widths.size());
  tbb::parallel_for(std::size_t{0}, widths.size(),
                    [&](std::size_t i) { results[i] = measure<Real>(widths[i], options); });
  InFormat all{.name = FormatTraits<Real>::name, .powers = {}, .widths = widths.size()};
  all.largest = {.label = all.name, .x = {}, .y = {}, .mark = report::Series::Mark::points};
  for (const auto& r : results) {
    const bool power = is_power_of_two(r.m);
    for (std::size_t k = 0; k < divisions.size(); ++k) {
      all.parting[k] += power && r.differs[k] ? 1 : 0;
      all.agree[k] += !power && !r.differs[k] ? 1 : 0;
      all.worst[k] = std::max(all.worst[k], r.worst[k]);
    }
    if (power) {
      all.powers.push_back(r.d);
    } else {
      ++all.others;
      all.pairs += r.pairs;
      all.agreeing += r.agreeing;
    }
    all.largest.x.push_back(static_cast<double>(r.d));
    all.largest.y.push_back(r.worst[0] * bound_in_u(divisions[0]));
  }
  return all;
}

/// What the sweep of one format settles, one way to divide after the other.
void record(report::Section& section, const InFormat& all, const cli::Options& options) {
  section.measure({.quantity = "power_of_two_roots",
                   .at = {{"format", all.name}, {"widths", all.powers}},
                   .value = static_cast<double>(all.powers.size()),
                   .samples = all.widths,
                   .method = "exhaustive",
                   .unit = report::counted});
  for (std::size_t k = 0; k < divisions.size(); ++k) {
    const bool by_m = divisions[k] == Division::by_m;
    const report::Json at = {{"format", all.name},
                             {"division", by_m ? "fl(p/m)" : "fl(p·fl(1/m))"}};
    section.measure_none("disagreements_at_powers_of_two", at, all.parting[k], all.powers.size(),
                         Part::belief, "directed draws at each width; proved");
    section.measure_none("other_widths_that_agree", at, all.agree[k], all.others,
                         Part::belief_elsewhere,
                         "a pair that tells them apart at each width; proved");
    section.measure(
        {.quantity = "worst_share_of_bound",
         .at = at,
         .value = all.worst[k],
         .samples = all.widths,
         .method = fmt::format("{} directed draws and {} climbs at each width; the bound is proved",
                               options.samples, climbs),
         .rule = report::Rule{Part::statement, Relation::at_most, 1, all.widths},
         .digits = 3});
  }
  if (all.pairs > 0)
    section.measure({.quantity = "agreeing_pairs",
                     .at = {{"format", all.name}},
                     .value = double(all.agreeing) / double(all.pairs),
                     .samples = all.pairs,
                     .method = "directed draws at the other widths",
                     .digits = 3});
}

std::string listed(const std::vector<std::uint64_t>& numbers) {
  return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", "));
}

std::vector<std::string> row(const InFormat& all) {
  const auto both = [](const std::array<double, 2>& counts) {
    return report::count(static_cast<std::uint64_t>(counts[0] + counts[1]));
  };
  const auto in_u = [&](std::size_t k) {
    return report::significant(all.worst[k] * bound_in_u(divisions[k]), 3);
  };
  const double share = all.pairs == 0 ? 0.0 : 100.0 * double(all.agreeing) / double(all.pairs);
  return {all.name,          listed(all.powers),
          both(all.parting), report::count(all.others),
          both(all.agree),   fmt::format("{} %", report::significant(share, 3)),
          in_u(0),           in_u(1)};
}

/// The simplest pair at each width, in binary32; the first of them is the claim's counterexample.
Table examples(report::Section& section, const std::vector<std::uint64_t>& widths) {
  Table table({{"d_model", Table::Align::right},
               {"m = fl(√d)", Table::Align::right},
               {"e", Table::Align::right},
               {"p", Table::Align::right},
               {"fl(fl(m·e) + p)", Table::Align::right},
               {"fl(m·fl(e + fl(p/m)))", Table::Align::right}});
  for (const auto d : widths) {
    const auto m = root_multiplier<float>(d);
    const auto found = simplest_example(m, Division::by_m);
    std::vector<std::string> cells{report::count(d), fmt::format("{}", m)};
    for (std::size_t k = 0; k < 4; ++k)
      cells.push_back(found ? fmt::format("{}", static_cast<float>((*found)[k])) : "none");
    if (found && !section.has_counterexample())
      section.counterexample(fmt::format("binary32, d_model = {}, e = {}, p = {}: {} against {}", d,
                                         cells[2], cells[3], cells[4], cells[5]));
    table.row(std::move(cells));
  }
  return table;
}

}  // namespace

report::Section rounds_identically(const cli::Options& options) {
  report::Section section(properties::combination::rounds_identically);
  section.condition("fl(√d_model), rounded in the format used, is a power of two");
  const auto all = points(options.widths, properties::domain::swept_widths.all());
  Table table({{"Format"},
               {"Widths whose root is a power of two"},
               {"of these, ways that part", Table::Align::right},
               {"Other widths", Table::Align::right},
               {"of these, ways that agree", Table::Align::right},
               {"Pairs that agree there", Table::Align::right},
               {"Worst, in u·max", Table::Align::right},
               {"with fl(1/m)", Table::Align::right}});
  Figure figure{.name = "combination_rounding",
                .title = "Largest |up − m·down| found at each width",
                .x_label = "d_model",
                .y_label = "in units of u·max(|m·e|, |p|)",
                .series = {},
                .levels = {{.label = "derived bound", .y = bound_in_u(Division::by_m)}}};
  double worst = 0;
  std::vector<std::uint64_t> in_all;
  properties::domain::for_each_format([&]<class Real>() {
    const InFormat found = sweep<Real>(all, options);
    record(section, found, options);
    table.row(row(found));
    figure.series.push_back(found.largest);
    section.text("list_" + found.name, listed(found.powers));
    if (in_all.empty()) in_all = found.powers;  // binary64, the first
    std::vector<std::uint64_t> more;
    std::ranges::set_difference(found.powers, in_all, std::back_inserter(more));
    section.text("list_more_" + found.name, listed(more));
    worst = std::max(worst, found.worst[0]);
  });
  section.text("first_width", report::count(all.front()));
  section.text("last_width", report::count(all.back()));
  section.text("worst_of_all", report::significant(100 * worst, 2));
  section.table(table);
  section.table(examples(section, points(options.widths, properties::domain::common_widths)));
  section.figure(figure);
  return section;
}

}  // namespace embedscale::combination_analysis
