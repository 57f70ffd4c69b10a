// A concatenation as a sum and a sum as a concatenation: exact samples, and what rounding makes of
// them; and how near to orthogonal a token row and a position are at initialisation.
#include <embedscale/expected/cosine.hpp>

#include "concatenation/sections.hpp"
#include "properties/domain/formats.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using properties::domain::RationalDraws;

/// Channels of padded sums.
struct Zeros {
  Tally not_as_stated, negative, not_kept;

  void operator+=(const Zeros& other) {
    not_as_stated += other.not_as_stated, negative += other.negative, not_kept += other.not_kept;
  }
};

/// A 2k-th of the finite numbers is −0 where zeros have k of 32 shares.
template <class Real>
Zeros padded(std::uint64_t n, std::uint64_t zeros, const Stream& stream) {
  auto mixture = properties::domain::finite_floats;
  mixture.weights[2] = zeros;
  Zeros found;
  for (std::uint64_t i = 0; i < n; ++i)
    for (const auto& channel :
         bits_of_inputs(floats_of<Real>(stream, 8 * i, 4, mixture),
                        floats_of<Real>(stream, 8 * i + 4, 4, mixture), primitives)) {
      found.not_as_stated.evaluate([&] { return !channel.as_stated; });
      found.negative.evaluate([&] { return channel.negative_zero; });
      found.not_kept.evaluate([&] { return channel.negative_zero || !channel.as_stated; });
    }
  return found;
}

template <class Real>
Value worst_share(std::uint64_t n, std::size_t d, const Stream& stream) {
  return over<Greatest>(n, [&](std::uint64_t i) {
    const auto vector = [&](std::uint64_t first) {
      return floats_of<Real>(stream, 96 * i + first, d, near_1());
    };
    return share_of_bound(vector(0), vector(32), vector(64), primitives);
  });
}

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
  s.decide_none("narrow_exceptions", {{"below", first}}, of_those(false), Part::necessity, method);
  s.measure("last_width", {}, static_cast<double>(widths.back()));
}

}  // namespace

void is_a_padded_sum(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const RationalDraws draws(options.seed, s.claim().id, 64);
  s.decide("exact_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const std::size_t d_t = 1 + draws.below(4, i, 60), d_p = 1 + draws.below(4, i, 61);
    return !all_inputs_agree<Rational>({draws.channels(i, 0, d_t), draws.channels(i, 8, d_t)},
                                       {draws.channels(i, 16, d_p), draws.channels(i, 24, d_p)},
                                       primitives);
  });
  constexpr const char* method = "draws of finite numbers of every class";
  properties::domain::for_each_format([&]<class Real>() {
    const Place at{{"format", FormatTraits<Real>::name}};
    Zeros all;
    for (const std::uint64_t zeros : {1, 2, 4, 8, 16}) {  // 2 is the usual share
      const Stream stream(options.seed, std::string(s.claim().id) + "/" + std::to_string(zeros));
      const auto found = padded<Real>(n / 4 + 1, zeros, stream);
      const auto there = Place(at).set("zeros", zeros);
      s.measure("share_of_negative_zeros", there, found.negative.share(0.999), method);
      s.measure("share_not_kept", there, found.not_kept.share(0.999), method);
      all += found;
    }
    s.decide_none("bit_disagreements", at, all.not_as_stated, Part::statement, method);
    s.measure("zeros_that_lose_their_sign", at, all.negative, method);
  });
}

void sum_is_a_tied_concatenation(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const RationalDraws draws(options.seed, s.claim().id, 64);
  const auto vector = [&](std::uint64_t i, std::uint64_t first) {
    return draws.channels(i, first, 1 + draws.below(5, i, 60));
  };
  s.decide("exact_disagreements", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    return !outputs_agree(vector(i, 0), vector(i, 8), vector(i, 16), primitives);
  });
  s.decide("maps_reproduced", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto both = both_outputs(vector(i, 0), vector(i, 8), vector(i, 16), primitives);
    return both.of_sum == both.of_tied;
  });
  const auto [of_sum, of_tied] = both_outputs<Rational>({2}, {1}, {3}, primitives);
  s.measure("by_hand", {{"model", "sum"}}, static_cast<double>(of_sum));
  s.measure("by_hand", {{"model", "tied"}}, static_cast<double>(of_tied));

  const std::vector<std::uint64_t> widths{1, 2, 4, 8, 16, 32};  // 8du <= 1 in bfloat16
  properties::domain::for_each_format([&]<class Real>() {
    s.sweep("draws near 1", {{"format", FormatTraits<Real>::name}}, axis("d", widths),
            [&](std::uint64_t d) {
              const Stream stream(options.seed,
                                  std::string(s.claim().id) + "/" + std::to_string(d));
              return Values{{"worst_share_of_bound", worst_share<Real>(n, d, stream),
                             at_most(Part::statement, 1, n)}};
            });
  });
}

void parts_are_nearly_orthogonal(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  s.decide("exact_disagreements", none_of(Part::statement, options.samples / 4 + 1), exact,
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
