// One position's vector: how large its entries are, how long it is, at even widths and at odd ones;
// its mean and its variance over the coordinates.
#include <numbers>

#include "sinusoidal/sections.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

/// All entries of tables of both rules, one at a time, in the format they are computed in.
template <AnalyticScalar Real>
void look_at(Section& s, const char* format, const std::vector<std::size_t>& widths,
             std::int64_t length) {
  Greatest largest;
  Tally beyond;
  for_each_of(widths, [&](std::size_t d) {
    for (const auto rule : rules) {
      const auto w = sinusoidal_frequencies<Real>(d, rule);
      std::vector<Real> p(d);
      report::Loop loop(static_cast<std::uint64_t>(length));
      for (std::int64_t l = 0; l < length; ++l, loop.step()) {
        encode_position<Real>(l, w, SinusoidalLayout::halves, p);
        for (const Real x : p) {
          const double size = largest.evaluate([&] { return std::abs(static_cast<double>(x)); });
          beyond.evaluate([&] { return !(size <= 1); });
        }
      }
    }
  });
  const Place at{{"format", format}, {"positions", length}};
  s.measure("largest_magnitude", at, largest, "every entry, both rules");
  s.measure("entries_beyond_one", at, beyond, "every entry, both rules; proved").reference = 0;
}

using Function = double (*)(double);

/// Whether sin lw (or cos lw) comes within 1 % of both −1 and 1, l < L.
bool spans(Function function, double w, std::int64_t length) {
  bool low = false, high = false;
  for (std::int64_t l = 0; l < length && !(low && high); ++l) {
    const double x = function(static_cast<double>(l) * w);
    low = low || x <= -0.99, high = high || x >= 0.99;
  }
  return low && high;
}

Tally channels_that_span(std::size_t d, std::int64_t length) {
  Tally channels;
  for (const double w : sinusoidal_frequencies<double>(d, FrequencyRule::paper))
    for (const auto function : {Function(std::sin), Function(std::cos)})
      channels.evaluate([&] { return spans(function, w, length); });
  return channels;
}

/// The RMS of a width's vectors, at each position, by both rules and in both layouts.
struct AtWidth {
  std::size_t d;
  Sum rms;
};
AtWidth at_width(std::size_t d, const std::vector<std::int64_t>& at_positions) {
  AtWidth result{d, {}};
  for (const auto p : at_positions)
    for (const auto rule : rules)
      for (const auto layout : {SinusoidalLayout::interleaved, SinusoidalLayout::halves})
        result.rms.evaluate([&] {
          const auto square = square_of(encoded<double>({d, p, rule, layout}, library<double>));
          return std::sqrt(static_cast<double>(square) / static_cast<double>(d));
        });
  return result;
}

/// Tokens of a program at the start.
struct Tokens {
  const char* name;
  double (*rms)(double d);
};
const std::vector<Tokens> programs{{"sqrt(d)·e, std d^-1/2", [](double) { return 1.0; }},
                                   {"e, std d^-1/2", [](double d) { return 1.0 / std::sqrt(d); }},
                                   {"sqrt(d)·e, std 1", [](double d) { return std::sqrt(d); }},
                                   {"e, std 0.02", [](double) { return 0.02; }}};

struct LastChannel {
  const char* name;
  OddWidth way;
};
const std::vector<LastChannel> last_channels{{"zero channel", OddWidth::zero_channel},
                                             {"sine alone", OddWidth::sine_alone},
                                             {"cosine overwritten", OddWidth::cosine_overwritten}};

Coordinates coordinates_at(std::size_t d, std::int64_t p) {
  return coordinates_of(encoded<double>({.d = d, .position = p}, library<double>));
}

/// Mean and variance over the coordinates of one position.
Values moments_at(std::size_t d, std::int64_t p, FrequencyRule rule) {
  const auto vector = encoded<double>({.d = d, .position = p, .rule = rule}, library<double>);
  const auto [mean, variance] = coordinates_of(vector);
  const auto entries = over<Sum>(d, [&](std::uint64_t j) { return vector[j]; });
  return {{"coordinate_mean", Value::of_all(mean, entries)},
          {"coordinate_variance", Value::of_all(variance, entries)}};
}

double limit_at(std::int64_t p) { return expected::mean_over_coordinates(static_cast<double>(p)); }

