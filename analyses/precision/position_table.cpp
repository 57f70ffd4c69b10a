// Position tables of which a step or all are kept in a narrow format, beside one whose entries are
// rounded once.
#include <set>

#include "exhaustive/record.hpp"
#include "precision/sections.hpp"
#include "properties/domain/encoding.hpp"
#include "properties/precision/position_table.hpp"

namespace embedscale::precision_analysis::tables {
namespace {

using namespace properties::precision::position_table;
using properties::precision::rounding_of_an_entry;
using report::Place;

/// What is a number of the format; all else is exact to 53 digits, and entries are rounded last.
enum class Kept { once, frequencies, positions, angles, all };

constexpr const char* name_of(Kept kept) {
  constexpr const char* names[]{"entries alone", "frequencies", "positions", "angles", "all"};
  return names[static_cast<int>(kept)];
}

/// The angles of one width in a format, each beside its error.
template <class Real>
class Angles {
 public:
  Angles(std::size_t d, Kept kept) : kept_(kept) {
    for (std::size_t i = 0; i < d / 2; ++i) {
      const auto w = static_cast<double>(properties::precision::exact_frequency(i, d));
      exact_.push_back(w);
      used_.push_back(kept == Kept::all
                          ? static_cast<double>(primitives_.frequency(i, d, FrequencyRule::paper))
                      : kept == Kept::frequencies ? static_cast<double>(static_cast<Real>(w))
                                                  : w);
    }
  }

  std::size_t pairs() const { return exact_.size(); }
  double angle(std::int64_t p, std::size_t i) const {
    if (kept_ == Kept::all)
      return static_cast<double>(
          primitives_.angle(primitives_.position(p), static_cast<Real>(used_[i])));
    const double position = kept_ == Kept::positions ? static_cast<double>(primitives_.position(p))
                                                     : static_cast<double>(p);
    const double angle = position * used_[i];
    return kept_ == Kept::angles ? static_cast<double>(static_cast<Real>(angle)) : angle;
  }
  /// In radians; infinite where the format ends.  Both angles have 53 digits: 2^−34 at 2^18.
  double error(std::int64_t p, std::size_t i) const {
    return std::abs(angle(p, i) - static_cast<double>(p) * exact_[i]);
  }
  Real sine(double angle) const {
    return kept_ == Kept::all ? primitives_.sine(static_cast<Real>(angle))
                              : static_cast<Real>(std::sin(angle));
  }
  Real cosine(double angle) const {
    return kept_ == Kept::all ? primitives_.cosine(static_cast<Real>(angle))
                              : static_cast<Real>(std::cos(angle));
  }

