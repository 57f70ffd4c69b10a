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

}  // namespace embedscale::properties
