// How near to orthogonal a token row and a position are at initialisation, against the width.
#include <fmt/format.h>
#include <embedscale/expected/cosine.hpp>
#include <embedscale/properties/concatenation_cosine.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/random.hpp>

#include <array>

#include "concatenation.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

constexpr std::array<std::uint64_t, 12> own_widths{8,   16,  32,   64,   128,  256,
                                                   512, 768, 1024, 2048, 4096, 16384};
constexpr std::uint64_t widest = 16384;

bool is_nearly_orthogonal(std::uint64_t d) {
  return d > 1 && expected::cosine_within(d, nearly) >= nearly_always;
}

/// The first width that is; by bisection, as the probability increases with d.
std::uint64_t first_width() {
  std::uint64_t below = 1, at = widest;
  while (at - below > 1) {
    const std::uint64_t middle = (at + below) / 2;
    (is_nearly_orthogonal(middle) ? at : below) = middle;
  }
  return at;
}

std::uint64_t exact_disagreements(std::uint64_t n, const Stream& stream) {
  std::uint64_t apart = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::size_t d = 1 + stream.below(3, 8 * i);
    Vector<Rational> e, p;
    for (std::size_t j = 0; j < d; ++j) {
      const auto words = stream.block(8 * i + 1 + j);
      e.push_back(Rational(1 + static_cast<int>(words[0] % 6)) * (words[2] % 2 == 0 ? 1 : -1));
      p.push_back(Rational(1 + static_cast<int>(words[1] % 6)) * (words[3] % 2 == 0 ? 1 : -1));
    }
    apart += mean_square_is_one_over_d(e, p, Library{}) ? 0 : 1;
  }
  return apart;
}

}  // namespace

report::Section parts_are_nearly_orthogonal(const cli::Options& options) {
  report::Section section(properties::concatenation::parts_are_nearly_orthogonal);
  const std::uint64_t n = options.samples / 4 + 1;
  const Stream stream(options.seed, section.claim().id);
  const auto apart = static_cast<double>(exact_disagreements(n, stream));
  auto& exact = section.measure({.quantity = "exact_disagreements",
                                 .value = apart,
                                 .samples = n,
                                 .method = "exact rationals",
                                 .unit = report::counted,
                                 .rule = report::Rule{Part::statement, Relation::equals, 0, n}});
  exact.field = "disagreements";

  const std::uint64_t first = first_width();
  section.measure({.quantity = "first_orthogonal_width",
                   .at = {{"cosine", nearly}, {"probability", nearly_always}},
                   .value = static_cast<double>(first),
                   .samples = 1,
                   .method = "closed form",
                   .unit = report::counted,
                   .field = "first"});
  section.condition(fmt::format("d_model >= {}", first));
  // Every width on both sides, or those that were told.
  std::vector<std::uint64_t> sides = options.widths;
  if (sides.empty())
    for (std::uint64_t d = 2; d <= widest; ++d) sides.push_back(d);
  std::uint64_t wide = 0, narrow = 0;
  double wide_exceptions = 0, narrow_exceptions = 0;
  for (const auto d : sides) {
    const bool holds = is_nearly_orthogonal(d);
    if (d >= first)
      ++wide, wide_exceptions += holds ? 0 : 1;
    else
      ++narrow, narrow_exceptions += holds ? 1 : 0;
  }
  section.measure_none("wide_exceptions", {{"from", first}}, wide_exceptions, wide, Part::belief,
                       "closed form, every width");
  section.measure_none("narrow_exceptions", {{"below", first}}, narrow_exceptions, narrow,
                       Part::belief_elsewhere, "closed form, every width");
  section.text("widest", report::count(sides.back()));
  section.text("vocabulary", report::count(paper_vocabulary));
  section.text("deviation", report::significant(expected::cosine_deviation(512), 3));
  section.text("largest", report::significant(expected::largest_cosine(512, paper_vocabulary), 3));
  section.text("within", report::significant(100 * expected::cosine_within(512, nearly), 3));

  Table table({{"d_model", Table::Align::right},
               {"std of the cosine", Table::Align::right},
               {"exceeded by 1 % of the tokens", Table::Align::right},
               {"largest of a vocabulary (median)", Table::Align::right}});
  const auto vocabulary = points(options.vocabulary, std::array{paper_vocabulary})[0];
  Figure figure{
      .name = "concatenation_cosine",
      .title = "Cosine of a token row and a position at initialisation",
      .x_label = "d_model",
      .y_label = "size of the cosine",
      .x_scale = Figure::Scale::log2,
      .y_scale = Figure::Scale::log10,
      .series = {{.label = fmt::format("largest of {} tokens", vocabulary), .x = {}, .y = {}},
                 {.label = "exceeded by 1 % of the tokens", .x = {}, .y = {}},
                 {.label = "standard deviation", .x = {}, .y = {}}},
      .levels = {{.label = "nearly", .y = nearly}}};
  for (const auto d : points(options.widths, own_widths)) {
    const double deviation = expected::cosine_deviation(d);
    section.measure({.quantity = "cosine_std",
                     .at = {{"d_model", d}},
                     .value = deviation,
                     .samples = 1,
                     .method = "exact, any symmetric law"});
    if (d < 2) continue;
    const double exceeded = expected::cosine_exceeded(d, 1 - nearly_always);
    section.measure({.quantity = "cosine_99",
                     .at = {{"d_model", d}},
                     .value = exceeded,
                     .samples = 1,
                     .method = "closed form, normal rows"});
    std::string largest_shown;
    for (const auto v : points(options.vocabulary, std::array{paper_vocabulary})) {
      const double largest = expected::largest_cosine(d, v);
      section.measure({.quantity = "largest_cosine",
                       .at = {{"d_model", d}, {"vocabulary", v}},
                       .value = largest,
                       .samples = 1,
                       .method = "closed form, normal rows"});
      if (v == vocabulary) {
        largest_shown = report::significant(largest, 4);
        figure.series[0].x.push_back(static_cast<double>(d));
        figure.series[0].y.push_back(largest);
      }
    }
    figure.series[1].x.push_back(static_cast<double>(d));
    figure.series[1].y.push_back(exceeded);
    figure.series[2].x.push_back(static_cast<double>(d));
    figure.series[2].y.push_back(deviation);
    table.row({report::count(d), report::significant(deviation, 4),
               report::significant(exceeded, 4), largest_shown});
  }
  section.table(table);
  if (!figure.series[0].x.empty()) section.figure(figure);
  return section;
}

}  // namespace embedscale::concatenation_analysis
