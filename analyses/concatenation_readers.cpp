// The error rates of readers of normal tables beside sinusoids.
#include "concatenation_readers.hpp"

#include <fmt/format.h>
#include <embedscale/expected/nearest_row.hpp>
#include <embedscale/properties/concatenation_reader.hpp>
#include <embedscale/properties/evidence/bounded.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <limits>

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Series;
using report::Table;

constexpr std::array<std::uint64_t, 9> all_widths{8, 16, 32, 64, 128, 256, 512, 1024, 2048};
constexpr std::array<std::uint64_t, 3> first_widths{64, 512, 2048};
constexpr std::array<std::uint64_t, 5> percents{1, 5, 10, 25, 50};
constexpr std::uint64_t spoken_of = 10;
constexpr double confidence = 0.99;
/// Of probabilities below the first a figure shows nothing; those below the second are written
/// as 0.
constexpr double faintest = 1e-12, negligible = 1e-30;

/// Rates of readers of the first tenth are spoken of, so they have more draws.
std::uint64_t draws_of(std::uint64_t percent, const cli::Options& options) {
  return percent == spoken_of ? 4 * options.samples : options.samples / 8 + 2;
}

std::vector<double> frequencies(std::uint64_t d) {
  return sinusoidal_frequencies<double>(d, FrequencyRule::paper);
}

std::size_t first_channels(std::uint64_t d, std::uint64_t percent) {
  return std::max<std::size_t>(2, 2 * static_cast<std::size_t>(d * percent / 200));
}

std::string shown_rate(double rate) {
  return rate < faintest ? "< 10⁻¹²" : report::significant(rate, 3);
}

report::Measurement rate(const char* reader, std::uint64_t d, std::uint64_t v, const Start& start,
                         const expected::Misreading& found) {
  return {.quantity = "reader_error",
          .at = {{"reader", reader}, {"d_model", d}, {"vocabulary", v}, {"multiplier", start.name}},
          .value = found.value < negligible ? 0 : found.value,
          .samples = 1,
          .method = "quadrature",
          .digits = 3};
}

/// Mean and interval of what `draws` positions and rows make of the first channels in bfloat16.
std::vector<properties::evidence::Sample> read_first(std::uint64_t d, std::size_t channels,
                                                     std::uint64_t length, double s,
                                                     const std::vector<std::uint64_t>& vocabularies,
                                                     std::uint64_t draws, const Stream& stream) {
  const auto w = frequencies(d);
  const std::span<const double> first(w.data(), channels / 2);
  std::vector<properties::evidence::Sample> samples(vocabularies.size());
  std::vector<double> t(channels), p(channels);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t from = i * (channels + 1);
    for (std::size_t j = 0; j < channels; ++j) t[j] = s * stream.normal(from + 1 + j);
    encode_position<double>(static_cast<std::int64_t>(stream.below(length, from)), first,
                            SinusoidalLayout::interleaved, p);
    const auto errors = misread_rounded<bfloat16>(t, p, s, vocabularies, Library{});
    for (std::size_t k = 0; k < errors.size(); ++k) samples[k].add(std::clamp(errors[k], 0.0, 1.0));
  }
  return samples;
}

}  // namespace

void measure_all_channels(const cli::Options& options, report::Section& section) {
  const auto vocabularies = points(options.vocabulary, reader_vocabularies);
  const auto lengths = points(options.positions, std::array{usual_length});
  Table table({{"d_model", Table::Align::right},
               {"V", Table::Align::right},
               {"m"},
               {"does not know the position", Table::Align::right},
               {fmt::format("knows its mean over 0 … {}", lengths[0] - 1), Table::Align::right}});
  Figure figure{.name = "concatenation_reader",
                .title = fmt::format("Tokens misread by the nearest row, V = {}", vocabularies[0]),
                .x_label = "d_model",
                .y_label = "share of tokens misread",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "all", .y = 1.0}}};
  for (const Start& start : starts) {
    Series unknown{.label = fmt::format("position unknown, m = {}", start.name), .x = {}, .y = {}};
    Series centred{.label = fmt::format("its mean known, m = {}", start.name), .x = {}, .y = {}};
    for (const auto d : points(options.widths, all_widths)) {
      const double s = start.deviation(d);
      const auto found = expected::misread(d, static_cast<double>(d) / 2 / (s * s), vocabularies);
      std::vector<expected::Misreading> mean;
      for (const auto length : lengths) {
        auto around = lengths_around_mean({frequencies(d), 0, static_cast<std::int64_t>(length)});
        for (double& b : around) b /= s * s;
        const auto values = expected::mean_misread(d, around, vocabularies);
        if (mean.empty()) mean = values;
        for (std::size_t k = 0; k < vocabularies.size(); ++k) {
          auto& m = section.measure(
              rate("knows the mean position", d, vocabularies[k], start, values[k]));
          m.at.set("positions", length);
        }
      }
      for (std::size_t k = 0; k < vocabularies.size(); ++k) {
        section.measure(rate("does not know the position", d, vocabularies[k], start, found[k]));
        table.row({report::count(d), report::count(vocabularies[k]), start.name,
                   shown_rate(found[k].value), shown_rate(mean[k].value)});
      }
      const auto drawn = [](double p) {
        return p < faintest ? std::numeric_limits<double>::quiet_NaN() : p;
      };
      unknown.x.push_back(static_cast<double>(d)), unknown.y.push_back(drawn(found[0].value));
      centred.x.push_back(static_cast<double>(d)), centred.y.push_back(drawn(mean[0].value));
    }
    for (const auto& series : {unknown, centred})
      if (std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); }))
        figure.series.push_back(series);
  }
  section.table(table);
  if (!figure.series.empty()) section.figure(figure);
  // What the sentences speak of, wherever else is measured.
  const std::vector<std::uint64_t> paper{paper_vocabulary};
  section.text("vocabulary", report::count(paper_vocabulary));
  section.text("unknown_scaled", shown_rate(expected::misread(512, 256, paper)[0].value));
  section.text("unknown_unscaled",
               report::significant(100 * expected::misread(512, 512 * 256, paper)[0].value, 3));
}

