// What √d makes of the tables of five families of laws.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "embedding/sections.hpp"
#include "properties/embedding/variance.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;

const Primitives primitives;

struct Member {
  Family family;
  const char* name;
  double sigma = 0;              ///< 0 where the family has none of its own
  std::uint64_t vocabulary = 0;  ///< 0 where the law does not depend on it

  Place place() const {
    Place at{{"family", name}};
    if (sigma > 0) at.set("standard_deviation", rounded(sigma, 4));
    if (vocabulary > 0) at.set("vocabulary", vocabulary);
    return at;
  }
  double rms(double m, std::uint64_t d) const {
    const Shape shape{std::max<std::size_t>(vocabulary, 1), d};
    return token_rms(law_of(family, shape, sigma), m, d, primitives);
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

void measure_rms(Section& s, const std::vector<Member>& all,
                 const std::vector<std::uint64_t>& widths) {
  for (const auto& member : all)
    for (const auto d : widths) {
      const auto at = member.place().set("d_model", d);
      const auto measure = [&](const char* multiplier, double m) {
        s.measure("token_rms", Place(at).set("multiplier", multiplier), member.rms(m, d),
                  "look-up in a table of the law's RMS");
      };
      measure(without_factor, 1.0);
      measure(with_factor, root_multiplier<double>(d));
    }
}

/// Families by pairs, at every shape; Xavier's two laws are one here.
void measure_pairs(Section& s, const Options& options, const std::vector<std::uint64_t>& widths,
                   const std::vector<std::uint64_t>& sizes) {
  constexpr std::array all{Family::inverse_root, Family::fixed_range, Family::xavier_uniform,
                           Family::unit, Family::cut_normal};
  Tally differ, other;
  Greatest worst;
  const auto deviations = points(options.deviations, std::array{0.02});
  for (const double told : deviations)
    for (const auto d : widths)
      for (const auto vocabulary : sizes) {
        const Shape shape{vocabulary, d};
        const Rational sigma = fraction_of(told);
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::size_t j = 0; j < i; ++j) {
            differ.evaluate(
                [&] { return !families_meet(all[i], all[j], shape, told, primitives); });
            other.evaluate(
                [&] { return !meet_where_stated(all[i], all[j], shape, sigma, primitives); });
          }
        for (const Family family : families)
          worst.evaluate([&] { return family_share_of_bound(family, shape, told, primitives); });
      }
  const auto shapes = deviations.size() * widths.size() * sizes.size();
  const Place at{{"pairs", differ.cases()}};
  s.measure("families_that_differ", at, differ, "variances of the laws",
            none_of(Part::belief, 10 * shapes));
  s.decide_none("other_than_stated", at, other, Part::statement,
                "exact rationals against the laws' variances");
  s.measure("worst_share_of_bound", {}, worst,
            "look-up in a table of the law's RMS against the closed form",
            at_most(Part::statement, 1, families.size() * shapes));
}

}  // namespace

void depends_on_initialisation(Section& s, const Options& options) {
  const auto widths = points(options.widths, shown_widths);
  const auto sizes = vocabularies(options);
  const auto all = members(options);
  measure_rms(s, joined(all, xavier(sizes)), widths);
  measure_pairs(s, options, widths, sizes);

  const auto ends = xavier(sizes.size() > 1 ? std::vector{sizes.front(), sizes.back()} : sizes);
  const auto middle = widths[widths.size() / 2];
  for (const auto& member : joined(all, ends))
    s.measure("rms_at_middle_width", member.place().set("d_model", middle),
              member.rms(root_multiplier<double>(middle), middle));
  for (const auto& member : joined(first_of(5, all), ends))
    for (const auto d : widths)
      s.measure("rms_curve", member.place().set("d_model", d),
                member.rms(root_multiplier<double>(d), d));
  s.measure("position_rms", {}, std::numbers::sqrt2 / 2);
}

}  // namespace embedscale::embedding_analysis