/// How often the mean over coordinates is 0 up to rounding, in the first positions of small tables.
void positions_of_mean_0(Section& s, const std::vector<std::size_t>& widths) {
  constexpr std::int64_t length = 512;
  Tally none;
  for (const auto d : widths)
    for (std::int64_t p = 0; d <= 512 && p < length; ++p)
      none.evaluate(
          [&] { return std::abs(coordinates_at(d, p).mean) <= rounding_of_mean<double>(p); });
  if (none.cases() > 0)
    s.measure("positions_of_mean_0", {{"positions", length}}, none,
              "every position, up to rounding");
}

}  // namespace

void stays_within_one(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 1024});
  const auto lengths = positions(options, {50, 512, 2048, 8192, 32768, 131072});
  const std::int64_t looked_at = options.positions.empty() ? 2048 : std::ranges::max(lengths);
  look_at<double>(s, "binary64", widths, looked_at);
  look_at<float>(s, "binary32", widths, looked_at);
  s.measure("half_turn", {}, std::floor(std::numbers::pi * 10000));
  s.sweep("every position until both ends are within 1 %", axis("d_model", widths),
          axis("positions", lengths), [&](std::size_t d, std::int64_t length) {
            const auto channels = channels_that_span(d, length);
            return Values{{"channels_that_span", channels},
                          {"share_that_spans", channels.share_of_all()},
                          {"span_curve", channels.share_of_all()}};
          });
}

void mean_square_is_half(Section& s, const Options& options) {
  const auto widths = even_widths(options, {4, 16, 64, 128, 256, 512, 768, 1024, 4096, 16384});
  const auto at_positions = positions(options, {0, 1, 100, 4095, 131071});
  std::vector<AtWidth> all;
  for_each_of(widths, [&](std::size_t d) { all.push_back(at_width(d, at_positions)); });
  const auto by_width = axis("d_model", all, &AtWidth::d);
  s.sweep("over channels, at each position: the same", by_width, [](const AtWidth& at) {
    return Values{{"rms", at.rms.of_all()}};
  });
  s.sweep("token RMS over measured position RMS", axis("tokens", programs, &Tokens::name), by_width,
          [](const Tokens& tokens, const AtWidth& at) {
            const double rms = tokens.rms(static_cast<double>(at.d));
            return Values{{"token_to_position", rms / at.rms.mean()}};
          });
  s.sweep("closed form, last frequency 1/10000",
          axis("last_channel", last_channels, &LastChannel::name), axis("position", at_positions),
          [](const LastChannel& last, std::int64_t p) {
            return Values{{"odd_width_excess", static_cast<double>(odd_width_excess(p, last.way))}};
          });
  constexpr auto alone = "as_large_as_tokens_of_rms_1_over_root_2_alone";
  s.measure_failures("sizes_that_differ", {{"token_rms", "1/sqrt(2)"}}, alone);
  s.measure_failures("other_sizes_that_agree", {{"tokens", "four programs"}}, alone);
  largest_share(s, "even widths", "at_every_position");
  largest_share(s, "odd widths", "odd_widths_lose_a_channel");
  s.measure("as_large", {}, 1.0);
}

void is_not_zero_mean(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto all = positions(options, {0, 1, 2, 5, 10, 50, 100, 511, 1023, 4095, 32767, 131071});
  s.sweep("closed form: sine and cosine integrals", axis("position", all), [](std::int64_t p) {
    return Values{{"limit_of_the_mean", limit_at(p)}};
  });
  s.sweep("over the coordinates", axis("d_model", widths), axis("position", all),
          axis("rule", rules, name_of), moments_at);
  largest_share(s, "variance", "variance_is_half_less_the_squared_mean");
  largest_share(s, "limit", "mean_tends_to_the_integral");
  positions_of_mean_0(s, widths);

  const auto curve = axis("position", by_powers(8, 17));
  s.sweep("closed form", curve, [](std::int64_t p) {
    return Values{{"limit_curve", limit_at(p)}};
  });
  s.sweep("over the coordinates", axis("d_model", widths), curve,
          [](std::size_t d, std::int64_t p) {
            return Values{{"mean_curve", coordinates_at(d, p).mean}};
          });
  s.measure("zero", {}, 0.0);
}

}  // namespace embedscale::sinusoidal_analysis
