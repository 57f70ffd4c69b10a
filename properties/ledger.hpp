#pragma once
// Every assertion about draws that follow the run's seed, with what it may cost and what it must
// see. (Tests on a fixed stream assert a past event: they fail always or never.)
//
// A run, all tests once, raises a false alarm with probability at most Σα, and lets a deviation or
// a mutant of the declared effect pass with probability at most Σβ (union bound; a mutant that
// passes fails the run, too). An entry is spent
// once per run; its grid of cases divides α and β among them. What is not here does not compile,
// and a proved bound is not here.
#include <array>
#include <string_view>

#include "evidence/check.hpp"

namespace embedscale::properties::ledger {

inline constexpr double default_alpha = 1e-10, default_beta = 1e-7;
inline constexpr double most_alpha = 1e-7, most_beta = 1e-4;  // of a run

struct Entry {
  std::string_view id;     ///< "topic.fact"; the draws' stream derives from it
  std::string_view kind;   ///< Kind::name of its check
  double effect;           ///< the smallest one that its claim cares about, in the kind's unit
  std::string_view about;  ///< why that effect
  double alpha = default_alpha, beta = default_beta;

  constexpr evidence::Rates rates() const { return {alpha, beta}; }
};

inline constexpr std::array entries{
    Entry{"random.words_are_distinct", "distinct words", 40,
          "words that are a function of 24 bits"},
    Entry{"random.draws_follow_their_laws", "whole distribution", 0.0194,
          "a normal of σ off by 8 %: F moves by max |z φ(z)| = 0.242 of that"},
    Entry{"random.normal_has_mean_0", "mean of a normal distribution, σ known", 0.025,
          "a bias of 1/40 of a deviation, 0.03 % of the variance"},
    Entry{"random.normal_has_variance_1", "variance of a normal distribution", 0.02,
          "σ off by 2 %: the 6 % of a missing factor is three times that"},
    Entry{"initializer.normal_draws_have_their_variance", "variance of a normal distribution", 0.01,
          "σ off by 1 %"},
    Entry{"fast.normal_draws_have_variance_1", "variance of a normal distribution", 0.001,
          "σ off by 0.1 %"},
    Entry{"fast.draws_follow_their_distributions", "whole distribution", 0.0012,
          "a normal distribution of σ off by 0.5 %"},
    Entry{"embedding.scaled_normal_tables_have_variance_1", "variance of a normal distribution",
          0.0035, "√d off by 0.35 %: without it, or twice, the deviation is off by √d"},
    Entry{"embedding.scaled_bounded_tables_have_variance_1", "mean of bounded draws", 0.0025,
          "the variance of a uniform distribution off by 0.8 %, of a cut one by 1.3 % (nominal: 23 "
          "%)"},
    Entry{"embedding.squared_lengths_are_chi_squared", "whole distribution", 0.0175,
          "one degree of freedom of eight more or less moves F by 0.1"},
    Entry{"embedding.shorter_tokens_are_as_frequent_as_stated", "proportion", 0.01,
          "entries off by 0.5 % at the break-even of d = 64 move it by 0.01 and more"},
    Entry{"embedding.dense_inputs_sum_the_vocabulary", "variance of a normal distribution", 0.0175,
          "one row of 28 more or less"},
    Entry{"expected_own_loss.is_that_of_draws", "mean of nearly normal batch means", 2.75,
          "2.75 deviations of a batch, of less than 6 % of the value each, beyond the null's"},
    Entry{"tied_output.initial_loss_is_that_of_draws", "mean of sub-Gaussian draws", 0.075,
          "a loss off by 0.1 deviations of a logit: a factor forgotten at s = 4 is 12 times that"},
    Entry{"trust.kinds_alarm_at_most_as_declared", "proportion of at most", 0.05,
          "a level of 0.001 that is 0.05"},
    Entry{"trust.kinds_miss_at_most_as_declared", "proportion of at most", 0.15,
          "a miss rate of 0.01 that is 0.16"},
    Entry{"generators.float_classes_have_their_shares", "proportion", 0.0225,
          "a sign drawn for 0.4775 of the numbers; of the rarest class, 1/64, a third is seen"},
    Entry{"properties.required_coverage", "coverage of a class", 0.1,
          "a class that has nine tenths of the share it has to have", 1e-10, 1e-10},
    Entry{"ledger.a_pool_is_judged_once", "variance of a normal distribution", 0.05,
          "self-test: cases of any σ as one pivot"},
};

/// The first of these that cannot stand: spent twice, without a rate, an effect or words.
constexpr const Entry* flaw(const auto& all) {
  for (const Entry& entry : all) {
    int same = 0;
    for (const Entry& other : all) same += other.id == entry.id ? 1 : 0;
    const bool rates = entry.alpha > 0 && entry.beta > 0 && entry.alpha < 1 && entry.beta < 1;
    if (same != 1 || !rates || !(entry.effect > 0) || entry.about.empty()) return &entry;
  }
  return nullptr;
}
constexpr evidence::Rates sum_of_rates(const auto& all) {
  evidence::Rates sum{0, 0};
  for (const Entry& entry : all) sum.alpha += entry.alpha, sum.beta += entry.beta;
  return sum;
}
static_assert(flaw(entries) == nullptr);
static_assert(sum_of_rates(entries).alpha <= most_alpha);
static_assert(sum_of_rates(entries).beta <= most_beta);

/// An id as a template argument.
template <std::size_t N>
struct Id {
  char text[N]{};
  consteval Id(const char (&from)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

constexpr const Entry* find(std::string_view id) {
  for (const Entry& entry : entries)
    if (entry.id == id) return &entry;
  return nullptr;
}
constexpr bool lists(std::string_view id) { return find(id) != nullptr; }
/// Whether the id is there for this kind of check.
constexpr bool lists(std::string_view id, std::string_view kind) {
  return lists(id) && find(id)->kind == kind;
}

/// The entry of this id; does not compile where there is none.
template <Id id>
requires(lists(id.view())) inline constexpr const Entry& entry = *find(id.view());

}  // namespace embedscale::properties::ledger
