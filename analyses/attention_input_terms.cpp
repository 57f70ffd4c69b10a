// What the first attention's logits consist of: products of tokens and positions.
#include <fmt/format.h>
#include <embedscale/expected/projection.hpp>
#include <embedscale/properties/attention_input_scales.hpp>

#include <algorithm>
#include <numbers>

#include "attention_input.hpp"
#include "audit/error.hpp"
#include "cli/share.hpp"
#include "conventions.hpp"
#include "report/file.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using namespace properties::attention::input;
using expected::TermShares;
using properties::Part;
using report::Figure;
using report::Table;

const InputLibrary library;

/// "share_token_token" and the three others.
void measure_shares(report::Section& section, const report::Place& at, const TermShares& shares,
                    const std::string& method, const std::string& field = "") {
  const auto add = [&](const char* quantity, double value, const char* suffix) {
    section.measure({.quantity = quantity,
                     .at = at,
                     .value = value,
                     .samples = 1,
                     .method = method,
                     .field = field.empty() ? "" : field + suffix});
  };
  add("share_token_token", shares.token_token, "_tt");
  add("share_token_position", shares.token_position, "_tp");
  add("share_position_token", shares.position_token, "_pt");
  add("share_position_position", shares.position_position, "_pp");
}

std::vector<std::string> cells_of(const TermShares& s) {
  return {report::significant(s.token_token, 4), report::significant(s.token_position, 4),
          report::significant(s.position_token, 4), report::significant(s.position_position, 4)};
}

void row(Table& table, std::string first, std::string second, const TermShares& s) {
  std::vector<std::string> all{std::move(first), std::move(second)};
  for (auto& cell : cells_of(s)) all.push_back(std::move(cell));
  table.row(std::move(all));
}

std::vector<Table::Column> columns(const char* first) {
  return {{first},
          {"d_model", Table::Align::right},
          {"token·token", Table::Align::right},
          {"token·position", Table::Align::right},
          {"position·token", Table::Align::right},
          {"position·position", Table::Align::right}};
}

/// The parametrisations; tables of other laws: N(0, σ²) with √d_model and without, Xavier on
/// (V, d_model) with it. Positions are sinusoids.
void measure_inputs(const cli::Options& options, report::Section& section) {
  const std::string method = "closed form, over weights and tokens, i ≠ j";
  Table table(columns("Input"));
  const auto widths = even_points(options, few_widths);
  const std::uint64_t middle = std::ranges::count(widths, 512u) > 0 ? 512 : widths[0];
  for (const auto d : widths)
    for (const auto& input : parametrisations(d)) {
      const auto shares = expected::term_shares(input.token, input.position);
      measure_shares(section, {{"input", input.name}, {"d_model", d}}, shares, method,
                     d == middle ? input.name : "");
      if (std::string_view(input.name) == "unscaled" || d == middle)
        row(table, input.name, report::count(d), shares);
    }
  const auto other = [&](const std::string& name, report::Place at, std::uint64_t d, double token) {
    const auto shares = expected::term_shares(token, 0.5);
    at.set("d_model", d);
    measure_shares(section, at, shares, method);
    if (d == middle) row(table, name, report::count(d), shares);
  };
  for (const auto d : widths) {
    const auto width = static_cast<double>(d);
    for (const double sigma : cli::points(options.deviations, std::array{0.02, 1.0})) {
      const std::string name = fmt::format("N(0, {}²)", sigma);
      other(name, {{"input", "table of this std"}, {"std", sigma}, {"multiplier", "1"}}, d,
            sigma * sigma);
      other(name + " × √d_model",
            {{"input", "table of this std"}, {"std", sigma}, {"multiplier", "√d_model"}}, d,
            width * sigma * sigma);
    }
    for (const auto v :
         cli::points(options.vocabulary, std::array<std::uint64_t, 4>{100, 1000, 37000, 256000}))
      other(fmt::format("Xavier on ({}, d_model) × √d_model", report::count(v)),
            {{"input", "Xavier table"}, {"vocabulary", v}, {"multiplier", "√d_model"}}, d,
            width * 2 / (static_cast<double>(v) + width));
  }
  section.text("d_model", report::count(middle));
  section.table(table);
}

/// Systems that add positions and record what their shares hang on.
void measure_systems(const std::vector<audit::Audit>& systems, report::Section& section) {
  std::vector<const audit::Audit*> told;
  for (const auto& s : systems)
    if (audit::adds_positions(s.configuration.position.kind) &&
        s.scales.first_layer.token_token.value)
      told.push_back(&s);
  if (told.empty()) throw std::invalid_argument("no system of the atlas tells its first logits");
  const auto share = [](const audit::Audit* s) { return *s->scales.first_layer.token_token.value; };
  std::ranges::stable_sort(told, {}, share);
  Table table(columns("System"));
  std::uint64_t led = 0;
  for (const auto* s : told) {
    const auto& first = s->scales.first_layer;
    const TermShares shares{*first.token_token.value, *first.token_position.value,
                            *first.position_token.value, *first.position_position.value};
    measure_shares(section, {{"system", s->configuration.name}}, shares,
                   "audit of the system's configuration");
    row(table, conventions_analysis::linked(s->configuration),
        report::count(static_cast<std::uint64_t>(s->configuration.model.d_model.value_or(0))),
        shares);
    led += shares.token_token > 0.5 ? 1 : 0;
  }
  section.measure_none("systems_not_led_by_tokens", {{"systems", told.size()}},
                       static_cast<double>(told.size() - led), told.size(), Part::belief,
                       "closed form, over the atlas");
  section.text("systems", report::count(told.size()));
  section.text("led", report::count(led));
  section.text("not_led", report::count(told.size() - led));
  const auto name_it = [&](const char* field, const audit::Audit& s) {
    section.text(field, report::significant(share(&s), 3));
    section.text(std::string(field) + "_name", s.configuration.name);
  };
  name_it("lowest", *told.front());
  name_it("highest", *told.back());
  if (led < told.size())
    section.counterexample(fmt::format("{}: token·token is {} of the first logits' mean square",
                                       told.front()->configuration.name,
                                       report::significant(share(told.front()), 3)));
  section.table(table);
}

