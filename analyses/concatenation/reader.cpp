// Which token is it, from x alone? Error rates of readers who know the position and who do not, for
// normal tables beside sinusoids.
#include <embedscale/expected/nearest_row.hpp>
#include <embedscale/expected/position_table.hpp>
#include <embedscale/sinusoidal.hpp>

#include <complex>
#include <optional>
#include <span>

#include "concatenation/sections.hpp"
#include "properties/evidence/bounded.hpp"
#include "report/loops.hpp"

namespace embedscale::concatenation_analysis {
namespace {

constexpr std::array<std::uint64_t, 9> all_widths{8, 16, 32, 64, 128, 256, 512, 1024, 2048};
constexpr std::array<std::uint64_t, 3> first_widths{64, 512, 2048};
constexpr std::array<std::uint64_t, 5> percents{1, 5, 10, 25, 50};
constexpr std::array<std::uint64_t, 3> reader_vocabularies{1000, paper_vocabulary, 256000};
constexpr std::uint64_t spoken_of = 10;
constexpr const char* quadrature = "quadrature";
/// Probabilities below the first are written as 0, of those below the second the page says no more.
constexpr double negligible = 1e-30, faintest = 1e-12;

double written(double probability) { return probability < negligible ? 0 : probability; }

/// What becomes of a table of deviation d^−½: times √d it has deviation 1, as a folded one has. Or
/// tokens of the deviations told.
struct Start {
  const char* multiplier;
  std::optional<double> told{};

  double deviation(std::uint64_t d) const {
    if (told) return *told;
    return std::string_view(multiplier) == "1" ? 1 / std::sqrt(static_cast<double>(d)) : 1.0;
  }
  Place at(const char* reader, std::uint64_t d) const {
    Place place{{"reader", reader}, {"d_model", d}, {"multiplier", multiplier}};
    if (told) place.set("standard_deviation", *told);
    return place;
  }
};
std::vector<Start> starts(const Options& options) {
  std::vector<Start> all{{"√d or folded"}, {"1"}};
  if (!options.deviations.empty()) all.clear();
  for (const double sigma : options.deviations) all.push_back({"1", sigma});
  return all;
}

/// The mean of probabilities, with its empirical Bernstein interval.
class MeanProbability : public report::Counted {
 public:
  template <class Case>
  void evaluate(Case&& one) {
    sample_.add(std::clamp(*evaluated(std::forward<Case>(one)), 0.0, 1.0));
  }
  Value at(double confidence) const {
    const auto interval = [this](double at) {
      const double radius =
          properties::evidence::bernstein_radius(sample_.n, std::sqrt(sample_.variance()), 1 - at);
      return properties::evidence::Interval{std::max(0.0, sample_.mean - radius),
                                            std::min(1.0, sample_.mean + radius)};
    };
    return Estimate(written(sample_.mean), *this).with_interval(interval, confidence);
  }

