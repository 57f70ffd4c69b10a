// What an audit says of the output matrix, and of the first softmax, against other integrals.
#include "configurations.hpp"

#include <numbers>

namespace embedscale::audit {
namespace {

/// ∫ f(x) φ(x) dx by the trapezoidal rule to 12 deviations. Its error for these smooth functions is
/// of the order exp(−2π·a/h) for a strip of width a they are analytic in: below 1e-12.
template <class Function>
double normal_mean(Function f) {
  constexpr double h = 1.0 / 64;
  double sum = 0;
  for (int k = -768; k <= 768; ++k)
    sum += f(h * k) * std::exp(-h * k * h * k / 2) * h / std::sqrt(2 * std::numbers::pi);
  return sum;
}

/// E ln Σ_v exp(s·z_v) = ∫ (e^{−t} − φ(t)^V)/t dt (Frullani), φ(t) = E exp(−t·e^{sz}), with
/// t = e^{−x}. exp(−e^{−x}) stays bounded for |Im x| < π/2, so that the trapezoidal rule is off by
/// the order exp(−π²/h) for a step h in x, and in s·z: 1e-17 and 1e-21. Below, 1e-10 is asked.
double loss(double s, double vocabulary) {
  const double unit = std::max(1.0, s), h = 0.25, to = 8 * unit + 0.5 * std::min(s, 6.0) * s;
  const double width = 0.2 / unit;
  double sum = 0;
  for (double x = -to - 40; x < to + 40; x += h) {
    double below = 0;  // 1 − φ, so that its V-th power is good near 1
    for (double z = -9; z <= 9; z += width)
      below -= std::expm1(-std::exp(s * z - x)) * std::exp(-z * z / 2) * width;
    below = std::min(1.0, below / std::sqrt(2 * std::numbers::pi));  // rounded, it may pass 1
    const double power = std::exp(vocabulary * std::log1p(-below));
    sum += (std::exp(-std::exp(-x)) - power) * h;
  }
  return sum;
}

/// The output of a model of width 16 with an untied normal matrix, so that its logits have this
/// standard deviation.
OutputScales with_logits(double standard_deviation, int vocabulary) {
  return audited(fmt::format("[model]\nd_model = 16\nheads = 1\nvocabulary = {}\n[token]\n"
                             "law = 'normal'\nstandard_deviation = 1\n[position]\nkind = 'none'\n"
                             "[output]\ntied = false\nlaw = 'normal'\nstandard_deviation = {}\n",
                             vocabulary, standard_deviation / 4))
      .scales.output;
}

TEST(initial_loss, of_two_words_is_one_integral) {
  // ln(e^a + e^b) = (a + b)/2 + ln(2 cosh((a − b)/2)), and a − b is normal of deviation s·√2.
  for (const double s : {0.01, 0.3, 1.0, 3.0, 10.0}) {
    const double expected = normal_mean([s](double x) {
      const double half = std::abs(s * x) / std::numbers::sqrt2;
      return half + std::log1p(std::exp(-2 * half));
    });
    EXPECT_NEAR(*with_logits(s, 2).initial_loss.value, expected, 1e-9 * expected) << s;
  }
}

TEST(initial_loss, of_three_words_is_two_integrals) {
  // ln Σ e^{s·z} less its mean over the three depends on two differences only.
  for (const double s : {0.1, 1.0, 4.0}) {
    const double expected = normal_mean([s](double x) {
      return normal_mean([s, x](double y) {
        const double a = s * std::numbers::sqrt2 * x;                         // z₁ − z₂
        const double b = s * (x / std::numbers::sqrt2 + std::sqrt(1.5) * y);  // z₁ − z₃
        return std::log(1 + std::exp(-a) + std::exp(-b));
      });
    });
    EXPECT_NEAR(*with_logits(s, 3).initial_loss.value, expected, 1e-9 * expected) << s;
  }
}

TEST(initial_loss, of_many_words_is_frullanis_integral) {
  for (const double s : {0.01, 1.0, 5.0, 40.0})
    for (const int vocabulary : {2, 1000, 256000}) {
      const double expected = loss(s, vocabulary);
      EXPECT_NEAR(*with_logits(s, vocabulary).initial_loss.value, expected, 1e-10 * expected)
          << s << ", " << vocabulary;
    }
}

TEST(initial_loss, of_zeros_is_the_logarithm_of_the_vocabulary) {
  const OutputScales s = audited(model + "vocabulary = 4096\n" + token + position +
                                 "[output]\ntied = false\nlaw = 'zeros'\n")
                             .scales.output;
  EXPECT_EQ(s.logit_std.value, 0.0);
  // The quadrature says how far it may be off.
  EXPECT_NEAR(*s.initial_loss.value, std::log(4096), s.initial_loss.error + 1e-12);
}

TEST(initial_loss, bounds_its_own_error) {
  for (const double s : {0.01, 1.0, 40.0}) {
    const Quantity q = with_logits(s, 256000).initial_loss;
    EXPECT_EQ(q.method, Method::quadrature);
    EXPECT_GT(q.error, 0);
    EXPECT_LT(q.error, 1e-9 * *q.value) << s;
  }
}

TEST(entropy, of_two_keys_is_one_integral) {
  // w = 1/(1 + e^{−x}) of a difference x of deviation s·√2: H = w·ln(1 + e^{−x}) + w̄·ln(1 + e^x).
  for (const double scale : {0.02, 0.5, 4.0}) {
    const FirstLayer s =
        audited(fmt::format("[model]\nd_model = 4\nheads = 1\npositions = 2\n[token]\n"
                            "law = 'normal'\nstandard_deviation = 1\n[position]\nkind = 'none'\n"
                            "[attention]\nscale = {}\n",
                            scale))
            .scales.first_layer;
    const double deviation = *s.logit_std_over_keys.value;
    const double expected = normal_mean([deviation](double z) {
      const double x = deviation * std::numbers::sqrt2 * z;
      return std::log1p(std::exp(-x)) / (1 + std::exp(-x)) +
             std::log1p(std::exp(x)) / (1 + std::exp(x));
    });
    EXPECT_NEAR(*s.entropy.value, expected, 1e-9 * expected) << scale;
  }
}

TEST(entropy, of_many_keys_is_the_loss_less_what_its_growth_says) {
  // E Σ w·s·z = s·d/ds E ln Σ e^{s·z}, by a central difference: off by s·h²/6 of the third
  // derivative, of order 1, and by 1e-9/h.
  const double s = *scales_of_system("hf_gemma").first_layer.logit_std_over_keys.value, h = 1e-3;
  const double growth = (loss(s + h, 8192) - loss(s - h, 8192)) / (2 * h);
  EXPECT_NEAR(*scales_of_system("hf_gemma").first_layer.entropy.value, loss(s, 8192) - s * growth,
              1e-5);
}

/// m·d·σ²/RMS(x), as the mean of ⟨e, C x⟩ over RMS(C x), by sums over channels.
double own_logit(double m, double sigma, const std::vector<double>& p, bool centred) {
  const auto d = static_cast<double>(p.size());
  double overlap = 0, square = 0;
  for (std::size_t j = 0; j < p.size(); ++j)
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double c = (j == k ? 1 : 0) - (centred ? 1 / d : 0);
      overlap += c * (j == k ? m * sigma * sigma : 0);
      square += c * ((j == k ? m * m * sigma * sigma : 0) + p[j] * p[k]) / d;
    }
  return overlap / std::sqrt(square);
}

TEST(own_logit, is_the_overlap_of_the_token_with_the_state_it_makes) {
  const std::string law = "law = 'normal'\nstandard_deviation = 0.5\nmultiplier = 4";
  // One position, 0: sines are 0 and cosines 1.
  const std::string one = "[model]\nd_model = 6\nheads = 1\npositions = 1\n[token]\n" + law +
                          "\n[position]\nkind = 'sinusoidal'\n";
  const std::vector<double> p = {0, 1, 0, 1, 0, 1};
  for (const bool centred : {true, false}) {
    const std::string kind = centred ? "layer_norm" : "rms_norm";
    const Quantity got =
        audited(one + "[block]\nnorm = 'pre'\nkind = '" + kind + "'\n[output]\nmultiplier = -3\n")
            .scales.output.own_logit;
    expect_within(got, -3 * own_logit(4, 0.5, p, centred), 40);
    EXPECT_EQ(got.method, Method::without_branches);
  }
}

}  // namespace
}  // namespace embedscale::audit
