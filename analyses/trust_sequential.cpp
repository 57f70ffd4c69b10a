// The sequential kinds, looked at after each draw, and how many draws they save.
#include <embedscale/properties/evidence/bounded.hpp>
#include <embedscale/properties/evidence/coverage.hpp>
#include <embedscale/properties/evidence/normal.hpp>
#include <embedscale/properties/evidence/proportion.hpp>
#include <embedscale/properties/evidence/sequential_bounded.hpp>
#include <embedscale/properties/evidence/sequential_mean.hpp>
#include <embedscale/properties/evidence/sequential_proportion.hpp>
#include <embedscale/properties/evidence/sequential_variance.hpp>
#include <embedscale/properties/ledger.hpp>

#include <cmath>

#include "trust.hpp"

namespace embedscale::trust_analysis {
namespace {

namespace evidence = properties::evidence;
namespace sequential = evidence::sequential;
using sequential::Decision;

/// A replication with hundreds of looks costs so many of a fixed kind's.
constexpr std::uint64_t costs = 10;

/// A sequential check of an effect, what it draws, and the check of a fixed number beside it.
struct NormalMean {
  static constexpr const char* kind = "mean of a normal law, σ known";
  static constexpr const char* drawn = "N(0, 1)";
  static constexpr const char* unit = "deviation of the mean, in σ";
  static sequential::NormalMean fresh(double effect) { return sequential::NormalMean(effect); }
  static double draw(const Draws& draws, std::uint64_t i, double off) {
    return draws.normal(i) + off;
  }
  static std::uint64_t most(double effect, Rates rates) {
    return sequential::NormalMean::draws_to_accept(effect, rates);
  }
  static std::uint64_t fixed(double effect, Rates rates) {
    return evidence::NormalMean::draws_for(effect, rates);
  }
};

struct NormalVariance {
  static constexpr const char* kind = "variance of a normal law";
  static constexpr const char* drawn = "N(0, 1)";
  static constexpr const char* unit = "relative deviation of σ";
  static sequential::NormalVariance fresh(double effect) {
    return sequential::NormalVariance(effect);
  }
  static double draw(const Draws& draws, std::uint64_t i, double off) {
    return draws.normal(i) * (off >= 0 ? 1 + off : 1 / (1 - off));
  }
  static std::uint64_t most(double effect, Rates rates) {
    return sequential::NormalVariance::draws_to_accept(effect, rates);
  }
  static std::uint64_t fixed(double effect, Rates rates) {
    return evidence::NormalVariance::draws_for(effect, rates);
  }
};

struct Proportion {
  static constexpr double p = 0.3;
  static constexpr const char* kind = "proportion";
  static constexpr const char* drawn = "successes of probability 0.3";
  static constexpr const char* unit = "deviation of the probability";
  static sequential::Proportion fresh(double effect) { return {p, effect}; }
  static bool draw(const Draws& draws, std::uint64_t i, double off) {
    return draws.uniform(i) < p + off;
  }
  static std::uint64_t most(double effect, Rates rates) {
    return sequential::Proportion::draws_to_accept(p, effect, rates);
  }
  static std::uint64_t fixed(double effect, Rates rates) {
    return evidence::Proportion::draws_for(effect, rates, p);
  }
};

struct BoundedMean {
  static constexpr double mean = 0.4;
  static constexpr const char* kind = "mean of bounded draws";
  static constexpr const char* drawn = "0 or 1, of mean 0.4";
  static constexpr const char* unit = "deviation of the mean, in the range";
  static sequential::BoundedMean fresh(double effect) { return {mean, effect}; }
  static double draw(const Draws& draws, std::uint64_t i, double off) {
    return draws.uniform(i) < mean + off ? 1.0 : 0.0;
  }
  static std::uint64_t most(double effect, Rates rates) {
    return sequential::BoundedMean::draws_to_accept(mean, effect, rates);
  }
  static std::uint64_t fixed(double effect, Rates rates) {
    return evidence::BoundedMean::draws_for(effect, rates);
  }
};

/// Differences of two uniform draws: in [−1, 1], where half of one is in a range of length 1.
struct EqualMeans {
  static constexpr const char* kind = "equality of two means of bounded draws";
  static constexpr const char* drawn = "differences of two draws, uniform on (0, ½)";
  static constexpr const char* unit = "difference of the means, in the range";
  static sequential::EqualMeans fresh(double effect) { return sequential::EqualMeans(effect); }
  static double draw(const Draws& draws, std::uint64_t i, double off) {
    return 0.5 * (draws.uniform(2 * i) - draws.uniform(2 * i + 1)) + off;
  }
  static std::uint64_t most(double effect, Rates rates) {
    return sequential::EqualMeans::draws_to_accept(effect, rates);
  }
  /// Told the deviation of the draws, which the sequential check is not.
  static std::uint64_t fixed(double effect, Rates rates) {
    const double deviation = 0.5 / std::sqrt(12.0);
    return evidence::EqualBoundedMeans::draws_for(effect, rates, deviation);
  }
};

template <class Law>
sequential::Outcome run(const Draws& draws, double effect, double off, Rates rates,
                        std::uint64_t most) {
  return sequential::run(Law::fresh(effect), rates, most,
                         [&](std::uint64_t i) { return Law::draw(draws, i, off); });
}

/// Whether a null is ever rejected in so many looks, whatever else was decided before.
template <class Law>
bool ever_rejects(const Draws& draws, double effect, std::uint64_t looks, double alpha) {
  auto process = Law::fresh(effect);
  for (std::uint64_t i = 0; i < looks; ++i) {
    process.add(Law::draw(draws, i, 0.0));
    if (process.rejects(alpha)) return true;
  }
  return false;
}

template <class Law>
Calibration calibrated(const Plan& plan, double effect, std::uint64_t looks) {
  const std::string kind = std::string(Law::kind) + ", at any time";
  const auto most = Law::most(effect, plan.rates);
  const auto accepts = [&](double off) {
    return count(plan.seed, kind + (off > 0 ? ", up" : ", down"), plan.alternatives,
                 [&](const Draws& draws) {
                   const auto outcome = run<Law>(draws, effect, off, plan.rates, most);
                   return outcome.decision == Decision::accept;
                 });
  };
  return {.kind = kind,
          .drawn = Law::drawn,
          .draws = looks,
          .declares = Declares::at_most,
          .alarms = count(plan.seed, kind, plan.nulls / costs,
                          [&](const Draws& draws) {
                            return ever_rejects<Law>(draws, effect, looks, plan.rates.alpha);
                          }),
          .unit = Law::unit,
          .effect = effect,
          .misses = {{"up", accepts(effect)}, {"down", accepts(-effect)}}};
}

/// A class that has its share called insufficient; one that has 9/10 of it called sufficient.
Calibration coverage(const Plan& plan, double required, std::uint64_t looks) {
  const std::string kind = "coverage of a class";
  const auto ever = [&](evidence::Coverage wrong, double share, double alpha, const Draws& draws) {
    std::uint64_t in_class = 0;
    for (std::uint64_t i = 0; i < looks; ++i) {
      in_class += draws.uniform(i) < share ? 1 : 0;
      if (evidence::coverage(in_class, i + 1, required, alpha) == wrong) return true;
    }
    return false;
  };
  const double enough = evidence::enough_of_required * required;
  return {.kind = kind,
          .drawn = "cases of which the required share, 0.3, is in the class",
          .draws = looks,
          .declares = Declares::at_most,
          .alarms = count(plan.seed, kind, plan.nulls / costs,
                          [&](const Draws& draws) {
                            return ever(evidence::Coverage::insufficient, required,
                                        plan.rates.alpha, draws);
                          }),
          .unit = "lack of the share",
          .effect = required - enough,
          .misses = {{"down",
                      count(plan.seed, kind + ", down", plan.alternatives, [&](const Draws& draws) {
                        return ever(evidence::Coverage::sufficient, enough, plan.rates.beta, draws);
                      })}}};
}

template <class Law>
Spent spent(std::uint64_t seed, std::uint64_t runs, double effect, double off, Decision right) {
  constexpr Rates rates{properties::ledger::default_alpha, properties::ledger::default_beta};
  const std::string name = std::string(Law::kind) + ", draws used at " +
                           (off == 0        ? "0"
                            : off == effect ? "1"
                                            : "2");
  const auto most = Law::most(effect, rates);
  // Both sums at once: of draws below, of wrong decisions above 2^44.
  constexpr std::uint64_t one_wrong = std::uint64_t{1} << 44;
  const auto sum = total(seed, name, runs, [&](const Draws& draws) {
    const auto outcome = run<Law>(draws, effect, off, rates, most);
    return outcome.draws + (outcome.decision == right ? 0 : one_wrong);
  });
  return {.runs = runs, .draws = sum % one_wrong, .wrong = sum / one_wrong};
}

template <class Law>
Duration duration(std::uint64_t seed, std::uint64_t runs, double effect) {
  constexpr Rates rates{properties::ledger::default_alpha, properties::ledger::default_beta};
  return {.kind = Law::kind,
          .drawn = Law::drawn,
          .effect = effect,
          .fixed = Law::fixed(effect, rates),
          .null = spent<Law>(seed, runs, effect, 0, Decision::accept),
          .at_effect = spent<Law>(seed, runs, effect, effect, Decision::reject),
          .at_twice = spent<Law>(seed, runs, effect, 2 * effect, Decision::reject)};
}

}  // namespace

std::vector<Calibration> sequential_kinds(const Plan& plan) {
  return {calibrated<NormalMean>(plan, 0.5, 256), calibrated<NormalVariance>(plan, 0.5, 256),
          calibrated<Proportion>(plan, 0.2, 256), calibrated<BoundedMean>(plan, 0.2, 256),
          calibrated<EqualMeans>(plan, 0.2, 256), coverage(plan, 0.3, 256)};
}

std::vector<Duration> durations(std::uint64_t seed, std::uint64_t runs) {
  return {duration<NormalMean>(seed, runs, 0.2), duration<NormalVariance>(seed, runs, 0.1),
          duration<Proportion>(seed, runs, 0.1), duration<BoundedMean>(seed, runs, 0.1),
          duration<EqualMeans>(seed, runs, 0.2)};
}

}  // namespace embedscale::trust_analysis