/// E z² beside that of different tokens: normal tokens, up, positions 0 and 1 for one token.
void measure_ratios(const cli::Options& options, report::Section& section) {
  double largest = 0;
  const auto widths = even_points(options, few_widths);
  const auto narrowest = std::ranges::min(widths);
  for (const auto d : widths) {
    const auto width = static_cast<std::size_t>(d);
    double overlap = 0;
    for (const double w : sinusoidal_frequencies<double>(width, FrequencyRule::paper))
      overlap += std::cos(w) / static_cast<double>(d);
    const auto add = [&](const char* pairing, double value) {
      section.measure({.quantity = "second_moment_ratio",
                       .at = {{"d_model", d}, {"pair", pairing}},
                       .value = value,
                       .samples = 1,
                       .method = "closed form, normal tokens, up"});
      if (d == narrowest) largest = std::max(largest, value);
    };
    add("i = j", expected::at_one_position(1, 0.5, 3, width));
    add("one token at positions 0 and 1", expected::of_one_token(1, 0.5, 3, overlap, width));
  }
  section.text("narrowest", report::count(narrowest));
  section.text("largest_ratio", report::significant(100 * (largest - 1), 2));
}

void measure_exactly(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  auto moments = none_of(
      "moment_disagreements", options.samples, Part::statement,
      "mean over all signs of weights and tokens, whole numbers", [&](std::uint64_t i) {
        const auto words = stream.block(i, 2);
        const Pairing pairings[] = {Pairing::different_tokens, Pairing::one_token,
                                    Pairing::one_position};
        return !terms_are_stated(
            whole_channels(stream.block(i)), whole_channels(stream.block(i, 1)), pairings[i % 3],
            static_cast<double>(words[0] % 9), static_cast<double>(words[1] % 9), library);
      });
  moments.field = "moments";
  section.measure(std::move(moments));
  WorstShare worst;
  for (const auto d : even_points(options, few_widths))
    for (const double sigma : {1.0, 0.02, 1 / std::sqrt(static_cast<double>(d))})
      for (const double m : {1.0, root_multiplier<double>(d)})
        for (const std::int64_t position : {0, 1, 511, 65535})
          worst.add(
              shares_share_of_bound(static_cast<std::size_t>(d), position, sigma, m, library));
  section.text("cases", report::count(worst.cases));
  section.measure(worst.measurement("worst_share_of_bound",
                                    "tables of entries ±σ and sinusoids, binary64", "worst"));
}

Figure figure() {
  Figure figure{.name = "attention_first_layer_terms",
                .title = "What the first logits consist of",
                .x_label = "token RMS over position RMS",
                .y_label = "share of the mean square",
                .x_scale = Figure::Scale::log2,
                .series = {{.label = "token·token", .x = {}, .y = {}},
                           {.label = "token·position + position·token", .x = {}, .y = {}},
                           {.label = "position·position", .x = {}, .y = {}}},
                .levels = {{.label = "half", .y = 0.5}}};
  for (int k = -24; k <= 24; ++k) {
    const double ratio = std::exp2(k / 4.0);
    const auto s = expected::term_shares(ratio * ratio, 1);
    const double y[] = {s.token_token, s.token_position + s.position_token, s.position_position};
    for (std::size_t j = 0; j < 3; ++j) {
      figure.series[j].mark = report::Series::Mark::line;
      figure.series[j].x.push_back(ratio);
      figure.series[j].y.push_back(y[j]);
    }
  }
  const auto point = [&](const char* label, double ratio) {
    figure.series.push_back({.label = label,
                             .x = {ratio},
                             .y = {expected::term_shares(ratio * ratio, 1).token_token},
                             .mark = report::Series::Mark::points});
  };
  point("up, down, folded", std::numbers::sqrt2);
  point("unscaled, d_model = 512", std::sqrt(2.0 / 512));
  return figure;
}

}  // namespace

report::Section first_layer_terms_of(const cli::Options& options,
                                     const std::vector<audit::Audit>& systems) {
  report::Section section(properties::attention::first_layer_terms);
  measure_inputs(options, section);
  measure_systems(systems, section);
  measure_ratios(options, section);
  measure_exactly(options, section);
  const auto up = parametrisations(2)[0];
  section.text("up_keys", report::significant(up.token / up.all(), 3));
  section.text("line", report::significant(std::sqrt(1 + std::numbers::sqrt2), 3));
  section.text("ratio", report::significant(std::numbers::sqrt2, 3));
  section.figure(figure());
  return section;
}

report::Section first_layer_terms(const cli::Options& options) {
  try {
    return first_layer_terms_of(options, conventions_analysis::atlas(cli::share("systems")));
  } catch (const audit::InputError& error) {
    throw report::FileError(error.what());
  }
}

}  // namespace embedscale::attention_analysis
