// How much each channel varies over the positions of a table, in closed form.
#include <algorithm>

#include "properties/sinusoidal/table.hpp"
#include "sinusoidal/sections.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

using namespace properties::sinusoidal;
using report::Place;

const Primitives primitives;
constexpr const char* closed_form = "closed form";

/// The first `percent` of d channels, at least one.
std::size_t first_channels(std::size_t d, int percent) {
  return std::max<std::size_t>(1, (d * static_cast<std::size_t>(percent) + 50) / 100);
}

/// Channels by number, interleaved: the first sine, those a quarter, half and three quarters down,
/// and the last two.
std::vector<std::size_t> some_channels(std::size_t d) {
  std::vector<std::size_t> all{0, d / 4 / 2 * 2, d / 2 / 2 * 2, 3 * d / 4 / 2 * 2, d - 2, d - 1};
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Those that have a column.
struct Channel {
  const char* name;
  std::size_t (*of)(std::size_t d);
};
const std::vector<Channel> columns{{"first sine", [](std::size_t) { return std::size_t{0}; }},
                                   {"half-way sine", [](std::size_t d) { return d / 2 / 2 * 2; }},
                                   {"last sine", [](std::size_t d) { return d - 2; }},
                                   {"last cosine", [](std::size_t d) { return d - 1; }}};

/// The longest table whose last pair moves half as much as its first at most: of its lengths those
/// have a quiet end that are not beyond it, as 1 − D(w)² grows with L up to the first zero of D.
std::int64_t longest_quiet_table(std::size_t d, FrequencyRule rule) {
  std::int64_t quiet = 2, loud = 1 << 18;
  while (loud - quiet > 1) {
    const std::int64_t middle = quiet + (loud - quiet) / 2;
    (has_quiet_end(stated_ends({d, middle, rule})) ? quiet : loud) = middle;
  }
  return quiet;
}

/// The belief, on its condition and outside.
void decide_ends(Section& s, const std::vector<std::size_t>& widths,
                 const std::vector<std::int64_t>& lengths) {
  Tally loud, quiet, as_stated;
  for (const auto d : widths)
    for (const auto rule : rules)
      for (const auto length : lengths) {
        const double turn =
            static_cast<double>(length) * sinusoidal_frequencies<double>(d, rule).back();
        const bool is_quiet = has_quiet_end(stated_ends({d, length, rule}));
        if (turn <= quiet_turn)
          loud.evaluate([&] { return !is_quiet; });
        else
          quiet.evaluate([&] { return is_quiet; });
        as_stated.evaluate([&] { return is_quiet == (turn <= quiet_turn); });
      }
  s.decide_none("loud_ends_of_short_tables", {{"L_times_w_at_most", quiet_turn}}, loud,
                Part::belief, closed_form);
  s.decide_none("quiet_ends_of_long_tables", {{"L_times_w_above", quiet_turn}}, quiet,
                Part::belief_elsewhere, closed_form);
  s.measure("ends_as_stated", {}, as_stated);
  s.measure("quiet_turn", {}, quiet_turn);
  s.sweep("closed form, bisection over L", axis("d_model", widths), axis("rule", rules, name_of),
          [](std::size_t d, FrequencyRule rule) {
            const double w = sinusoidal_frequencies<double>(d, rule).back();
            const auto longest = static_cast<double>(longest_quiet_table(d, rule));
            return Values{{"longest_quiet_table", longest},
                          {"turn_reached", longest * w},
                          {"turn_passed", (longest + 1) * w}};
          });
}

/// What is measured of one table's variances, in closed form.
void measure_table(Section& s, std::size_t d, std::int64_t length) {
  const auto variances = stated_variances({d, length});
  const auto std_of = [&](std::size_t j) { return std::sqrt(variances[j]); };
  const Place at{{"d_model", d}, {"positions", length}};
  s.sweep("closed form, over positions; paper frequencies, interleaved", at,
          axis("channel", some_channels(d)), [&](std::size_t j) {
            return Values{{"channel_std", std_of(j)}};
          });
  s.sweep(closed_form, at, axis("channel", columns, &Channel::name), [&](const Channel& channel) {
    return Values{{"std_of", std_of(channel.of(d))}};
  });
  for (const int percent : {1, 10, 25, 50}) {
    const auto count = first_channels(d, percent);
    const auto first = over<Sum>(count, [&](std::uint64_t j) { return variances[j]; });
    auto where = at;
    where.set("percent", percent).set("channels", count);
    s.measure("variance_share_of_first_channels", where, {share_of_first(variances, count), first},
              "closed form: of the sum of all channels' variances over positions");
  }
  s.sweep(closed_form, at, axis("std_below", std::array{0.1, 0.01}), [&](double least) {
    return Values{{"channels_that_move_less",
                   over<Tally>(d, [&](std::uint64_t j) { return std_of(j) < least; })}};
  });
}

/// Computed tables against the closed forms.
void bound_tables(Section& s, const std::vector<std::size_t>& widths,
                  const std::vector<std::int64_t>& lengths) {
  Greatest deviations, shares;
  for (const auto d : widths)
    for (const auto length : lengths)
      for (const auto rule : rules)
        for (const auto layout : layouts) {
          if (!is_small(d, length) || length < 2) continue;
          const properties::sinusoidal::Table at{d, length, rule, layout};
          deviations.evaluate([&] { return deviations_share_of_bound(at, primitives); });
          shares.evaluate(
              [&] { return first_share_of_bound(at, first_channels(d, 10), primitives); });
        }
  bounded(s, "deviations", deviations, Part::statement,
          "tables up to 2^18 entries, both rules and layouts");
  bounded(s, "shares", shares, Part::statement, "tables up to 2^18 entries, the first tenth");
}

/// The sines' deviations, of some 256 channels.
void draw_deviations(Section& s, std::size_t d, const std::vector<std::int64_t>& lengths) {
  std::vector<std::size_t> channels;
  for (std::size_t j = 0; j < d; j += std::max<std::size_t>(2, d / 256 * 2)) channels.push_back(j);
  for (const auto length : lengths) {
    const auto variances = stated_variances({d, length});
    s.sweep(closed_form, {{"d_model", d}, {"positions", length}}, axis("channel", channels),
            [&](std::size_t j) {
              return Values{{"std_curve", std::sqrt(variances[j])}};
            });
  }
  s.measure("std_of_a_sine", {}, std::sqrt(0.5));
}

}  // namespace

void early_channels_move(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto lengths = positions(options, {50, 512, 2048, 8192, 32768, 131072});
  for (const auto d : widths)
    for (const auto length : lengths) measure_table(s, d, length);
  std::vector<std::uint64_t> on_a_scale;  // 2 to 2^17
  for (int k = 2; k <= 34; ++k)
    on_a_scale.push_back(static_cast<std::uint64_t>(std::llround(std::exp2(k / 2.0))));
  decide_ends(s, widths, positions(options, on_a_scale));
  bound_tables(s, widths, lengths);
  draw_deviations(s, widths[std::min<std::size_t>(2, widths.size() - 1)], first_of(5, lengths));
}

}  // namespace embedscale::sinusoidal_analysis
