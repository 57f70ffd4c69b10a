// A constant in all keys, which cancels over the reals, and what rounding makes of it.
#include "properties/attention/key_constant.hpp"

#include <embedscale/random.hpp>

#include "attention/sections.hpp"

namespace embedscale::attention_analysis {
namespace {

/// n keys of d_k channels.
struct Shape {
  std::uint64_t n, d_k, draws;
};

/// A constant of each size in all keys of a format. Queries are up to 1 and keys up to 4, multiples
/// of `step`; the constant has seven digits.
template <Scalar Real>
void measure_format(Section& s, double step, const Shape& shape, const Options& options) {
  const auto n = shape.n, d_k = shape.d_k, draws = shape.draws;
  const Stream stream(options.seed, s.claim().id);
  std::vector<double> sizes;
  for (int k = -4; k <= 8; ++k) sizes.push_back(std::ldexp(1.0, k));
  Greatest worst;
  s.sweep("draws: the largest change of a weight, mean",
          {{"format", FormatTraits<Real>::name}, {"keys", n}, {"d_k", d_k}},
          axis("constant", sizes), [&](double size) {
            Sum change;
            for (std::uint64_t i = 0; i < draws; ++i) {
              const std::uint64_t first = i * (n + 2) * d_k;
              const auto q = multiples_of(step, d_k, stream, first, 1);
              const auto c =
                  multiples_of(std::max(step, size / 128), d_k, stream, first + d_k, size);
              const auto keys = multiples_of(step, n * d_k, stream, first + 2 * d_k, 4);
              const auto shifted = shifted_keys<Real>(q, keys, c, library<Real>);
              change.evaluate([&] { return shifted.change; });
              worst.evaluate([&] { return shifted.share; });
            }
            return Values{{"weight_change", change.with_error(NormalConfidence::p999)}};
          });
  s.measure("worst_share_of_bound",
            {{"format", FormatTraits<Real>::name}, {"keys", n}, {"d_k", d_k}}, worst,
            "draws at 13 sizes of the constant; the bound is derived");
}

}  // namespace

void key_constant_cancels(Section& s, const Options& options) {
  s.measure_failures("logit_differences_changed", {}, "differences_of_logits_stay");
  s.measure_worst("softmax_error", {}, "softmax_sees_differences_alone");
  for (const auto n : points(options.keys, std::array<std::uint64_t, 1>{16}))
    for (const auto d_k : points(options.head_widths, std::array<std::uint64_t, 1>{64})) {
      const Shape shape{
          n, d_k, std::clamp<std::uint64_t>(200'000 / (n * d_k), 16, (options.samples + 9) / 10)};
      measure_format<float>(s, 0x1p-18, shape, options);
      measure_format<binary16>(s, 0x1p-6, shape, options);
      measure_format<bfloat16>(s, 0x1p-4, shape, options);
    }
  const std::vector<double> constants{0, 5}, keys{1, 2}, q{1};
  s.sweep("the library's logit", axis("constant", constants), axis("key", keys),
          [&](double c, double k) {
            return Values{{"logit_by_hand", library<double>.logit(q, std::vector{k + c}, 1)}};
          });
}

}  // namespace embedscale::attention_analysis
