#pragma once
// The only way of a test to assert something statistical: an entry of the ledger, spent once.
//
//   TEST(random, normal_has_variance_1) {
//     Assertion<"random.normal_has_variance_1", NormalVariance> variance;
//     const Stream stream = variance.stream();
//     NormalVariance::Data data;
//     for (std::uint64_t i = 0; i < n; ++i) data.add(stream.normal(i));
//     variance.judge(data);
//   }
//
// A grid says how many cases it has and judges each; every case spends α/k and β/k. A property adds
// what its random cases yield to one Data and judges that when it is over.
#include <cstdint>
#include <string>
#include <string_view>

#include "../ledger.hpp"
#include "seed.hpp"

namespace embedscale::properties::testing {

/// One case's outcome, as it is recorded.
struct Judgement {
  std::string which;  ///< of a grid
  bool accepted = false;
  double smallest_effect = 0;  ///< that these draws show at the rates of one case
  std::uint64_t draws = 0;
  double statistic = 0;
};

/// What an entry was spent on in this process; the parts of Assertion that need no kind.
class Spending {
 public:
  enum class Side { null, mutants };
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;
  /// Fails where not every case was judged, or the weakest one could not have seen its effect;
  /// records and prints the power of that one.
  ~Spending();

  /// Draws of the entry's own; a part of them by its name.
  Stream stream(std::string_view part = "") const;
  /// Rates of each case.
  evidence::Rates rates() const;

 protected:
  /// `cases` share the side's rate, `grid` the level at which the null is judged.
  Spending(const ledger::Entry& entry, std::uint64_t cases, std::uint64_t grid, Side side);
  /// Fails where the outcome is the wrong one.
  void note(const Judgement& judgement, double effect, const char* file, int line);

 private:
  ledger::Entry entry_;
  std::uint64_t cases_, grid_, judged_ = 0;
  Side side_;
  Judgement weakest_{};
  double effect_of_weakest_ = 0;
  std::string mutants_;  ///< by name, each with its effect
};

/// A check of the kind that the ledger has for the id.
template <class Kind, ledger::Id id>
concept KindOf = evidence::StatisticalCheck<Kind> && ledger::lists(id.view(), Kind::name);

template <evidence::StatisticalCheck Kind>
Judgement judgement_of(const typename Kind::Data& data, evidence::Rates rates,
                       std::string_view which) {
  Judgement judgement{.which = std::string(which),
                      .accepted = Kind::accepts(data, rates.alpha),
                      .draws = Kind::draws(data),
                      .statistic = Kind::statistic(data)};
  // Where the effect depends on more than n (the probability of a proportion), the data tell it.
  if constexpr (requires { Kind::smallest_effect(data, rates); })
    judgement.smallest_effect = Kind::smallest_effect(data, rates);
  else
    judgement.smallest_effect = Kind::smallest_effect(judgement.draws, rates);
  return judgement;
}

/// The null of an entry: fails where a case is rejected, where it could not have seen the effect
/// that its claim cares about, and where the entry was spent before.
template <ledger::Id id, class Kind>
requires KindOf<Kind, id>
class Assertion : public Spending {
 public:
  static constexpr const ledger::Entry& entry = ledger::entry<id>;

  explicit Assertion(std::uint64_t cases = 1) : Spending(entry, cases, cases, Side::null) {}
  void judge(const typename Kind::Data& data, std::string_view which = "",
             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note(judgement_of<Kind>(data, rates(), which), entry.effect, file, line);
  }
};

/// Mutants that the entry's check has to reject, at the level of its grid: they spend β. Each says
/// how large its effect is; one that is too small for the draws is no evidence, and fails. Their
/// names are recorded for the page about the checks: ASCII, as GoogleTest garbles the rest.
template <ledger::Id id, class Kind>
requires KindOf<Kind, id>
class Rejection : public Spending {
 public:
  static constexpr const ledger::Entry& entry = ledger::entry<id>;

  explicit Rejection(std::uint64_t mutants = 1, std::uint64_t grid = 1)
      : Spending(entry, mutants, grid, Side::mutants) {}
  void judge(const typename Kind::Data& data, double effect, std::string_view which = "",
             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note(judgement_of<Kind>(data, rates(), which), effect, file, line);
  }
};

}  // namespace embedscale::properties::testing
