// A look-up as the product of a one-hot vector and a table, and the gradient of the table.
#include "properties/embedding/sparse.hpp"

#include <algorithm>
#include <string>

#include "embedding/sections.hpp"
#include "properties/conventions/scale.hpp"
#include "properties/domain/formats.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;

const Primitives primitives;

/// One-hot times table against the row: first, last and middle token, in each format.
Tally rows_that_differ(std::size_t vocabulary, const Stream& stream) {
  Tally differ;
  properties::domain::for_each_format([&]<class Real>() {
    std::vector<Real> values;
    values.reserve(2 * vocabulary);
    for (std::size_t i = 0; i < 2 * vocabulary; ++i)
      values.push_back(static_cast<Real>(2.0 * stream.uniform(i) - 1.0));
    const EmbeddingTable<Real> table(vocabulary, 2, std::move(values));
    for (const std::size_t token : {std::size_t{0}, vocabulary / 2, vocabulary - 1})
      differ.evaluate([&] { return !one_hot_is_row(table, token, primitives.of<Real>()); });
  });
  return differ;
}

/// Mean square of what a one-hot input gives, of a table whose rows have the RMS σ exactly.
double lookup_variance(std::size_t vocabulary, double sigma) {
  const auto table = properties::conventions::table_of_rms(sigma, vocabulary, 2);
  std::vector<double> x(vocabulary, 0.0), out(2);
  x[vocabulary / 2] = 1;
  primitives.of<double>().multiply(table, x, out);
  return (out[0] * out[0] + out[1] * out[1]) / 2;
}

/// Three looked-up tokens of a (3, 2) table, one of its entries, in exact arithmetic.
bool gradient_disagrees(const properties::domain::RationalDraws& draws, const Stream& stream,
                        std::uint64_t i) {
  Batch batch{{}, draws.channels(i, 6, 6), draws.any(i, 12)};
  const auto tokens = stream.below(27, 16 * i + 13);
  for (const std::uint64_t place : {1, 3, 9}) batch.tokens.push_back(tokens / place % 3);
  return !gradient_is_of_the_loss(draws.channels(i, 0, 6), 2, batch, stream.below(6, 16 * i + 14),
                                  draws.positive(i, 15), primitives);
}

/// The gradient of an entry that `times` positions looked up, all of slope 1.
double ratio_of_gradients(double m, std::size_t times) {
  return gradient_of_entry(std::vector<double>(times, 1.0), m, primitives);
}

/// That of the row beside it, which nobody looked up.
double gradient_elsewhere(double m) {
  const std::vector<std::size_t> tokens{0};
  const std::vector<double> slopes{1.0};
  std::vector<double> gradient(2);
  primitives.of<double>().add_look_up_gradient(tokens, slopes, m, 1, gradient);
  return gradient[1];
}

template <Scalar Real>
Greatest worst_rounding(const Options& options, const Stream& stream) {
  return over<Greatest>(options.samples, [&](std::uint64_t i) {
    std::vector<Real> slopes;
    for (std::uint64_t k = 0; k < 1 + i % 32; ++k)
      slopes.push_back(static_cast<Real>(2.0 * stream.uniform(32 * i + k) - 1.0));
    return gradient_share_of_bound(slopes, root_multiplier<Real>(1 + i % 16384),
                                   primitives.of<Real>());
  });
}

}  // namespace

void lookup_has_unit_fan_in(Section& s, const Options& options) {
  const auto draws = exact_draws(options, s);
  s.decide("variance_disagreements", none_of(Part::statement, options.samples), exact,
           [&](std::uint64_t i) {
             auto x = draws.channels(i, 0, 4);
             if (i % 2 == 0)
               for (std::size_t v = 0; v < x.size(); ++v) x[v] = v == i / 2 % 4 ? 1 : 0;
             return !variance_is_of_the_input(x, draws.positive(i, 4), primitives);
           });
  const auto sizes = vocabularies(options);
  Tally differ;
  for (const auto v : sizes)
    differ += rows_that_differ(
        v, Stream(options.seed, std::string(s.claim().id) + "/" + std::to_string(v)));
  s.measure("row_disagreements", {}, differ,
            "one-hot vector times table against the row, four formats",
            none_of(Part::belief, 12 * sizes.size()));
  s.sweep("closed form: σ²·‖x‖², ‖x‖² = V",
          axis("standard_deviation", points(options.deviations, std::array{0.02})),
          axis("vocabulary", sizes), [](double sigma, std::uint64_t v) {
            const auto one =
                Value(lookup_variance(v, sigma)).by("one-hot vector times a table of RMS σ");
            return Values{{"lookup_variance", one},
                          {"dense_variance", sigma * sigma * static_cast<double>(v)}};
          });
}

void gradient_scale(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const auto draws = exact_draws(options, s);
  const Stream whole(options.seed, s.claim().id);  // of their stream, numbers that are no fractions
  s.decide("gradient_disagreements", none_of(Part::statement, n), exact,
           [&](std::uint64_t i) { return gradient_disagrees(draws, whole, i); });
  // Slopes of size 1 and more, and the roots of the widths 4, 9, … 128².
  s.decide("large_gradients_enlarged", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    const Rational slope = 1 + draws.positive(i, 0);
    const Rational root(2 + whole.below(127, 16 * i + 1));
    return gradient_of_entry<Rational>({slope}, root, primitives) > slope;
  });
  const Stream stream(options.seed, std::string(s.claim().id) + "/slopes");
  auto worst = worst_rounding<float>(options, stream);
  worst += worst_rounding<binary16>(options, stream);
  worst += worst_rounding<bfloat16>(options, stream);
  s.measure("worst_share_of_bound", {}, worst, "sums of up to 32 slopes, three formats",
            at_most(Part::statement, 1, 3 * n));

  const auto widths = axis("d_model", points(options.widths, shown_widths));
  s.sweep("gradient of equal slopes 1", widths, axis("occurrences", std::array{1u, 2u, 16u}),
          [](std::uint64_t d, std::size_t times) {
            const auto m = root_multiplier<double>(d);
            return Values{{"gradient_ratio", ratio_of_gradients(m, times)}};
          });
  s.sweep("", widths, [](std::uint64_t d) {
    return Values{{"gradient_elsewhere", gradient_elsewhere(root_multiplier<double>(d))},
                  {"gradient_without", ratio_of_gradients(1.0, 1)}};
  });
  s.measure("gradient_at_512", {}, ratio_of_gradients(root_multiplier<double>(512), 1));
  const auto by_hand = gradient_of_entry<Rational>({1}, 2, primitives);
  s.measure("by_hand", {{"d_model", 4}}, static_cast<double>(by_hand));
}

}  // namespace embedscale::embedding_analysis
