// A concatenation as a sum and a sum as a concatenation, and what rounding makes of them; and how
// near to orthogonal a token row and a position are at initialisation.
#include <embedscale/expected/cosine.hpp>

#include <ranges>

#include "concatenation/sections.hpp"
#include "properties/domain/formats.hpp"

namespace embedscale::concatenation_analysis {
namespace {

/// How many channels are −0 and +0 in a padded sum, of draws of which a 32nd to a half are zeros.
template <class Real>
Tally negative_zeros(std::uint64_t n, const Options& options, const Section& s) {
  Tally all;
  for (const std::uint64_t zeros : {1, 2, 4, 8, 16}) {  // of 32 shares; 2 is the usual one
    auto mixture = properties::domain::finite_floats;
    mixture.weights[2] = zeros;
    const Stream stream(options.seed, std::string(s.claim().id) + "/" + std::to_string(zeros));
    for (std::uint64_t i = 0; i < 2 * n; ++i)
      for (const Real& channel : floats_of<Real>(stream, 4 * i, 4, mixture))
        all.evaluate([&] {
          using properties::domain::bits_of;
          return std::signbit(static_cast<double>(channel)) &&
                 bits_of(embedscale::sum(channel, Real(0))) == bits_of(Real(0));
        });
  }
  return all;
}

template <class Real>
Value worst_share(std::uint64_t n, std::size_t d, const Stream& stream) {
  return over<Greatest>(n, [&](std::uint64_t i) {
    const auto vector = [&](std::uint64_t first) {
      return floats_of<Real>(stream, 96 * i + first, d, near_1());
    };
    return share_of_bound(vector(0), vector(32), vector(64), Primitives{});
  });
}

constexpr std::array<std::uint64_t, 12> cosine_widths{8,   16,  32,   64,   128,  256,
                                                      512, 768, 1024, 2048, 4096, 16384};

/// The first width at which |cos| is nearly 0 nearly always; it stays so, as the probability
/// increases with d.
std::uint64_t first_width() {
  return first_that(2, 16385, [](std::uint64_t d) {
    return expected::cosine_within(d, nearly) >= nearly_always;
  });
}

}  // namespace

void is_a_padded_sum(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "at_every_token_and_position");
  properties::domain::for_each_format([&]<class Real>() {
    const Place at{{"format", FormatTraits<Real>::name}};
    s.measure_failures("bit_disagreements", at, "to_the_bit_in_every_format");
    s.measure("zeros_that_lose_their_sign", at,
              negative_zeros<Real>(options.samples / 4 + 1, options, s),
              "draws of finite numbers of every class");
  });
}

void sum_is_a_tied_concatenation(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "at_any_weights");
  s.measure_passes("maps_reproduced", {}, "at_any_weights");
  const auto [of_sum, of_tied] =
      both_outputs<properties::domain::Rational>({2}, {1}, {3}, Primitives{});
  s.measure("by_hand", {{"model", "sum"}}, static_cast<double>(of_sum));
  s.measure("by_hand", {{"model", "tied"}}, static_cast<double>(of_tied));

  properties::domain::for_each_format([&]<class Real>() {
    for (const std::uint64_t d : {1, 2, 4, 8, 16, 32}) {  // 8du <= 1 in bfloat16
      const Stream stream(options.seed, std::string(s.claim().id) + "/" + std::to_string(d));
      s.measure("worst_share_of_bound", {{"format", FormatTraits<Real>::name}, {"d", d}},
                worst_share<Real>(options.samples, d, stream), "draws near 1")
          .reference = 1;
    }
  });
}

void parts_are_nearly_orthogonal(Section& s, const Options& options) {
  s.measure_failures("exact_disagreements", {}, "mean_square_over_symmetries_is_one_over_d");
  const std::uint64_t first = first_width();
  s.measure("first_orthogonal_width", {{"cosine", nearly}, {"probability", nearly_always}},
            static_cast<double>(first), "closed form");
  s.measure_failures("wide_exceptions", {{"from", first}}, "from_its_first_width_on");
  s.measure_failures("narrow_exceptions", {{"below", first}}, "from_its_first_width_on");

  constexpr const char* method = "closed form, normal rows";
  const auto widths = axis("d_model", points(options.widths, cosine_widths));
  s.sweep(method, widths, [&](std::uint64_t d) {
    Values values{{"cosine_std",
                   Value(expected::cosine_deviation(d)).by("exact, any symmetric distribution")}};
    if (d > 1) {
      values.push_back({"cosine_99", expected::cosine_exceeded(d, 1 - nearly_always)});
      values.push_back({"share_within", expected::cosine_within(d, nearly)});
    }
    return values;
  });
  s.sweep(method, widths,
          axis("vocabulary", points(options.vocabulary, std::array{paper_vocabulary})),
          [](std::uint64_t d, std::uint64_t v) {
            return d > 1 ? Values{{"largest_cosine", expected::largest_cosine(d, v)}} : Values{};
          });
}

}  // namespace embedscale::concatenation_analysis
