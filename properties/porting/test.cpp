// The gradients of the models that are ported, by differences in 50 digits; what ports do by hand,
// and what keeps them from being made.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "claims.hpp"
#include "clipped.hpp"
#include "trials.hpp"

namespace embedscale::properties::porting {
namespace {

Wide loss_of(const Model<Wide>& model) {
  const auto z = model.activations().logits;
  const std::size_t words = z.size() / model.task.tokens.size();
  Wide sum = 0;
  for (std::size_t at = 0; at < z.size(); at += words) {
    Wide exponentials = 0;
    for (std::size_t k = at; k < at + words; ++k) {
      const Wide r = z[k] - model.task.targets[k], square = r * r;
      exponentials += exp(z[k]);
      if (model.task.loss == Loss::bounded) sum += square / (2 * (1 + square));
      if (model.task.loss == Loss::quadratic) sum += square / 2;
    }
    if (model.task.loss == Loss::cross_entropy)
      sum += log(exponentials) - z[at + at / words % words];
  }
  return sum;
}

Port<Wide> numbered(std::uint64_t i) {
  const Stream stream(0, "gradients");
  const auto below = [&](std::uint64_t n, std::uint64_t k) { return stream.below(n, 8 * i + k); };
  return drawn_port<Wide>({.from = below(all_conventions, 0),
                           .to = below(all_conventions, 1),
                           .place = 0,
                           .body = i % all_bodies,
                           .rule = 2,
                           .draw = i,
                           .earlier = 1},
                          Multipliers::any);
}

// Central differences with h = 10^−15 of a loss that is smooth there: h² times a third derivative
// below 10^6 or so, and 10^−50/h of rounding.
TEST(porting_model, gradients_are_quotients_of_differences) {
  const Wide h(1e-15);
  for (std::uint64_t i = 0; i < 2 * all_bodies; ++i) {
    const auto model = numbered(i).from.model;
    const auto slopes = model.gradients();
    for (const auto of : all_parameters) {
      ASSERT_EQ(slopes[of].size(), model.parameters[of].size());
      for (std::size_t k = 0; k < slopes[of].size(); ++k) {
        auto above = model, below = model;
        above.parameters[of][k] += h, below.parameters[of][k] -= h;
        const Wide quotient = (loss_of(above) - loss_of(below)) / (2 * h);
        ASSERT_LT(abs(quotient - slopes[of][k]), Wide(1e-20)) << i << ' ' << k;
      }
    }
  }
}

// Two words of two channels, one token: x = 3·(1, 2) + 2·(1, 0), h = (2, 4)·x + (1, 1),
// z = h·E^T/2.
TEST(porting_model, logits_by_hand) {
  Model<Rational> model;
  model.code = {.multiplier = 3, .position_multiplier = 2, .logit_factor = Rational(1) / 2};
  model.code.positions = {.source = PositionVectors::Source::learned, .first = 1};
  model.task = {{.d = 2, .targets = {0, 0}}, {0}};
  model.parameters.all = {{{1, 2, 0, 1}, {7, 7, 1, 0}, {2, 4}, {1, 1}, {}}};
  const auto at = model.activations();
  EXPECT_EQ(at.stream.back(), (std::vector<Rational>{5, 6}));
  EXPECT_EQ(at.hidden, (std::vector<Rational>{11, 25}));
  EXPECT_EQ(at.logits, (std::vector<Rational>{Rational(61) / 2, Rational(25) / 2}));
  // As 1 + w of the same gain, without the multiplier, the factor in the norm.
  const auto from = Checkpoint<Rational>{model, {}, {}};
  Convention<Rational> to{.gain = Gain::one_plus};
  to.positions = {.source = PositionVectors::Source::learned};
  auto begun = from;
  begun.begin();
  const auto ported =
      begun.ported(to, recipe<Rational>(model.code, to), library<Rational>).model.parameters;
  EXPECT_EQ(ported[Parameter::token_table], (std::vector<Rational>{3, 6, 0, 3}));
  EXPECT_EQ(ported[Parameter::position_table], (std::vector<Rational>{2, 0}));
  const Rational f = Rational(1) / 6;
  EXPECT_EQ(ported[Parameter::gain], (std::vector<Rational>{2 * f - 1, 4 * f - 1}));
  EXPECT_EQ(ported[Parameter::bias], (std::vector<Rational>{f, f}));
}

// Neither code may multiply by 0: what divides by it has no function to keep.
TEST(recipe, refuses_a_factor_of_0_of_either_code) {
  const Convention<double> plain;
  for (const auto& zero :
       {Convention<double>{.multiplier = 0}, Convention<double>{.position_multiplier = 0},
        Convention<double>{.logit_factor = 0}}) {
    EXPECT_THROW(recipe(zero, plain), std::invalid_argument);
    EXPECT_THROW(recipe(plain, zero), std::invalid_argument);
  }
}

// Where nothing but positions is multiplied. Those that FROM trains have gradients, of which a norm
// over all is made, wherever TO has them from; of those that it computes there are none.
TEST(recipe, tells_of_global_clipping_where_what_is_multiplied_trains) {
  using Source = PositionVectors::Source;
  const auto obstacles = [](Source had, Source has, double k) {
    const Convention<double> from{.position_multiplier = k, .positions = {.source = had}},
        to{.positions = {.source = has}};
    return recipe(from, to).obstacles;
  };
  using Obstacles = std::vector<Obstacle>;
  EXPECT_EQ(obstacles(Source::learned, Source::learned, 2), Obstacles{Obstacle::global_clipping});
  EXPECT_EQ(obstacles(Source::learned, Source::sinusoids, 2), Obstacles{Obstacle::global_clipping});
  EXPECT_EQ(obstacles(Source::learned, Source::sinusoids, 1), Obstacles{});
  EXPECT_EQ(obstacles(Source::sinusoids, Source::learned, 2), Obstacles{});
  EXPECT_EQ(obstacles(Source::sinusoids, Source::sinusoids, 2), Obstacles{});
}

/// Both conventions, and what stands between the functions of their models.
struct Hindered {
  Convention<double> from, to;
  std::vector<Obstacle> by;
};

TEST(porting_recipe, names_what_keeps_the_function_from_being_kept) {
  constexpr PositionVectors sinusoids{PositionVectors::Source::sinusoids};
  const auto bare = Convention<double>{.gain = Gain::none, .bias = false, .can_untie = false};
  auto times_8 = bare;
  times_8.multiplier = 8;
  for (const auto& [from, to, by] : std::vector<Hindered>{
           {{}, {}, {}},
           {{.tied = false}, {.tied = false}, {}},
           {{.tied = false}, {.tied = true}, {Obstacle::output_must_be_the_table}},
           {{.positions = sinusoids}, {}, {Obstacle::positions_differ}},
           {{}, {.positions = sinusoids}, {Obstacle::positions_differ}},
           {{}, {.gain = Gain::none}, {Obstacle::gain_is_missing}},
           {{}, {.bias = false}, {Obstacle::bias_is_missing}},
           {{.gain = Gain::none, .bias = false}, {}, {}},
           {times_8, bare, {Obstacle::factor_has_no_place}}}) {
    auto found = recipe(from, to);
    EXPECT_EQ(found.keeps_function(), by.empty());
    std::erase_if(found.obstacles, only_in_training);
    EXPECT_EQ(found.obstacles, by);
  }
}

/// The norm of the parts' norms; the quotients as products with a reciprocal.
template <class Real>
void change_to_reciprocals(Primitives& own) {
  own.of<Real>().clipping_factor =
      +[](std::span<const GradientPart<Real>> parts, const Real& most) {
        using std::sqrt;
        Real sum(0);
        for (const auto& part : parts) {
          Real squares(0);
          for (const Real& g : part.gradient) {
            const Real square = g * g;
            squares = squares + square;
          }
          const Real norm = part.weight * Real(sqrt(squares)), square = norm * norm;
          sum = sum + square;
        }
        const Real inverse = Real(1) / Real(sqrt(sum)), factor = most * inverse;
        return factor < Real(1) ? factor : Real(1);
      };
  own.of<Real>().divided = +[](const Real& e, const Real& m) {
    const Real inverse = Real(1) / m;
    return Real(e * inverse);
  };
}

TEST(porting_clipping, leaves_gradients_of_0_as_they_are) {
  const std::vector<double> zeros(3);
  const std::vector<GradientPart<double>> parts{{zeros}};
  EXPECT_EQ(clipping_factor<double>(parts, 0.0), 1.0);
}

// What is right and not the library's passes, over the property's own draws.
TEST(porting_clipping, honest_implementations_pass) {
  Primitives own;
  change_to_reciprocals<Wide>(own);
  change_to_reciprocals<double>(own);
  change_to_reciprocals<float>(own);
  change_to_reciprocals<binary16>(own);
  change_to_reciprocals<bfloat16>(own);
  expect_holds(own, clipping_properties, clipping_is_by_the_weighted_norm);
}

}  // namespace
}  // namespace embedscale::properties::porting
