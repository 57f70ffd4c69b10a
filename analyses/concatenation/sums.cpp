// A concatenation as a sum and a sum as a concatenation: exact samples, and what rounding makes of
// them.
#include "properties/concatenation/sums.hpp"

#include <embedscale/random.hpp>

#include "concatenation/sections.hpp"
#include "properties/domain/floats.hpp"
#include "properties/domain/formats.hpp"
#include "properties/domain/rationals.hpp"

namespace embedscale::concatenation_analysis {
namespace {

using namespace properties::concatenation;
using properties::Part;
using properties::domain::Mixture;
using properties::domain::Rational;

constexpr const char* exact = "exact rationals";
const Primitives primitives;

/// Vectors of case i, from 64 rationals that are its own.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Vector<Rational> vector(std::uint64_t i, std::uint64_t first, std::size_t size) const {
    Vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j)
      out.push_back(properties::domain::rational(stream_, 64 * i + first + j));
    return out;
  }
  std::size_t size(std::uint64_t i, std::uint64_t place, std::uint64_t most) const {
    return 1 + stream_.below(most, 64 * i + place);
  }

 private:
  Stream stream_;
};

template <class Real>
Vector<Real> floats(const Stream& stream, std::uint64_t first, std::size_t size,
                    const Mixture& mixture) {
  Vector<Real> out;
  for (std::size_t j = 0; j < size; ++j)
    out.push_back(properties::domain::any_float<Real>(stream, first + j, mixture));
  return out;
}

/// Entries near 1, a sixteenth of them 0.
Mixture near_1() {
  Mixture mixture{{30, 0, 2, 0, 0}};
  mixture.lowest = -3, mixture.highest = 3;
  return mixture;
}

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
  Mixture mixture = properties::domain::finite_floats;
  mixture.weights[2] = zeros;
  Zeros found;
  for (std::uint64_t i = 0; i < n; ++i)
    for (const auto& channel :
         bits_of_inputs(floats<Real>(stream, 8 * i, 4, mixture),
                        floats<Real>(stream, 8 * i + 4, 4, mixture), primitives)) {
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
      return floats<Real>(stream, 96 * i + first, d, near_1());
    };
    return share_of_bound(vector(0), vector(32), vector(64), primitives);
  });
}

}  // namespace

void is_a_padded_sum(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, s.claim().id);
  s.decide("exact_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto d_t = draws.size(i, 60, 4), d_p = draws.size(i, 61, 4);
    return !all_inputs_agree<Rational>({draws.vector(i, 0, d_t), draws.vector(i, 8, d_t)},
                                       {draws.vector(i, 16, d_p), draws.vector(i, 24, d_p)},
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
      s.measure("share_of_negative_zeros", there, found.negative.share(), method);
      s.measure("share_not_kept", there, found.not_kept.share(), method);
      all += found;
    }
    s.decide_none("bit_disagreements", at, all.not_as_stated, Part::statement, method);
    s.measure("zeros_that_lose_their_sign", at, all.negative, method);
  });
}

void sum_is_a_tied_concatenation(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const Draws draws(options.seed, s.claim().id);
  const auto vector = [&](std::uint64_t i, std::uint64_t first) {
    return draws.vector(i, first, draws.size(i, 60, 5));
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

}  // namespace embedscale::concatenation_analysis
