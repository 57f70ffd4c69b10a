// Which token is it, from x alone? Readers who know the position and who do not, exactly and from
// rounded sums.
#include "properties/concatenation/reader.hpp"

#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "concatenation/sections.hpp"
#include "properties/domain/rationals.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;

const Primitives primitives;

/// Three rows that share channels, a position; some are no rows of their own.
struct Sample {
  EmbeddingTable<Rational> table;
  Vector<Rational> p;
  std::size_t token;

  bool is_distinct() const {
    for (std::size_t v = 0; v < 3; ++v)
      if (v != token && std::ranges::equal(table.row(v), table.row(token))) return false;
    return true;
  }
};
Sample sample(const Stream& stream, std::uint64_t i) {
  const std::uint64_t first = 32 * i;
  const std::size_t d = 1 + stream.below(3, first);
  const auto channel = [&](std::uint64_t k) {
    return properties::domain::rational(stream, first + 2 + k);
  };
  Vector<Rational> rows, p;
  for (std::uint64_t v = 0; v < 3; ++v)
    for (std::uint64_t j = 0; j < d; ++j) {
      const bool shared = v > 0 && stream.bits(first + 20 + 3 * v + j) % 2 == 0;
      rows.push_back(channel(shared ? j : 3 * v + j));
    }
  for (std::uint64_t j = 0; j < d; ++j) p.push_back(channel(9 + j));
  return {{3, d, rows}, p, stream.below(3, first + 1)};
}

void measure_exactly(Section& s, const Options& options) {
  constexpr const char* method = "exact rationals";
  const Stream stream(options.seed, s.claim().id);
  const auto misread = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto of = sample(stream, i);
    if (!of.is_distinct()) return std::nullopt;
    return !reads_with_position(of.table, of.token, of.p, primitives);
  });
  s.decide_none("exact_misreadings", {{"reader", "knows the position"}}, misread, Part::statement,
                method);
  const auto others = over<Tally>(options.samples, [&](std::uint64_t i) {
    const auto of = sample(stream, i);
    return !errs_as_stated(of.table, of.token, of.p, primitives);
  });
  s.decide_none("exact_misreadings", {{"reader", "does not: not as stated"}}, others,
                Part::statement, method);
}

/// Two rows that are near each other, and a position.
template <class Real>
RoundedReading rounded_reading(std::uint64_t i, const Stream& stream) {
  const auto entry = [&](std::uint64_t k) { return Real(4 * stream.uniform(k) - 2); };
  const double apart = std::exp2(-static_cast<double>(stream.below(24, 16 * i)));
  Vector<Real> rows, p;
  for (std::uint64_t j = 0; j < 2; ++j) rows.push_back(entry(16 * i + 1 + j));
  for (std::uint64_t j = 0; j < 2; ++j)
    rows.push_back(
        Real(static_cast<double>(rows[j]) + apart * (2 * stream.uniform(16 * i + 3 + j) - 1)));
  for (std::uint64_t j = 0; j < 2; ++j) p.push_back(entry(16 * i + 5 + j));
  return reads_rounded(EmbeddingTable<Real>(2, 2, rows), 0, p, primitives);
}

template <class Real>
void measure_rounded(Section& s, const Options& options) {
  const std::string format = FormatTraits<Real>::name;
  const Stream stream(options.seed, std::string(s.claim().id) + "/" + format);
  const auto misread =
      over<Tally>(options.samples / 8 + 1, [&](std::uint64_t i) -> std::optional<bool> {
        const auto read = rounded_reading<Real>(i, stream);
        return read.condition ? std::optional(!read.right) : std::nullopt;
      });
  s.decide_none("misread_within_condition", {{"format", format}}, misread, Part::statement,
                "draws, read in exact rationals");
}

}  // namespace

void first_channels_unusable(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_rounded<float>(s, options);
  measure_rounded<binary16>(s, options);
  measure_rounded<bfloat16>(s, options);
  const double p = std::sin(1.0);
  s.measure("by_hand", {{"what", "p"}}, p);
  s.sweep("", axis("t", std::vector{1, 2}), [p](int t) {
    const double x = library<double>.sum(t, p);
    return Values{{"by_hand_x", x}, {"by_hand_read", library<double>.without(x, p)}};
  });
  measure_all_channels(s, options);
  measure_first_channels(s, options);
}

}  // namespace embedscale::concatenation_analysis
