// Where two ways give the same bits, and how far they part elsewhere: up and down at every width of
// the domain, in four formats, by both ways to divide; dropout before or after the common factor,
// over every significand of the small formats and drawn ones of the large.
#include <embedscale/dropout.hpp>

#include "combination/sections.hpp"
#include "properties/domain/pairs.hpp"
#include "report/loops.hpp"

namespace embedscale::combination_analysis {
namespace {

using properties::is_power_of_two;

constexpr std::uint64_t climbs = 16;

const char* name_of(Division division) {
  return division == Division::by_m ? "fl(p/m)" : "fl(p·fl(1/m))";
}

/// Both divisions at one width of one format.
struct AtWidth {
  std::uint64_t d = 0;
  bool power = false;               ///< the multiplier is one of two
  Tally agreeing{};                 ///< of the drawn pairs, by_m
  std::array<Greatest, 2> worst{};  ///< share of the bound
};

/// The first pair of whole numbers (e + p smallest, then e) at which the two ways part: an example
/// to check by hand. That there is a pair at all is what telling_position shows.
Values simplest_example(float m) {
  constexpr int largest_sum = 256;
  for (int total = 1; total <= largest_sum; ++total)
    for (int i = 0; i <= total; ++i) {
      const auto e = static_cast<float>(i), p = static_cast<float>(total - i);
      const auto [u, z] = two_ways(e, p, m, Division::by_m, primitives);
      if (!(u == z) && stays_in_range(e, p, m, Division::by_m))
        return {{"example_e", e}, {"example_p", p}, {"example_up", u}, {"example_down", z}};
    }
  return {};
}

/// The worst share of the bound that climbs of random moves reach, each from a drawn pair. Many
/// short climbs find less than a few long ones, and one long one gets stuck.
template <Scalar Real>
double climbed(const Stream& stream, const Real& m, Division division, std::uint64_t steps) {
  double worst = 0.0;
  for (std::uint64_t climb = 0; climb < climbs; ++climb) {
    const auto origin = properties::domain::critical_pair(stream, 2 * climb, m);
    auto best = origin;
    double reached = share_of_bound(best.e, best.p, m, division, primitives);
    for (std::uint64_t i = 0; i < steps; ++i) {
      const auto next = properties::domain::nearby_pair(stream, climb * steps + i, best, origin);
      const double share = share_of_bound(next.e, next.p, m, division, primitives);
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
AtWidth measured(std::uint64_t d, const Options& options, const Stream& stream) {
  const Real m = root_multiplier<Real>(d);
  AtWidth result{.d = d, .power = is_power_of_two(static_cast<double>(m))};
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto [e, p] = properties::domain::critical_pair(stream, i, m);
    for (std::size_t k = 0; k < divisions.size(); ++k) {
      const double share = result.worst[k].evaluate(
          [&, e = e, p = p] { return share_of_bound(e, p, m, divisions[k], primitives); });
      if (divisions[k] == Division::by_m) result.agreeing.evaluate([&] { return share == 0.0; });
    }
  }
  for (std::size_t k = 0; k < divisions.size(); ++k)
    if (result.worst[k].value() > 0.0)
      result.worst[k].evaluate(
          [&] { return climbed(stream, m, divisions[k], options.samples / 4); });
  return result;
}

/// One way to divide, at all widths of a format.
void measure_division(Section& s, const char* format, std::size_t k,
                      const std::vector<AtWidth>& all, const Options& options) {
  const Place at{{"format", format}, {"division", name_of(divisions[k])}};
  for (const auto* quantity : {"disagreements_at_powers_of_two", "other_widths_that_agree"})
    s.measure_failures(quantity, at, "just_at_such_roots_of_every_swept_width");
  const auto worst = over<Greatest>(all, [=](const AtWidth& one) { return one.worst[k].value(); });
  s.measure("worst_share_of_bound", at, worst,
            std::to_string(options.samples) + " directed draws and " + std::to_string(climbs) +
                " climbs at each width; the bound is proved");
  s.measure("largest_of_all", at, worst.times(bound_in_u));
}

/// Those of a format's powers that binary64 does not have.
using Widths = Coordinate::List;
void further_roots(Section& s, const char* format, const Widths& powers, const Widths& usual) {
  Widths more;
  std::ranges::set_difference(powers, usual, std::back_inserter(more));
  s.measure("further_roots", {{"format", format}, {"widths", more}},
            over<Tally>(powers, [&](std::uint64_t d) { return std::ranges::count(more, d) > 0; }));
}

Widths in_format(Section& s, const char* format, const std::vector<AtWidth>& all,
                 const Options& options) {
  Widths powers;
  Tally agreeing;
  for (const auto& one : all)
    if (one.power)
      powers.push_back(one.d);
    else
      agreeing += one.agreeing;
  s.measure("power_of_two_roots", {{"format", format}, {"widths", powers}},
            over<Tally>(all, &AtWidth::power), "exhaustive");
  for (std::size_t k = 0; k < divisions.size(); ++k) measure_division(s, format, k, all, options);
  if (agreeing.cases() > 0)
    s.measure("agreeing_pairs", {{"format", format}},
              agreeing.share(NormalConfidence::p999.confidence()),
              "directed draws at the other widths");
  s.sweep("directed draws and climbs", {{"format", format}}, axis("d_model", all, &AtWidth::d),
          [](const AtWidth& one) {
            return Values{{"largest_difference", one.worst[0].times(bound_in_u)}};
          });
  return powers;
}

/// All widths of one format at one rate.
struct AtRate {
  const char* format;
  const char* method;
  double rate;
  Tally stated;    ///< on the condition for equal bits
  Greatest worst;  ///< share of the bound
};

template <class Real>
AtRate both_orders(double rate, const std::vector<std::uint64_t>& widths, const Section& section,
                   const Options& options) {
  const Real s = dropout_scale<Real>(rate);
  std::vector<double> worst(widths.size());
  in_parallel(widths.size(), [&](std::uint64_t k) {
    const Real m = root_multiplier<Real>(widths[k]);
    const Stream stream = stream_at(widths[k], section, options);
    for (std::uint64_t i = 0; i < significands<Real>(options.samples); ++i)
      worst[k] = std::max(
          worst[k], dropout_share_of_bound(significand_at<Real>(i, stream), m, s, primitives));
  });
  const auto n = widths.size();
  return {
      FormatTraits<Real>::name,
      has_few_significands<Real> ? "every significand in the normal range" : "drawn significands",
      rate,
      over<Tally>(n,
                  [&](std::uint64_t k) {
                    return scales_commute(double(root_multiplier<Real>(widths[k])), double(s));
                  }),
      over<Greatest>(n, [&](std::uint64_t k) { return worst[k]; })};
}

}  // namespace

void rounds_identically(Section& s, const Options& options) {
  const auto widths = points(options.widths, properties::domain::swept_widths.all());
  std::optional<Widths> usual;
  properties::domain::for_each_format([&]<class Real>() {
    std::vector<AtWidth> all(widths.size());
    in_parallel(widths.size(), [&](std::uint64_t i) {
      all[i] = measured<Real>(widths[i], options, stream_at(widths[i], s, options));
    });
    const auto powers = in_format(s, FormatTraits<Real>::name, all, options);
    if (!usual) usual = powers;
    further_roots(s, FormatTraits<Real>::name, powers, *usual);
  });
  s.measure("derived_bound", {}, bound_in_u);
  s.sweep("the smallest whole numbers that tell them apart in binary32",
          axis("d_model", points(options.widths, properties::domain::common_widths)),
          [](std::uint64_t d) {
            const auto m = root_multiplier<float>(d);
            Values values{{"multiplier", m}};
            for (auto& one : simplest_example(m)) values.push_back(std::move(one));
            return values;
          });
}

void dropout_commutes(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "with_any_factor_over_the_reals");
  const auto widths = points(options.widths, properties::domain::swept_widths.all());
  s.measure("widths", {{"from", widths.front()}, {"to", widths.back()}},
            over<Tally>(widths.size(), [](std::uint64_t) { return true; }));
  std::vector<AtRate> all;
  properties::domain::for_each_format([&]<class Real>() {
    for (const double rate : dropout_rates)
      all.push_back(both_orders<Real>(rate, widths, s, options));
  });
  for (const auto& one : all) {
    const bool at_every_width = std::ranges::all_of(all, [&](const AtRate& other) {
      return other.rate != one.rate || other.stated.hits() == widths.size();
    });
    const Place at{{"format", one.format}, {"rate", one.rate}};
    s.measure("widths_on_condition", Place(at).set("at", at_every_width ? "all" : "some"),
              one.stated);
    for (const auto* quantity : {"disagreements_on_condition", "other_cases_that_agree"})
      s.measure_failures(quantity, at, "just_where_the_scales_commute");
    s.measure("worst_share_of_bound", at, one.worst, one.method);
    s.measure("worst_difference", at, one.worst.times(4));
  }
}

}  // namespace embedscale::combination_analysis