 private:
  properties::evidence::Sample sample_;
};

void measure_rate(Section& s, const Place& at, const Value& rate, const char* method) {
  s.measure("reader_error", at, rate, method);
  s.measure("visible_error", at, rate.mapped([](double x) { return x < faintest ? 0 : x; }));
}

/// By quadrature, at each vocabulary.
void measure_rates(Section& s, Place at, const std::vector<std::uint64_t>& vocabularies,
                   const std::vector<expected::Misreading>& rates) {
  for (std::size_t k = 0; k < vocabularies.size(); ++k)
    measure_rate(s, at.set("vocabulary", vocabularies[k]), written(rates[k].value), quadrature);
}

std::vector<double> frequencies(std::uint64_t d) {
  return sinusoidal_frequencies<double>(d, FrequencyRule::paper);
}

/// The probability that a reader of these channels, who knows p and sees fl(t + p) in Real, takes
/// another of V normal rows of deviation s than t: given t, exactly.
///
/// Given t and p, y = fl(t + p) − p is fixed, and each other row is nearer to it than t with one
/// probability, independently.
template <Scalar Real>
std::vector<double> misread_rounded(std::span<const double> t, std::span<const double> p, double s,
                                    std::span<const std::uint64_t> vocabularies) {
  double lambda = 0, b = 0;
  for (std::size_t j = 0; j < t.size(); ++j) {
    const double y = static_cast<double>(static_cast<Real>(t[j] + p[j])) - p[j];
    lambda += y * y / (s * s);
    b += (y - t[j]) * (y - t[j]) / (s * s);
  }
  const double one = expected::row_within(t.size(), lambda, b);
  std::vector<double> out;
  for (const auto v : vocabularies) out.push_back(expected::any_of_others(v, one));
  return out;
}

/// ‖p_l − mean‖² of the positions l = 0 … L−1, the mean over these.
std::vector<double> lengths_around_mean(const expected::SinusoidalTable& table) {
  const std::size_t pairs = table.frequencies.size();
  const auto count = static_cast<double>(table.length);
  std::vector<std::complex<double>> mean(pairs, 0.0);
  expected::for_each_position(table, [&](std::span<const std::complex<double>> p) {
    for (std::size_t i = 0; i < pairs; ++i) mean[i] += p[i] / count;
  });
  std::vector<double> lengths;
  expected::for_each_position(table, [&](std::span<const std::complex<double>> p) {
    double sum = 0;
    for (std::size_t i = 0; i < pairs; ++i) sum += std::norm(p[i] - mean[i]);
    lengths.push_back(sum);
  });
  return lengths;
}

/// Readers of the first channels, at each vocabulary.
struct FirstChannels {
  Start start;
  std::uint64_t d, length, percent;
  std::size_t channels;
  std::vector<MeanProbability> known{};  ///< x rounded to bfloat16
  std::vector<expected::Misreading> unknown{};

