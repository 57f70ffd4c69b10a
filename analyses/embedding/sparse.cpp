// A look-up as the product of a one-hot vector and a table, and the gradient of the table.
#include "properties/embedding/sparse.hpp"

#include "embedding/sections.hpp"
#include "properties/conventions/scale.hpp"
#include "properties/domain/formats.hpp"

namespace embedscale::embedding_analysis {
namespace {

/// Mean square of what a one-hot input gives, of a table whose rows have the RMS σ exactly.
double lookup_variance(std::size_t vocabulary, double sigma) {
  const auto table = properties::conventions::table_of_rms(sigma, vocabulary, 2);
  std::vector<double> x(vocabulary, 0.0), out(2);
  x[vocabulary / 2] = 1;
  primitives.of<double>().multiply(table, x, out);
  return (out[0] * out[0] + out[1] * out[1]) / 2;
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

}  // namespace

void lookup_has_unit_fan_in(Section& s, const Options& options) {
  s.measure_failures("variance_disagreements", {}, "variance_is_sigma_squared_per_square");
  s.measure_failures("row_disagreements", {}, "one_hot_times_table_is_a_row");
  s.sweep("closed form: σ²·‖x‖², ‖x‖² = V",
          axis("standard_deviation", points(options.deviations, std::array{0.02})),
          axis("vocabulary", points(options.vocabulary, vocabularies)),
          [](double sigma, std::uint64_t v) {
            const auto one =
                Value(lookup_variance(v, sigma)).by("one-hot vector times a table of RMS σ");
            return Values{{"lookup_variance", one},
                          {"dense_variance", sigma * sigma * static_cast<double>(v)}};
          });
}

void gradient_scale(Section& s, const Options& options) {
  s.measure_failures("gradient_disagreements", {}, "is_m_times_the_sum_of_slopes");
  s.measure_worst("worst_share_of_bound", {}, "rounds_within_n_u");
  // Slopes of size 1 and more, and the roots of the widths 4, 9, … 128².
  s.measure("large_gradients_enlarged", {},
            over<Tally>(options.samples,
                        [](std::uint64_t i) {
                          const auto slope = 1.0 + static_cast<double>(i % 63) / 4;
                          const auto root = 2.0 + static_cast<double>(i % 127);
                          return gradient_of_entry<double>({slope}, root, primitives) > slope;
                        }),
            "slopes from 1 to 16.5, roots of 4 to 16384");
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
