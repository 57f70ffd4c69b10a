// A table of positions: what all of them have in common, how much each channel varies over them,
// and how many directions hold their energy, in closed form.
#include <ranges>

#include "report/loops.hpp"
#include "sinusoidal/sections.hpp"

namespace embedscale::sinusoidal_analysis {
namespace {

double share_of(std::size_t d, std::int64_t length, FrequencyRule rule = FrequencyRule::paper) {
  return expected::constant_share({sinusoidal_frequencies<double>(d, rule), 0, length, 1});
}

/// The mean ⟨p(i), p(j)⟩ over all pairs of L positions, by their offsets.
double mean_product(std::size_t d, std::int64_t length) {
  const auto frequencies = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  const auto count = static_cast<double>(length);
  double sum = count * static_cast<double>(d) / 2;
  for (std::int64_t k = 1; k < length; ++k)
    for (const double w : frequencies)
      sum += 2 * static_cast<double>(length - k) * std::cos(static_cast<double>(k) * w);
  return sum / (count * count);
}

/// What a first logit z_ij = ⟨W_Q·x_i, W_K·x_j⟩ has in common over all pairs of positions is its
/// mean over i and j. With independent matrices and tokens of mean 0, E z_ij·z_kl is κ·⟨p_i, p_k⟩·
/// ⟨p_j, p_l⟩ for different tokens, and E z_ij² is κ·(E‖x‖²)²: so the mean square of that mean is κ
/// times the squared mean of ⟨p_i, p_k⟩, and of E z_ij² the square of this mean over E‖x‖².
void measure_first_logits(Section& s) {
  constexpr std::size_t d = 512;
  for (const std::int64_t length : {50, 512, 2048})
    for (const auto& [input, token] : {std::pair("positions alone", 0.0), {"up", 1.0}}) {
      const double share = mean_product(d, length) / (static_cast<double>(d) * (token + 0.5));
      s.measure("constant_share",
                {{"of", "first logits"}, {"input", input}, {"d_model", d}, {"positions", length}},
                share * share,
                "products over all pairs of positions, mean over weights and tokens");
    }
}

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
  const auto is_too_long = [&](std::uint64_t length) {
    return !last_channel_moves_less(stated_ends({d, static_cast<std::int64_t>(length), rule}));
  };
  return static_cast<std::int64_t>(report::first_that(3, 1 << 18, is_too_long)) - 1;
}

void measure_ends(Section& s, const std::vector<std::size_t>& widths) {
  s.measure_failures("loud_ends_of_short_tables", {{"L_times_w_at_most", quiet_turn}},
                     "the_last_turn_decides");
  s.measure_failures("quiet_ends_of_long_tables", {{"L_times_w_above", quiet_turn}},
                     "the_last_turn_decides");
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
void measure_table(Section& s, const Table& table) {
  const std::size_t d = table.d;
  const auto variances = stated_variances(table);
  const auto std_of = [&](std::size_t j) { return std::sqrt(variances[j]); };
  const Place at{{"d_model", d}, {"positions", table.length}, {"rule", name_of(table.rule)}};
  s.sweep("closed form, over positions; interleaved", at, axis("channel", some_channels(d)),
          [&](std::size_t j) {
            return Values{{"channel_std", std_of(j)}};
          });
  if (table.rule == FrequencyRule::paper)
    s.sweep(closed_form, at, axis("channel", columns, &Channel::name), [&](const Channel& channel) {
      return Values{{"std_of", std_of(channel.of(d))}};
    });
  for (const int percent : {1, 10, 25, 50}) {
    const auto count = first_channels(d, percent);
    const auto first = over<Sum>(count, [&](std::uint64_t j) { return variances[j]; });
    auto where = at;
    where.set("percent", percent).set("channels", count);
    s.measure("variance_share_of_first_channels", where,
              Value::of_all(share_of_first(variances, count), first),
              "closed form: of the sum of all channels' variances over positions");
  }
  s.sweep(closed_form, at, axis("std_below", std::array{0.1, 0.01}), [&](double least) {
    return Values{{"channels_that_move_less",
                   over<Tally>(d, [&](std::uint64_t j) { return std_of(j) < least; })}};
  });
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

/// A table, and the eigenvalues of its second moments.
struct Spectrum {
  Table table;
  Moments moments = Moments::raw;
  std::vector<double> eigenvalues{};

  std::size_t d() const { return table.d; }
  /// How many directions hold so much of the energy. Rounding moves the eigenvalues by some 10^−12
  /// of their sum, far less than one of them holds where a share is reached.
  Tally directions(double share) const {
    const auto needed = directions_for(eigenvalues, share);
    return over<Tally>(table.d, [&](std::uint64_t r) { return r < needed; });
  }
};

std::vector<Spectrum> solved(std::vector<Spectrum> all) {
  report::in_parallel(all.size(), [&](std::uint64_t i) {
    auto& [table, moments, eigenvalues] = all[i];
    eigenvalues = eigenvalues_of(stated_moments(table, moments), table.d);
  });
  return all;
}

void measure_directions(Section& s, const std::vector<std::size_t>& widths,
                        const std::vector<std::int64_t>& lengths) {
  std::vector<Spectrum> all;
  for (const auto d : widths)
    for (const auto length : lengths)
      for (const auto rule : rules)
        for (const auto moments : {Moments::raw, Moments::centred})
          all.push_back({.table = {d, length, rule}, .moments = moments});
  for (const auto& one : solved(std::move(all)))
    for (const double share : {0.9, 0.99, 0.999, 0.9999})
      s.measure("directions_for_energy",
                {{"d_model", one.d()},
                 {"positions", one.table.length},
                 {"rule", name_of(one.table.rule)},
                 {"share", share},
                 {"mean", one.moments == Moments::raw ? "kept" : "removed"}},
                one.directions(share), "eigenvalues of the closed-form second moments");
}

void draw_directions(Section& s, const std::vector<std::size_t>& widths) {
  std::vector<Spectrum> curves;
  for (const auto d : widths)
    if (d <= 256)
      for (const auto length : by_powers(1, 17))
        if (length > 1) curves.push_back({.table = {d, length}});
  for (const auto& one : solved(std::move(curves)))
    s.measure("share_of_directions", {{"d_model", one.d()}, {"positions", one.table.length}},
              one.directions(0.99).share_of_all());
  s.measure("half_the_space", {}, 0.5);
}

}  // namespace

void constant_share(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 1024, 4096, 16384});
  const auto lengths = positions(options, {2, 16, 50, 128, 512, 2048, 8192, 32768, 131072});
  Tally none;
  s.sweep("closed form: Dirichlet's kernel", axis("d_model", widths), axis("positions", lengths),
          axis("rule", rules, name_of),
          [&](std::size_t d, std::int64_t length, FrequencyRule rule) {
            const double share = share_of(d, length, rule);
            none.evaluate([&] { return share <= negligible_share; });
            return Values{{"constant_share", share}};
          });
  s.measure("tables_without_a_constant", {{"share_at_most", negligible_share}}, none,
            "closed form");
  largest_share(s, "share", "is_that_of_dirichlets_kernel");

