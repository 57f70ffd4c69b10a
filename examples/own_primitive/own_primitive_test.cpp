// Your own code under embedscale's properties: put it in the place of the library's functions. Here
// the sum is a fused multiply-add, as many kernels compute it: one rounding less than
// fl(fl(m·e) + p). Are the claims about rounding true of it, too?
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <properties/combination/claims.hpp>
#include <properties/combination/trials.hpp>

#include <cmath>

namespace {

namespace combination = embedscale::properties::combination;
using embedscale::properties::testing::expect_holds;

template <class Real>
Real fused(const Real& e, const Real& p, const Real& m) {
  return std::fma(m, e, p);
}

/// A defect that the properties must find in it.
template <class Real>
Real fused_the_wrong_way(const Real& e, const Real& p, const Real& m) {
  return std::fma(e, p, m);
}

TEST(fused_multiply_add, is_up_within_the_bound_on_rounding) {
  combination::Primitives own;
  own.of<float>().up = fused<float>;
  own.of<double>().up = fused<double>;
  expect_holds(own, combination::properties, combination::rounds_identically,
               "else_within_eight_u");
}

/// Whatever can be called: a lambda with captures, std::function, an object.
TEST(fused_multiply_add, with_state_is_called) {
  int calls = 0;
  combination::Primitives own;
  own.of<double>().up = [&calls](double e, double p, double m) {
    ++calls;
    return std::fma(m, e, p);
  };
  expect_holds(own, combination::properties, combination::rounds_identically,
               "else_within_eight_u");
  EXPECT_GE(calls, 10000);
}

/// Over the reals nothing is fused: this claim's properties draw fractions, and call no float.
TEST(fused_multiply_add, that_a_property_does_not_call_is_told) {
  combination::Primitives own;
  own.of<float>().up = fused<float>;
  EXPECT_NONFATAL_FAILURE(
      expect_holds(own, combination::properties, combination::up_is_down_times_root_d),
      "never called: up (binary32)");
}

TEST(fused_multiply_add, of_the_wrong_terms_is_seen) {
  combination::Primitives own;
  own.of<float>().up = fused_the_wrong_way<float>;
  EXPECT_NONFATAL_FAILURE(expect_holds(own, combination::properties,
                                       combination::rounds_identically, "else_within_eight_u"),
                          "simplest counterexample");
}

}  // namespace