void measure_first_channels(const cli::Options& options, report::Section& section) {
  const auto vocabularies = points(options.vocabulary, reader_vocabularies);
  const std::uint64_t length = points(options.positions, std::array{usual_length})[0];
  Table table({{"d_model", Table::Align::right},
               {"first channels", Table::Align::right},
               {"V", Table::Align::right},
               {"m"},
               {"knows the position, x in bfloat16", Table::Align::right},
               {"99 % interval"},
               {"does not know it", Table::Align::right}});
  Figure figure{
      .name = "concatenation_first_channels",
      .title = fmt::format("Tokens misread from the first channels alone, V = {}", vocabularies[0]),
      .x_label = "channels read",
      .y_label = "share of tokens misread",
      .x_scale = Figure::Scale::log2,
      .series = {},
      .levels = {{.label = "all", .y = 1.0}}};
  const auto widths = points(options.widths, first_widths);
  const std::uint64_t pictured = std::ranges::count(widths, 512u) > 0 ? 512 : widths[0];
  std::uint64_t cases = 0;
  double at_chance = 0;
  for (const Start& start : starts) {
    Series known{.label = fmt::format("position known, m = {}", start.name), .x = {}, .y = {}};
    Series unknown{.label = fmt::format("position unknown, m = {}", start.name), .x = {}, .y = {}};
    for (const auto d : widths) {
      const double s = start.deviation(d);
      std::size_t before = 0;
      for (const auto percent : percents) {
        const std::size_t channels = first_channels(d, percent);
        if (channels == before || channels > d) continue;  // a hundredth of 64 is a pair, too
        before = channels;
        const std::uint64_t draws = draws_of(percent, options);
        const Stream stream(
            options.seed, fmt::format("{}/{}/{}/{}", section.claim().id, d, channels, start.name));
        const auto samples = read_first(d, channels, length, s, vocabularies, draws, stream);
        const auto without =
            expected::misread(channels, static_cast<double>(channels) / 2 / (s * s), vocabularies);
        for (std::size_t k = 0; k < vocabularies.size(); ++k) {
          const double radius = properties::evidence::bernstein_radius(
              draws, std::sqrt(samples[k].variance()), 1 - confidence);
          const double lower = std::max(0.0, samples[k].mean - radius),
                       upper = std::min(1.0, samples[k].mean + radius);
          const double chance = 1 - 1 / static_cast<double>(vocabularies[k]);
          ++cases;
          at_chance += upper >= chance ? 1 : 0;
          const auto at = [&](report::Measurement m) {
            m.at.set("channels", channels);
            m.at.set("percent", percent);
            return m;
          };
          auto by_draws = at(rate("first channels, knows the position", d, vocabularies[k], start,
                                  {samples[k].mean, radius}));
          by_draws.at.set("positions", length);
          by_draws.at.set("format", "bfloat16");
          by_draws.samples = draws;
          by_draws.method = "exact probabilities of draws; empirical Bernstein interval";
          by_draws.lower = lower, by_draws.upper = upper, by_draws.confidence = confidence;
          section.measure(by_draws);
          section.measure(at(rate("first channels, does not know the position", d, vocabularies[k],
                                  start, without[k])));
          table.row({report::count(d), report::count(channels), report::count(vocabularies[k]),
                     start.name, shown_rate(samples[k].mean),
                     fmt::format("{} to {}", report::significant(lower, 2),
                                 report::significant(upper, 2)),
                     shown_rate(without[k].value)});
        }
        if (d != pictured) continue;
        known.x.push_back(static_cast<double>(channels)), known.y.push_back(samples[0].mean);
        unknown.x.push_back(static_cast<double>(channels)), unknown.y.push_back(without[0].value);
      }
    }
    figure.series.push_back(known), figure.series.push_back(unknown);
  }
  // The belief: each of them does no better than to guess.
  auto& measured = section.measure(
      {.quantity = "readers_at_chance",
       .value = at_chance,
       .samples = cases,
       .method = "upper end of the interval at or above 1 − 1/V",
       .unit = report::counted,
       .rule = report::Rule{Part::belief, Relation::equals, static_cast<double>(cases), cases}});
  measured.field = "at_chance";
  section.text("readers", report::count(cases));
  section.text("pictured", report::count(pictured));
  section.table(table);
  section.figure(figure);

  const std::vector<std::uint64_t> paper{paper_vocabulary};
  const std::size_t channels = first_channels(512, spoken_of);
  const std::uint64_t draws = draws_of(spoken_of, options);
  section.text("first", report::count(channels));
  for (const Start& start : starts) {
    const double s = start.deviation(512);
    const Stream stream(options.seed,
                        fmt::format("{}/{}/{}/{}", section.claim().id, 512, channels, start.name));
    const auto samples = read_first(512, channels, usual_length, s, paper, draws, stream);
    const double upper =
        samples[0].mean + properties::evidence::bernstein_radius(
                              draws, std::sqrt(samples[0].variance()), 1 - confidence);
    const auto without =
        expected::misread(channels, static_cast<double>(channels) / 2 / (s * s), paper);
    const std::string name = start.multiplier == Start::Multiplier::none ? "unscaled" : "scaled";
    section.text("first_" + name, report::significant(100 * std::min(upper, 1.0), 2));
    section.text("first_unknown_" + name, report::significant(100 * without[0].value, 3));
  }
}

}  // namespace embedscale::concatenation_analysis
