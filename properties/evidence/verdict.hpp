#pragma once
// From obligations to a verdict about a belief. A verdict is computed here and nowhere typed.
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
  switch (verdict) {
    case Verdict::is_true: return "true";
    case Verdict::true_if: return "true if";
    case Verdict::is_false: return "false";
    case Verdict::open: break;
  }
  return "open";
}

/// What an obligation speaks about.
enum class Part {
  statement,  ///< what we assert; unmet, nothing can be said
  belief,     ///< met: the belief holds (under the condition, where there is one)
  necessity,  ///< met: the belief fails in every case outside the condition
};

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
  switch (about) {
    case Speaks::statement: break;
    case Speaks::belief: return "belief";
    case Speaks::necessity: return "necessity";
    case Speaks::both: return "both";
    case Speaks::beside: return "beside";
  }
  return "statement";
}

/// What a run made of one property of the library.
struct Tried {
  Speaks about;
  bool refuting;  ///< a counterexample was asked for
  bool as_asked;  ///< it held; or, where one was asked for, there is a counterexample
  std::uint64_t cases;
};

/// A group of cases of one kind, all of which must have been looked at.
struct Obligation {
  Part part;
  bool met;
  std::uint64_t evaluated, expected;
};

struct Judgement {
  Verdict verdict;
  std::uint64_t evaluated, expected;
};

/// The verdict that a set of obligations allows.
///
/// Ensures   open if a case was left out, a statement is unmet, nothing speaks about the belief, or
///           the condition turns out not to be necessary; else is_false if the belief is unmet, or
///           no case was on the condition; else true_if where there are cases outside the
///           condition, and is_true where there are none.
inline Judgement judge(std::span<const Obligation> obligations) {
  Judgement result{Verdict::open, 0, 0};
  bool sound = true, asked = false, believed = true, conditional = false;
  for (const Obligation& o : obligations) {
    result.evaluated += o.evaluated;
    result.expected += o.expected;
    sound = sound && o.evaluated == o.expected && o.expected > 0;
    if (o.part == Part::statement) sound = sound && o.met;
    if (o.part == Part::belief) asked = true, believed = believed && o.met;
    if (o.part == Part::necessity) conditional = true, sound = sound && o.met;
  }
  if (!sound || !(asked || conditional)) return result;
  result.verdict = !asked || !believed ? Verdict::is_false
                   : conditional       ? Verdict::true_if
                                       : Verdict::is_true;
  return result;
}

/// The verdict that the run of a claim's properties allows.
///
/// Ensures   open if one did not come out as asked, none speaks about the belief, or the belief is
///           both held and refuted and nothing says that the condition is necessary; else is_false
///           if it is refuted and never held, true_if if it holds under a necessary condition, and
///           is_true if it holds and nothing refutes it.
inline Judgement judge(std::span<const Tried> tried) {
  Judgement result{Verdict::open, 0, 0};
  bool sound = true, held = false, needed = false, refuted = false;
  for (const auto& [about, refuting, as_asked, cases] : tried) {
    result.evaluated += cases;
    result.expected += cases;
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
