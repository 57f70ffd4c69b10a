// How near to orthogonal a token row and a position are at initialisation, against the width.
#include "properties/concatenation/cosine.hpp"

#include <embedscale/expected/cosine.hpp>
#include <embedscale/random.hpp>

#include <array>
#include <optional>

#include "concatenation/sections.hpp"
#include "properties/domain/rationals.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;
using properties::domain::Rational;

constexpr std::array<std::uint64_t, 12> own_widths{8,   16,  32,   64,   128,  256,
                                                   512, 768, 1024, 2048, 4096, 16384};
constexpr std::uint64_t widest = 16384;
const Primitives primitives;

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

bool mean_square_is_as_stated(std::uint64_t i, const Stream& stream) {
  const std::size_t d = 1 + stream.below(3, 8 * i);
  Vector<Rational> e, p;
  for (std::size_t j = 0; j < d; ++j) {
    const auto words = stream.block(8 * i + 1 + j);
    e.push_back(Rational(1 + static_cast<int>(words[0] % 6)) * (words[2] % 2 == 0 ? 1 : -1));
    p.push_back(Rational(1 + static_cast<int>(words[1] % 6)) * (words[3] % 2 == 0 ? 1 : -1));
  }
  return mean_square_is_one_over_d(e, p, primitives);
}

/// On both sides of the first width: every one, or those that were told.
void measure_sides(Section& s, std::uint64_t first, const Options& options) {
  std::vector<std::uint64_t> widths = options.widths;
  if (widths.empty())
    for (std::uint64_t d = 2; d <= widest; ++d) widths.push_back(d);
  const auto of_those = [&](bool wide) {
    return over<Tally>(widths.size(), [&](std::uint64_t i) -> std::optional<bool> {
      if ((widths[i] >= first) != wide) return std::nullopt;
      return is_nearly_orthogonal(widths[i]) != wide;
    });
  };
  constexpr const char* method = "closed form, every width";
  s.decide_none("wide_exceptions", {{"from", first}}, of_those(true), Part::belief, method);
  s.decide_none("narrow_exceptions", {{"below", first}}, of_those(false), Part::belief_elsewhere,
                method);
  s.measure("last_width", {}, static_cast<double>(widths.back()));
}

}  // namespace

void parts_are_nearly_orthogonal(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  s.decide("exact_disagreements", none_of(Part::statement, options.samples / 4 + 1),
           "exact rationals",
           [&](std::uint64_t i) { return !mean_square_is_as_stated(i, stream); });
  const std::uint64_t first = first_width();
  s.measure("first_orthogonal_width", {{"cosine", nearly}, {"probability", nearly_always}},
            static_cast<double>(first), "closed form");
  measure_sides(s, first, options);

  constexpr const char* method = "closed form, normal rows";
  const auto widths = points(options.widths, own_widths);
  s.sweep(method, axis("d_model", widths), [&](std::uint64_t d) {
    Values values{
        {"cosine_std", Value(expected::cosine_deviation(d)).by("exact, any symmetric law")}};
    if (d > 1) {
      values.push_back({"cosine_99", expected::cosine_exceeded(d, 1 - nearly_always)});
      values.push_back({"share_within", expected::cosine_within(d, nearly)});
    }
    return values;
  });
  const auto vocabularies = points(options.vocabulary, std::array{paper_vocabulary});
  s.sweep(method, axis("d_model", widths), axis("vocabulary", vocabularies),
          [](std::uint64_t d, std::uint64_t v) {
            return d > 1 ? Values{{"largest_cosine", expected::largest_cosine(d, v)}} : Values{};
          });
}

}  // namespace embedscale::concatenation_analysis
