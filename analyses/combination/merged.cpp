// Rows that are merged with the tokens': their sizes by where the multiplier stands and what the
// code does to features, and which features come back with their bits.
#include "properties/combination/merged.hpp"
#include "combination/sections.hpp"

#include <embedscale/expected/normalization.hpp>

#include <array>
#include <string_view>

namespace embedscale::combination_analysis {
namespace {

/// A code: where it multiplies, what it does to features, and how often text is multiplied.
struct Code {
  std::string_view name;
  MultiplierPlace place;
  Features features;
  int times = 1;
};
constexpr std::array codes{
    Code{"behind the merge, divided", MultiplierPlace::behind_merge, Features::divided},
    Code{"behind the merge", MultiplierPlace::behind_merge, Features::as_they_are},
    Code{"in the look-up, divided", MultiplierPlace::look_up, Features::divided},
    Code{"in the look-up", MultiplierPlace::look_up, Features::as_they_are},
    Code{"in the look-up, twice", MultiplierPlace::look_up, Features::as_they_are, 2}};

/// Of tokens of RMS 1/m in the table, and features of RMS 1.
Values sizes(std::uint64_t d, const Code& code) {
  const auto& of = primitives.of<double>();
  const double m = root_multiplier<double>(d),
               q = of.merged_feature(1, m, code.place, code.features);
  double t = 1 / m;
  for (int i = 0; i < code.times; ++i) t = of.merged_token(t, m, code.place);
  const expected::Norm norm{expected::Norm::Kind::rms_norm, 1e-6};
  return {{"token_rms", t},
          {"feature_rms", q},
          {"token_to_feature", t / q},
          {"mixed_logit", t * q},
          {"behind_norm", 1 - expected::epsilon_shrinkage(q * q, norm)}};
}

/// The share of significands that fl(m·fl(q/m)) changes.
template <class Real>
Value changed(std::uint64_t d, const Section& s, const Options& options) {
  const Real m = root_multiplier<Real>(d);
  const Stream stream = stream_at(d, s, options);
  const auto tally = over<Tally>(significands<Real>(64 * options.samples), [&](std::uint64_t i) {
    const Real q = significand_at<Real>(i, stream);
    return !(divided_and_multiplied(q, m, primitives) == q);
  });
  return has_few_significands<Real> ? tally.share_of_all()
                                    : tally.share(NormalConfidence::p999.confidence());
}

}  // namespace

void merged_rows_share_the_factor(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "over_the_reals_just_behind_the_merge");
  s.measure_worst("worst_share_of_bound", {}, "within_two_u_at_every_size");
  const auto widths = points(options.widths, properties::domain::common_widths);
  for (const Code& code : codes)
    s.sweep("closed form: table of RMS 1/m, features of RMS 1, RMSNorm with epsilon 1e-6",
            {{"code", code.name}}, axis("d_model", widths),
            [&](std::uint64_t d) { return sizes(d, code); });
  const auto swept = points(options.widths, properties::domain::swept_widths.all());
  properties::domain::for_each_format([&]<class Real>() {
    const Place at{{"format", FormatTraits<Real>::name}};
    for (const auto* quantity : {"disagreements_on_condition", "other_widths_that_agree"})
      s.measure_failures(quantity, at, "same_bits_just_at_such_roots_of_every_swept_width");
    Coordinate::List kept;
    for (const auto d : swept)
      if (keeps_every_bit(root_multiplier<Real>(d))) kept.push_back(d);
    s.measure("widths_on_condition", Place(at).set("widths", kept),
              over<Tally>(swept, [&](std::uint64_t d) { return std::ranges::count(kept, d) > 0; }),
              "exhaustive");
    s.sweep("significands of [1, 2), all of a small format, else drawn", at,
            axis("d_model", widths), [&](std::uint64_t d) {
              return Values{{"changed_features", changed<Real>(d, s, options)}};
            });
  });
}

}  // namespace embedscale::combination_analysis
