#pragma once
// From the run of properties to a verdict about a belief: computed here and nowhere typed.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace embedscale::properties {

enum class Verdict {
  is_true,   ///< the belief holds in every case
  true_if,   ///< exactly under the stated condition
  is_false,  ///< there is a counterexample
  open       ///< something was not evaluated, or what we state in its place is itself in doubt
};

constexpr std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"true", "true if", "false", "open"};
  return names[static_cast<std::size_t>(verdict)];
}

/// What a property speaks about. One that is refuted speaks about the belief as people say it,
/// without the condition, unless it is beside that.
enum class Speaks {
  statement,  ///< what we assert
  belief,     ///< the belief holds, under its condition where there is one
  necessity,  ///< it fails in every case outside the condition
  both,       ///< it holds under the condition and fails outside
  beside      ///< refuted: not the belief, but what might be taken for it
};

constexpr std::string_view name_of(Speaks about) {
  constexpr std::string_view names[] = {"statement", "belief", "necessity", "both", "beside"};
  return names[static_cast<std::size_t>(about)];
}

/// What a run made of one property of the library.
struct Tried {
  Speaks about;
  bool refuting;  ///< a counterexample was asked for
  bool as_asked;  ///< it held; or, where one was asked for, there is a counterexample
  std::uint64_t cases;
};

struct Judgement {
  Verdict verdict;
  std::uint64_t evaluated;  ///< cases
};

/// The verdict that the run of a claim's properties allows.
///
/// Ensures   open if one did not come out as asked, none speaks about the belief, or the belief is
///           both held and refuted and nothing says that the condition is necessary; else is_false
///           if it is refuted and never held, true_if if it holds under a necessary condition, and
///           is_true if it holds and nothing refutes it.
inline Judgement judge(std::span<const Tried> tried) {
  Judgement result{Verdict::open, 0};
  bool sound = true, held = false, needed = false, refuted = false;
  for (const auto& [about, refuting, as_asked, cases] : tried) {
    result.evaluated += cases;
    sound = sound && as_asked && (refuting || cases > 0);
    if (refuting)
      refuted = refuted || about != Speaks::beside;
    else
      held = held || about == Speaks::belief || about == Speaks::both,
      needed = needed || about == Speaks::necessity || about == Speaks::both;
  }
  if (!sound || !(held || refuted) || (held && refuted && !needed)) return result;
  result.verdict = !held ? Verdict::is_false : needed ? Verdict::true_if : Verdict::is_true;
  return result;
}

}  // namespace embedscale::properties
