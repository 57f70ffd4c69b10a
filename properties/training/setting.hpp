#pragma once
// One run of the training study: what is trained, on what, how, and from which random numbers.
#include <embedscale/norm_placement.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arm.hpp"

namespace embedscale::properties::training {

/// The next token of English text, by a causal model; or a row of symbols, backwards, by one that
/// sees the whole row, which cannot be done without positions.
enum class Task { text, reverse };
enum class Method { adam, momentum };
/// rate·min(t/w, √(w/t)) with w a tenth of the steps, as the paper has it with w = 4,000 of
/// 100,000; or the rate itself.
enum class Schedule { warm_up, constant };
enum class Output {
  untied,  ///< a matrix of its own
  tied     ///< the table, without a factor
};

struct Setting {
  Task task = Task::text;
  std::size_t d = 64;
  NormPlacement norms = NormPlacement::pre;
  Method method = Method::adam;
  Schedule schedule = Schedule::warm_up;
  Output output = Output::untied;
  int steps = 300;

  friend bool operator==(const Setting&, const Setting&) = default;
};

/// "text-64-pre-adam-warmup": what files and options call it.
inline std::string name_of(const Setting& s) {
  return std::string(s.task == Task::text ? "text" : "reverse") + "-" + std::to_string(s.d) +
         (s.norms == NormPlacement::pre ? "-pre" : "-post") +
         (s.method == Method::adam ? "-adam" : "-momentum") +
         (s.schedule == Schedule::warm_up ? "-warmup" : "-constant") +
         (s.output == Output::tied ? "-tied" : "") +
         (s.steps == Setting{}.steps ? "" : "-" + std::to_string(s.steps));
}

// What all runs share.
inline constexpr std::size_t layers = 2, heads = 4, feed_forward_factor = 4;
inline constexpr std::size_t length = 32,
                             batch = 16;  ///< tokens of a sequence, sequences of a step
inline constexpr int evaluations = 15;    ///< in equal distances, behind that of the start
inline constexpr std::size_t text_vocabulary = 512, symbols = 32;
inline constexpr double norm_epsilon = 1e-5;
/// The paper's.
inline constexpr double beta_1 = 0.9, beta_2 = 0.98, adam_epsilon = 1e-9;
inline constexpr double momentum_coefficient = 0.9;

constexpr std::size_t vocabulary_of(Task task) {
  return task == Task::text ? text_vocabulary : symbols;
}
/// The loss of who knows nothing: ln V. A run that diverges counts as that.
inline double loss_of_chance(Task task) {
  return std::log(static_cast<double>(vocabulary_of(task)));
}

struct Run {
  Setting setting;
  Arm arm;
  double rate;
  std::uint64_t seed;
};

/// What came of a run: the held-out loss, in nats a token, and RMS(token)/RMS(position) over the
/// held-out tokens, at the start and at each evaluation (0 where nothing finite was left); and the
/// held-out loss at the end, over more sequences.
struct Outcome {
  bool diverged = false;  ///< a loss that is no number, or above that of the start at the end
  double loss = 0;        ///< at most that of chance
  std::vector<double> curve, ratio;
  std::uint64_t bits = 0;  ///< a hash of the logits of the first held-out sequences
};

}  // namespace embedscale::properties::training
