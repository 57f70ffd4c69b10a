#pragma once
// How good the checks themselves are: how often a check is wrong where the truth is known, because
// it was simulated.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <embedscale/random.hpp>
#include "properties/evidence/check.hpp"
#include "properties/evidence/proportion.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace embedscale::trust_analysis {

using properties::evidence::Interval;
using properties::evidence::Rates;

/// One replication of an experiment. Draw i is a function of the run's seed, the experiment's name,
/// i and the replication's number: threads change nothing.
class Draws {
 public:
  Draws(const Stream& stream, std::uint64_t replication)
      : stream_(stream), replication_(replication) {}
  double normal(std::uint64_t i) const { return stream_.normal(i, replication_); }
  double uniform(std::uint64_t i) const { return stream_.uniform(i, replication_); }
  Stream::Block block(std::uint64_t i) const { return stream_.block(i, replication_); }

 private:
  const Stream& stream_;
  std::uint64_t replication_;
};

/// How often something happened.
struct Count {
  std::uint64_t hits = 0, runs = 0;
};

/// Of every interval on the page: Clopper and Pearson's is wrong at most so often.
inline constexpr double interval_alpha = 1e-3;
inline Interval interval(const Count& count) {
  return properties::evidence::clopper_pearson(count.runs, count.hits, interval_alpha);
}

/// How often it happens(draws) in replications 0 … runs − 1: a sum of whole numbers, so it does not
/// depend on the order.
template <class Happens>
Count count(std::uint64_t seed, const std::string& name, std::uint64_t runs, Happens happens) {
  const Stream stream(seed, "trust, " + name);
  const auto hits = tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(0, runs, 64), std::uint64_t{0},
      [&](const auto& range, std::uint64_t sum) {
        for (auto r = range.begin(); r != range.end(); ++r)
          sum += happens(Draws(stream, r)) ? 1 : 0;
        return sum;
      },
      std::plus<>());
  return {hits, runs};
}

/// How much is simulated, and at which rates.
struct Plan {
  std::uint64_t seed = 0, nulls = 1000, alternatives = 1000;
  Rates rates{1e-3, 1e-2};
};

/// What a kind says of its rate of false alarms under the null that was drawn.
enum class Declares {
  exactly,  ///< α itself: the law of the statistic is continuous and known
  at_most   ///< a bound, or a discrete law
};

/// Misses of an effect of one sign, or in one place.
struct Misses {
  std::string where;
  Count count;
};

/// A kind of check, how often it was wrong, and on what.
struct Calibration {
  std::string kind;
  std::string drawn;        ///< the null, in words
  std::uint64_t draws = 0;  ///< of one replication; of coverage, the looks
  Declares declares = Declares::at_most;
  Count alarms;
  std::string unit;   ///< of the effect
  double effect = 0;  ///< exactly the one that is detected with probability 1 − β
  std::vector<Misses> misses;
};

/// Every kind of check, on nulls and at its smallest effect.
std::vector<Calibration> simulated_kinds(const Plan& plan);

}  // namespace embedscale::trust_analysis
