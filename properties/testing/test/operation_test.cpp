// An operation takes whatever can be called like it, and tells whether one's own was called.
#include "../../operation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>

#include "../../over.hpp"
#include "../subject.hpp"

namespace embedscale::properties::testing::operation_test {

int twice(int x) { return 2 * x; }
[[maybe_unused]] double more(double x) { return x + 1.0; }
int more(int x) { return x + 1; }

template <class Real>
struct Operations {
  Operation<Real(Real x)> same = [](Real x) { return x; };
  Operation<void(std::span<const Real> x, Real& sum)> add = [](std::span<const Real> x, Real& sum) {
    for (const Real& value : x) sum += value;
  };
};
struct Primitives : Over<Operations, int, double> {};

struct Counted {
  int calls = 0;
  int operator()(int x) { return x + ++calls; }
};

TEST(operation, takes_functions_and_callables_with_state) {
  Operation<int(int)> of = twice;
  EXPECT_EQ(of(3), 6);
  of = more;  // the one of this type
  EXPECT_EQ(of(3), 4);
  of = std::function<int(int)>(twice);
  EXPECT_EQ(of(3), 6);
  of = [owned = std::make_unique<int>(5)](int x) { return x + *owned; };
  EXPECT_EQ(of(3), 8);
  of = Counted{};
  const auto copy = of;
  EXPECT_EQ(of(3), 4);
  EXPECT_EQ(copy(3), 5);  // the same state
  of = [](int) { return 0; };
  EXPECT_EQ(of(3), 0);
  EXPECT_EQ(copy(3), 6);
}

TEST(operation, tells_whether_ones_own_was_called_and_copies_tell_the_same) {
  const Primitives library;
  Primitives own = library;
  int calls = 0;
  own.of<int>().same = twice;
  own.of<double>().same = [&](double x) { return ++calls, x; };
  const Primitives copy = own;
  const auto called = [&] {
    return std::pair(own.of<int>().same.own()->was_called(),
                     own.of<double>().same.own()->was_called());
  };
  EXPECT_EQ(called(), std::pair(false, false));
  copy.of<int>().same(1);
  EXPECT_EQ(called(), std::pair(true, false));
  copy.of<double>().same(1.0);
  own.of<int>().same.own()->forget();
  EXPECT_EQ(called(), std::pair(false, true));
  EXPECT_EQ(own.of<int>().add.own(), nullptr);
}

TEST(operation, of_the_library_tells_it_when_it_is_watched) {
  Primitives of;
  of.of<int>().same.watch();
  EXPECT_FALSE(of.of<int>().same.own()->was_called());
  EXPECT_EQ(of.of<int>().same(3), 3);
  EXPECT_TRUE(of.of<int>().same.own()->was_called());
  EXPECT_FALSE(of.of<int>().same.is_ones_own());
}

TEST(operation, leaves_the_status_that_a_kernel_returns) {
  Operation<void(int&)> add = [](int& x) { ++x; };
  const int by = 3;
  add = [&](int& x) { return x += by, true; };
  int x = 4;
  add(x);
  EXPECT_EQ(x, 7);
}

TEST(replaces, gives_the_librarys_function_to_what_takes_its_place) {
  constexpr auto same = [](auto& of) -> decltype((of.same)) { return of.same; };
  const ChangeOf<Primitives> change =
      replaces(same, [](auto was, auto x) { return was(x) + was(x); });
  Primitives changed;
  changed.of<int>().same = [](int) { return 0; };  // not what `was` is
  change(changed);
  EXPECT_EQ(changed.of<int>().same(3), 6);
  EXPECT_EQ(changed.of<double>().same(0.5), 1.0);
}

}  // namespace embedscale::properties::testing::operation_test
