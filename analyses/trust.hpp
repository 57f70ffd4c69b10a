#pragma once
// How good the checks themselves are: how often a check is wrong where the truth is known, because
// it was simulated, and what is read of the tests' records.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <embedscale/random.hpp>
#include "properties/evidence/check.hpp"
#include "properties/evidence/proportion.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/page.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

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
  double rate() const { return static_cast<double>(hits) / static_cast<double>(runs); }
};

/// Of every interval on the page: Clopper and Pearson's is wrong at most so often.
inline constexpr double interval_alpha = 1e-3;
inline Interval interval(const Count& count) {
  return properties::evidence::clopper_pearson(count.runs, count.hits, interval_alpha);
}

/// The sum of measure(draws) over replications 0 … runs − 1: of whole numbers, so it does not
/// depend on the order.
template <class Measure>
std::uint64_t total(std::uint64_t seed, const std::string& name, std::uint64_t runs,
                    Measure measure) {
  const Stream stream(seed, "trust, " + name);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(0, runs, 64), std::uint64_t{0},
      [&](const auto& range, std::uint64_t sum) {
        for (auto r = range.begin(); r != range.end(); ++r)
          sum += static_cast<std::uint64_t>(measure(Draws(stream, r)));
        return sum;
      },
      std::plus<>());
}
template <class Happens>
Count count(std::uint64_t seed, const std::string& name, std::uint64_t runs, Happens happens) {
  return {total(seed, name, runs, [&](const Draws& draws) { return happens(draws) ? 1 : 0; }),
          runs};
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

/// What becomes of a rate of false alarms.
enum class Remark { as_declared, rarer, conservative, broken };

/// broken: the interval lies above the nominal rate. conservative: below a hundredth of it.
/// rarer: below it, of a kind that declares the rate itself.
inline Remark remark(const Count& count, Declares declares, double nominal) {
  const Interval seen = interval(count);
  if (seen.lower > nominal) return Remark::broken;
  if (seen.upper < nominal / 100) return Remark::conservative;
  return declares == Declares::exactly && seen.upper < nominal ? Remark::rarer
                                                               : Remark::as_declared;
}

/// Every kind of check, on nulls and at its smallest effect.
std::vector<Calibration> simulated_kinds(const Plan& plan);

/// The fields of the words.
using Fields = std::map<std::string, std::string, std::less<>>;

/// What a section shows, in Markdown, and what its evidence has beside that.
struct Shown {
  std::string page{}, evidence{};
};

// Each makes a table, or several, and fills the fields that its words name.
Shown calibration_table(const std::vector<Calibration>& all, Rates rates, Fields& fields);
Shown power_table(const std::vector<Calibration>& all, Rates rates, Fields& fields);
report::Figure calibration_figure(const std::vector<Calibration>& all, Rates rates);

// From the inputs, see trust_inputs.cpp.
Shown ledger_table(const report::Json& inputs, Fields& fields);
Shown mutant_table(const report::Json& inputs, Fields& fields);
/// Errors of 1 %, also one that no record rejects.
Shown one_percent_table(const report::Json& inputs, Fields& fields);
Shown mutation_table(const report::Json& inputs, Fields& fields);
Shown identity_table(const report::Json& inputs, Fields& fields);

using report::text;
/// A count of a record, which tests write as text.
inline std::string counted(const report::Json& row, const char* key) {
  const auto& n = row.at(key);
  return report::count(n.is_string() ? std::stoull(text(row, key)) : n.get<std::uint64_t>());
}
/// "none" where there are none.
std::string list(const std::vector<std::string>& names, const char* between = "; ");

/// The page of these counts and records. A pure function.
report::Page trust_page(report::Words words, const Plan& plan,
                        const std::vector<Calibration>& kinds, const report::Json& inputs);

/// The page's numbers, for data/trust.json.
report::Json record(const std::vector<Calibration>& all);

}  // namespace embedscale::trust_analysis
