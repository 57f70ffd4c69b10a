// What a norm takes away of a common factor, and what it does not: exactly, and in floating point.
#include <fmt/format.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/normalization_rounding.hpp>

#include <algorithm>

#include "normalization.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using properties::Part;
using properties::domain::Surd;
using report::Figure;
using report::Table;

const Library library;
constexpr const char* exact = "exact numbers with a root";

/// One of the four norms by turns, without ε.
NormOf<Surd> norm_of(std::uint64_t i) {
  return {i % 2 == 0 ? LayerKind::layer_norm : LayerKind::rms_norm,
          i % 4 < 2 ? EpsilonPlacement::variance : EpsilonPlacement::standard_deviation, Surd(0)};
}

/// Three channels that are not all equal.
std::vector<Rational> channels_of(const Draws& draws, std::uint64_t i) {
  auto x = draws.channels(i, 0, 3);
  if (!can_be_normalized(x, LayerKind::layer_norm)) x[0] = x[0] + 1;
  return x;
}

/// What was looked at, in how many cases, and in how many of them something changed.
void measure_exactly(const cli::Options& options, report::Section& section) {
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, section.claim().id);
  Table table({{"c·x against x, c ≠ 1, in exact arithmetic"},
               {"Cases", Table::Align::right},
               {"Changed", Table::Align::right}});
  auto both = none_of("exact_disagreements", n, Part::statement, exact, [&](std::uint64_t i) {
    const Rational c = draws.positive(i, 3);
    return !forgets_the_factor(channels_of(draws, i), norm_of(i), i % 3 == 0 ? c : Rational(-c),
                               library);
  });
  both.field = "disagreements";
  section.measure(std::move(both));
  auto changed = none_of("outputs_changed", n, Part::belief, exact, [&](std::uint64_t i) {
    return !outputs_agree(channels_of(draws, i), norm_of(i), draws.positive(i, 3), library);
  });
  changed.field = "changed";
  table.row({"what comes out of a norm with ε = 0", report::count(n), shown(changed)});
  section.measure(std::move(changed));

  std::uint64_t skips = 0, epsilons = 0;
  double straight = 0, stay = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto x = channels_of(draws, i), w = draws.channels(i, 4, 9);
    const Rational c = draws.positive(i, 3);
    if (c == 1) continue;
    const auto norm = norm_of(i);
    if (!branch_is_along_the_skip(x, w, norm, library)) {
      ++skips;
      straight += skip_forgets_the_factor(x, w, norm, c, library) ? 1 : 0;
    }
    ++epsilons;
    stay += outputs_agree(x, norm.with(Surd(draws.positive(i, 13))), c, library) ? 1 : 0;
  }
  const auto elsewhere = [&](const char* what, const char* quantity, double same,
                             std::uint64_t cases, const std::string& field) {
    section.measure_none(quantity, {}, same, cases, Part::belief_elsewhere, exact);
    table.row({what, report::count(cases), report::count(cases - std::uint64_t(same))});
    section.text(field + "_changed", report::count(cases - std::uint64_t(same)));
    section.text(field + "_cases", report::count(cases));
  };
  elsewhere("the direction of x + W·N(x), a norm with a skip", "directions_that_stay", straight,
            skips, "skip");
  elsewhere("what comes out of a norm with ε > 0", "outputs_that_stay", stay, epsilons, "epsilon");
  section.text("cases", report::count(n));
  section.table(std::move(table));
}

template <class Real>
std::vector<Real> uniform_channels(std::uint64_t d, std::uint64_t i, const Stream& stream) {
  std::vector<Real> x;
  for (std::uint64_t j = 0; j < d; ++j)
    x.push_back(static_cast<Real>(2 * stream.uniform(i * d + j) - 1));
  return x;
}

void measure_rounding(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/channels");
  constexpr LayerKind kinds[] = {LayerKind::layer_norm, LayerKind::rms_norm};
  auto bits = none_of(
      "bit_disagreements", options.samples, Part::statement,
      "drawn channels, c = 2^−20 … 2^20, binary64, binary32 and bfloat16", [&](std::uint64_t i) {
        const int k = static_cast<int>(i % 41) - 20;
        return std::ranges::any_of(kinds, [&](LayerKind kind) {
          return !has_bits_of_unscaled(drawn_channels<double>(stream, i), kind, k, library) ||
                 !has_bits_of_unscaled(drawn_channels<float>(stream, i), kind, k, library) ||
                 !has_bits_of_unscaled(drawn_channels<bfloat16>(stream, i), kind, k, library);
        });
      });
  bits.field = "bits";
  section.measure(std::move(bits));
  Figure figure{.name = "normalization_absorbed",
                .title = "What is left of c = 1.25·√d_model behind a norm without ε",
                .x_label = "d_model",
                .y_label = "largest change of a channel, in u",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  WorstShare worst;
  const auto widths = points(options.widths, norm_widths);
  const auto vectors = [&](std::uint64_t d) {
    return std::max<std::uint64_t>(2, std::min<std::uint64_t>(64, 16384 / d));
  };
  double most = 0;
  const auto measure = [&]<class Real>(const char* format) {
    for (const LayerKind kind : kinds) {
      const char* name = kind == LayerKind::layer_norm ? "LayerNorm" : "RMSNorm";
      report::Series series{.label = fmt::format("{}, {}", name, format),
                            .x = {},
                            .y = {},
                            .mark = report::Series::Mark::points};
      for (const auto d : widths) {
        if (d < 2) continue;  // one channel is its own mean
        // Where √d is a power of two nothing changes: the next number is as good a factor.
        const Real root = root_multiplier<Real>(d), c = root + root * Real(0.25);
        double largest = 0;
        for (std::uint64_t i = 0; i < vectors(d); ++i) {
          const auto x = uniform_channels<Real>(d, i, stream);
          largest =
              std::max(largest, properties::normalization::largest_change(x, kind, c, library));
          worst.add(properties::normalization::share_of_bound(x, kind, c, library));
        }
        section.measure({.quantity = "largest_change",
                         .at = {{"norm", name}, {"format", format}, {"d_model", d}},
                         .value = largest,
                         .samples = vectors(d),
                         .method = "channels uniform on ±1, c = 1.25·√d_model",
                         .unit = "u",
                         .digits = 3});
        series.x.push_back(static_cast<double>(d));
        series.y.push_back(largest > 0 ? largest : NAN);
        most = std::max(most, largest);
      }
      figure.series.push_back(std::move(series));
    }
  };
  measure.template operator()<double>("binary64");
  measure.template operator()<float>("binary32");
  section.text("most_change", report::significant(most, 2));
  section.text("last_width", report::count(widths.back()));
  section.measure(worst.measurement(
      "channels uniform on ±1, c = 1.25·√d_model, binary64 and binary32", "worst"));
  section.figure(std::move(figure));
}

}  // namespace

report::Section absorbs_the_factor(const cli::Options& options, const std::vector<System>& all) {
  report::Section section(properties::normalization::absorbs_the_factor);
  section.condition("nothing but the norm reads the sum, and the norm's ε is 0");
  measure_exactly(options, section);
  measure_first_layers(all, section);
  measure_rounding(options, section);
  return section;
}

}  // namespace embedscale::normalization_analysis
