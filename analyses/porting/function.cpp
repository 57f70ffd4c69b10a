// What a multiplied table keeps: over the reals, bit for bit, and on the way back.
#include <embedscale/format.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "porting/sections.hpp"
#include "properties/porting/function.hpp"
#include "properties/porting/rounding.hpp"
#include "report/parallel.hpp"

namespace embedscale::porting_analysis {
namespace {

using namespace properties::porting;
using properties::Part, properties::is_power_of_two;

constexpr const char *exact = "exact rationals", *exhaustive = "exhaustive";
const Primitives primitives;

Port<Rational> exact_case(const Stream& stream, std::uint64_t i) {
  const auto code = [&](std::uint64_t k) {
    return convention_of<Rational>(stream.below(all_conventions, 128 * i + k));
  };
  const auto from = code(0);
  return {exact_checkpoint(from, stream, 128 * i + 2), reachable(from, code(1))};
}

/// Whether it is enough to multiply the table: the output's table is and stays one of its own, with
/// one logit factor, or the logit factors are already as far apart as the tables; and the same row
/// of positions, times the same number, is added to the first token.
bool is_on_condition(const Convention<Rational>& from, const Convention<Rational>& to) {
  const Rational one(1), s = from.multiplier / to.multiplier;
  const Rational c = from.factor(from.tied).value_or(one) / to.factor(to.tied).value_or(one);
  const bool positions = from.positions.source == PositionVectors::Source::none ||
                         (from.position_multiplier == to.position_multiplier &&
                          from.positions.first == to.positions.first);
  return positions && from.tied == to.tied && c == (from.tied ? s : one);
}

void measure_exactly(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  s.decide("function_disagreements", none_of(Part::statement, options.samples), exact,
           [&](std::uint64_t i) {
             const auto at = exact_case(stream, i);
             return function_distance(at, at.done(primitives.of<Rational>()).model) != 0;
           });
  Tally off_on_condition, alike_elsewhere;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto at = exact_case(stream, i);
    const bool kept =
        function_distance(at, at.by(table_alone(at.meant()), primitives.of<Rational>()).model) == 0;
    if (is_on_condition(at.from.model.code, at.to))
      off_on_condition.evaluate([&] { return !kept; });
    else
      alike_elsewhere.evaluate([&] { return kept; });
  }
  s.decide_none("table_alone_disagreements", {}, off_on_condition, Part::belief, exact);
  s.decide_none("table_alone_agreements", {}, alike_elsewhere, Part::necessity, exact);
  s.measure("table_alone_off", {}, alike_elsewhere.misses());
}

/// Whether in(Real(0)) is so in all four formats.
template <class In>
bool in_all_formats(const In& in) {
  return in(0.0) && in(0.0f) && in(binary16(0)) && in(bfloat16(0));
}

constexpr const char* drawn = "draws in binary64, binary32, binary16 and bfloat16";

void measure_bits(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/bits");
  const auto number = [&](std::uint64_t k) {
    return std::ldexp(1 + stream.uniform(2 * k), static_cast<int>(stream.below(13, 2 * k + 1)) - 6);
  };
  s.decide("input_bit_disagreements", none_of(Part::statement, options.samples), drawn,
           [&](std::uint64_t i) {
             return !in_all_formats([&]<class Real>(Real) {
               const auto real = [&](std::uint64_t k) {
                 return static_cast<Real>(number(3 * i + k));
               };
               return input_keeps_its_bits<Real>(real(0), Real(-real(1)), real(2),
                                                 primitives.of<Real>());
             });
           });
  s.decide("tied_bit_disagreements", none_of(Part::statement, options.samples),
           std::string(drawn) + ", m = 2^−3 … 2^7", [&](std::uint64_t i) {
             const double m = std::ldexp(1.0, static_cast<int>(i % 11) - 3), c = number(i);
             const std::size_t n = 1 + i % 64;
             return !in_all_formats([&]<class Real>(Real) {
               return logit_keeps_its_bits(
                   drawn_logit<Real>(stream, i, n, static_cast<Real>(m), static_cast<Real>(c)),
                   primitives.of<Real>());
             });
           });
  s.decide("zero_logits_kept", none_of(Part::statement, options.samples),
           std::string(drawn) + ", m no power of two", [&](std::uint64_t i) {
             // In sizes at which binary16 does not underflow: what is left is 2^−20 of m at least.
             const auto sized = [&](std::uint64_t k, int size) {
               return std::ldexp(1 + stream.uniform(k), size - 3);
             };
             return !in_all_formats([&]<class Real>(Real) {
               const Real m = static_cast<Real>(sized(2 * i, static_cast<int>(i % 11)));
               const Real c = static_cast<Real>(sized(2 * i + 1, static_cast<int>(i % 5)));
               const auto [from, to] = both_logits(cancelling_logit(m, c), primitives.of<Real>());
               return is_power_of_two(static_cast<double>(m)) ||
                      (from == Real(0) && !(to == Real(0)));
             });
           });
}

/// Significands of multipliers in [1, 2), all of them: as they are and as it is stated.
template <class Real, class Judge>
void measure_multipliers(Section& s, const Judge& all_come_back) {
  constexpr std::uint64_t count = std::uint64_t{1} << (FormatTraits<Real>::digits - 1);
  constexpr std::uint64_t blocks = 64, block = count / blocks;
  std::vector<Tally> misjudged(blocks), back(blocks);
  in_parallel(blocks, [&](std::uint64_t b) {
    for (std::uint64_t k = b * block; k < (b + 1) * block; ++k) {
      const Real m = static_cast<Real>(1.0 + static_cast<double>(k) / static_cast<double>(count));
      const bool comes = back[b].evaluate([&] { return all_come_back(m); });
      misjudged[b].evaluate([&] { return comes != brings_all_back(m); });
    }
  });
  Tally wrong, right;
  for (std::uint64_t b = 0; b < blocks; ++b) wrong += misjudged[b], right += back[b];
  const Place at{{"format", FormatTraits<Real>::name}};
  s.measure("multipliers_misjudged", at, wrong, exhaustive, none_of(Part::statement, count));
  s.measure("multipliers_that_come_back", at, right, exhaustive);
  Tally widths, powers;
  for (std::uint64_t d = 1; d <= 16384; ++d) {
    const Real m = root_multiplier<Real>(d);
    widths.evaluate([&] { return brings_all_back(m); });
    powers.evaluate([&] { return is_power_of_two(static_cast<double>(m)); });
  }
  s.measure("widths_that_come_back", Place(at).set("way", "divided entries"), widths, exhaustive);
  s.measure("widths_that_come_back", Place(at).set("way", "tied logits"), powers, exhaustive);
}

void measure_way_back(Section& s) {
  const auto of_all = []<class Real>(const Real& m) {
    return lost_entries(m, primitives.of<Real>()) == 0;
  };
  measure_multipliers<bfloat16>(s, of_all);
  measure_multipliers<binary16>(s, of_all);
  // Where one is lost, it is found; that none is at the other two is proved.
  measure_multipliers<float>(
      s, [](float m) { return m == 1.0f || !lost_entry(m, primitives.of<float>()).has_value(); });
}

constexpr std::array<std::uint64_t, 8> shown_widths{256, 512, 768, 1016, 1024, 2048, 3072, 4096};

/// What a port by fl(√d) does to tied logits, and the way back to entries, in one format.
template <class Real>
void measure_format(Section& s, const Options& options, const Stream& stream, Greatest& worst) {
  constexpr bool is_small = FormatTraits<Real>::digits < 16;
  const std::uint64_t draws = std::max<std::uint64_t>(16, options.samples / 4);
  const auto& of = primitives.of<Real>();
  for (const auto d : points(options.widths, shown_widths)) {
    const Real m = root_multiplier<Real>(d);
    const Place at{{"format", FormatTraits<Real>::name}, {"d_model", d}};
    s.measure("multiplier", at, static_cast<double>(m));
    Tally lost, changed;
    const std::uint64_t entries =
        is_small ? std::uint64_t{1} << (FormatTraits<Real>::digits - 1) : 16 * draws;
    for (std::uint64_t k = 0; k < entries; ++k)
      lost.evaluate([&] {
        const double e = is_small ? double(k) / double(entries) : stream.uniform(k);
        return !comes_back<Real>(static_cast<Real>(1.0 + e), m, of);
      });
    s.measure("entries_lost", at, is_small ? lost.share_of_all() : lost.share(0.999),
              is_small ? exhaustive : "draws of significands");
    for (std::uint64_t i = 0; i < draws; ++i) {
      const auto logit = drawn_logit<Real>(stream, i, 64, m, Real(1));
      changed.evaluate([&] { return !logit_keeps_its_bits(logit, of); });
      worst.evaluate([&] {
        const std::size_t n = 1 + i % 16;
        return share_of_logit_bound(drawn_logit<Real>(stream, i, n, m, Real(1)), of);
      });
    }
    s.measure("logits_changed", at, changed.share(0.999), "drawn logits of 64 channels");
  }
}

void measure_formats(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/formats");
  Greatest worst;
  measure_format<float>(s, options, stream, worst);
  measure_format<binary16>(s, options, stream, worst);
  measure_format<bfloat16>(s, options, stream, worst);
  s.measure("worst_share_of_bound", {}, worst,
            "drawn logits of 1 to 16 channels, m = fl(√d_model), binary32, binary16 and bfloat16",
            at_most(Part::statement, 1, worst.cases()));
}

}  // namespace

void function_is_kept(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_bits(s, options);
  measure_way_back(s);
  measure_formats(s, options);
  const bfloat16 m(55.5), e(1.875);
  s.measure("back_by_hand", {}, static_cast<double>(m * primitives.of<bfloat16>().divided(e, m)),
            "bfloat16");
}

}  // namespace embedscale::porting_analysis
