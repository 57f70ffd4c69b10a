// Where the formats overflow, over all their tokens.
#include "precision/overflow.hpp"

#include "cli/options.hpp"
#include "properties/domain/widths.hpp"
#include "properties/precision/claims.hpp"
#include "report/parallel.hpp"

namespace embedscale::precision_analysis {
namespace {

using namespace report;
using namespace properties::precision::overflow;
using properties::Part;

constexpr const char* exhaustive = "exhaustive";

template <class Real>
Real number(std::uint64_t bits) {
  return Real::from_bits(static_cast<typename Real::Bits>(bits));
}

/// All tokens of a format with the extreme positions at one width, by what the statement says.
struct Outcomes {
  Tally overflows_below, numbers_beyond, down_overflows;
  Tally faint_disagreements;  ///< at the other end

  void operator+=(const Outcomes& other) {
    overflows_below += other.overflows_below, numbers_beyond += other.numbers_beyond;
    down_overflows += other.down_overflows, faint_disagreements += other.faint_disagreements;
  }
};

template <class Real>
Outcomes outcomes_at(std::uint64_t d) {
  const Real m = root_multiplier<Real>(d);
  Outcomes all;
  for (std::uint64_t b = 0; b < std::uint64_t{1} << Real::width; ++b) {
    const Real e = number<Real>(b);
    if (!isfinite(e)) continue;
    all.faint_disagreements.evaluate([&] {
      return !down_vanishes_as_stated<Real>(e, m, library<Real>) ||
             !up_takes_nothing_away<Real>(e, m, library<Real>);
    });
    const bool is_below = rounds_to_a_number<Real>(double(m) * double(e));
    for (const Real p : {Real(-1), Real(0), Real(1)}) {
      const bool survives = isfinite(library<Real>.up(e, p, m));
      if (is_below)
        all.overflows_below.evaluate([&] { return !survives; });
      else
        all.numbers_beyond.evaluate([&] { return survives; });
      all.down_overflows.evaluate([&] { return !down_is_a_number<Real>(e, p, m, library<Real>); });
    }
  }
  return all;
}

template <class Real>
void measure_thresholds(Section& s, const std::vector<std::uint64_t>& widths) {
  const Place at = in_format<Real>();
  std::vector<Outcomes> each(widths.size());
  in_parallel(widths.size(), [&](std::uint64_t i) { each[i] = outcomes_at<Real>(widths[i]); });
  Outcomes all;
  for (const auto& one : each) all += one;
  s.decide_none("overflows_below", at, all.overflows_below, Part::belief, exhaustive);
  s.decide_none("numbers_beyond", at, all.numbers_beyond, Part::necessity, exhaustive);
  s.decide_none("down_overflows", at, all.down_overflows, Part::statement, exhaustive);
  s.decide_none("faint_disagreements", at, all.faint_disagreements, Part::statement, exhaustive);

  s.measure("overflows_from", at, overflows_from<Real>(), "closed form");
  if (const auto largest = largest_width<Real>(); largest != 0)
    s.measure("largest_width", at, static_cast<double>(largest), "closed form");
  s.sweep("closed form", at, axis("d_model", widths), [](std::uint64_t d) {
    return Values{{"largest_entry", double(largest_token(root_multiplier<Real>(d)))}};
  });
  constexpr std::size_t many = 4096;  // more than 1/u of any
  s.measure("most_ones", at, sum_of_ones<Real>(many, library<Real>), exhaustive);
  for (const std::size_t n : {64u, 128u})
    s.measure("largest_in_product", Place(at).set("d_k", n),
              double(largest_in_dot<Real>(n, library<Real>)), exhaustive);
}

/// The first token of binary16 that overflows, to be checked by hand.
void measure_example(Section& s, std::uint64_t d) {
  const auto m = root_multiplier<binary16>(d);
  const auto e = number<binary16>(largest_token(m).bits() + std::uint64_t{1});
  if (!isfinite(e)) return;
  const Place at{{"d_model", d}, {"multiplier", double(m)}};
  s.measure("example_entry", at, double(e));
  s.measure("example_product", at, double(m) * double(e));
}

}  // namespace

void overflow_limits(Section& s, const cli::Options& options) {
  const auto widths = cli::points(options.widths, properties::domain::common_widths);
  for_each_small_format([&]<class Real>() { measure_thresholds<Real>(s, widths); });
  for (const auto d : widths) measure_example(s, d);
  measure_range_of_systems(s);
}

}  // namespace embedscale::precision_analysis