 private:
  Kept kept_;
  properties::precision::position_table::Operations<Real> primitives_{};
  std::vector<double> exact_, used_;
};

constexpr std::size_t width = 512;
constexpr std::int64_t length = 1 << 17, looked_at = 2048;
constexpr std::array kept{Kept::frequencies, Kept::positions, Kept::angles, Kept::all};

/// The largest error of an angle up to each of these positions, over all channels.
std::vector<double> largest_errors(const std::vector<std::int64_t>& until, auto error_at) {
  std::vector<double> all;
  double worst = 0;
  std::int64_t p = 0;
  for (const auto last : until) {
    for (; p <= last; ++p) worst = std::max(worst, error_at(p));
    all.push_back(worst);
  }
  return all;
}

template <class Real>
double largest_angle_error(const Angles<Real>& angles, std::int64_t p) {
  double worst = 0;
  for (std::size_t i = 0; i < angles.pairs(); ++i) worst = std::max(worst, angles.error(p, i));
  return worst;
}

/// The first positions at which the angle of a channel is off by more than each threshold, each
/// position looked at.
template <class Real>
void first_positions(Section& s, const Angles<Real>& angles, const Place& at) {
  std::int64_t p = 0;
  for (const double threshold : thresholds) {
    while (p < length && !(largest_angle_error(angles, p) > threshold)) ++p;
    if (p < length)
      s.measure("first_position_off", Place(at).set("radians", threshold), static_cast<double>(p),
                "every position and channel");
  }
}

/// Every entry of the first positions: how far the farthest is off, against the entries that are
/// rounded once to binary64, and how many rows there are.
template <class Real>
void entries(Section& s, const Angles<Real>& angles, Kept which, const Place& at) {
  const auto turns = frequencies_in_turns(width, FrequencyRule::paper);
  struct Row {
    Greatest worst, ulps;
    Tally off;
    std::vector<std::uint64_t> bits;
  };
  std::vector<Row> rows(looked_at);
  in_parallel(looked_at, [&](std::uint64_t p) {
    const auto position = static_cast<std::int64_t>(p);
    for (std::size_t i = 0; i < angles.pairs(); ++i) {
      const auto exact = sine_and_cosine(multiple(turns[i], p));
      const double angle = angles.angle(position, i);
      const auto add = [&](Real entry, const Unrounded& right) {
        const Real used = which == Kept::once ? rounded<Real>(right) : entry;
        const double right_one = rounded<double>(right), error = std::abs(double(used) - right_one);
        rows[p].bits.push_back(properties::domain::bits_of(used));
        rows[p].worst.evaluate([&] { return error; });
        rows[p].ulps.evaluate(
            [&] { return error / (2.0 * properties::half_ulp<Real>(right_one)); });
        rows[p].off.evaluate([&] { return error > rounding_of_an_entry<Real>; });
      };
      add(angles.sine(angle), exact.sine);
      add(angles.cosine(angle), exact.cosine);
    }
  });
  Greatest largest, largest_ulps;
  Tally far;
  std::set<std::vector<std::uint64_t>> distinct;
  for (const auto& row : rows) {
    largest += row.worst, largest_ulps += row.ulps, far += row.off;
    distinct.insert(row.bits);
  }
  const Place where = Place(at).set("d_model", width).set("positions", looked_at);
  s.measure("largest_error", where, Value::of_all(largest.value(), largest), "every entry");
  s.measure("largest_error_in_ulps", where, Value::of_all(largest_ulps.value(), largest_ulps),
            "every entry");
  s.measure("distinct_rows", where, Value::of_all(static_cast<double>(distinct.size()), largest),
            "every row");
  if (which != Kept::all) return;
  s.measure("entries_off", where, far, "every entry");
}

/// Of all positions, those that are told apart where every step is in the format: a row depends on
/// the number that the position is rounded to, so that one position for each is looked at.
template <class Real>
void rows_of_a_long_table(Section& s) {
  const Angles<Real> angles(width, Kept::all);
  std::set<std::vector<std::uint64_t>> distinct;
  std::set<std::uint64_t> numbers;
  for (std::int64_t p = 0; p < length; ++p) {
    if (!numbers.insert(properties::domain::bits_of(Real(static_cast<int>(p)))).second) continue;
    std::vector<std::uint64_t> bits;
    for (std::size_t i = 0; i < angles.pairs(); ++i) {
      const double angle = angles.angle(p, i);
      bits.push_back(properties::domain::bits_of(angles.sine(angle)));
      bits.push_back(properties::domain::bits_of(angles.cosine(angle)));
    }
    distinct.insert(std::move(bits));
  }
  const auto rows = over<Tally>(distinct.size(), [](std::uint64_t) { return true; });
  s.measure("distinct_rows",
            {{"format", FormatTraits<Real>::name},
             {"kept", "all"},
             {"d_model", width},
             {"positions", length}},
            rows, "a position for each number that positions are rounded to");
}

template <class Real>
void in_narrow_format(Section& s, const std::vector<std::int64_t>& curve) {
  const char* format = FormatTraits<Real>::name;
  for (const auto which : kept) {
    const Place at{{"format", format}, {"kept", name_of(which)}};
    const Angles<Real> angles(width, which);
    first_positions(s, angles, at);
    entries(s, angles, which, at);
    if (which != Kept::all && which != Kept::frequencies) continue;
    const auto worst =
        largest_errors(curve, [&](std::int64_t p) { return largest_angle_error(angles, p); });
    for (std::size_t k = 0; k < curve.size(); ++k)
      if (worst[k] > 0 && std::isfinite(worst[k]))
        s.measure("error_curve", Place(at).set("position", curve[k]), worst[k], "every position");
  }
  entries(s, Angles<Real>(width, Kept::once), Kept::once,
          {{"format", format}, {"kept", name_of(Kept::once)}});
  rows_of_a_long_table<Real>(s);
  s.measure("one_rounding", {{"format", format}}, rounding_of_an_entry<Real>);
}

/// A case that a thread reports: cosines from binary16 on (EleutherAI/gpt-neox#1003).
void reported_case(Section& s) {
  constexpr std::size_t d = 32;
  const Angles<binary16> angles(d, Kept::all);
  const auto turns = frequencies_in_turns(d, FrequencyRule::paper);
  Greatest worst;
  for (std::int64_t p = 0; p < looked_at; ++p)
    for (std::size_t i = 0; i < angles.pairs(); ++i)
      worst.evaluate([&] {
        const auto exact = sine_and_cosine(multiple(turns[i], static_cast<std::uint64_t>(p)));
        const auto used = static_cast<double>(angles.cosine(angles.angle(p, i)));
        return std::abs(used - rounded<double>(exact.cosine));
      });
  s.measure("largest_error",
            {{"format", "binary16"}, {"kept", "all"}, {"d_model", d}, {"positions", looked_at}},
            Value::of_all(worst.value(), worst).to_digits(4), "every cosine");
}

/// Every entry of three tables, from the record of the exhaustive runs.
void every_entry(Section& s, const exhaustive::Record& record) {
  for (const std::uint64_t d : {64u, 512u, 1024u}) {
    const auto& run = record.of("position_table/" + std::to_string(d));
    properties::domain::for_each_format([&]<class Real>() {
      const std::string format = FormatTraits<Real>::name;
      const auto ulps = run.greatest(format + " once, ulps", "entries");
      s.measure("once_rounded_ulps", {{"format", format}, {"d_model", d}}, ulps,
                exhaustive::method);
    });
  }
  const auto& run = record.of("position_table/" + std::to_string(width));
  for (const std::string format : {"binary32", "binary16", "bfloat16"}) {
    const Place at{{"format", format}, {"kept", "all"}, {"d_model", width}, {"positions", length}};
    s.measure("largest_error", at, run.greatest(format + " error", "entries"), exhaustive::method);
    if (format == "binary32") continue;
    s.measure("entries_off", at, run.count(format + " off", "entries"), exhaustive::method);
    s.measure("no_numbers", at, run.count(format + " no numbers", "entries"), exhaustive::method);
  }
}

}  // namespace

void positions_in_low_precision(Section& s, const Options&) {
  s.measure_worst("worst_share_of_bound", {{"of", "rounded once"}},
                  "once_rounded_is_within_half_an_ulp");
  s.measure_worst("worst_share_of_bound", {{"of", "computed in the format"}},
                  "in_the_format_within_its_bound");
  every_entry(s, exhaustive::Record());

  std::vector<std::int64_t> curve;
  for (int power = 0; power <= 14; ++power) curve.push_back(std::int64_t{1} << power);
  in_narrow_format<binary16>(s, curve);
  in_narrow_format<bfloat16>(s, curve);
  reported_case(s);
}

}  // namespace embedscale::precision_analysis::tables
