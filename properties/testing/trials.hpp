#pragma once
// The attempts to refute a claim, as tables; tests register themselves from these.
//
//   const Properties<Primitives> properties{
//       {rounds_identically, "within_eight_u",
//        [](const Primitives& subject) {
//          const auto d = named("d", widths());
//          holds(share_of_bound(e, p, m, subject));  // fails above 1
//        },
//        {"divides_by_m_twice", "rounds_the_multiplier_to_bfloat16"}}};  // has to reject these
//
//   const Beliefs beliefs{{rounds_identically, "that_it_always_does", [] { … }}};  // refuted
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../claim.hpp"
#include "../exact/rational.hpp"
#include "draws.hpp"
#include "holds.hpp"
#include "subject.hpp"
#include "trial.hpp"

namespace embedscale::properties::testing {

/// A claim, and what of it a row speaks about: the statement, or what these say.
struct About {
  const Claim* claim;
  std::optional<Speaks> part = {};

  About(const Claim& of) : claim(&of) {}
  About(const Claim& of, Speaks part) : claim(&of), part(part) {}
};
/// The belief holds, under its condition where there is one.
inline About belief_of(const Claim& claim) { return {claim, Speaks::belief}; }
/// The belief fails in every case outside the condition.
inline About necessity_of(const Claim& claim) { return {claim, Speaks::necessity}; }
/// It holds just under the condition.
inline About condition_of(const Claim& claim) { return {claim, Speaks::both}; }
/// Of what is refuted: not the belief, but what might be taken for it.
inline About beside(const Claim& claim) { return {claim, Speaks::beside}; }

/// A property that is tried at each of so many points, drawn by `every`, and at no point twice.
struct Exhaustive : Cases {
  explicit Exhaustive(int points) : Cases(1, points) {}
};
/// One of so few cases, as they are dear: each numbered by `every`, and drawn from the run's seed.
struct Sample : Cases {
  explicit Sample(int points) : Cases(1, points, true) {}
};

/// One attempt to refute a claim: holds for the library, and fails for each of the mutants.
template <class Primitives>
struct Property : Row {
  using Body = void (*)(const Primitives& subject);
  Body body;
  std::vector<std::string_view> rejects;  ///< mutants, by name
  /// The library's, made in the unit of the row: one that only asks for them compiles none of it.
  Primitives (*library)() = [] { return Primitives{}; };

  Property(const About& of, const char* name, Body body,
           std::initializer_list<std::string_view> rejects, Cases cases = {},
           const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : Row{of.claim, of.part.value_or(Speaks::statement), name, {file, line}, cases},
        body(body),
        rejects(rejects) {}
};

template <class Primitives>
using Properties = std::vector<Property<Primitives>>;

/// A false belief in the words of a property: a counterexample to it has to be found.
struct Belief : Row {
  void (*body)();

  Belief(const About& of, const char* name, void (*body)(), const char* file = __builtin_FILE(),
         int line = __builtin_LINE())
      : Row{of.claim, of.part.value_or(Speaks::belief), name, {file, line}}, body(body) {}
};

using Beliefs = std::vector<Belief>;

/// Zeros in the place of what an operation gives, in one number type: wrong however it is judged,
/// if its value is. "sum_is_0" names those of `sum` in each of its formats.
template <class Primitives>
std::vector<std::pair<std::string, Primitives>> zeros(std::string_view name) {
  std::vector<std::pair<std::string, Primitives>> all;
  if (!name.ends_with("_is_0")) return all;
  Primitives library;
  const auto members = members_of(library).all();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& of = members[i];
    if (std::string(of.name) + "_is_0" != name || of.number == number_name<exact::Rational>())
      continue;
    auto in_format = std::string(name) + "_in_" + std::string(of.number);
    std::ranges::replace(in_format, ' ', '_');
    Primitives wrong;
    const auto member = members_of(wrong).all()[i];
    member.give_zeros(*member.operation);
    all.emplace_back(std::move(in_format), wrong);
  }
  return all;
}

/// The tests of these tables: each property on the library, then on its mutants; then the beliefs.
/// A row may reject, beside mutants of the table, an operation's `zeros`.
///
/// Errors   std::invalid_argument for a mutant that is not there, or that no property rejects; for
///          a property that holds `beside` its claim, which would say nothing.
template <class Primitives>
Trials trials_of(const Properties<Primitives>& properties, const Mutants<Primitives>& mutants,
                 const Beliefs& beliefs = {}) {
  Trials all;
  for (const auto& row : mutants)
    if (std::ranges::none_of(properties, [&](const auto& property) {
          return std::ranges::count(property.rejects, row.name) > 0;
        }))
      throw std::invalid_argument("no property rejects the mutant '" + std::string(row.name) + "'");
  using enum Trial::Role;
  for (const auto& row : properties) {
    if (row.about == Speaks::beside)
      throw std::invalid_argument(row.name + " holds beside its claim");
    const auto on = [body = row.body](Primitives subject) {
      return [body, subject] { body(subject); };
    };
    Primitives library;
    const auto members = members_of(library);
    all.push_back({row, holds, "Library", "", on(library), members});
    for (const auto& name : row.rejects) {
      const auto wrong = zeros<Primitives>(name);
      for (const auto& [in_format, subject] : wrong)
        all.push_back({row, rejects, in_format, "Zeros, in this format alone.", on(subject)});
      if (!wrong.empty()) continue;
      const auto& mutant = find(mutants, name);
      all.push_back({row, rejects, std::string(name), mutant.defect, on(subject_of(mutant))});
    }
  }
  for (const auto& row : beliefs) all.push_back({row, refutes, "", "", row.body});
  return all;
}

/// Fails the running GoogleTest test, at this line, where one of the claim's properties, or the one
/// of this name, does not hold for these primitives: one's own under the claim. And where they call
/// none that is one's own, and so have tested the library.
///
/// Errors   std::invalid_argument where there is no such property.
template <class Primitives>
void expect_holds(Primitives own, const Properties<Primitives>& properties, const Claim& claim,
                  std::string_view name = {}, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  const auto members = members_of(own);
  Trials all;
  for (const auto& property : properties)
    all.push_back({property, Trial::Role::holds, "own", "",
                   [&own, body = property.body] { body(own); }, members});
  expect_holds(all, claim, name, Place{file, line});
}

}  // namespace embedscale::properties::testing
