// The kinds of check. Their draws are simulated, not the laws of their statistics, at small n;
// where a kind is a bound, under a law that comes near it. Coverage is looked at after each case.
#include "properties/evidence/bounded.hpp"
#include "properties/evidence/coverage.hpp"
#include "properties/evidence/normal.hpp"
#include "properties/evidence/power_law.hpp"
#include "properties/evidence/proportion.hpp"
#include "properties/evidence/two_samples.hpp"
#include "properties/evidence/whole_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
};

/// `draw` makes the data of n draws with an effect, 0 for the null.
template <StatisticalCheck Kind, class Draw>
Calibration calibrated(const Plan& plan, const Setting& setting, double effect, Draw draw) {
  const std::string kind = std::string(Kind::name) + setting.of_kind;
  const auto accepts = [&](const Draws& draws, double signed_effect) {
    return Kind::accepts(draw(draws, setting.n, signed_effect), plan.rates.alpha);
  };
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
template <StatisticalCheck Kind, class Draw>
Calibration calibrated(const Plan& plan, const Setting& setting, Draw draw) {
  return calibrated<Kind>(plan, setting, Kind::smallest_effect(setting.n, plan.rates), draw);
}

/// Data of n additions of one(draws, i).
template <class Data, class One>
Data sum(Data data, const Draws& draws, std::uint64_t n, One one) {
  for (std::uint64_t i = 0; i < n; ++i) data.add(one(draws, i));
  return data;
}

template <StatisticalCheck Kind>
Calibration shifted_normal(const Plan& plan, const std::string& drawn, std::uint64_t n,
                           Declares declares) {
  return calibrated<Kind>(
      plan, {drawn, n, declares}, [](const Draws& draws, std::uint64_t m, double effect) {
        return sum(typename Kind::Data{}, draws, m,
                   [&](const Draws& z, std::uint64_t i) { return z.normal(i) + effect; });
      });
}

void add_normal(const Plan& plan, std::vector<Calibration>& all) {
  all.push_back(shifted_normal<NormalMean>(plan, "N(0, 1)", 16, Declares::exactly));
  all.push_back(shifted_normal<StudentMean>(plan, "N(0, 1)", 16, Declares::exactly));
  all.push_back(shifted_normal<BatchMean>(plan, "N(0, 1)", 64, Declares::at_most));
  // Sums of 29 exponential draws: skewness 2/√29 = 0.37, the most that the kind allows for.
  all.push_back(calibrated<BatchMean>(
      plan,
      {"batches of skewness 0.37: sums of 29 exponential draws",
       64,
       Declares::at_most,
       {1.0, -1.0},
       ", skewed batches"},
      [](const Draws& draws, std::uint64_t n, double effect) {
        constexpr double batch = 29;
        BatchMean::Data data;
        for (std::uint64_t i = 0; i < n; ++i) {
          double product = 1;
          for (std::uint64_t block = 0, left = 29; left > 0; ++block)
            for (const auto word : draws.block(8 * i + block)) {
              if (left == 0) break;
              product *= (static_cast<double>(word >> 12) + 0.5) * 0x1p-52, --left;
            }
          data.add((-std::log(product) - batch) / std::sqrt(batch) + effect);
        }
        return data;
      }));
  all.push_back(calibrated<NormalVariance>(plan, {"N(0, 1)", 64, Declares::exactly},
                                           [](const Draws& draws, std::uint64_t n, double effect) {
                                             const double sigma = std::max(1 + effect, 0.0);
                                             return sum(NormalVariance::Data{}, draws, n,
                                                        [&](const Draws& z, std::uint64_t i) {
                                                          return z.normal(i) * sigma;
                                                        });
                                           }));
}

template <class Data, class One>
Data pairs(Data data, const Draws& draws, std::uint64_t n, One second) {
  for (std::uint64_t i = 0; i < n; ++i) data.add(second(2 * i), draws.normal(2 * i + 1));
  return data;
}

void add_two_samples(const Plan& plan, std::vector<Calibration>& all) {
  all.push_back(calibrated<DeviationRatio>(
      plan, {"N(0, 1), twice", 64, Declares::exactly},
      [](const Draws& draws, std::uint64_t n, double effect) {
        // Down, the ratio 1/(1 + δ): by the symmetry of F it is missed as often as 1 + δ.
        const double ratio = effect >= 0 ? 1 + effect : 1 / (1 - effect);
        return pairs(DeviationRatio::Data{}, draws, n,
                     [&](std::uint64_t i) { return draws.normal(i) * ratio; });
      }));
  all.push_back(calibrated<EqualMeans>(plan, {"N(0, 1), twice", 16, Declares::exactly},
                                       [](const Draws& draws, std::uint64_t n, double effect) {
                                         return pairs(EqualMeans::Data{}, draws, n,
                                                      [&](std::uint64_t i) {
                                                        return draws.normal(i) + effect;
                                                      });
                                       }));
  constexpr double width = 0.2;  // of two uniform laws in the middle of [0, 1]
  constexpr std::uint64_t n = 128;
  const double deviation = width / std::sqrt(12.0);
  all.push_back(calibrated<EqualBoundedMeans>(
      plan, {"uniform on an interval of length 0.2, twice", n, Declares::at_most},
      EqualBoundedMeans::smallest_effect(n, plan.rates, deviation),
      [=](const Draws& draws, std::uint64_t m, double effect) {
        EqualBoundedMeans::Data data{.deviation = deviation};
        for (std::uint64_t i = 0; i < m; ++i)
          data.add(0.5 + width * (draws.uniform(2 * i) - 0.5) + effect / 2,
                   0.5 + width * (draws.uniform(2 * i + 1) - 0.5) - effect / 2);
        return data;
      }));
}

void add_bounded(const Plan& plan, std::vector<Calibration>& all) {
  all.push_back(shifted_normal<SubGaussianMean>(plan, "N(0, 1)", 16, Declares::at_most));
  const auto coin = [](const Draws& draws, std::uint64_t i, double p) {
    return draws.uniform(i) < p ? 1.0 : 0.0;
  };
  all.push_back(calibrated<BoundedMean>(
      plan, {"0 or 1, each with probability ½", 64, Declares::at_most},
      [=](const Draws& draws, std::uint64_t n, double effect) {
        return sum(BoundedMean::Data{.null = {0.5, 0.5}}, draws, n,
                   [&](const Draws& u, std::uint64_t i) { return coin(u, i, 0.5 + effect); });
      }));
  constexpr double width = 0.2;
  constexpr std::uint64_t m = 256;
  const double deviation = width / std::sqrt(12.0);
  all.push_back(calibrated<BernsteinMean>(
      plan, {"uniform on an interval of length 0.2", m, Declares::at_most},
      BernsteinMean::smallest_effect(m, plan.rates, deviation),
      [=](const Draws& draws, std::uint64_t n, double effect) {
        return sum(BernsteinMean::Data{.null = {0.5, 0.5}, .deviation = deviation}, draws, n,
                   [&](const Draws& u, std::uint64_t i) {
                     return 0.5 + width * (u.uniform(i) - 0.5) + effect;
                   });
      }));
}

void add_proportions(const Plan& plan, std::vector<Calibration>& all) {
  constexpr std::uint64_t n = 128;
  const auto trials = [](double p) {
    return [=](const Draws& draws, std::uint64_t m, double effect) {
      return sum(Trials{.p = p}, draws, m,
                 [&](const Draws& u, std::uint64_t i) { return u.uniform(i) < p + effect; });
    };
  };
  all.push_back(calibrated<Proportion>(plan, {"successes of probability ½", n, Declares::at_most},
                                       Proportion::smallest_effect(n, plan.rates, 0.5),
                                       trials(0.5)));
  all.push_back(calibrated<ProportionAtMost>(
      plan, {"successes of probability 0.1", n, Declares::at_most, {1.0}},
      ProportionAtMost::smallest_effect(n, plan.rates, 0.1), trials(0.1)));
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
        const auto last = std::ranges::unique(words).begin();
        return DistinctWords::Data{n, static_cast<std::uint64_t>(last - words.begin())};
      }));
  using Exponent = PowerLawExponent<64, 256, 1024>;
  all.push_back(calibrated<Exponent>(
      plan, {"N(0, 1/d) at d = 64, 256, 1024", 64, Declares::at_most, {1, -1}, "", 4},
      [](const Draws& draws, std::uint64_t n, double effect) {
        Exponent::Data data{.exponent = -0.5};
        std::array<double, 3> sigma{};
        for (std::size_t j = 0; j < sigma.size(); ++j)
          sigma[j] = std::pow(real(Exponent::widths[j]), -0.5 + effect);
        for (std::uint64_t i = 0; i < n; ++i)
          data.add({sigma[0] * draws.normal(3 * i), sigma[1] * draws.normal(3 * i + 1),
                    sigma[2] * draws.normal(3 * i + 2)});
        return data;
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
  add_two_samples(plan, all);
  add_bounded(plan, all);
  add_proportions(plan, all);
  add_laws(plan, all);
  all.push_back(coverage_of_a_class(plan, 0.3, 256));
  return all;
}

}  // namespace embedscale::trust_analysis