  s.sweep("closed form", axis("d_model", widths), axis("positions", by_powers(8, 17)),
          [](std::size_t d, std::int64_t length) {
            return Values{{"share_curve", share_of(d, length)}};
          });
  // ((1 + cos 1)/2 + (1 + cos 0.01)/2)/2, as sin L·y/(L·sin y) is cos y at L = 2.
  s.measure("by_hand", {{"d_model", 4}, {"positions", 2}}, share_of(4, 2));
  measure_first_logits(s);
}

void early_channels_move(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 64, 512, 4096});
  const auto lengths = positions(options, {50, 512, 2048, 8192, 32768, 131072});
  for (const auto d : widths)
    for (const auto length : lengths)
      for (const auto rule : rules) measure_table(s, {d, length, rule});
  measure_ends(s, widths);
  largest_share(s, "deviations", "deviations_are_the_closed_form");
  largest_share(s, "shares", "share_of_the_first_channels");
  draw_deviations(
      s, widths[std::min<std::size_t>(2, widths.size() - 1)],
      {lengths.begin(), lengths.begin() + std::min<std::ptrdiff_t>(5, std::ssize(lengths))});
}

void effective_rank(Section& s, const Options& options) {
  const auto widths = even_widths(options, {16, 32, 64, 128, 256, 512});
  measure_directions(s, widths, positions(options, {50, 128, 512, 2048, 8192, 131072}));
  draw_directions(s, widths);
  s.measure_passes("tables_in_half_the_space", {{"L_over_d_at_most", 4}},
                   "half_the_space_up_to_4_d");
  s.measure_failures("longer_tables_in_half", {{"L_over_d_at_least", 16}}, "more_from_16_d_on");
  largest_share(s, "second moments", "moments_are_the_closed_form");
}

}  // namespace embedscale::sinusoidal_analysis