  double deviation() const { return start.deviation(d); }
};

/// By what the draws of positions 0 … L−1 and rows make of the first channels in bfloat16.
void read(FirstChannels& of, const std::vector<std::uint64_t>& vocabularies, std::uint64_t draws,
          const Stream& stream) {
  const double s = of.deviation();
  const auto w = frequencies(of.d);
  const std::span<const double> first(w.data(), of.channels / 2);
  of.known.resize(vocabularies.size());
  std::vector<double> t(of.channels), p(of.channels);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t from = i * (of.channels + 1);
    for (std::size_t j = 0; j < of.channels; ++j) t[j] = s * stream.normal(from + 1 + j);
    encode_position<double>(static_cast<std::int64_t>(stream.below(of.length, from)), first,
                            SinusoidalLayout::interleaved, p);
    const auto errors = misread_rounded<bfloat16>(t, p, s, vocabularies);
    for (std::size_t k = 0; k < errors.size(); ++k) of.known[k].evaluate([&] { return errors[k]; });
  }
  of.unknown =
      expected::misread(of.channels, static_cast<double>(of.channels) / 2 / (s * s), vocabularies);
}

std::vector<FirstChannels> first_channels(const Options& options,
                                          const std::vector<std::uint64_t>& widths,
                                          const std::vector<std::uint64_t>& lengths) {
  std::vector<FirstChannels> all;
  for (const Start& start : starts(options))
    for (const auto d : widths) {
      std::size_t before = 0;
      for (const auto percent : percents) {
        const auto channels =
            std::max<std::size_t>(2, 2 * static_cast<std::size_t>(d * percent / 200));
        if (channels == before || channels > d) continue;  // a hundredth of 64 is a pair, too
        before = channels;
        for (const auto length : lengths) all.push_back({start, d, length, percent, channels});
      }
    }
  return all;
}

/// Of readers of all channels who do not know the position, or its mean over 0 … L−1 alone.
void measure_all_channels(Section& s, const Options& options) {
  const auto vocabularies = points(options.vocabulary, reader_vocabularies);
  for (const Start& start : starts(options))
    for_each_of(points(options.widths, all_widths), [&](std::uint64_t d) {
      const double square = start.deviation(d) * start.deviation(d);
      measure_rates(s, start.at("does not know the position", d), vocabularies,
                    expected::misread(d, static_cast<double>(d) / 2 / square, vocabularies));
      for (const auto length : points(options.positions, std::array{usual_length})) {
        auto around = lengths_around_mean({frequencies(d), 0, static_cast<std::int64_t>(length)});
        for (double& b : around) b /= square;
        measure_rates(s, start.at("knows the mean position", d).set("positions", length),
                      vocabularies, expected::mean_misread(d, around, vocabularies));
      }
    });
}

/// Of readers of the first channels who know the position, x rounded to bfloat16, by draws; or do
/// not.
void measure_first_channels(Section& s, const Options& options) {
  const auto vocabularies = points(options.vocabulary, reader_vocabularies);
  const auto widths = points(options.widths, first_widths);
  const auto lengths = points(options.positions, std::array{usual_length});
  auto all = first_channels(options, widths, lengths);
  in_parallel(all.size(), [&](std::uint64_t i) {
    auto& of = all[i];
    // Rates of readers of the first tenth are spoken of, so they have more draws.
    const auto draws = of.percent == spoken_of ? 4 * options.samples : options.samples / 8 + 2;
    const Stream stream(options.seed, std::string(s.claim().id) + "/" + std::to_string(of.d) + "/" +
                                          std::to_string(of.channels) + "/" + of.start.multiplier);
    read(of, vocabularies, draws, stream);
  });

  const auto pictured = said_of(widths, 512);
  Tally at_chance;
  for (const auto& of : all) {
    const auto at = [&](const char* reader) {
      return of.start.at(reader, of.d).set("channels", of.channels).set("percent", of.percent);
    };
    auto by_draws = at("first channels, knows the position");
    by_draws.set("positions", of.length).set("format", "bfloat16");
    for (std::size_t k = 0; k < vocabularies.size(); ++k) {
      const auto rate = of.known[k].at(0.99);
      measure_rate(s, by_draws.set("vocabulary", vocabularies[k]), rate,
                   "exact probabilities of draws; empirical Bernstein interval");
      at_chance.evaluate(
          [&] { return *rate.upper() >= 1 - 1 / static_cast<double>(vocabularies[k]); });
    }
    if (of.length != lengths[0]) continue;  // what follows is of any, or pictured for one
    const auto unknown = at("first channels, does not know the position");
    measure_rates(s, unknown, vocabularies, of.unknown);
    if (of.d != pictured) continue;
    const auto curve = [&](const char* position) {
      Place place{{"position", position},
                  {"multiplier", of.start.multiplier},
                  {"channels", of.channels},
                  {"d_model", of.d},
                  {"vocabulary", vocabularies[0]}};
      if (of.start.told) place.set("standard_deviation", *of.start.told);
      return place;
    };
    s.measure("pictured_error", curve("known"), of.known[0].at(0.99));
    s.measure("pictured_error", curve("unknown"), of.unknown[0].value);
  }
  s.sweep("a guess", axis("vocabulary", vocabularies), [](std::uint64_t v) {
    return Values{{"chance", 1 - 1 / static_cast<double>(v)}};
  });
  s.measure("readers_at_chance", {}, at_chance, "upper end of the interval at or above 1 − 1/V");
}

}  // namespace

void first_channels_unusable(Section& s, const Options& options) {
  s.measure_failures("exact_misreadings", {{"reader", "knows the position"}},
                     "with_the_position_none_is_misread");
  s.measure_failures("exact_misreadings", {{"reader", "does not: not as stated"}},
                     "without_it_where_another_row_is_nearer");
  for (const char* format : {"binary32", "binary16", "bfloat16"})
    s.measure_failures("misread_within_condition", {{"format", format}},
                       "rounding_is_harmless_on_its_condition");
  const double p = std::sin(1.0);
  s.measure("by_hand", {{"what", "p"}}, p);
  s.sweep("", axis("t", std::vector{1, 2}), [p](int t) {
    const double x = library<double>.sum(t, p);
    return Values{{"by_hand_x", x}, {"by_hand_read", library<double>.without(x, p)}};
  });
  measure_all_channels(s, options);
  measure_first_channels(s, options);
}

}  // namespace embedscale::concatenation_analysis
