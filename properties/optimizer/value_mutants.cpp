// Steps, sums and norms of training that are wrong in one format alone.
#include "../testing/in_each_format.hpp"
#include "trials.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

namespace {

Mutants<Primitives> all() {
  Mutants<Primitives> rows;
  const auto add = [&](const char* name, const char* defect, const auto& change) {
    add_in_each_format<Primitives, Wide, double, float>(rows, name, defect, change);
  };
  const auto zeros = [&](const char* name, auto of) {
    add(name, "Zeros, in this format alone.",
        [of]<class Real>() { return giving_zeros<Real>(of); });
  };
  /// The entry stays where it is.
  const auto stays = [&](const char* name, auto of) {
    add(name, "The entry stays where it is, in this format alone.", [of]<class Real>() {
      return replaces<Real>(of, [](auto, const Real& t, auto&&...) { return t; });
    });
  };
  zeros("up_is_0", [](auto& of) -> decltype((of.up)) { return of.up; });
  zeros("down_is_0", [](auto& of) -> decltype((of.down)) { return of.down; });
  zeros("sum_is_0", [](auto& of) -> decltype((of.sum)) { return of.sum; });
  zeros("table_gradient_is_0",
        [](auto& of) -> decltype((of.add_look_up_gradient)) { return of.add_look_up_gradient; });
  zeros("norm_is_0", [](auto& of) -> decltype((of.normalize)) { return of.normalize; });
  zeros("norm_gradient_is_0",
        [](auto& of) -> decltype((of.normalize_gradient)) { return of.normalize_gradient; });
  stays("descent_stays", [](auto& of) -> decltype((of.sgd)) { return of.sgd; });
  stays("momentum_stays", [](auto& of) -> decltype((of.momentum)) { return of.momentum; });
  stays("adam_stays", [](auto& of) -> decltype((of.adam)) { return of.adam; });
  stays("adamw_stays", [](auto& of) -> decltype((of.adamw)) { return of.adamw; });
  return rows;
}

}  // namespace

const Mutants<Primitives> value_mutants = all();

}  // namespace embedscale::properties::optimizer
