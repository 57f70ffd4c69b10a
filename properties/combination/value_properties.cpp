// What each step on a channel has to give, as properties of any subject.
#include "../testing/rows.hpp"
#include "trials.hpp"

namespace embedscale::properties::combination {

using namespace testing;
using primitives::rounding_of, primitives::wide;

namespace {

template <class Visit>
void in_a_format(const Visit& visit) {
  in_one_format<double, float, binary16, bfloat16>(visit);
}

}  // namespace

void sums_give_their_values(const Primitives& subject) {
  in_a_format([&]<class Real>() {
    const auto parts = drawn_parts<Real>();
    const Real e = parts.e, p = parts.p, m = parts.m;
    const auto& of = subject.of<Real>();
    const auto in = rounding_of<Real>();
    judge("up", primitives::multiplied_up(in, wide(e), wide(p), wide(m)),
          [&] { return std::vector{of.up(e, p, m)}; });
    const auto down = primitives::divided_down(in, wide(e), wide(p), wide(m));
    judge("down", down, [&] { return std::vector{of.down(e, p, m)}; });
    judge("down by the reciprocal", down,
          [&] { return std::vector{of.down_by_reciprocal(e, p, m)}; });
    judge("sum", primitives::sum(in, wide(e), wide(p)), [&] { return std::vector{of.sum(e, p)}; });
  });
}

void dropout_gives_its_value(const Primitives& subject) {
  in_a_format([&]<class Real>() {
    const auto rate = named("100 rate", in_range(0, 100)) / 100.0;
    const Real s = dropout_scale<Real>(rate);
    const Real x = drawn_parts<Real>().p;
    const auto& of = subject.of<Real>();
    judge("kept", primitives::products(rounding_of<Real>(), {wide(x)}, wide(s)),
          [&] { return std::vector{of.dropout(x, DropoutMask::kept, s)}; });
    holds_exactly(of.dropout(x, DropoutMask::dropped, s) == Real(0));
  });
}

}  // namespace embedscale::properties::combination
