// The variance of the first projections, and whether the factor keeps it in a range.
#include "attention/sections.hpp"
#include "properties/evidence/check.hpp"

namespace embedscale::attention_analysis {
namespace {

using Law = Projections::Law;

/// W is (h·d_k, d_model) with h·d_k = d_model.
std::vector<Projections> projection_laws(const Options& options) {
  std::vector<Projections> laws{
      {Law::xavier}, {Law::packed_xavier}, {Law::nn_linear}, {Law::normal_by_width}};
  for (const double sigma : points(options.deviations, std::array{0.02}))
    laws.push_back({Law::normal, sigma});
  return laws;
}

/// Inputs: the parametrisations, and the tokens alone with the factor and without.
std::vector<Parametrisation> inputs(std::uint64_t d) {
  const auto four = parametrisations(d);
  std::vector<Parametrisation> all(four.begin(), four.end());
  all.push_back({"tokens alone, scaled", 1, 0});
  all.push_back({"tokens alone, unscaled", 1 / static_cast<double>(d), 0});
  return all;
}

double variance_at(const Setting& at, const Parametrisation& input) {
  return expected::projection_variance(stated_weight_variance(at), at.shape.d_model, input.all());
}

void measure_variances(Section& s, const Options& options) {
  constexpr const char* method = "closed form, over weights and tokens";
  const auto widths = points(options.widths, few_widths);
  for (const auto& law : projection_laws(options))
    for (const auto d : widths)
      for (const auto& input : inputs(d)) {
        const Place at{{"projection", law.name()}, {"d_model", d}, {"input", input.name}};
        const double variance = variance_at(law.at(d), input);
        s.measure("projection_variance", at, variance, method);
        if (d == said_of(widths, 512) && (law.law == Law::xavier || law.law == Law::nn_linear))
          s.measure("example_variance", at, variance);
      }
  // A head of its own, of eight: fans d_model and d_k.
  constexpr std::uint64_t heads = 8;
  const Projections law{Law::xavier_per_head};
  for (const auto d : widths)
    if (d % heads == 0)
      s.sweep(method, {{"projection", law.name()}, {"d_model", d}, {"heads", heads}},
              axis("input", inputs(d), &Parametrisation::name), [&](const Parametrisation& input) {
                return Values{{"projection_variance", variance_at(law.at(d, d / heads), input)}};
              });
}

/// Deviation of ⟨q, k⟩ before any scale, √d_k·Var, for Xavier projections.
void measure_products(Section& s, const Options& options) {
  const auto widths = points(options.widths, std::array<std::uint64_t, 1>{512});
  const auto head_widths = points(options.head_widths, few_head_widths);
  for (const auto d : widths)
    for (const auto d_k : head_widths)
      for (const auto& input : inputs(d)) {
        const Place at{{"d_model", d}, {"d_k", d_k}, {"input", input.name}};
        const double product = std::sqrt(static_cast<double>(d_k)) *
                               variance_at(projection_laws(options)[0].at(d), input);
        s.measure("dot_product_std", at, product,
                  "closed form, Xavier d_model to d_model, not scaled");
        if (d == said_of(widths, 512) && d_k == said_of(head_widths, 64))
          s.measure("example_product", at, product);
      }
}

/// Squares of (W·x)_a drawn: entries of W, tokens N(0, 1/d)·√d, a sinusoid at a random position.
Sum drawn_squares(const Setting& at, const Stream& stream, std::uint64_t n) {
  const auto width = at.shape.d_model;
  const auto entries = expected::initializer_of(at.law, at.shape, at.weight_sigma);
  const auto w = sinusoidal_frequencies<double>(width, FrequencyRule::paper);
  std::vector<double> p(width);
  std::uint64_t next = 0;
  return over<Sum>(n, [&](std::uint64_t) {
    encode_position<double>(static_cast<std::int64_t>(stream.below(4096, next++)), w,
                            SinusoidalLayout::interleaved, p);
    double y = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const double token = stream.normal(next++);
      y += draw(entries, stream, next++) * (token + p[j]);
    }
    return y * y;
  });
}

void measure_draws(Section& s, const Options& options) {
  for (const auto d : points(options.widths, std::array<std::uint64_t, 2>{64, 512}))
    for (const auto& law : projection_laws(options)) {
      const std::uint64_t n =
          std::clamp<std::uint64_t>((std::uint64_t{1} << 20) / d, 256, options.samples);
      const Stream stream(options.seed,
                          std::string(s.claim().id) + "/" + law.name() + "/" + std::to_string(d));
      const auto at = law.at(d);
      const auto squares = drawn_squares(at, stream, n);
      const double off = std::abs(squares.mean() - variance_at(at, parametrisations(d)[0])) /
                         squares.standard_error();
      s.sweep("draws of weights, tokens and positions",
              {{"projection", law.name()}, {"d_model", d}, {"input", "up"}}, [&] {
                return Values{
                    {"drawn_projection_variance", squares.with_error(NormalConfidence::p9999)},
                    {"standard_errors_off", Value::example(off)}};
              });
    }
}

/// Whether the factor decides at every multiple of 16 up to 2^14.
bool factor_decides_everywhere(const Projections& law, double position) {
  for (std::size_t d = 16; d <= 1 << 14; d += 16)
    if (!factor_decides(law.at(d), position, Primitives{})) return false;
  return true;
}

/// How many of the settings the factor decides, by the variance of their projections: c/d_model
/// where the tokens are alone, and where 1/6 <= c <= 1/3 beside sinusoids; and of the others.
void measure_settings(Section& s, const Options& options) {
  Tally alone, beside_sinusoids, others;
  for (const auto& law : projection_laws(options))
    for (const double position : {0.0, 0.5}) {
      const double c = stated_weight_variance(law.at(1));
      const bool is_fixed = law.law == Law::normal;
      const bool is_small = 1.0 / 6 <= c && c <= 1.0 / 3;
      (is_fixed        ? others
       : position == 0 ? alone
       : is_small      ? beside_sinusoids
                       : others)
          .evaluate([&] { return factor_decides_everywhere(law, position); });
    }
  constexpr const char* method = "closed form at every width";
  const auto kept = [&](const char* added, const char* variance, const Tally& of) {
    s.measure("settings_kept_by_the_factor", {{"added", added}, {"projection variance", variance}},
              of, method);
  };
  kept("nothing", "∝ 1/d_model", alone);
  kept("sinusoids", "1/(6·d_model) to 1/(3·d_model)", beside_sinusoids);
  s.measure("other_settings_kept_by_it", {}, others, method);
}

/// By width.
void measure_variance_curves(Section& s, const Options& options) {
  const auto laws = projection_laws(options);
  struct Curve {
    const char* name;
    std::size_t law, input;
  };
  constexpr Curve curves[] = {{"Xavier, up", 0, 0},        {"Xavier, unscaled", 0, 3},
                              {"Xavier, down", 0, 1},      {"Xavier, tokens alone, unscaled", 0, 5},
                              {"packed Xavier, up", 1, 0}, {"packed Xavier, unscaled", 1, 3},
                              {"nn.Linear, up", 2, 0},     {"nn.Linear, unscaled", 2, 3}};
  const auto widths = axis("d_model", points(options.widths, input_widths));
  s.sweep("", axis("curve", curves, &Curve::name), widths, [&](const Curve& c, std::uint64_t d) {
    return Values{{"variance_curve", variance_at(laws[c.law].at(d), inputs(d)[c.input])}};
  });
  for (const auto& law : laws)
    if (law.law == Law::normal)
      s.sweep("", {{"std", law.sigma}}, widths, [&](std::uint64_t d) {
        return Values{{"variance_of_fixed", variance_at(law.at(d), inputs(d)[0])}};
      });
  s.measure("end_of_range", {{"std", 2}}, 4);
  s.measure("end_of_range", {{"std", 0.5}}, 0.25);
}

}  // namespace

void first_projection_range(Section& s, const Options& options) {
  measure_variances(s, options);
  measure_products(s, options);
  measure_draws(s, options);
  measure_settings(s, options);
  s.measure_failures("moment_disagreements", {}, "mean_square_is_that_of_the_input");
  s.measure_worst("worst_share_of_bound", {}, "variance_is_in_closed_form");
  measure_variance_curves(s, options);
}

}  // namespace embedscale::attention_analysis
