// What projections can undo of a common factor of the input, and what they cannot.
#include <algorithm>

#include "attention/input.hpp"

namespace embedscale::attention_analysis {
namespace {

const Primitives primitives;
constexpr const char* exact = "exact rationals";

/// Powers of four, their doubles, and widths of models that are neither.
constexpr std::array<std::uint64_t, 22> rounding_widths{
    16,  32,  48,   64,   96,   128,  192,  256,  320,  384,  512,
    640, 768, 1024, 1280, 1536, 2048, 3072, 4096, 5120, 8192, 16384};

/// x_0 + output: what leaves a block whose only branch is this head.
std::vector<Rational> with_residual(const Head<Rational>& head, std::vector<Rational> out) {
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = out[a] + head.x[0][a];
  return out;
}

bool is_zero(const std::vector<Rational>& values) {
  return std::ranges::all_of(values, [](const Rational& v) { return v == 0; });
}

/// A head, weights of its two keys, and a factor, over the rationals.
struct Case {
  Head<Rational> head;
  std::vector<Rational> weights;
  Rational c;
};
Case drawn_case(const RationalDraws& draws, std::uint64_t i) {
  return {rational_head(draws, i), draws.channels(i, 40, 2), draws.positive(i, 42)};
}

/// In how many cases a result stays; and, for sentences, in how many it does not.
void measure_those_that_stay(Section& s, const char* stay, const char* change, const Tally& cases) {
  s.decide_none(stay, {}, cases, Part::belief_elsewhere, exact);
  s.measure(change, {}, Value(static_cast<double>(cases.cases() - cases.hits()), cases));
}

void measure_exactly(Section& s, const Options& options) {
  const RationalDraws draws(options.seed, s.claim().id, 64);
  const auto n = options.samples;
  s.decide("logit_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto [head, weights, c] = drawn_case(draws, i);
    return !logits_are_absorbed<Rational>(head, c, primitives);
  });
  s.decide("output_disagreements", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const auto [head, weights, c] = drawn_case(draws, i);
    return !values_keep_the_factor<Rational>(head, weights, c, primitives);
  });
  Tally outputs, blocks;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto [head, weights, c] = drawn_case(draws, i);
    if (c == 1) continue;
    const auto out = output_of<Rational>(head, weights, primitives);
    const auto undone = absorbed<Rational>(times(head, c), c, primitives);
    const auto all_undone = value_absorbed<Rational>(undone, c, primitives);
    if (!is_zero(out))  // nothing would be left of it either way
      outputs.evaluate([&] { return output_of<Rational>(undone, weights, primitives) == out; });
    if (!is_zero(head.x[0]))
      blocks.evaluate([&] {
        return with_residual(all_undone, output_of<Rational>(all_undone, weights, primitives)) ==
               with_residual(head, out);
      });
  }
  measure_those_that_stay(s, "outputs_that_stay", "outputs_that_change", outputs);
  measure_those_that_stay(s, "block_outputs_that_stay", "block_outputs_that_change", blocks);
}

/// The largest change at each width in one format; adds to the worst share of the bound.
template <Scalar Real>
void measure_format(Section& s, const Options& options, const Stream& stream, Greatest& worst) {
  const std::uint64_t n = std::max<std::uint64_t>(1, options.samples / 16);
  s.sweep("drawn heads, c = √d_model", {{"format", FormatTraits<Real>::name}},
          axis("d_model", points(options.widths, rounding_widths)), [&](std::uint64_t d) {
            const auto c = root_multiplier<Real>(d);
            Greatest largest;
            for (std::uint64_t i = 0; i < n; ++i) {
              const auto head = drawn_head<Real>(stream, i);
              largest.evaluate([&] {
                return largest_change_absorbed<Real>(head, c, unit_roundoff<Real>, primitives);
              });
              worst.evaluate([&] { return absorbed_share_of_bound<Real>(head, c, primitives); });
            }
            return Values{{"largest_change", largest}};
          });
}

void measure_rounding(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/heads");
  decide_bits(s, options, stream, []<class Real>(const Head<Real>& head, Real c) {
    return has_bits_when_absorbed<Real>(head, c, primitives);
  });
  Greatest worst;
  measure_format<double>(s, options, stream, worst);
  measure_format<float>(s, options, stream, worst);
  measure_format<bfloat16>(s, options, stream, worst);
  s.measure("worst_share_of_bound", {}, worst, "drawn heads, c = √d_model",
            at_most(Part::statement, 1, worst.cases()));
}

}  // namespace

void projections_absorb_the_factor(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_rounding(s, options);
}

}  // namespace embedscale::attention_analysis
