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
  const Operations<Real>& subject = primitives.of<Real>();
  Greatest largest;
  Tally beyond;
  for_each_of(widths, [&](std::size_t d) {
    for (const auto rule : rules) {
      const auto w = subject.frequencies(d, rule, Real(10000));
      std::vector<Real> p(d);
      Loop loop(static_cast<std::uint64_t>(length));
      for (std::int64_t l = 0; l < length; ++l, loop.step()) {
        subject.encode(l, w, SinusoidalLayout::halves, p);
        for (const Real x : p) {
          const double size = largest.evaluate([&] { return std::abs(static_cast<double>(x)); });
          beyond.evaluate([&] { return !(size <= 1); });
        }
      }
    }
  });
  const Place at{{"format", format}, {"positions", length}};
  s.measure("largest_magnitude", at, largest, "every entry, both rules");
  s.decide_none("entries_beyond_one", at, beyond, Part::belief, "every entry, both rules; proved");
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

/// Whether a vector is as long as one of d channels of this RMS, up to rounding.
bool is_as_large(double rms, const std::vector<double>& p) {
  const double square = rms * rms * static_cast<double>(p.size());
  // The square itself is rounded thrice.
  return std::abs(static_cast<double>(square_of(p) - square)) <=
         square_bound<double>(p.size(), square) + 3.0 * unit_roundoff<double> * square;
}

/// One width, at each position, by both rules and in both layouts.
struct AtWidth {
  std::size_t d = 0;
  Sum rms{};
  Greatest worst{};  ///< share of the bound
  Tally differ{};    ///< from tokens of RMS 1/√2
};

AtWidth at_width(std::size_t d, const std::vector<std::int64_t>& at_positions) {
  AtWidth result{.d = d};
  for (const auto& at : each<Vector>({d}, at_positions)) {
    result.worst.evaluate([&] { return square_share_of_bound<double>(at, primitives); });
    result.worst.evaluate([&] { return square_share_of_bound<float>(at, primitives); });
    const auto vector = encoded<double>(at, primitives);
    result.rms.evaluate(
        [&] { return std::sqrt(static_cast<double>(square_of(vector)) / static_cast<double>(d)); });
    result.differ.evaluate([&] { return !is_as_large(std::sqrt(0.5), vector); });
  }
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

void odd_widths(Section& s, const std::vector<std::size_t>& widths,
                const std::vector<std::int64_t>& at_positions) {
  Greatest worst;
  for (const auto d : widths)
    for (const auto p : at_positions)
      for (const auto& [name, way] : last_channels)
        worst.evaluate([&, &way = way] {
          return odd_square_share_of_bound<double>(d + 1, p, way, primitives);
        });
  bounded(s, "odd widths", worst, Part::statement, "three ways to have one, binary64");
  s.sweep("closed form, last frequency 1/10000",
          axis("last_channel", last_channels, &LastChannel::name), axis("position", at_positions),
          [](const LastChannel& last, std::int64_t p) {
            return Values{{"odd_width_excess", static_cast<double>(odd_width_excess(p, last.way))}};
          });
}

Coordinates coordinates_at(std::size_t d, std::int64_t p) {
  return coordinates_of(encoded<double>({.d = d, .position = p}, primitives));
}

/// Mean and variance over the coordinates of one position.
Values moments_at(std::size_t d, std::int64_t p, FrequencyRule rule) {
  const auto vector = encoded<double>({.d = d, .position = p, .rule = rule}, primitives);
  const auto [mean, variance] = coordinates_of(vector);
  const auto entries = over<Sum>(d, [&](std::uint64_t j) { return vector[j]; });
  return {{"coordinate_mean", Value::of_all(mean, entries)},
          {"coordinate_variance", Value::of_all(variance, entries)}};
}

double limit_at(std::int64_t p) { return expected::mean_over_coordinates(static_cast<double>(p)); }

/// How often the mean over coordinates is 0 up to rounding, in the first positions of small tables.
void positions_of_mean_0(Section& s, const std::vector<std::size_t>& widths) {
  const std::int64_t length = 512;
  Tally none;
  for (const auto d : widths)
    for (std::int64_t p = 0; is_small(d, length) && p < length; ++p)
      none.evaluate(
          [&] { return std::abs(coordinates_at(d, p).mean) <= rounding_of_mean<double>(p); });
  if (none.cases() > 0)
    s.measure("positions_of_mean_0", {{"positions", length}}, none,
              "every position, up to rounding", all_of(Part::belief, none.cases()));
}

}  // namespace

