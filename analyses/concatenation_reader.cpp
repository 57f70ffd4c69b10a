// Which token is it, from x alone? Error rates of readers who know more or less of the position,
// and see more or fewer of the channels.
#include <fmt/format.h>
#include <embedscale/properties/concatenation_reader.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>

#include "concatenation.hpp"
#include "concatenation_readers.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;

const Library library;

/// Three rows that share channels, a position; some are no rows of their own.
struct Sample {
  EmbeddingTable<Rational> table;
  Vector<Rational> p;
  std::size_t token;
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

void measure_exactly(const cli::Options& options, report::Section& section) {
  const std::uint64_t n = options.samples;
  const Stream stream(options.seed, section.claim().id);
  std::uint64_t distinct = 0;
  double with_position = 0, without = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto [table, p, token] = sample(stream, i);
    bool own = true;
    for (std::size_t v = 0; v < 3; ++v)
      own = own && (v == token || !std::ranges::equal(table.row(v), table.row(token)));
    if (own) {
      ++distinct;
      with_position += reads_with_position(table, token, p, library) ? 0 : 1;
    }
    without += errs_as_stated(table, token, p, library) ? 0 : 1;
  }
  section.measure_none("exact_misreadings", {{"reader", "knows the position"}}, with_position,
                       distinct, Part::statement, "exact rationals");
  section.measure_none("exact_misreadings", {{"reader", "does not: not as stated"}}, without, n,
                       Part::statement, "exact rationals");
  section.text("distinct", report::count(distinct));
  section.text("misreadings", report::significant(with_position, 3));
}

template <class Real>
void measure_rounded(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed,
                      fmt::format("{}/{}", section.claim().id, FormatTraits<Real>::name));
  const auto entry = [&](std::uint64_t k) { return Real(4 * stream.uniform(k) - 2); };
  std::uint64_t met = 0;
  double misread = 0;
  for (std::uint64_t i = 0; i < options.samples / 8 + 1; ++i) {
    const double apart = std::exp2(-static_cast<double>(stream.below(24, 16 * i)));
    Vector<Real> rows, p;
    for (std::uint64_t j = 0; j < 2; ++j) rows.push_back(entry(16 * i + 1 + j));
    for (std::uint64_t j = 0; j < 2; ++j)
      rows.push_back(
          Real(static_cast<double>(rows[j]) + apart * (2 * stream.uniform(16 * i + 3 + j) - 1)));
    for (std::uint64_t j = 0; j < 2; ++j) p.push_back(entry(16 * i + 5 + j));
    const auto read = reads_rounded(EmbeddingTable<Real>(2, 2, rows), 0, p, library);
    met += read.condition ? 1 : 0;
    misread += read.condition && !read.right ? 1 : 0;
  }
  section.measure_none("misread_within_condition", {{"format", FormatTraits<Real>::name}}, misread,
                       met, Part::statement, "draws, read in exact rationals");
}

}  // namespace

report::Section first_channels_unusable(const cli::Options& options) {
  report::Section section(properties::concatenation::first_channels_unusable);
  measure_exactly(options, section);
  measure_rounded<float>(options, section);
  measure_rounded<binary16>(options, section);
  measure_rounded<bfloat16>(options, section);
  section.counterexample(
      "two words whose first channels are 1 and 2, at a position that adds sin 1 = 0.8415: x is "
      "1.8415 or 2.8415, which less 0.8415 is 1 or 2");
  measure_all_channels(options, section);
  measure_first_channels(options, section);
  return section;
}

}  // namespace embedscale::concatenation_analysis
