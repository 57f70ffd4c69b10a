// Dropout before or after the common factor: every significand in the small formats, drawn values
// in the large ones.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/dropout.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/properties/domain/formats.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/domain/widths.hpp>

#include <set>

#include "combination.hpp"

namespace embedscale::combination_analysis {
namespace {

using namespace properties::combination;
using properties::Part;
using report::Relation;
using report::Table;

const Library library;
constexpr std::array rates{0.1, 0.2, 0.3, 0.5, 0.75};

/// Significands of the format that are looked at: all of a small one.
template <class Real>
constexpr bool is_small = FormatTraits<Real>::digits <= 12;

template <class Real>
std::uint64_t significands(const cli::Options& options) {
  return is_small<Real> ? std::uint64_t{1} << (FormatTraits<Real>::digits - 1) : options.samples;
}

/// Significand i of [1, 2): exact, so the same bits on every machine.
template <class Real>
Real significand_at(std::uint64_t i, const Stream& stream) {
  const std::uint64_t steps = std::uint64_t{1} << (FormatTraits<Real>::digits - 1);
  const std::uint64_t step = is_small<Real> ? i : stream.bits(i) & (steps - 1);
  return static_cast<Real>(1.0 + static_cast<double>(step) / static_cast<double>(steps));
}

/// Both orders over the significands at one width and one rate.
struct AtWidth {
  bool stated = false;   ///< the condition for equal bits
  bool differs = false;  ///< some x does
  double worst = 0;      ///< share of the bound
};

template <class Real>
AtWidth measure(std::uint64_t d, double rate, const cli::Options& options) {
  const Real m = root_multiplier<Real>(d), s = dropout_scale<Real>(rate);
  const Stream stream(options.seed,
                      fmt::format("{}/{}", properties::combination::dropout_commutes.id, d));
  AtWidth result{.stated = scales_commute(double(m), double(s))};
  for (std::uint64_t i = 0; i < significands<Real>(options); ++i) {
    const Real x = significand_at<Real>(i, stream);
    const double share = dropout_share_of_bound(x, m, s, library);
    result.worst = std::max(result.worst, share);
    result.differs = result.differs || share != 0.0;
  }
  return result;
}

}  // namespace

report::Section dropout_commutes(const cli::Options& options) {
  report::Section section(properties::combination::dropout_commutes);
  section.condition(
      "fl(√d_model) or the scale, the rounded 1/(1 − rate), is a power of two, or both have "
      "the same significand");
  const Stream stream(options.seed, section.claim().id);
  double apart = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    using namespace properties::domain;
    apart += dropout_two_ways(rational(stream, 3 * i), positive_rational(stream, 3 * i + 1),
                              i % 2 == 0 ? Fate::kept : Fate::dropped,
                              positive_rational(stream, 3 * i + 2), library)
                     .agree()
                 ? 0
                 : 1;
  }
  section.measure({.quantity = "exact_disagreements",
                   .value = apart,
                   .samples = options.samples,
                   .method = "exact rationals",
                   .unit = report::counted,
                   .rule = report::Rule{Part::statement, Relation::equals, 0, options.samples},
                   .field = "exact"});
  Table table({{"Format"},
               {"Rate", Table::Align::right},
               {"Widths on the condition", Table::Align::right},
               {"of these, that part", Table::Align::right},
               {"Other widths", Table::Align::right},
               {"of these, that agree", Table::Align::right},
               {"Worst, in u·size", Table::Align::right}});
  const auto all = points(options.widths, properties::domain::swept_widths.all());
  double worst_of_all = 0;
  std::set<double> always(rates.begin(), rates.end());
  std::uint64_t fewest = all.size(), most = 0;  // widths on the condition, at the other rates
  properties::domain::for_each_format([&]<class Real>() {
    for (const double rate : rates) {
      std::vector<AtWidth> results(all.size());
      tbb::parallel_for(std::size_t{0}, all.size(),
                        [&](std::size_t i) { results[i] = measure<Real>(all[i], rate, options); });
      std::uint64_t stated = 0;
      double part = 0, agree = 0, worst = 0;
      for (const auto& r : results) {
        stated += r.stated ? 1 : 0;
        part += r.stated && r.differs ? 1 : 0;
        agree += !r.stated && !r.differs ? 1 : 0;
        worst = std::max(worst, r.worst);
      }
      if (stated < all.size()) {
        always.erase(rate);
        fewest = std::min(fewest, stated);
        most = std::max(most, stated);
      }
      const report::Json at = {{"format", FormatTraits<Real>::name}, {"rate", rate}};
      const char* method =
          is_small<Real> ? "every significand in the normal range" : "drawn significands";
      section.measure_none("disagreements_on_condition", at, part, stated, Part::belief, method);
      section.measure_none("other_cases_that_agree", at, agree, all.size() - stated,
                           Part::belief_elsewhere, method);
      section.measure({.quantity = "worst_share_of_bound",
                       .at = at,
                       .value = worst,
                       .samples = all.size(),
                       .method = method,
                       .rule = report::Rule{Part::statement, Relation::at_most, 1, all.size()},
                       .digits = 3});
      worst_of_all = std::max(worst_of_all, worst);
      table.row({FormatTraits<Real>::name, fmt::format("{}", rate), report::count(stated),
                 report::count(std::uint64_t(part)), report::count(all.size() - stated),
                 report::count(std::uint64_t(agree)), report::significant(4 * worst, 3)});
    }
  });
  section.text("first_width", report::count(all.front()));
  section.text("last_width", report::count(all.back()));
  section.text("always", always.empty() ? "no rate" : fmt::format("{}", fmt::join(always, ", ")));
  section.text("rates", fmt::format("{}", fmt::join(rates, ", ")));
  section.text("fewest", report::count(fewest));
  section.text("most", report::count(most));
  section.text("worst", report::significant(100 * worst_of_all, 2));
  section.table(table);
  return section;
}

}  // namespace embedscale::combination_analysis
