// Steps on a channel that are wrong in one format alone.
#include "../testing/in_each_format.hpp"
#include "trials.hpp"

namespace embedscale::properties::combination {

using namespace testing;

namespace {

void add(Mutants<Primitives>& to, const char* name, const char* defect, const auto& change) {
  add_in_each_format<Primitives, double, float, binary16, bfloat16>(to, name, defect, change);
}

Mutants<Primitives> all() {
  Mutants<Primitives> rows;
  const auto zeros = [&](const char* name, auto of) {
    add(rows, name, "0, in this format alone.",
        [of]<class Real>() { return giving_zeros<Real>(of); });
  };
  zeros("up_is_0", [](auto& of) -> decltype((of.up)) { return of.up; });
  zeros("down_is_0", [](auto& of) -> decltype((of.down)) { return of.down; });
  zeros("down_by_reciprocal_is_0",
        [](auto& of) -> decltype((of.down_by_reciprocal)) { return of.down_by_reciprocal; });
  zeros("sum_is_0", [](auto& of) -> decltype((of.sum)) { return of.sum; });
  const auto dropout = [](auto& of) -> decltype((of.dropout)) { return of.dropout; };
  zeros("keeps_nothing", dropout);
  add(rows, "keeps_without_the_scale", "What is kept is not scaled, in this format alone.",
      [dropout]<class Real>() {
        return replaces<Real>(
            dropout, [](auto was, auto x, auto mask, auto) { return was(x, mask, Real(1)); });
      });
  return rows;
}

}  // namespace

const Mutants<Primitives> value_mutants = all();

}  // namespace embedscale::properties::combination
