// What √d makes of a table: of one of deviation d^−½, in exact arithmetic and in four formats; and
// of the tables of five families of laws.
#include "properties/embedding/variance.hpp"

#include <numbers>

#include "embedding/sections.hpp"
#include "properties/domain/formats.hpp"
#include "properties/domain/widths.hpp"
#include "properties/precision/rounded_root.hpp"

namespace embedscale::embedding_analysis {
namespace {

/// m/√d − 1 for m = fl(√d).
template <Scalar Real>
double error_of_root(std::uint64_t width) {
  return properties::precision::rounded_root::error_of_root(root_multiplier<Real>(width), width);
}

template <Scalar Real>
void measure_in_format(Section& s, const std::vector<std::uint64_t>& widths) {
  constexpr const char* exhaustive = "exhaustive";
  Greatest share, error;
  Tally unit;
  for (const auto d : widths) {
    for (const auto& law : laws_of_inverse_width(d))
      share.evaluate([&] { return unit_variance_share<Real>(law, d, primitives); });
    const double off = error.evaluate([&] { return std::abs(error_of_root<Real>(d)); });
    unit.evaluate([&] { return off == 0; });
  }
  const Place at{{"format", FormatTraits<Real>::name}};
  s.measure("worst_share_of_bound", at, share, "m²·Var e of five distributions against 1");
  s.measure("widths_of_variance_1", at, unit, exhaustive);
  s.measure_failures("other_than_stated", at, "variance_is_1_at_squares_alone");
  s.measure("largest_error_of_deviation", at, error, exhaustive);
  s.measure("largest_error_of_variance", at, error.times(2));
}

/// The five laws of deviation d^−½, and the cut one that only calls itself so.
struct NamedInitializer {
  std::size_t index;
  const char* name;
  Initializer at(std::uint64_t d) const {
    const auto laws = laws_of_inverse_width(d);
    if (index < laws.size()) return laws[index];
    return TruncatedNormal{1 / std::sqrt(static_cast<double>(d))};
  }
};
constexpr std::array<NamedInitializer, 6> named_laws{
    {{0, "normal"},
     {1, "uniform"},
     {2, "truncated_normal"},
     {3, "xavier_uniform V = d"},
     {4, "xavier_normal V = d"},
     {5, "truncated_normal of nominal deviation d_model^-1/2"}}};

struct Member {
  Family family;
  const char* name;
  double sigma = 0;              ///< 0 where the family has none of its own
  std::uint64_t vocabulary = 0;  ///< 0 where the law does not depend on it

  Place place() const {
    Place at{{"family", name}};
    if (sigma > 0) at.set("standard_deviation", sigma);
    if (vocabulary > 0) at.set("vocabulary", vocabulary);
    return at;
  }
  double rms(const Program& program, std::uint64_t d) const {
    const Shape shape{std::max<std::size_t>(vocabulary, 1), d};
    return token_rms(law_of(family, shape, sigma), program.factor(d), d, primitives);
  }
};

/// The families with each σ told; otherwise the uniform law on ±0.05 (Keras) and the normal law of
/// nominal deviation 0.02 cut at ±2 of it (BERT).
std::vector<Member> members(const Options& options) {
  std::vector<Member> all{{Family::inverse_root, "d_model^-1/2"}, {Family::unit, "unit"}};
  for (const double s : points(options.deviations, std::array{0.05 / std::numbers::sqrt3}))
    all.push_back({Family::fixed_range, "fixed range", s});
  for (const double s : points(options.deviations, std::array{0.02}))
    all.push_back({Family::cut_normal, "truncated normal", s});
  return all;
}

/// The tables of Xavier's laws at these sizes.
std::vector<Member> xavier(const std::vector<std::uint64_t>& sizes) {
  std::vector<Member> all;
  for (const auto v : sizes) all.push_back({Family::xavier_uniform, "xavier", 0, v});
  return all;
}

std::vector<Member> joined(std::vector<Member> some, const std::vector<Member>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

/// Families by pairs, at every shape; Xavier's two laws are one here.
void measure_pairs(Section& s, const Options& options, const std::vector<std::uint64_t>& widths,
                   const std::vector<std::uint64_t>& sizes) {
  constexpr std::array all{Family::inverse_root, Family::fixed_range, Family::xavier_uniform,
                           Family::unit, Family::cut_normal};
  Tally differ;
  for (const double sigma : points(options.deviations, std::array{0.02}))
    for (const auto d : widths)
      for (const auto vocabulary : sizes)
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::size_t j = 0; j < i; ++j)
            differ.evaluate([&] {
              return !families_meet(all[i], all[j], {vocabulary, d}, sigma, primitives);
            });
  const Place at{{"pairs", differ.cases()}};
  s.measure("families_that_differ", at, differ, "variances of the distributions");
  s.measure_failures("other_than_stated", at, "two_families_meet_where_stated");
  s.measure_worst("worst_share_of_bound", {}, "rms_is_that_of_the_family");
}

}  // namespace

void root_d_restores_unit_variance(Section& s, const Options& options) {
  s.measure_failures("moment_disagreements", {}, "moments_follow_m");
  const auto every = points(options.widths, properties::domain::Widths{1, 1 << 14}.all());
  properties::domain::for_each_format([&]<class Real>() { measure_in_format<Real>(s, every); });
  s.sweep("closed form", {{"format", "binary64"}},
          axis("d_model", points(options.widths, shown_widths)),
          axis("law", named_laws, &NamedInitializer::name),
          [](std::uint64_t d, const NamedInitializer& law) {
            const double variance = token_variance<double>(law.at(d), d, primitives);
            return Values{{"token_variance", variance}, {"token_deviation", std::sqrt(variance)}};
          });

  std::vector<std::uint64_t> drawn;
  for (std::uint64_t d = 16; d <= 1 << 14; d += std::max<std::uint64_t>(1, d / 32))
    drawn.push_back(d);
  for (const auto& [format, error] :
       {std::pair("bfloat16", &error_of_root<bfloat16>), {"binary16", &error_of_root<binary16>}})
    s.sweep("", {{"format", format}}, axis("d_model", points(options.widths, drawn)),
            [of = error](std::uint64_t d) {
              return Values{{"error_of_root", of(d)}};
            });
}

void depends_on_initialisation(Section& s, const Options& options) {
  const auto widths = points(options.widths, shown_widths);
  const auto sizes = points(options.vocabulary, vocabularies);
  const auto all = members(options);
  const auto by_width = axis("d_model", widths);
  for (const auto& member : joined(all, xavier(sizes)))
    s.sweep("look-up in a table of the distribution's RMS", member.place(), by_width,
            axis("multiplier", std::array{bare, scaled}, &Program::name),
            [&](std::uint64_t d, const Program& program) {
              return Values{{"token_rms", member.rms(program, d)}};
            });
  measure_pairs(s, options, widths, sizes);

  const auto ends = xavier(sizes.size() > 1 ? std::vector{sizes.front(), sizes.back()} : sizes);
  const auto middle = widths[widths.size() / 2];
  for (const auto& member : joined(all, ends)) {
    s.measure("rms_at_middle_width", member.place().set("d_model", middle),
              member.rms(scaled, middle));
    s.sweep("", member.place(), by_width, [&](std::uint64_t d) {
      return Values{{"rms_curve", member.rms(scaled, d)}};
    });
  }
  s.measure("position_rms", {}, std::numbers::sqrt2 / 2);
}

}  // namespace embedscale::embedding_analysis
