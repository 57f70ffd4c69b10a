// The kinds of check. Their draws are simulated, not the laws of their statistics, at small n;
// where a kind is a bound, under a law that comes near it. Coverage is looked at after each case.
#include "properties/evidence/bounded.hpp"
#include "properties/evidence/coverage.hpp"
#include "properties/evidence/normal.hpp"
#include "properties/evidence/proportion.hpp"
#include "properties/evidence/whole_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "trust.hpp"

namespace embedscale::trust_analysis {
namespace {

using namespace properties::evidence;

/// What is drawn for a kind. `costs`: a replication costs so many usual ones, and there are so many
/// times fewer.
struct Setting {
  std::string drawn;
  std::uint64_t n;
  Declares declares;
  std::vector<double> signs{1.0, -1.0};  ///< of the effects
  std::string of_kind{};                 ///< told apart from other settings of one kind
  std::uint64_t costs = 1;
  std::optional<double> effect{};  ///< the kind's smallest one, where more is known of the law
};

/// `draw` makes the data of n draws with an effect, 0 for the null.
template <StatisticalCheck Kind, class Draw>
Calibration calibrated(const Plan& plan, const Setting& setting, Draw draw) {
  const std::string kind = std::string(Kind::name) + setting.of_kind;
  const auto accepts = [&](const Draws& draws, double signed_effect) {
    return Kind::accepts(draw(draws, setting.n, signed_effect), plan.rates.alpha);
  };
  const double effect =
      setting.effect ? *setting.effect : double(Kind::smallest_effect(setting.n, plan.rates));
  Calibration all{.kind = kind,
                  .drawn = setting.drawn,
                  .draws = setting.n,
                  .declares = setting.declares,
                  .alarms = count(plan.seed, kind, plan.nulls / setting.costs,
                                  [&](const Draws& draws) { return !accepts(draws, 0.0); }),
                  .unit = std::string(Kind::effect),
                  .effect = effect,
                  .misses = {}};
  for (const double sign : setting.signs) {
    const std::string where = sign > 0 ? "up" : "down";
    all.misses.push_back(
        {where, count(plan.seed, kind + ", " + where, plan.alternatives / setting.costs,
                      [&](const Draws& draws) { return accepts(draws, sign * effect); })});
  }
  return all;
}

/// The same where draw i is added to the data by add(data, draws, i, effect).
template <StatisticalCheck Kind, class Add>
Calibration added(const Plan& plan, const Setting& setting, Add add,
                  const typename Kind::Data& none = {}) {
  return calibrated<Kind>(plan, setting, [&](const Draws& draws, std::uint64_t n, double effect) {
    auto data = none;
    for (std::uint64_t i = 0; i < n; ++i) add(data, draws, i, effect);
    return data;
  });
}

/// N(effect, 1).
constexpr auto shifted = [](auto& data, const Draws& draws, std::uint64_t i, double effect) {
  data.add(draws.normal(i) + effect);
};

void add_normal(const Plan& plan, std::vector<Calibration>& all) {
  all.push_back(added<NormalMean>(plan, {"N(0, 1)", 16, Declares::exactly}, shifted));
  all.push_back(added<StudentMean>(plan, {"N(0, 1)", 16, Declares::exactly}, shifted));
  all.push_back(added<BatchMean>(plan, {"N(0, 1)", 64, Declares::at_most}, shifted));
  // Sums of 29 exponential draws: skewness 2/√29 = 0.37, the most that the kind allows for.
  all.push_back(
      added<BatchMean>(plan,
                       {.drawn = "batches of skewness 0.37: sums of 29 exponential draws",
                        .n = 64,
                        .declares = Declares::at_most,
                        .of_kind = ", skewed batches"},
                       [](auto& data, const Draws& draws, std::uint64_t i, double effect) {
                         constexpr double batch = 29;
                         double product = 1;
                         for (std::uint64_t block = 0, left = 29; left > 0; ++block)
                           for (const auto word : draws.block(8 * i + block)) {
                             if (left == 0) break;
                             product *= (static_cast<double>(word >> 12) + 0.5) * 0x1p-52, --left;
                           }
                         data.add((-std::log(product) - batch) / std::sqrt(batch) + effect);
                       }));
  all.push_back(
      added<NormalVariance>(plan, {"N(0, 1)", 64, Declares::exactly},
                            [](auto& data, const Draws& draws, std::uint64_t i, double effect) {
                              data.add(draws.normal(i) * std::max(1 + effect, 0.0));
                            }));
}

void add_bounded(const Plan& plan, std::vector<Calibration>& all) {
  all.push_back(added<SubGaussianMean>(plan, {"N(0, 1)", 16, Declares::at_most}, shifted));
  all.push_back(
      added<BoundedMean>(plan, {"0 or 1, each with probability ½", 64, Declares::at_most},
                         [](auto& data, const Draws& draws, std::uint64_t i, double effect) {
                           data.add(draws.uniform(i) < 0.5 + effect ? 1.0 : 0.0);
                         },
                         {.null = {0.5, 0.5}}));
}

void add_proportions(const Plan& plan, std::vector<Calibration>& all) {
  constexpr std::uint64_t n = 128;
  const auto succeeds = [](auto& data, const Draws& draws, std::uint64_t i, double effect) {
    data.add(draws.uniform(i) < data.p + effect);
  };
  all.push_back(added<Proportion>(plan,
                                  {.drawn = "successes of probability ½",
                                   .n = n,
                                   .declares = Declares::at_most,
                                   .effect = Proportion::smallest_effect(n, plan.rates, 0.5)},
                                  succeeds, {.p = 0.5}));
  all.push_back(
      added<ProportionAtMost>(plan,
                              {.drawn = "successes of probability 0.1",
                               .n = n,
                               .declares = Declares::at_most,
                               .signs = {1.0},
                               .effect = ProportionAtMost::smallest_effect(n, plan.rates, 0.1)},
                              succeeds, {.p = 0.1}));
}

void add_laws(const Plan& plan, std::vector<Calibration>& all) {
  // Two laws on (0, 1) that are δ apart at ½ and nowhere farther: densities 1 ∓ 2δ to its sides.
  const auto bent = [](const Draws& draws, std::uint64_t n, double effect) {
    std::vector<double> x(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const double u = draws.uniform(i), half = 0.5 - effect;
      x[i] = u < half ? 0.5 * u / half : 0.5 + 0.5 * (u - half) / (1 - half);
    }
    return distance_from(x, [](double y) { return y; });
  };
  all.push_back(calibrated<WholeLaw>(plan, {"uniform on (0, 1)", 64, Declares::exactly}, bent));
  all.push_back(calibrated<WholeLaw>(plan,
                                     {"uniform on (0, 1)",
                                      WholeLaw::most_exact + 1,
                                      Declares::at_most,
                                      {1.0, -1.0},
                                      ", above 1000 draws",
                                      10},
                                     bent));
  // Words of 64 − e bits, as the multiples of 2^e; e need not be whole.
  all.push_back(calibrated<DistinctWords>(
      plan, {"words of 64 bits", 64, Declares::at_most, {1.0}},
      [](const Draws& draws, std::uint64_t n, double effect) {
        std::vector<std::uint64_t> words(n);
        const double cell = std::exp2(effect);
        for (std::uint64_t i = 0; i < n; ++i) {
          const auto word = draws.block(i)[0];
          words[i] = effect == 0 ? word : static_cast<std::uint64_t>(real(word) / cell);
        }
        std::ranges::sort(words);
        const auto last = std::unique(words.begin(), words.end());
        return DistinctWords::Data{n, static_cast<std::uint64_t>(last - words.begin())};
      }));
}

/// A class that has its share called insufficient; one that has 9/10 of it called sufficient.
Calibration coverage_of_a_class(const Plan& plan, double required, std::uint64_t looks) {
  constexpr std::uint64_t costs = 10;  // a replication with hundreds of looks
  const std::string kind = "coverage of a class";
  const auto ever = [&](Coverage wrong, double share, double alpha, const Draws& draws) {
    std::uint64_t in_class = 0;
    for (std::uint64_t i = 0; i < looks; ++i) {
      in_class += draws.uniform(i) < share ? 1 : 0;
      if (coverage(in_class, i + 1, required, alpha) == wrong) return true;
    }
    return false;
  };
  const double enough = enough_of_required * required;
  return {.kind = kind,
          .drawn = "cases of which the required share, 0.3, is in the class",
          .draws = looks,
          .declares = Declares::at_most,
          .alarms = count(plan.seed, kind, plan.nulls / costs,
                          [&](const Draws& draws) {
                            return ever(Coverage::insufficient, required, plan.rates.alpha, draws);
                          }),
          .unit = "lack of the share",
          .effect = required - enough,
          .misses = {{"down",
                      count(plan.seed, kind + ", down", plan.alternatives, [&](const Draws& draws) {
                        return ever(Coverage::sufficient, enough, plan.rates.beta, draws);
                      })}}};
}

}  // namespace

std::vector<Calibration> simulated_kinds(const Plan& plan) {
  std::vector<Calibration> all;
  add_normal(plan, all);
  add_bounded(plan, all);
  add_proportions(plan, all);
  add_laws(plan, all);
  all.push_back(coverage_of_a_class(plan, 0.3, 256));
  return all;
}

}  // namespace embedscale::trust_analysis
