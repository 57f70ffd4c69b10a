// What the arithmetic of a build does that the library's statements exclude, told line by line;
// exit code 1 where there is anything. One source, no framework: it is compiled and run under the
// conditions that it has to notice, too.
//
//   arithmetic [upward|downward|toward_zero]     in that rounding mode
#include <embedscale/combination.hpp>

#include <cfenv>
#include <cfloat>
#include <cstdio>
#include <cstring>
#include <limits>

namespace {

static_assert(FLT_EVAL_METHOD == 0, "expressions are evaluated in another format than their own");

/// x, of which the compiler knows nothing: neither value nor that it stays.
template <class Real>
Real opaque(Real x) {
  volatile Real hidden = x;
  return hidden;
}

/// (1 + ε)(1 − ε) − 1 is −ε² where the product is not rounded, and else 0 (to nearest) or −ε/2: in
/// one expression and in the library's.
template <class Real>
bool contracts() {
  constexpr Real step = std::numeric_limits<Real>::epsilon();
  const Real a = opaque<Real>(1 + step), b = opaque<Real>(1 - step), c = opaque<Real>(-1);
  return opaque(a * b + c) == -step * step || opaque(embedscale::up(a, c, b)) == -step * step;
}

/// Half of the smallest normal number is a result below the normal range.
template <class Real>
bool flushes_results() {
  constexpr Real least = std::numeric_limits<Real>::min();
  return opaque(opaque(least) / opaque<Real>(2)) * opaque<Real>(4) != opaque<Real>(2 * least);
}

/// The smallest subnormal, as an operand of a product that is far above.
template <class Real>
bool flushes_operands() {
  constexpr Real huge = std::numeric_limits<Real>::max();
  return !(opaque(std::numeric_limits<Real>::denorm_min()) * opaque(huge) > 0);
}

/// Ties that to-nearest, ties-to-even takes up and down on either side of 0: each other mode errs
/// at one of them.
template <class Real>
bool rounds_otherwise() {
  constexpr Real step = std::numeric_limits<Real>::epsilon(), half = step / 2;
  for (const Real one : {opaque<Real>(1), opaque<Real>(-1)}) {
    if (opaque(one + one * opaque(half)) != one) return true;
    if (opaque(one * opaque<Real>(1 + step) + one * opaque(half)) != one * (1 + 2 * step))
      return true;
  }
  return false;
}

int found = 0;

template <class Real>
void report(const char* format) {
  const auto say = [format](bool seen, const char* what) {
    if (!seen) return;
    std::printf("%s: %s\n", format, what);
    ++found;
  };
  say(contracts<Real>(), "a product and a sum have one rounding");
  say(flushes_results<Real>(), "a subnormal result is flushed to zero");
  say(flushes_operands<Real>(), "a subnormal operand is taken for zero");
  say(rounds_otherwise<Real>(), "rounding is not to nearest, ties to even");
}

bool set_mode(const char* name) {
  struct Mode {
    const char* name;
    int mode;
  };
  for (const auto& [mode_name, mode] : {Mode{"upward", FE_UPWARD}, Mode{"downward", FE_DOWNWARD},
                                        Mode{"toward_zero", FE_TOWARDZERO}})
    if (std::strcmp(name, mode_name) == 0) return std::fesetround(mode) == 0;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && !set_mode(argv[1])) return 2;
  report<float>("binary32");
  report<double>("binary64");
  if (found == 0) std::puts("one rounding for each operation, to nearest, subnormals kept");
  return found == 0 ? 0 : 1;
}