void stays_within_one(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 1024});
  const auto lengths = positions(options, {50, 512, 2048, 8192, 32768, 131072});
  const std::int64_t looked_at = options.positions.empty() ? 2048 : std::ranges::max(lengths);
  look_at<double>(s, "binary64", widths, looked_at);
  look_at<float>(s, "binary32", widths, looked_at);
  s.measure("half_turn", {}, std::floor(std::numbers::pi * 10000));
  const auto drawn = first_of(8, widths);
  s.sweep("every position until both ends are within 1 %", axis("d_model", widths),
          axis("positions", lengths), [&](std::size_t d, std::int64_t length) {
            const auto channels = channels_that_span(d, length);
            Values values{{"channels_that_span", channels},
                          {"share_that_spans", channels.share_of_all()}};
            if (std::ranges::count(drawn, d) > 0)
              values.push_back({"span_curve", channels.share_of_all()});
            return values;
          });
}

void mean_square_is_half(Section& s, const Options& options) {
  const auto widths = even_widths(options, {4, 16, 64, 128, 256, 512, 768, 1024, 4096, 16384});
  const auto at_positions = positions(options, {0, 1, 100, 4095, 131071});
  std::vector<AtWidth> all;
  AtWidth together;
  for_each_of(widths, [&](std::size_t d) {
    const auto& one = all.emplace_back(at_width(d, at_positions));
    together.worst += one.worst, together.differ += one.differ;
  });
  const auto by_width = axis("d_model", all, &AtWidth::d);
  s.sweep("over channels, at each position: the same", by_width, [](const AtWidth& at) {
    return Values{{"rms", at.rms.of_all()}};
  });
  s.sweep("token RMS over measured position RMS", axis("tokens", programs, &Tokens::name), by_width,
          [](const Tokens& tokens, const AtWidth& at) {
            const double rms = tokens.rms(static_cast<double>(at.d));
            return Values{{"token_to_position", rms / at.rms.mean()}};
          });
  Tally agree;
  for (const auto& tokens : programs)
    for (const auto d : widths)
      agree.evaluate([&] {
        return is_as_large(tokens.rms(static_cast<double>(d)),
                           encoded<double>({.d = d, .position = at_positions.back()}, primitives));
      });
  s.decide_none("sizes_that_differ", {{"token_rms", "1/sqrt(2)"}}, together.differ, Part::belief,
                "every width, position, rule and layout");
  s.decide_none("other_sizes_that_agree", {{"tokens", "four programs"}}, agree, Part::necessity,
                "every width");
  bounded(s, "even widths", together.worst, Part::statement,
          "both rules and layouts, binary64 and binary32");
  odd_widths(s, widths, at_positions);
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
  Greatest variance, limit;
  for_each_of(each<Vector>(widths, all), [&](const Vector& at) {
    if (at.layout == SinusoidalLayout::interleaved)
      limit.evaluate([&] { return limit_share_of_bound<double>(at, primitives); });
    variance.evaluate([&] { return variance_share_of_bound<double>(at, primitives); });
    variance.evaluate([&] { return variance_share_of_bound<float>(at, primitives); });
  });
  bounded(s, "variance", variance, Part::statement,
          "both rules and layouts, binary64 and binary32");
  bounded(s, "limit", limit, Part::statement, "both rules, binary64");
  positions_of_mean_0(s, widths);

  const auto curve = axis("position", by_powers(8, 17));
  s.sweep("closed form", curve, [](std::int64_t p) {
    return Values{{"limit_curve", limit_at(p)}};
  });
  s.sweep("over the coordinates", axis("d_model", first_of(4, widths)), curve,
          [](std::size_t d, std::int64_t p) {
            return Values{{"mean_curve", coordinates_at(d, p).mean}};
          });
  s.measure("zero", {}, 0.0);
}

}  // namespace embedscale::sinusoidal_analysis
