// Dropout before or after the common factor: every significand in the small formats, drawn values
// in the large ones.
#include <embedscale/dropout.hpp>
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include "combination/sections.hpp"
#include "properties/combination/rounding.hpp"
#include "properties/domain/formats.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/domain/widths.hpp"
#include "report/parallel.hpp"

namespace embedscale::combination_analysis {
namespace {

using namespace properties::combination;
using properties::Part;

constexpr std::array rates{0.1, 0.2, 0.3, 0.5, 0.75};
const Primitives primitives;

/// Significands of the format that are looked at: all of a small one.
template <class Real>
constexpr bool is_small = FormatTraits<Real>::digits <= 12;

template <class Real>
std::uint64_t significands(const Options& options) {
  return is_small<Real> ? std::uint64_t{1} << (FormatTraits<Real>::digits - 1) : options.samples;
}

/// Significand i of [1, 2): exact, so the same bits on every machine.
template <class Real>
Real significand_at(std::uint64_t i, const Stream& stream) {
  const std::uint64_t steps = std::uint64_t{1} << (FormatTraits<Real>::digits - 1);
  const std::uint64_t step = is_small<Real> ? i : stream.bits(i) & (steps - 1);
  return static_cast<Real>(1.0 + static_cast<double>(step) / static_cast<double>(steps));
}

/// Both orders over the significands at one width.
struct AtWidth {
  bool stated = false;   ///< the condition for equal bits
  bool differs = false;  ///< some x does
  double worst = 0;      ///< share of the bound
};

/// All widths of one format at one rate.
struct AtRate {
  const char* format;
  const char* method;
  double rate;
  std::vector<AtWidth> widths;
};

template <class Real>
AtWidth measured(std::uint64_t d, double rate, const Options& options) {
  const Real m = root_multiplier<Real>(d), s = dropout_scale<Real>(rate);
  const Stream stream(options.seed, std::string(properties::combination::dropout_commutes.id) +
                                        "/" + std::to_string(d));
  AtWidth result{.stated = scales_commute(double(m), double(s))};
  for (std::uint64_t i = 0; i < significands<Real>(options); ++i) {
    const Real x = significand_at<Real>(i, stream);
    const double share = dropout_share_of_bound(x, m, s, primitives);
    result.worst = std::max(result.worst, share);
    result.differs = result.differs || share != 0.0;
  }
  return result;
}

std::vector<AtRate> all_rates(const std::vector<std::uint64_t>& widths, const Options& options) {
  std::vector<AtRate> all;
  properties::domain::for_each_format([&]<class Real>() {
    for (const double rate : rates) {
      std::vector<AtWidth> results(widths.size());
      in_parallel(widths.size(),
                  [&](std::uint64_t i) { results[i] = measured<Real>(widths[i], rate, options); });
      all.push_back(
          {FormatTraits<Real>::name,
           is_small<Real> ? "every significand in the normal range" : "drawn significands", rate,
           std::move(results)});
    }
  });
  return all;
}

void decide(Section& s, const AtRate& at) {
  const Place place{{"format", at.format}, {"rate", at.rate}};
  const auto n = at.widths.size();
  const auto of_those = [&](bool stated, bool differs) {
    return over<Tally>(n, [&](std::uint64_t i) {
      const auto& one = at.widths[i];
      return one.stated == stated ? std::optional(one.differs == differs) : std::nullopt;
    });
  };
  s.decide_none("disagreements_on_condition", place, of_those(true, true), Part::belief, at.method);
  s.decide_none("other_cases_that_agree", place, of_those(false, false), Part::belief_elsewhere,
                at.method);
  const auto worst = over<Greatest>(n, [&](std::uint64_t i) { return at.widths[i].worst; });
  s.measure("worst_share_of_bound", place, worst, at.method, at_most(Part::statement, 1, n));
  s.measure("worst_difference", place, {4 * worst.value(), worst});
}

bool all_stated(const AtRate& at) { return std::ranges::all_of(at.widths, &AtWidth::stated); }

}  // namespace

void dropout_commutes(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  s.decide("exact_disagreements", none_of(Part::statement, options.samples), "exact rationals",
           [&](std::uint64_t i) {
             using namespace properties::domain;
             return !dropout_two_ways(rational(stream, 3 * i), positive_rational(stream, 3 * i + 1),
                                      i % 2 == 0 ? Fate::kept : Fate::dropped,
                                      positive_rational(stream, 3 * i + 2), primitives)
                         .agree();
           });
  const auto widths = points(options.widths, properties::domain::swept_widths.all());
  s.measure("widths", {{"from", widths.front()}, {"to", widths.back()}},
            over<Tally>(widths.size(), [](std::uint64_t) { return true; }));
  const auto all = all_rates(widths, options);
  for (const auto& at : all) {
    const bool at_every_width = std::ranges::all_of(
        all, [&](const AtRate& other) { return other.rate != at.rate || all_stated(other); });
    s.measure("widths_on_condition",
              {{"format", at.format}, {"rate", at.rate}, {"at", at_every_width ? "all" : "some"}},
              over<Tally>(at.widths.size(), [&](std::uint64_t i) { return at.widths[i].stated; }));
    decide(s, at);
  }
}

}  // namespace embedscale::combination_analysis
